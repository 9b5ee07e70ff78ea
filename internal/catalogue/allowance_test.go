package catalogue_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var allowanceSeeds = flag.Int("allowance-seeds", 3, "how many seeds TestAllowances runs for each cell")

// allowanceCell is a plan over a service that limits requests: each process reads groups, some of them at once, and all
// processes share one allowance.
type allowanceCell struct {
	allowance                 simAllowance
	processes, groups, atOnce int
	latency                   allowanceLatency
	stray                     time.Duration // one 429 beside the allowance names that wait
	ceiling                   bool          // max_requests is the allowance
	limiter                   bool          // a 429 is quick, however slow other answers are
}

// allowanceLatency is how long answers take.
type allowanceLatency struct {
	name string
	draw func(*rand.Rand) time.Duration
}

var (
	quick = allowanceLatency{"quick", func(r *rand.Rand) time.Duration {
		return between(r, 20*time.Millisecond, 180*time.Millisecond)
	}}
	slow    = allowanceLatency{"0.6 s", about(600 * time.Millisecond)}
	slowest = allowanceLatency{"2 s", about(2 * sec)}
	// One in a hundred takes seconds.
	tailed = allowanceLatency{"heavy tail", func(r *rand.Rand) time.Duration {
		if r.IntN(100) == 0 {
			return between(r, 2500*time.Millisecond, 7500*time.Millisecond)
		}
		return quick.draw(r)
	}}
)

// about draws a time, and never quite the same.
func about(d time.Duration) func(*rand.Rand) time.Duration {
	return func(r *rand.Rand) time.Duration {
		return between(r, d, d+20*time.Microsecond)
	}
}

func (c allowanceCell) String() string {
	text := fmt.Sprintf("%s, %d × %d groups, %d at once, %s", c.allowance, c.processes, c.groups, c.atOnce, c.latency.name)
	if c.stray > 0 {
		text += ", a stray 429"
	}
	if c.ceiling {
		text += ", with max_requests"
	}
	return text
}

func (a simAllowance) String() string {
	name := map[string]string{"fixed": "fixed window", "sliding": "sliding window", "bucket": "bucket"}[a.kind]
	return fmt.Sprintf("%s, %d in %s", name, a.requests, strings.TrimSuffix(a.per.String(), "0s"))
}

// least returns the shortest time in which the allowance lets that many instant requests through.
func (a simAllowance) least(requests int) time.Duration {
	first := time.Duration((requests-1)/a.requests) * a.per
	switch {
	case first == 0:
		return 0
	case a.kind == "bucket":
		return time.Duration(requests-a.requests) * a.per / time.Duration(a.requests)
	case a.kind == "fixed":
		return first - a.phase
	}
	return first
}

// allowanceRun is what came of a plan on a fake clock.
type allowanceRun struct {
	took, least time.Duration // until the last read of the last process ended
	limited     int           // how many requests were answered with 429
	failures    []error       // of reads
}

// run makes the plan. The seed decides the phase of the windows and how long answers take.
func (c allowanceCell) run(t *testing.T, seed uint64) (out allowanceRun) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(seed, 8))
		c.allowance.phase = between(random, 0, c.allowance.per-1)
		out.least = c.allowance.least(c.processes*(c.groups+1)) + c.stray
		began, counter, arrived := time.Now(), simCounter{simAllowance: c.allowance}, 0
		limited := func(otherwise reply) reply {
			wait := time.Duration(0)
			if arrived++; arrived == 150 {
				wait = c.stray
			}
			if wait == 0 {
				wait = counter.admit(time.Since(began))
			}
			if wait == 0 {
				return otherwise
			}
			out.limited++
			answer := retryAfter(http.StatusTooManyRequests, fmt.Sprint(int64((wait+sec-1)/sec)))
			answer.quick = c.limiter
			return answer
		}
		var mu sync.Mutex
		s := &service{
			token: func(n int) reply { return limited(issue(n, time.Hour)) },
			read:  func(int, *http.Request) reply { return limited(found) },
			takes: func(*request) (there, back time.Duration) {
				mu.Lock()
				defer mu.Unlock()
				takes := c.latency.draw(random)
				there = min(takes/2, sec) // a slow answer is slow at the service
				return there, takes - there
			},
		}
		ceiling := atMost(0, 0)
		if c.ceiling {
			ceiling = atMost(c.allowance.requests, c.allowance.per)
		}
		var all sync.WaitGroup
		for range c.processes {
			client := over(t, s, ceiling)
			all.Go(func() {
				for _, a := range readAll(t, client, c.atOnce, eachGroup(0, c.groups)) {
					if mu.Lock(); a.err != nil {
						out.failures = append(out.failures, a.err)
					}
					mu.Unlock()
				}
			})
		}
		all.Wait()
		out.took = time.Since(began)
	})
	return out
}

// allowanceResult has the medians of a cell over its seeds, and the errors of its reads.
type allowanceResult struct {
	allowanceCell
	excess  float64 // the time over the least
	beyond  float64 // the time less one window, over the least
	limited []int   // sorted
	lost    []error // of reads
}

func (c allowanceCell) measure(t *testing.T) allowanceResult {
	t.Helper()
	result := allowanceResult{allowanceCell: c}
	var excess, beyond []float64
	for seed := range *allowanceSeeds {
		run := c.run(t, uint64(seed))
		if c.latency.name == tailed.name {
			run.took -= 5 * sec // no plan ends before its slowest answer
		}
		excess = append(excess, float64(run.took)/float64(run.least))
		beyond = append(beyond, float64(run.took-c.allowance.per)/float64(run.least))
		result.limited = append(result.limited, run.limited)
		result.lost = append(result.lost, run.failures...)
	}
	slices.Sort(excess)
	slices.Sort(beyond)
	slices.Sort(result.limited)
	result.excess, result.beyond = excess[len(excess)/2], beyond[len(beyond)/2]
	return result
}

// bound is the most time that a plan may take, as a multiple of the least.
type bound struct {
	most   float64
	whole  bool // the first window counts, which the allowance grants at once
	within func(allowanceCell) bool
}

func (c allowanceCell) perSecond() bool {
	return c.allowance.per == sec
}

// bounds are in order: the first that a cell is within is the cell's.
var bounds = []bound{
	{most: 3.6, whole: true, within: func(c allowanceCell) bool { return c.ceiling && c.perSecond() && c.latency.name == slowest.name }},
	{most: 2, whole: true, within: func(c allowanceCell) bool { return c.ceiling && c.perSecond() && c.latency.name != quick.name }},
	{most: 1.15, whole: true, within: func(c allowanceCell) bool { return c.ceiling && c.perSecond() }},
	// A request counts for 6 s then, which is 1.5 times the window, and the first and last windows are not full.
	{most: 1.7, whole: true, within: func(c allowanceCell) bool { return c.ceiling && c.latency.name == slowest.name }},
	{most: 1.5, whole: true, within: func(c allowanceCell) bool {
		return c.ceiling && c.allowance.kind == "bucket" && c.allowance.per == time.Minute
	}},
	{most: 1.3, whole: true, within: func(c allowanceCell) bool { return c.ceiling }},
	{most: 2, whole: true, within: allowanceCell.perSecond},
	{most: 1.5, whole: true, within: func(c allowanceCell) bool { return c.processes > 1 }},
	{most: 1.5, within: func(c allowanceCell) bool { return c.allowance.kind == "sliding" }},
	{most: 1.25, within: func(allowanceCell) bool { return true }},
}

// problem says which bound a cell exceeds, or returns "". With a ceiling, the service must limit nothing.
func (r allowanceResult) problem() string {
	i := slices.IndexFunc(bounds, func(b bound) bool { return b.within(r.allowanceCell) })
	took := r.beyond
	if bounds[i].whole {
		took = r.excess
	}
	switch {
	case len(r.lost)*100 > r.processes*r.groups**allowanceSeeds: // one of many processes may wait for 5 minutes
		return fmt.Sprintf("%d reads failed: %v", len(r.lost), r.lost[0])
	case r.ceiling && slices.Max(r.limited) > 0:
		return fmt.Sprintf("%d requests were limited, want none", slices.Max(r.limited))
	case took > bounds[i].most:
		return fmt.Sprintf("%.2f times the least (%.2f without one window), want at most %.2f", r.excess, r.beyond, bounds[i].most)
	}
	return ""
}

// allowanceTable is a table of cells: a row for each allowance.
type allowanceTable struct {
	columns []string
	cells   []allowanceCell // row by row
}

// allowanceTables returns the tables without max_requests, and with it.
func allowanceTables() (without, with allowanceTable) {
	one := allowanceCell{processes: 1, groups: 300, atOnce: 10, latency: quick}
	change := func(table *allowanceTable, name string, cell allowanceCell) {
		table.columns = append(table.columns, name)
		table.cells = append(table.cells, cell)
	}
	for _, l := range []allowanceLatency{quick, slow, tailed} {
		cell := one
		cell.latency = l
		change(&without, "1 process, "+l.name, cell)
		cell.ceiling = true
		change(&with, l.name, cell)
	}
	longest := one
	longest.ceiling, longest.latency = true, slowest
	change(&with, slowest.name, longest)
	stray := one
	stray.stray = 10 * sec
	change(&without, "a stray 429", stray)
	for _, several := range []allowanceCell{{processes: 2, latency: quick}, {processes: 4, latency: slow}, {processes: 8, latency: quick}} {
		several.groups, several.atOnce = 100, 10
		change(&without, fmt.Sprintf("%d, %s", several.processes, several.latency.name), several)
	}
	for _, table := range []*allowanceTable{&without, &with} {
		columns := table.cells
		table.cells = nil
		for _, kind := range []string{"fixed", "sliding", "bucket"} {
			for _, size := range []simAllowance{{requests: 60, per: time.Minute}, {requests: 20, per: 4 * sec}, {requests: 10, per: sec}} {
				for _, cell := range columns {
					cell.allowance = simAllowance{kind: kind, requests: size.requests, per: size.per}
					table.cells = append(table.cells, cell)
				}
			}
		}
	}
	return without, with
}

// measure measures the cells on all cores, and returns the table as Markdown.
func (table allowanceTable) measure(t *testing.T) string {
	t.Helper()
	results := make([]allowanceResult, len(table.cells))
	next := make(chan int)
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := range next {
				results[i] = table.cells[i].measure(t)
			}
		})
	}
	for i := range table.cells {
		next <- i
	}
	close(next)
	all.Wait()
	var out strings.Builder
	rule := strings.Repeat(" ---: |", len(table.columns))
	fmt.Fprintf(&out, "\n| allowance | %s |\n| --- |%s\n", strings.Join(table.columns, " | "), rule)
	for row := range slices.Chunk(results, len(table.columns)) {
		fmt.Fprintf(&out, "| %s |", row[0].allowance)
		for _, r := range row {
			if problem := r.problem(); problem != "" {
				t.Errorf("%s: %s", r, problem)
			}
			fmt.Fprintf(&out, " %.2f, %d |", r.excess, r.limited[len(r.limited)/2])
		}
		fmt.Fprintln(&out)
	}
	return out.String()
}

// TestAllowances checks bounds of the time that plans take under an allowance, and of how often they are limited.
func TestAllowances(t *testing.T) {
	t.Parallel()
	without, with := allowanceTables()
	t.Logf(`medians of %d seeds: the time as a multiple of the least, and the answers with 429

Answers take 20 to 180 ms, 0.6 s, or seconds for one in a hundred ("heavy tail", less 5 s for the slowest). One process reads
300 groups, 10 at a time. Several processes read 100 groups each; the time is that of the last one.
%s
With max_requests set to the allowance, and one process:
%s`, *allowanceSeeds, without.measure(t), with.measure(t))
}
