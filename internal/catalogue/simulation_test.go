package catalogue_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

var (
	simSeeds = flag.Int("seeds", 2000, "how many seeds TestSimulation runs")
	simFirst = flag.Uint64("first-seed", 0, "the first of them")
	simStop  = flag.Int("stop-after", 20, "stop after so many seeds with violations")
	simWhole = flag.Bool("whole", false, "replay the whole plan of the seed, not what is left of it that still fails")
	simSeed  = flag.Int64("seed", -1, "the one seed that TestSimulation replays, with a trace")
	simOnly  = flag.String("rule", "", "the only rule that counts")
)

// TestSimulation makes plans over services that fail, each drawn from a seed,
// and holds the client to its rules (simRules). `make
// simulate` runs many seeds; -seed replays one.
func TestSimulation(t *testing.T) {
	if *simSeed >= 0 {
		replay(t, uint64(*simSeed))
		return
	}
	t.Parallel()
	defer every(200*time.Millisecond, boundMemory)()
	var next, failed atomic.Uint64
	began := time.Now()
	if testing.Verbose() {
		stop := every(10*time.Second, func() {
			fmt.Fprintf(os.Stderr, "%d of %d seeds in %s, %d with violations\n",
				next.Load(), *simSeeds, time.Since(began).Round(time.Second), failed.Load())
		})
		defer stop()
	}
	var mu sync.Mutex
	counts := map[string]int{} // of seeds, by rule
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for {
				n := next.Add(1) - 1
				if n >= uint64(*simSeeds) || failed.Load() >= uint64(*simStop) {
					return
				}
				seed := *simFirst + n
				if violations := runSeed(t, seed); len(violations) > 0 {
					failed.Add(1)
					t.Errorf("seed %d (replay with -run=TestSimulation -seed=%[1]d):\n%s", seed, told(violations))
					mu.Lock()
					broken := map[string]bool{}
					for _, v := range violations {
						broken[v.rule] = true
					}
					for rule := range broken {
						counts[rule]++
					}
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d seeds in %s, %d with violations %v",
		min(next.Load(), uint64(*simSeeds)), time.Since(began).Round(time.Second), failed.Load(), counts)
}

// told are the first violations of a seed: one mistake can make many.
func told(violations []simViolation) string {
	var out strings.Builder
	for _, v := range violations[:min(len(violations), 8)] {
		fmt.Fprintln(&out, v)
	}
	if more := len(violations) - 8; more > 0 {
		fmt.Fprintf(&out, "and %d more\n", more)
	}
	return out.String()
}

// every calls f again and again until stop is called.
func every(interval time.Duration, f func()) (stop func()) {
	done := make(chan struct{})
	ticker := time.NewTicker(interval)
	go func() {
		for {
			select {
			case <-ticker.C:
				f()
			case <-done:
				return
			}
		}
	}()
	return func() { ticker.Stop(); close(done) }
}

// boundMemory ends a client that sends without end at one instant, before it takes
// the whole machine.
func boundMemory() {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	if metrics.Read(sample); sample[0].Value.Uint64() > 3<<30 {
		panic("the simulation takes more than 3 GiB")
	}
}

// runSeed runs one seed and returns what is wrong, nil where nothing is.
func runSeed(t *testing.T, seed uint64) []simViolation {
	t.Helper()
	// A bubble whose clock stands still would hold everything up.
	watchdog := time.AfterFunc(2*time.Minute, func() { panic(fmt.Sprintf("seed %d takes more than two minutes", seed)) })
	defer watchdog.Stop()
	return violationsOf(t, newSimPlan(seed))
}

func violationsOf(t *testing.T, plan simPlan) []simViolation {
	t.Helper()
	run, problem := simulate(t, plan)
	if problem != "" {
		return []simViolation{{"end", problem}}
	}
	return slices.DeleteFunc(run.check(), func(v simViolation) bool {
		return *simOnly != "" && v.rule != *simOnly
	})
}

// replay runs one seed, takes from its plan what the violation does not need,
// and tells all that happened.
func replay(t *testing.T, seed uint64) {
	t.Helper()
	plan := newSimPlan(seed)
	violations := violationsOf(t, plan)
	if len(violations) > 0 && !*simWhole {
		plan = shrink(plan, func(p simPlan) bool {
			return slices.ContainsFunc(violationsOf(t, p), func(v simViolation) bool { return v.rule == violations[0].rule })
		})
	}
	run, problem := simulate(t, plan)
	if problem != "" {
		t.Fatalf("%s\n%s", &plan, problem)
	}
	t.Logf("%s\n%s", &plan, run.trace())
	for _, v := range run.check() {
		if *simOnly == "" || v.rule == *simOnly {
			t.Error(v)
		}
	}
	if len(violations) > 0 && !t.Failed() {
		t.Errorf("this time all went well; before: %v", violations)
	}
}

// shrink drops from a plan whatever it still fails without.
func shrink(plan simPlan, fails func(simPlan) bool) simPlan {
	try := func(change func(*simPlan)) {
		changed := plan
		changed.readers = slices.Clone(plan.readers)
		changed.service.readFaults = slices.Clone(plan.service.readFaults)
		changed.service.tokenFaults = slices.Clone(plan.service.tokenFaults)
		if change(&changed); fails(changed) {
			plan = changed
		}
	}
	for size := len(plan.readers) / 2; size > 0; size /= 2 {
		for from := 0; from+size <= len(plan.readers); from += size {
			try(func(p *simPlan) { p.readers = slices.Delete(p.readers, from, min(from+size, len(p.readers))) })
		}
	}
	for i := range plan.readers {
		try(func(p *simPlan) { p.readers[i].cancelAt = 0 })
	}
	for i := range slices.Backward(plan.service.readFaults) {
		try(func(p *simPlan) { p.service.readFaults = slices.Delete(p.service.readFaults, i, i+1) })
	}
	for i := range slices.Backward(plan.service.tokenFaults) {
		try(func(p *simPlan) { p.service.tokenFaults = slices.Delete(p.service.tokenFaults, i, i+1) })
	}
	for _, change := range []func(*simPlan){
		func(p *simPlan) { p.way = inMemory },
		func(p *simPlan) { p.interruptAt = 0 },
		func(p *simPlan) { p.ceiling = pace.Limit{} },
		func(p *simPlan) { p.accessToken = false },
		func(p *simPlan) { p.jitter = 0 },
		func(p *simPlan) { p.service.allowance = simAllowance{} },
		func(p *simPlan) { p.service.changeAt = 0 },
		func(p *simPlan) { p.service.outage = "" },
		func(p *simPlan) { p.service.strays = 0 },
		func(p *simPlan) { p.service.closing = 0 },
		func(p *simPlan) { p.service.tokenTakes = 0 },
		func(p *simPlan) { p.service.revocations = nil },
		func(p *simPlan) { p.service.publications = nil },
		func(p *simPlan) { p.service.disabledFrom = 0 },
		func(p *simPlan) { p.service.jsonOnly = "" },
		func(p *simPlan) { p.service.wrongSecret = false },
		func(p *simPlan) { p.service.skew = 0 },
		func(p *simPlan) { p.service.latency = "constant" },
		func(p *simPlan) { p.service.tokenLife = time.Hour },
	} {
		try(change)
	}
	return plan
}

// trace tells what happened, in its order.
func (run *simRun) trace() string {
	type line struct {
		at   time.Duration
		text string
	}
	var lines []line
	add := func(at time.Duration, format string, args ...any) {
		if at >= 0 {
			lines = append(lines, line{at: at, text: fmt.Sprintf(format, args...)})
		}
	}
	for _, r := range run.readings {
		add(r.start, "reader %d of process %d begins: %s %s", r.reader.index, r.reader.process, r.reader.source, r.path)
		add(r.end, "reader %d ends after %s: %s %v", r.reader.index, r.end-r.start, r.answer, r.err)
	}
	for _, x := range run.requests {
		what := fmt.Sprintf("request %d (process %d, reader %d, %s)", x.number, x.process, x.reader, cmp.Or(x.fault, "as it should"))
		token := ""
		if x.bearer != nil {
			token = fmt.Sprintf(" with token %d", x.bearer.number)
		}
		add(x.sentAt, "%s: sent for %s%s", what, x.path, token)
		add(x.headerAt, "%s: %d %s", what, x.status, x.code)
		if x.pauseUntil != never {
			add(x.headerAt, "%s: a pause until %s", what, x.pauseUntil)
		}
		add(x.endAt, "%s: ended, delivered %t, cut %t, timed out %t, left %t", what, x.delivered, x.cut, x.timedOut, x.left)
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	var out strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&out, "%14s  %s\n", l.at, l.text)
	}
	return out.String() + "\nwhat was logged:\n" + run.logged
}
