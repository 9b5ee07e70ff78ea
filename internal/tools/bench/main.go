// Command bench compares whole plans in pairs, and writes the tables of BENCHMARKS.md and the README.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

// scenario is a plan that is compared with the plan of another configuration, or
// with its own plan over the floor if other is "". Its targets are ratios.
type scenario struct {
	name           string
	groups, models int
	latency        time.Duration
	config, other  string
	cpu, wall      float64 // targets, 0 for none
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
	oneBlock     = `data "modelcatalogue_latest_models" "this" { model_group_ids = [for i in range(%d) : "group-${i}"] }`
	blockForEach = `data "modelcatalogue_latest_model" "this" {
  for_each       = toset([for i in range(%d) : "group-${i}"])
  model_group_id = each.key
}`
)

func scenarios() []scenario {
	const latency = 50 * time.Millisecond
	var blocks strings.Builder
	for i := range 200 {
		fmt.Fprintf(&blocks, "data \"modelcatalogue_latest_model\" \"b%d\" { model_group_id = \"group-%d\" }\n", i, i%50)
	}
	all := []scenario{
		{"1000 models of one group", 1, 1000, 0, listAll, "", 1.10, 1.10},
		{"5000 models of one group", 1, 5000, 0, listAll, "", 1.10, 1.10},
		{"1000 groups in one block", 1000, 1, 0, fmt.Sprintf(oneBlock, 1000), "", 1.15, 0},
		{"200 blocks over 50 groups", 50, 1, latency, blocks.String(), "", 0, 0},
		{"1 model; none", 1, 1, 0, readOne, readNone, 1.15, 1.15},
		{"3000 models with two attributes; with all", 1, 3000, 0, listTwo, listAll, 0.35, 0},
	}
	for _, n := range []int{10, 100, 300, 1000} {
		many := scenario{
			name: fmt.Sprintf("%d groups in one block; with `for_each`", n), groups: n, models: 1, latency: latency,
			config: fmt.Sprintf(oneBlock, n), other: fmt.Sprintf(blockForEach, n),
		}
		if n == 300 {
			many.cpu, many.wall = 0.30, 0.35
		}
		all = append(all, many)
	}
	return all
}

// bench has what all measurements share.
type bench struct {
	engine            engine.Engine
	root, ours, floor string // folders: scratch space, the provider, its floor
}

func main() {
	pairs := flag.Int("pairs", 5, "pairs of plans for each scenario")
	only := flag.String("only", "", "measure only the scenarios whose name contains this, and write no file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *pairs, *only)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, pairs int, only string) (err error) {
	b := bench{}
	if b.engine, err = engine.Find(ctx); err != nil {
		return err
	}
	if b.root, err = os.MkdirTemp("", "modelcatalogue-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.root)) }()
	b.ours, b.floor = filepath.Join(b.root, "ours"), filepath.Join(b.root, "floor")
	for dir, pkg := range map[string]string{b.ours: ".", b.floor: "./internal/tools/bench/floor"} {
		program := filepath.Join(dir, "terraform-provider-modelcatalogue")
		cmd := engine.Command(ctx, "go", "build", "-ldflags=-s -w", "-o", program, pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", pkg, err, out)
		}
	}
	var plans, groups strings.Builder
	for _, s := range scenarios() {
		if !strings.Contains(s.name, only) {
			continue
		}
		ours, theirs, err := b.measure(ctx, s, pairs)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		row := s.row(ours, theirs)
		fmt.Print(row)
		plans.WriteString(row)
		if strings.Contains(s.other, "for_each") {
			fmt.Fprintf(&groups, "| %d | %.1f s | %.1f s |\n", s.groups, median(theirs, wall), median(ours, wall))
		}
	}
	if only != "" {
		return nil
	}
	inside, err := engine.Command(ctx, "go", "test", "-run=^$", "-bench=.", "-benchmem",
		"./internal/catalogue", "./internal/provider").Output()
	if err != nil {
		return fmt.Errorf("benchmarks of the provider: %w\n%s", err, inside)
	}
	lines := regexp.MustCompile(`(?m)^Benchmark.*\n`).FindAll(inside, -1)
	const planHeader = "| plan | CPU | the other | ratio | at most | wall | the other | ratio | at most |\n" +
		"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
	machine := fmt.Sprintf("%s, %s, %s/%s, %d cores; %d pairs for each row.\n",
		b.engine, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), pairs)
	return errors.Join(
		replacePart("BENCHMARKS.md", "machine", machine),
		replacePart("BENCHMARKS.md", "plans", planHeader+plans.String()),
		replacePart("BENCHMARKS.md", "inside", "```text\n"+string(bytes.Join(lines, nil))+"```\n"),
		replacePart("README.md", "plan time",
			"| groups | `for_each` | one block |\n| ---: | ---: | ---: |\n"+groups.String()))
}

// measure plans both ways in turn. The order changes from pair to pair, so that neither way always comes second.
func (b bench) measure(ctx context.Context, s scenario, pairs int) (ours, theirs []sample, err error) {
	url, stop, err := serve(s.groups, s.models, s.latency)
	if err != nil {
		return nil, nil, err
	}
	defer stop()
	env := engine.Service(url, "bench", "bench")
	mine, other := plan{s.config, b.ours, env}, plan{s.other, b.ours, env}
	if s.other == "" {
		answers, err := os.MkdirTemp(b.root, "floor-")
		if err != nil {
			return nil, nil, err
		}
		other = plan{s.config, b.floor, append(env, "FLOOR_DIR="+answers)}
	}
	// This plan fills the caches of the service and the floor.
	if _, err := b.run(ctx, other); err != nil {
		return nil, nil, err
	}
	for pair := range pairs {
		for turn := range 2 {
			p, samples := mine, &ours
			if (pair+turn)%2 == 1 {
				p, samples = other, &theirs
			}
			seen, err := b.run(ctx, p)
			if err != nil {
				return nil, nil, err
			}
			*samples = append(*samples, seen)
		}
	}
	return ours, theirs, nil
}

// plan is a configuration with the folder of its provider and its environment.
type plan struct {
	config, plugins string
	env             []string
}

// sample is the cost of a plan, in seconds of the engine and its provider together.
type sample struct{ cpu, wall float64 }

const header = `terraform {
  required_providers {
    modelcatalogue = { source = "modelcatalogue/modelcatalogue" }
  }
}
`

// run plans once.
func (b bench) run(ctx context.Context, p plan) (sample, error) {
	override, err := engine.Override(filepath.Join(b.root, "engine.tfrc"), p.plugins)
	if err != nil {
		return sample{}, err
	}
	if err := os.WriteFile(filepath.Join(b.root, "main.tf"), []byte(header+p.config), 0o600); err != nil {
		return sample{}, err
	}
	work := engine.Workspace{Engine: b.engine, Dir: b.root, Env: engine.Environment(append(p.env, override)...)}
	cmd := work.Command(ctx, "plan", "-lock=false")
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return sample{}, fmt.Errorf("plan: %w\n%s", err, out)
	}
	// The engine's times include its provider's, which it waits for.
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return sample{cpu: used.Seconds(), wall: time.Since(start).Seconds()}, nil
}

func cpu(s sample) float64  { return s.cpu }
func wall(s sample) float64 { return s.wall }

func median(samples []sample, figure func(sample) float64) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = figure(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// row returns the scenario's row of the table. A ratio that misses its target is bold.
func (s scenario) row(ours, theirs []sample) string {
	row := []string{s.name}
	for _, of := range []struct {
		figure func(sample) float64
		target float64
	}{{cpu, s.cpu}, {wall, s.wall}} {
		ratios := make([]float64, len(ours))
		for i := range ratios {
			ratios[i] = of.figure(ours[i]) / of.figure(theirs[i])
		}
		slices.Sort(ratios)
		ratio, target := fmt.Sprintf("%.2f", ratios[len(ratios)/2]), "–"
		if of.target > 0 {
			target = fmt.Sprintf("%.2f", of.target)
			if ratios[len(ratios)/2] > of.target {
				ratio = "**" + ratio + "**"
			}
		}
		row = append(row, fmt.Sprintf("%.2f | %.2f | %s (%.2f–%.2f) | %s",
			median(ours, of.figure), median(theirs, of.figure), ratio, ratios[0], ratios[len(ratios)-1], target))
	}
	return "| " + strings.Join(row, " | ") + " |\n"
}

// replacePart replaces the part of a file between the comments with that name.
func replacePart(file, name, text string) error {
	old, err := os.ReadFile(file) //nolint:gosec // one of the two above
	if err != nil {
		return err
	}
	begin, end := "<!-- "+name+": begin -->\n", "<!-- "+name+": end -->\n"
	before, rest, begins := strings.Cut(string(old), begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		return fmt.Errorf("%s has no %q, or no end of it", file, begin)
	}
	return os.WriteFile(file, []byte(before+begin+text+end+after), 0o644)
}
