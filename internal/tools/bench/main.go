// Command bench measures plans in pairs, and writes BENCHMARKS.md and a table of a guide.
//
//	bench BUILDS
//
// BUILDS is a folder with two builds, provider and floor.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

// scenario compares a plan with the plan of another configuration, or with a plan of the same one over the floor if
// other is "". The targets are ratios.
type scenario struct {
	name    string
	groups  int
	models  int
	latency time.Duration
	config  string
	other   string
	cpu     float64 // the target, 0 for none
	wall    float64 // likewise
}

const (
	readNone = `data "modelcatalogue_latest_model" "this" {
  count          = 0
  model_group_id = "group-0"
}`
	readOne = `data "modelcatalogue_latest_model" "this" { model_group_id = "group-0" }`
	listAll = `data "modelcatalogue_model_group_models" "this" { model_group_id = "group-0" }`
	listTwo = `data "modelcatalogue_model_group_models" "this" {
  model_group_id = "group-0"
  attributes     = ["revision", "docker_image"]
}`
	oneBlock = `data "modelcatalogue_latest_models" "this" {
  model_group_ids = [for i in range(%d) : "group-${i}"]
}`
	blockForEach = `data "modelcatalogue_latest_model" "this" {
  for_each       = toset([for i in range(%d) : "group-${i}"])
  model_group_id = each.key
}`
)

// latency is the delay of an answer in plans of many groups.
const latency = 50 * time.Millisecond

// overTheFloor returns the scenarios with the floor on the other side.
func overTheFloor() []scenario {
	var blocks strings.Builder
	for i := range 200 {
		const block = "data \"modelcatalogue_latest_model\" \"b%d\" { model_group_id = \"group-%d\" }\n"
		fmt.Fprintf(&blocks, block, i, i%50)
	}
	return []scenario{
		{
			name:   "1000 models of one group",
			groups: 1,
			models: 1000,
			config: listAll,
			cpu:    1.10,
			wall:   1.10,
		},
		{
			name:   "5000 models of one group",
			groups: 1,
			models: 5000,
			config: listAll,
			cpu:    1.10,
			wall:   1.10,
		},
		{
			name:   "1000 groups in one block",
			groups: 1000,
			models: 1,
			config: fmt.Sprintf(oneBlock, 1000),
			cpu:    1.15,
		},
		{
			name:    "200 blocks over 50 groups",
			groups:  50,
			models:  1,
			latency: latency,
			config:  blocks.String(),
		},
	}
}

// besideAnother returns the scenarios with another configuration on the other side.
func besideAnother() []scenario {
	all := []scenario{
		{
			name:   "1 model; none",
			groups: 1,
			models: 1,
			config: readOne,
			other:  readNone,
			cpu:    1.15,
			wall:   1.15,
		},
		{
			name:   "3000 models with two attributes; with all",
			groups: 1,
			models: 3000,
			config: listTwo,
			other:  listAll,
			cpu:    0.35,
		},
	}
	for _, n := range []int{10, 100, 300, 1000} {
		many := scenario{
			name:    fmt.Sprintf("%d groups in one block; with `for_each`", n),
			groups:  n,
			models:  1,
			latency: latency,
			config:  fmt.Sprintf(oneBlock, n),
			other:   fmt.Sprintf(blockForEach, n),
		}
		if n == 300 {
			many.cpu, many.wall = 0.30, 0.35
		}
		all = append(all, many)
	}
	return all
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures all scenarios and writes the tables.
func run(ctx context.Context, builds string) error {
	found, err := engine.Find(ctx)
	if err != nil {
		return err
	}
	root, err := os.MkdirTemp("", "modelcatalogue-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(root) }()
	var rows strings.Builder
	for _, s := range append(overTheFloor(), besideAnother()...) {
		ours, theirs, err := bench{found, builds, root}.measure(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		row := s.row(ours, theirs)
		fmt.Print(row)
		rows.WriteString(row)
	}
	return write(ctx, found, rows.String())
}
