package catalogue_test

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

var allowanceSeeds = flag.Int("allowance-seeds", 3, "how many seeds TestAllowances runs for each cell")

// allowanceCell is a plan over a service with an allowance, shared by all processes. Each reads groups, some of them at
// the same time.
type allowanceCell struct {
	allowance                 simAllowance
	processes, groups, atOnce int
	latency                   allowanceLatency
	stray                     time.Duration // the wait of one 429 beside the allowance
	ceiling                   bool          // max_requests is the allowance
	limiter                   bool          // a 429 is quick, however slow other answers are
}

// allowanceLatency is the time until an answer.
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

// about draws a time, never quite the same one.
func about(d time.Duration) func(*rand.Rand) time.Duration {
	return func(r *rand.Rand) time.Duration {
		return between(r, d, d+20*time.Microsecond)
	}
}

func (c allowanceCell) String() string {
	text := fmt.Sprintf("%s, %d × %d groups, %s", c.allowance, c.processes, c.groups, c.latency.name)
	if c.stray > 0 {
		text += ", a stray 429"
	}
	if c.ceiling {
		text += ", with max_requests"
	}
	return text
}

// least returns the shortest time for a number of instant requests under the allowance.
func (a simAllowance) least(requests int) time.Duration {
	first := time.Duration((requests-1)/a.Requests) * a.Per
	switch {
	case first == 0:
		return 0
	case a.Kind == sandbox.Bucket:
		return time.Duration(requests-a.Requests) * a.Per / time.Duration(a.Requests)
	case a.Kind == sandbox.FixedWindow:
		return first - a.phase
	}
	return first
}

// allowanceRun is the result of a plan on a fake clock.
type allowanceRun struct {
	took, least time.Duration // until the last read of the last process ended
	limited     int           // how many requests were answered with 429
	failures    []error       // of reads
}

// run runs the plan. The seed decides the phase of the windows and the time of answers.
func (c allowanceCell) run(t *testing.T, seed uint64) (out allowanceRun) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(seed, 8))
		c.allowance.phase = between(random, 0, c.allowance.Per-1)
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
			ceiling = atMost(c.allowance.Requests, c.allowance.Per)
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

// most returns the most time for a plan, in multiples of the least, plus a number of windows.
func (c allowanceCell) most() (times, windows float64) {
	second := c.allowance.Per == sec
	switch {
	case c.ceiling:
		return c.mostUnderCeiling(second), 0
	case second:
		return 2, 0
	case c.processes > 1:
		return 1.5, 0
	case c.allowance.Kind == sandbox.SlidingWindow:
		return 1.5, 1
	}
	return 1.25, 1
}

func (c allowanceCell) mostUnderCeiling(second bool) float64 {
	slow := c.latency.name == slowest.name
	switch {
	case second && slow:
		return 3.6
	case second && c.latency.name == quick.name:
		return 1.15
	case second:
		return 2
	case slow:
		return 1.7 // a request counts for 6 s then, 1.5 times the window, and the first and last are not full
	case c.allowance.Kind == sandbox.Bucket && c.allowance.Per == time.Minute:
		return 1.5 // a ceiling does not save up
	}
	return 1.3
}

// measure runs a cell with all seeds, and returns the median of its times as a row of a table. With a ceiling, the service
// must limit nothing.
func (c allowanceCell) measure(t *testing.T) string {
	t.Helper()
	var runs []allowanceRun
	var lost []error
	for seed := range *allowanceSeeds {
		run := c.run(t, uint64(seed))
		if c.latency.name == tailed.name {
			run.took -= 5 * sec // no plan ends before its slowest answer
		}
		if c.ceiling && run.limited > 0 {
			t.Errorf("%s: %d requests were limited, want none", c, run.limited)
		}
		runs, lost = append(runs, run), append(lost, run.failures...)
	}
	if len(lost)*100 > c.processes*c.groups**allowanceSeeds { // one of many processes may wait for 5 minutes
		t.Errorf("%s: %d reads failed: %v", c, len(lost), lost[0])
	}
	slices.SortFunc(runs, func(a, b allowanceRun) int { return cmp.Compare(a.times(), b.times()) })
	median := runs[len(runs)/2]
	times, windows := c.most()
	if most := times*float64(median.least) + windows*float64(c.allowance.Per); float64(median.took) > most {
		t.Errorf("%s: it took %s, want %s at most", c, median.took, time.Duration(most))
	}
	return fmt.Sprintf("| %s | %.2f | %d |\n", c, median.times(), median.limited)
}

// times returns the time as a multiple of the least.
func (r allowanceRun) times() float64 { return float64(r.took) / float64(r.least) }

// allowanceCells are plans of one process or several, under allowances of each kind.
func allowanceCells() (cells []allowanceCell) {
	for _, kind := range []sandbox.Counting{sandbox.FixedWindow, sandbox.SlidingWindow, sandbox.Bucket} {
		for _, size := range []sandbox.Allowance{{Requests: 60, Per: time.Minute}, {Requests: 20, Per: 4 * sec}, {Requests: 10, Per: sec}} {
			for _, cell := range []allowanceCell{
				{processes: 1, groups: 300, latency: quick},
				{processes: 1, groups: 300, latency: slow},
				{processes: 1, groups: 300, latency: tailed},
				{processes: 1, groups: 300, latency: quick, stray: 10 * sec},
				{processes: 2, groups: 100, latency: quick},
				{processes: 4, groups: 100, latency: slow},
				{processes: 8, groups: 100, latency: quick},
				{processes: 1, groups: 300, latency: quick, ceiling: true},
				{processes: 1, groups: 300, latency: slow, ceiling: true},
				{processes: 1, groups: 300, latency: tailed, ceiling: true},
				{processes: 1, groups: 300, latency: slowest, ceiling: true},
			} {
				cell.atOnce = 10
				size.Kind = kind
				cell.allowance.Allowance = size
				cells = append(cells, cell)
			}
		}
	}
	return cells
}

// TestAllowances checks the bounds of times under an allowance, and of the number of 429s.
func TestAllowances(t *testing.T) {
	t.Parallel()
	cells := allowanceCells()
	rows := make([]string, len(cells))
	var all sync.WaitGroup
	for i, cell := range cells {
		all.Go(func() { rows[i] = cell.measure(t) })
	}
	all.Wait()
	t.Logf(`medians of %d seeds. Answers take 20 to 180 ms, 0.6 s, 2 s, or seconds for one in a hundred ("heavy tail", less 5 s for
the slowest). The time is until the last of the processes ends, which read 10 groups at a time each.

| plan | the time as a multiple of the least | answers with 429 |
| --- | ---: | ---: |
%s`, *allowanceSeeds, strings.Join(rows, ""))
}
