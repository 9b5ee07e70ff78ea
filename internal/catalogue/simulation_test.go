package catalogue_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

var (
	simSeeds = flag.Int("seeds", usualSeeds, "how many seeds TestSimulation runs")
	simFirst = flag.Uint64("first-seed", 0, "the first of them")
	simStop  = flag.Int("stop-after", 20, "stop after so many seeds with violations")
	simSeed  = flag.Int64("seed", -1, "the one seed that TestSimulation replays, with a trace")
	simOnly  = flag.String("rule", "", "the only rule that counts")
)

// TestSimulation runs plans over failing services, each drawn from a seed, and checks the rules of the client
// (simRules). -seed replays one of them.
func TestSimulation(t *testing.T) {
	t.Parallel()
	if *simSeed >= 0 {
		replay(t, uint64(*simSeed))
		return
	}
	var next, failed atomic.Uint64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for failed.Load() < uint64(*simStop) {
				n := next.Add(1) - 1
				if n >= uint64(*simSeeds) {
					return
				}
				seed := *simFirst + n
				// A bubble never ends if its clock stands still.
				watchdog := time.AfterFunc(2*time.Minute, func() { panic(fmt.Sprintf("seed %d takes more than two minutes", seed)) })
				run, problem := simulate(t, newSimPlan(seed))
				violations := []string{problem}
				if problem == "" {
					violations = run.check()
				}
				watchdog.Stop()
				if len(violations) > 0 {
					failed.Add(1)
					t.Errorf("seed %d (replay: go test ./internal/catalogue -run='^TestSimulation$' -v -seed=%[1]d), %d violations:\n%s",
						seed, len(violations), strings.Join(violations[:min(len(violations), 6)], "\n"))
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d seeds, %d with violations", min(next.Load(), uint64(*simSeeds)), failed.Load())
}

// replay runs one seed, and prints all events.
func replay(t *testing.T, seed uint64) {
	t.Helper()
	plan := newSimPlan(seed)
	run, problem := simulate(t, plan)
	if problem != "" {
		t.Fatalf("%+v\n%s", plan, problem)
	}
	t.Logf("%+v\n%s\nwhat was logged:\n%s", plan, run.trace(), run.logged.String())
	for _, v := range run.check() {
		t.Error(v)
	}
}

// simReading is one question of a reader and its answer.
type simReading struct {
	*simReader
	path       string
	start, end time.Duration
	answer     string // the name of the group, "" if it failed
	err        error
}

// simRun is one run of a plan.
type simRun struct {
	plan     *simPlan
	service  *simService
	mu       sync.Mutex // for readings and logged
	readings []*simReading
	logged   strings.Builder
}

// simulate runs a plan. It returns a problem if the bubble does not end.
func simulate(t *testing.T, plan simPlan) (run *simRun, problem string) {
	t.Helper()
	defer func() {
		if failure := recover(); failure != nil {
			problem = fmt.Sprint("end: the bubble did not end: ", failure)
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		run = &simRun{plan: &plan, service: newSimService(&plan)}
		base, interrupt := context.WithCancel(context.Background())
		defer interrupt()
		if plan.interruptAt > 0 {
			defer time.AfterFunc(plan.interruptAt, interrupt).Stop()
		}
		client := run.connect(t)
		var all sync.WaitGroup
		for i := range plan.readers {
			all.Go(func() { run.read(base, client, &plan.readers[i]) })
		}
		all.Wait()
		synctest.Wait()
	})
	return run, ""
}

// connect returns the client.
func (run *simRun) connect(t *testing.T) *catalogue.Client {
	t.Helper()
	log := func(text string) {
		run.mu.Lock()
		defer run.mu.Unlock()
		fmt.Fprintf(&run.logged, "%s %s\n", run.service.now(), text)
	}
	return over(t, run.service, func(c *catalogue.Config) {
		c.Snapshot = run.plan.snapshot
		c.Ceiling = run.plan.ceiling
		c.MaxRetries = run.plan.maxRetries
		c.ReadTimeout = run.plan.readTimeout
		c.RequestTimeout = run.plan.requestTimeout
		c.Jitter = func() float64 { return run.plan.jitter }
		c.Observe = func(_ context.Context, x catalogue.Exchange) { log(fmt.Sprintf("%+v", x)) }
		c.Note = func(_ context.Context, text string) { log(text) }
	})
}

// read asks the question of a reader at its start.
func (run *simRun) read(base context.Context, client *catalogue.Client, reader *simReader) {
	time.Sleep(reader.start)
	ctx, cancel := context.WithCancel(base)
	defer cancel()
	if reader.timeout < run.plan.readTimeout {
		ctx, cancel = context.WithTimeout(ctx, reader.timeout)
		defer cancel()
	}
	if reader.cancelAt > 0 {
		defer time.AfterFunc(reader.cancelAt, cancel).Stop()
	}
	id := groupID(reader.group)
	r := &simReading{simReader: reader, path: "/v1/model-group/" + id, start: run.service.now()}
	var g *catalogue.ModelGroup
	if g, r.err = client.ModelGroup(ctx, id); r.err == nil {
		r.answer = *g.Name
	}
	run.mu.Lock()
	defer run.mu.Unlock()
	r.end = run.service.now()
	run.readings = append(run.readings, r)
}

// trace returns all events, in order.
func (run *simRun) trace() string {
	var lines []string
	add := func(at time.Duration, format string, args ...any) {
		if at != never {
			when := fmt.Sprintf("%14.9f s  ", at.Seconds())
			lines = append(lines, when+fmt.Sprintf(format, args...))
		}
	}
	for _, r := range run.readings {
		add(r.start, "reader %d begins: %s", r.index, r.path)
		add(r.end, "reader %d ends after %s: %s %v", r.index, r.end-r.start, r.answer, r.err)
	}
	for _, x := range run.service.sent {
		what := fmt.Sprintf("request %d (%s)", x.number, cmp.Or(x.fault, "as it should"))
		add(x.sentAt, "%s: sent for %s with %s", what, x.path, x.bearer)
		add(x.headerAt, "%s: %d %s, retry after %s or at %s", what, x.status, x.code, x.retryAfter, x.retryAt)
		add(x.endAt, "%s: ended, delivered %t, cut %t, timed out %t, left %t", what, x.delivered, x.cut, x.timedOut, x.left)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
