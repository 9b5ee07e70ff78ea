package main

import (
	"fmt"
	"strings"
	"time"
)

// scenario is one kind of plan.
type scenario struct {
	name           string
	groups, models int
	latency        time.Duration
	config         string
	against        string // the configuration that it is compared with, "" for the floor
}

// The names of scenarios that the targets speak of.
const (
	nothing       = "nothing (count = 0)"
	oneModel      = "1 model"
	manyBlocks    = "200 blocks over 50 groups, %s latency"
	twoAttributes = "3000 models, two attributes"
	limitScenario = "limit"
)

func modelsOf(models int) string   { return fmt.Sprintf("%d models of one group", models) }
func fleetOf(groups int) string    { return fmt.Sprintf("%d groups in one block", groups) }
func inOneBlock(groups int) string { return fleetOf(groups) + ", 50 ms latency" }

const (
	readNone = `data "modelcatalogue_latest_model" "this" {
  count          = 0
  model_group_id = "group-0"
}
`
	readOne = `data "modelcatalogue_latest_model" "this" { model_group_id = "group-0" }`
	listAll = `data "modelcatalogue_model_group_models" "this" { model_group_id = "group-0" }`
	// What code that deploys models needs of them.
	listTwo = `data "modelcatalogue_model_group_models" "this" {
  model_group_id = "group-0"
  attributes     = ["revision", "docker_image"]
}
`
	// The latest model of each of so many groups, in one block or with a block for each.
	oneBlock = `data "modelcatalogue_latest_models" "this" {
  model_group_ids = [for i in range(%d) : "group-${i}"]
}
`
	blockForEach = `data "modelcatalogue_latest_model" "this" {
  for_each       = toset([for i in range(%d) : "group-${i}"])
  model_group_id = each.key
}
`
)

func scenarios() []scenario {
	all := []scenario{
		{name: nothing, groups: 1, models: 1, config: readNone},
		{name: oneModel, groups: 1, models: 1, config: readOne},
	}
	for _, models := range []int{100, 500, 1000, 5000} {
		all = append(all, scenario{name: modelsOf(models), groups: 1, models: models, config: listAll})
	}
	all = append(all,
		scenario{name: "1000 groups", groups: 1000, models: 3, config: `data "modelcatalogue_model_groups" "this" {}`},
		scenario{name: fleetOf(1000), groups: 1000, models: 1, config: fmt.Sprintf(oneBlock, 1000)})
	var blocks strings.Builder
	for i := range 200 {
		fmt.Fprintf(&blocks, "data \"modelcatalogue_latest_model\" \"b%d\" { model_group_id = \"group-%d\" }\n", i, i%50)
	}
	for _, latency := range []time.Duration{0, 50 * time.Millisecond} {
		name := fmt.Sprintf(manyBlocks, latency)
		all = append(all, scenario{name: name, groups: 50, models: 1, latency: latency, config: blocks.String()})
	}
	for _, groups := range []int{10, 100, 200, 300, 500, 700, 1000} {
		all = append(all, scenario{
			name: inOneBlock(groups), groups: groups, models: 1, latency: 50 * time.Millisecond,
			config: fmt.Sprintf(oneBlock, groups), against: fmt.Sprintf(blockForEach, groups),
		})
	}
	return append(all, scenario{name: twoAttributes, groups: 1, models: 3000, config: listTwo, against: listAll})
}

// goesOn tells whether another pair is due. Short plans vary most and cost
// least, so they are run more often; long ones vary little.
func (s scenario) goesOn(r *result, made, pairs int, spent time.Duration) bool {
	switch {
	case made == 0:
		return true
	case r.ours[0].wall < 2 && s.against == "":
		return made < 3*pairs
	default:
		return made < pairs && (made < 3 || spent < time.Minute)
	}
}
