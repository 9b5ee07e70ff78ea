package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

// scenario is one kind of plan.
type scenario struct {
	name           string
	groups, models int
	latency        time.Duration
	config         string
	against        string // the configuration that it is compared with, "" for the floor
}

const (
	limitScenario = "limit"
	reportFile    = "BENCHMARKS.md"

	nothing = "nothing (count = 0)"
	oneGet  = `data "modelcatalogue_latest_model" "this" { model_group_id = "group-0" }`
	listAll = `data "modelcatalogue_model_group_models" "this" { model_group_id = "group-0" }`

	// twoAttributes is what code that deploys models needs of them.
	twoAttributes = "3000 models, two attributes"
)

func scenarios() []scenario {
	all := []scenario{
		{name: nothing, groups: 1, models: 1, config: `
data "modelcatalogue_latest_model" "this" {
  count          = 0
  model_group_id = "group-0"
}
`},
		{name: "1 model", groups: 1, models: 1, config: oneGet},
	}
	for _, models := range []int{100, 500, 1000, 5000} {
		all = append(all, scenario{
			name: fmt.Sprintf("%d models of one group", models), groups: 1, models: models, config: listAll,
		})
	}
	all = append(all,
		scenario{name: "1000 groups", groups: 1000, models: 3, config: `data "modelcatalogue_model_groups" "this" {}`},
		scenario{name: fleetOf(1000), groups: 1000, models: 1, config: oneBlock(1000)})
	var blocks strings.Builder
	for i := range 200 {
		fmt.Fprintf(&blocks, "data \"modelcatalogue_latest_model\" \"b%d\" { model_group_id = \"group-%d\" }\n", i, i%50)
	}
	for _, latency := range []time.Duration{0, 50 * time.Millisecond} {
		all = append(all, scenario{
			name: fmt.Sprintf("200 blocks over 50 groups, %s latency", latency), groups: 50, models: 1,
			latency: latency, config: blocks.String(),
		})
	}
	for _, groups := range []int{10, 100, 200, 300, 500, 700, 1000} {
		all = append(all, scenario{
			name: inOneBlock(groups), groups: groups, models: 1, latency: 50 * time.Millisecond,
			config: oneBlock(groups), against: blockForEach(groups),
		})
	}
	return append(all, scenario{
		name: twoAttributes, groups: 1, models: 3000, against: listAll,
		config: `
data "modelcatalogue_model_group_models" "this" {
  model_group_id = "group-0"
  attributes     = ["revision", "docker_image"]
}
`,
	})
}

// fleetOf and inOneBlock name the scenarios of so many groups.
func fleetOf(groups int) string { return fmt.Sprintf("%d groups in one block", groups) }

func inOneBlock(groups int) string {
	return fmt.Sprintf("%d groups in one block, 50 ms latency", groups)
}

// oneBlock reads the latest model of each of so many groups.
func oneBlock(groups int) string {
	return fmt.Sprintf(`
data "modelcatalogue_latest_models" "this" {
  model_group_ids = [for i in range(%d) : "group-${i}"]
}
`, groups)
}

// blockForEach reads the same with a block for each.
func blockForEach(groups int) string {
	return fmt.Sprintf("data \"modelcatalogue_latest_model\" \"this\" {\n"+
		"  for_each       = toset([for i in range(%d) : \"group-${i}\"])\n  model_group_id = each.key\n}\n", groups)
}

// result is what a scenario came to.
type result struct {
	scenario
	ours, other                []sample
	reads, tokens, connections int
	body                       int // bytes of the largest answer
}

// pairOfPlans is what a scenario compares.
type pairOfPlans struct{ ours, other *plan }

// plans writes the configurations, and prepares the floor where that is one.
func (s scenario) plans(
	ctx context.Context, program engine.Engine, root, ours, floor, url string,
) (plans pairOfPlans, err error) {
	if plans.ours, err = newPlan(program, root, "ours", ours, s.config, url); err != nil {
		return plans, err
	}
	if s.against != "" {
		plans.other, err = newPlan(program, root, "other", ours, s.against, url)
		return plans, err
	}
	prepared := filepath.Join(root, "prepared")
	if err := os.MkdirAll(prepared, 0o700); err != nil {
		return plans, err
	}
	record, err := newPlan(program, root, "record", floor, s.config, url, "FLOOR_DIR="+prepared, "FLOOR_RECORD=1")
	if err != nil {
		return plans, err
	}
	if _, err := record.run(ctx); err != nil {
		return plans, err
	}
	plans.other, err = newPlan(program, root, "floor", floor, s.config, url, "FLOOR_DIR="+prepared)
	return plans, err
}

// goesOn tells whether another pair is due. Short plans vary most and cost
// least, so they are run more often; long ones vary little.
func (s scenario) goesOn(r *result, made, pairs int, spent time.Duration) bool {
	switch {
	case made == 0:
		return true
	case r.ours[0].wall < 2*time.Second && s.against == "":
		return made < 3*pairs
	default:
		return made < pairs && (made < 3 || spent < time.Minute)
	}
}
