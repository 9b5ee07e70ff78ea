package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// simReading is one question of a reader and what he was told.
type simReading struct {
	reader     *simReader
	path       string
	start, end time.Duration
	answer     string // "" where it failed
	err        error
	cancelled  bool // the reader was, or the whole run, before the end
}

// simRun is a simulation that has ended.
type simRun struct {
	plan     *simPlan
	service  *simService
	requests []*simRequest
	readings []*simReading
	logged   string
	left     int           // requests under way when every reader had its answer
	over     time.Duration // when that was
}

// simLog takes what the clients log.
type simLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *simLog) line(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(&l.text, format+"\n", args...)
}

// simulate runs a plan. Where the bubble ends in a deadlock, problem says so.
func simulate(t *testing.T, plan simPlan) (run *simRun, problem string) {
	t.Helper()
	defer func() {
		if failure := recover(); failure != nil {
			problem = fmt.Sprint("the bubble did not end: ", failure)
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		run = &simRun{plan: &plan, service: newSimService(&plan)}
		written := &simLog{}
		base, interrupt := context.WithCancel(context.Background())
		defer interrupt()
		clients, finish := run.connect(t, written)
		if plan.interruptAt > 0 {
			defer time.AfterFunc(plan.interruptAt, interrupt).Stop()
		}
		run.readAll(base, clients)
		synctest.Wait()
		run.over, run.left = run.service.now(), run.service.underWay
		finish()
		synctest.Wait()
		run.requests, run.logged = run.service.log, written.text.String()
	})
	return run, ""
}

// readAll starts the readers as an engine does: so many at once in each process.
func (run *simRun) readAll(base context.Context, clients []*catalogue.Client) {
	var all sync.WaitGroup
	turns := make([]chan struct{}, len(clients))
	for i := range turns {
		turns[i] = make(chan struct{}, run.plan.parallelism)
	}
	var mu sync.Mutex
	for process := range clients {
		all.Go(func() {
			for i := range run.plan.readers {
				reader := &run.plan.readers[i]
				if reader.process != process {
					continue
				}
				time.Sleep(reader.start - run.service.now())
				turns[process] <- struct{}{}
				ctx, cancel := context.WithCancel(context.WithValue(base, simReaderKey{}, reader.index))
				if reader.cancelAt > 0 {
					time.AfterFunc(reader.cancelAt, cancel)
				}
				var own sync.WaitGroup
				for _, path := range reader.paths() {
					reading := &simReading{reader: reader, path: path, start: run.service.now()}
					mu.Lock()
					run.readings = append(run.readings, reading)
					mu.Unlock()
					own.Go(func() {
						reading.ask(ctx, clients[process])
						reading.end = run.service.now()
						reading.cancelled = ctx.Err() != nil
					})
				}
				all.Go(func() {
					own.Wait()
					cancel()
					<-turns[process]
				})
			}
		})
	}
	all.Wait()
}

// paths are the questions of a reader.
func (r *simReader) paths() []string {
	if len(r.groups) == 0 {
		return []string{r.path(0)}
	}
	var paths []string
	for _, group := range slices.Sorted(slices.Values(r.groups)) {
		paths = append(paths, r.path(group))
	}
	return paths
}

// connect makes the clients. finish ends what carries their requests.
func (run *simRun) connect(t *testing.T, written *simLog) (clients []*catalogue.Client, finish func()) {
	t.Helper()
	finish = func() {}
	config := catalogue.Config{
		ClientID: "northwind", ClientSecret: run.service.secret,
		RequestTimeout: run.plan.requestTimeout, ReadTimeout: run.plan.readTimeout, MaxRetries: run.plan.maxRetries,
		Ceiling: run.plan.ceiling, Snapshot: run.plan.snapshot, Jitter: func() float64 { return run.plan.jitter },
		// Everything is logged, as it is before the masks of the log.
		Observe: func(_ context.Context, x catalogue.Exchange) { written.line("%s %+v", run.service.now(), x) },
		Note:    func(_ context.Context, text string) { written.line("%s %s", run.service.now(), text) },
	}
	if given := run.service.given; given != nil {
		config.ClientID, config.ClientSecret, config.AccessToken = "", "", given.text
	}
	address := "https://catalogue.example.com/prefix"
	if run.plan.way != inMemory {
		config.DialContext, address, config.CACertificates, finish = run.service.listen(run.plan.way)
	}
	var err error
	if config.BaseURL, err = url.Parse(address); err != nil {
		t.Fatal(err)
	}
	for process := range run.plan.processes {
		if run.plan.way == inMemory {
			config.Transport = simLine{run.service, process}
		}
		clients = append(clients, catalogue.New(config))
	}
	return clients, finish
}

// ask asks the question of a client.
func (r *simReading) ask(ctx context.Context, client *catalogue.Client) {
	var parts []string
	model := func(m *catalogue.Model) { parts = append(parts, *m.ID) }
	group := func(g *catalogue.ModelGroup) { parts = append(parts, fmt.Sprintf("%s@%d", *g.ID, *g.LatestRevision)) }
	id := strings.Split(r.path+"///", "/")[3]
	var models []*catalogue.Model
	switch r.reader.source {
	case "model_groups":
		var groups []*catalogue.ModelGroup
		groups, r.err = client.ModelGroups(ctx, "")
		for _, g := range groups {
			group(g)
		}
	case "model_group":
		var g *catalogue.ModelGroup
		if g, r.err = client.ModelGroup(ctx, id); r.err == nil {
			group(g)
		}
	case "models":
		models, r.err = client.Models(ctx, id)
	case "pinned":
		models, r.err = client.ModelsWith(ctx, id, func(models []*catalogue.Model) bool {
			return slices.ContainsFunc(models, func(m *catalogue.Model) bool { return int(*m.Revision) == r.reader.revision })
		})
	default:
		var m *catalogue.Model
		if m, r.err = client.LatestModel(ctx, id); r.err == nil {
			model(m)
		}
	}
	for _, m := range models {
		model(m)
	}
	r.answer = strings.Join(parts, ",")
}

// lacks tells whether an answer lacks the revision that a reader asks for.
func (r *simReading) lacks(answer string) bool {
	if r.reader.source != "pinned" {
		return false
	}
	id := fmt.Sprintf("%s-%d", strings.Split(r.path, "/")[3], r.reader.revision)
	return !slices.Contains(strings.Split(answer, ","), id)
}

// told is all that an error has to show.
func (r *simReading) told() string {
	if r.err == nil {
		return ""
	}
	text := r.err.Error()
	if api, ok := errors.AsType[*catalogue.APIError](r.err); ok {
		text += fmt.Sprintf(" %+v", *api)
	}
	if network, ok := errors.AsType[*catalogue.NetworkError](r.err); ok {
		text += fmt.Sprintf(" %+v", *network)
	}
	return text
}
