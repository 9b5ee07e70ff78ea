package catalogue_test

import (
	"flag"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

var fleetPlans = flag.Int("fleet-plans", 6, "how many plans TestFleetsShareAnAllowance makes of each kind")

// fleets are several runs, begun at the same time. They share 60 requests a minute, and each reads the groups of one
// block. One of oneIn such plans may lose a group.
type fleets struct {
	runs, groups int
	oneIn        int
}

// plans returns plans of fixed and sliding minutes, with quick answers and with a tail of slow ones. The 429s of the
// service are always quick.
func (f fleets) plans() (cells []allowanceCell) {
	for _, kind := range []sandbox.Counting{sandbox.FixedWindow, sandbox.SlidingWindow} {
		for _, latency := range []allowanceLatency{quick, tailed} {
			for _, atOnce := range []int{10, 16} { // blocks, by an engine's default, and groups of one block
				cells = append(cells, allowanceCell{
					allowance: simAllowance{Allowance: sandbox.Allowance{Kind: kind, Requests: 60, Per: time.Minute}},
					processes: f.runs,
					groups:    f.groups,
					atOnce:    atOnce,
					latency:   latency,
					limiter:   true,
				})
			}
		}
	}
	return cells
}

// Runs that share an allowance starve each other in few plans.
func TestFleetsShareAnAllowance(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fleets{
		"4 runs of 200 groups": {runs: 4, groups: 200, oneIn: 50},
		"6 runs of 100 groups": {runs: 6, groups: 100, oneIn: 20},
		"2 runs of 300 groups": {runs: 2, groups: 300, oneIn: 100},
		"3 runs of 200 groups": {runs: 3, groups: 200, oneIn: 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plans, lost := 0, 0
			for _, cell := range f.plans() {
				plans += *fleetPlans
				lost += cell.lost(t, *fleetPlans)
			}
			t.Logf("%d of %d plans lose a group", lost, plans)
			if most := 1 + plans/f.oneIn; lost > most {
				t.Errorf("%d of %d plans lose a group, want one in %d at most", lost, plans, f.oneIn)
			}
		})
	}
}

// lost returns how many of a number of plans lose a group. It logs the first group of each.
func (c allowanceCell) lost(t *testing.T, plans int) (lost int) {
	t.Helper()
	for seed := range plans {
		run := c.run(t, uint64(seed)+1)
		if len(run.failures) > 0 {
			t.Logf("%s: %d lost, such as %v", c, len(run.failures), run.failures[0])
			lost++
		}
	}
	return lost
}
