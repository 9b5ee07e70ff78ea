package catalogue

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// simCell is what many runs of one plan came to.
type simCell struct {
	plan     simPlan
	ratio    float64 // the median time over the least
	beyond   float64 // the same, after one window is taken off the time
	refusals float64 // their median over 5 % of the reads and twice the readers
	starved  int     // runs in which a read took longer than the usual read_timeout
	err      error
}

func runCell(p simPlan, seeds int) simCell {
	c := simCell{plan: p}
	var ratios, beyond, refusals []float64
	processes := max(p.processes, 1)
	for seed := range seeds {
		out := simulate(p, uint64(seed))
		if out.err != nil {
			c.err = fmt.Errorf("seed %d: %w", seed, out.err)
		}
		if out.longest > 5*time.Minute {
			c.starved++
		}
		ratios = append(ratios, float64(out.end)/float64(out.least))
		beyond = append(beyond, float64(out.end-p.allowance.window)/float64(out.least))
		refusals = append(refusals, float64(out.refusals)/(0.05*float64(p.reads*processes)+2*float64(p.parallelism*processes)))
	}
	median := func(values []float64) float64 {
		slices.Sort(values)
		return values[len(values)/2]
	}
	c.ratio, c.beyond, c.refusals = median(ratios), median(beyond), median(refusals)
	return c
}

func runCells(plans []simPlan, seeds int) []simCell {
	cells := make([]simCell, len(plans))
	var workers sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				cells[i] = runCell(plans[i], seeds)
			}
		})
	}
	for i := range plans {
		next <- i
	}
	close(next)
	workers.Wait()
	return cells
}

// simAllowances are the kinds and sizes of the table.
func simAllowances(sizes ...simAllowance) (all []simAllowance) {
	for _, kind := range []string{"fixed", "sliding", "bucket"} {
		for _, a := range sizes {
			all = append(all, simAllowance{kind: kind, n: a.n, window: a.window})
		}
	}
	return all
}

var simSizes = []simAllowance{
	{n: 60, window: time.Minute}, {n: 120, window: time.Minute}, {n: 20, window: 4 * time.Second}, {n: 10, window: time.Second},
}

func onePlans() (plans []simPlan) {
	for _, a := range simAllowances(simSizes...) {
		for _, reads := range []int{100, 300, 600} {
			for _, parallelism := range []int{10, 30} {
				for _, life := range []time.Duration{time.Hour, time.Minute, 8 * time.Second} {
					for _, latency := range simLatencies {
						plans = append(plans, simPlan{allowance: a, reads: reads, parallelism: parallelism, tokenLife: life, latency: latency})
					}
				}
			}
		}
	}
	return plans
}

func manyPlans() (plans []simPlan) {
	for _, processes := range []int{2, 4, 8} {
		for _, a := range simAllowances(simSizes...) {
			for _, reads := range []int{100, 300} {
				for _, latency := range simLatencies {
					plans = append(plans, simPlan{
						allowance: a, processes: processes, reads: reads, parallelism: 10, tokenLife: time.Hour, latency: latency,
					})
				}
			}
		}
	}
	return plans
}

// oddPlans are allowances that are huge, tiny or no whole seconds, that change, that name no wait, a 429 out of the
// blue, and a ceiling.
func oddPlans() (plans []simPlan) {
	add := func(change func(*simPlan), sizes ...simAllowance) {
		for _, a := range simAllowances(sizes...) {
			for _, latency := range simLatencies {
				p := simPlan{allowance: a, reads: 300, parallelism: 10, tokenLife: time.Hour, latency: latency}
				change(&p)
				plans = append(plans, p)
			}
		}
	}
	middle := func(p *simPlan) time.Duration {
		return p.allowance.window * time.Duration(150) / time.Duration(p.allowance.n)
	}
	add(func(p *simPlan) { p.reads = 100 },
		simAllowance{n: 1000, window: time.Second}, simAllowance{n: 1, window: 10 * time.Second}, simAllowance{n: 3, window: time.Minute},
		simAllowance{n: 30, window: time.Minute}, simAllowance{n: 90, window: time.Minute}, simAllowance{n: 7, window: 3500 * time.Millisecond})
	add(func(p *simPlan) { p.changesAt, p.changesTo = middle(p), p.allowance.n/2 }, simSizes...)
	add(func(p *simPlan) { p.changesAt, p.changesTo = middle(p), p.allowance.n*2 }, simSizes...)
	add(func(p *simPlan) { p.stray = 150 }, simSizes...)
	add(func(p *simPlan) { p.unnamed = true }, simSizes...)
	add(func(p *simPlan) { p.ceiling = 2.5 }, simSizes...)
	return plans
}

// TestTheLimiterIsFastWhateverTheAllowance runs the table: no run may stall, send in a pause or exceed its ceiling.
// The bounds hold for the median of nearly every cell; those that miss them are counted, so that a change that makes
// more of them miss fails. SEEDS sets the number of runs for each cell, and -v prints the table.
func TestTheLimiterIsFastWhateverTheAllowance(t *testing.T) {
	t.Parallel()
	seeds := 5
	if n, err := strconv.Atoi(os.Getenv("SEEDS")); err == nil && n > 0 {
		seeds = n
	}
	for name, table := range map[string]struct {
		plans  []simPlan
		second float64 // the bound where the window is a second
		bound  float64 // of the time less one window over the least
		slow   int     // how many cells may be above it
		loud   int     // how many may have more refusals than 5 % of the reads and twice the readers
		worst  float64 // above which no cell may be
		starve int     // in how many runs a read may take longer than the usual read_timeout
	}{
		"one process":       {plans: onePlans(), bound: 1.25, second: 1.5, slow: 2, worst: 1.55, starve: 12},
		"many processes":    {plans: manyPlans(), bound: 2, second: 2, slow: 22, loud: 61, worst: 3.9, starve: 29},
		"odd circumstances": {plans: oddPlans(), bound: 2, second: 2, loud: 23, worst: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cells := runCells(table.plans, seeds)
			slow, loud, starved := 0, 0, 0
			for _, c := range cells {
				bound := table.bound
				if c.plan.allowance.window == time.Second {
					bound = table.second
				}
				if c.beyond > bound {
					slow++
				}
				if c.refusals > 1 {
					loud++
				}
				starved += c.starved
				if c.err != nil || c.beyond > table.worst {
					t.Errorf("%v: %v", c, c.err)
				}
			}
			if slow > table.slow || loud > table.loud || starved > table.starve {
				t.Errorf("%d cells above the bound, %d with too many refusals, %d runs that starve a read", slow, loud, starved)
			}
			t.Logf("%d cells, the median of %d runs each: %d above the bound, %d with too many refusals, %d runs that starve a read\n%s",
				len(cells), seeds, slow, loud, starved, simTable(cells))
		})
	}
}

func (c simCell) String() string {
	p := c.plan
	text := fmt.Sprintf("%v, %d processes, %d reads, parallelism %d, token %v, latency %s", p.allowance, max(p.processes, 1), p.reads,
		p.parallelism, p.tokenLife, p.latency.name)
	if p.changesAt > 0 {
		text += fmt.Sprintf(", %d after %v", p.changesTo, p.changesAt)
	}
	if p.stray > 0 {
		text += ", a stray 429"
	}
	if p.unnamed {
		text += ", no Retry-After"
	}
	if p.ceiling > 0 {
		text += fmt.Sprintf(", ceiling %v", p.ceiling)
	}
	return fmt.Sprintf("%s: %.2f (%.2f after one window is taken off), refusals %.2f", text, c.ratio, c.beyond, c.refusals)
}

// simTable is a line for each allowance, with the mean and the worst cell for each latency, and the slowest cells.
func simTable(cells []simCell) string {
	type key struct {
		simAllowance
		processes int
	}
	type sum struct{ total, worst, refusals, cells float64 }
	sums, lines := map[key]map[string]sum{}, []key{}
	for _, c := range cells {
		k := key{c.plan.allowance, max(c.plan.processes, 1)}
		if sums[k] == nil {
			sums[k], lines = map[string]sum{}, append(lines, k)
		}
		s := sums[k][c.plan.latency.name]
		s = sum{s.total + c.ratio, max(s.worst, c.ratio), max(s.refusals, c.refusals), s.cells + 1}
		sums[k][c.plan.latency.name] = s
	}
	var text strings.Builder
	text.WriteString("time over the least, mean / worst / refusals at worst over what is allowed, for each latency\n")
	for _, k := range lines {
		fmt.Fprintf(&text, "%d %-17v", k.processes, k.simAllowance)
		for _, latency := range simLatencies {
			s := sums[k][latency.name]
			fmt.Fprintf(&text, "  %s %.2f/%.2f/%.2f", latency.name, s.total/s.cells, s.worst, s.refusals)
		}
		text.WriteByte('\n')
	}
	slices.SortFunc(cells, func(a, b simCell) int { return int(1000 * (b.beyond - a.beyond)) })
	for _, c := range cells[:min(15, len(cells))] {
		fmt.Fprintf(&text, "slowest: %v\n", c)
	}
	return text.String()
}
