package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// simReading is what a reader was told of its questions. Several questions of
// one reading come only from the provider's server.
type simReading struct {
	reader     *simReader
	paths      []string
	start, end time.Duration
	answer     string // of each path, with a bar between them, "" where it failed
	summaries  []string
	details    string
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

// reading is asked of the provider in one of the three ways.
type asking func(ctx context.Context, r *simReading)

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
		written := &logs{}
		base, interrupt := context.WithCancel(context.Background())
		defer interrupt()
		ask, stop, finish := run.connect(t, written)
		if stop == nil {
			stop = interrupt // where there is no server
		}
		if plan.interruptAt > 0 {
			defer time.AfterFunc(plan.interruptAt, stop).Stop()
		}
		run.readAll(base, ask)
		synctest.Wait()
		run.over, run.left = run.service.now(), run.service.underWay
		finish()
		synctest.Wait()
		run.requests, run.logged = run.service.log, written.String()
	})
	return run, ""
}

// readAll starts the readers as an engine does.
func (run *simRun) readAll(base context.Context, ask asking) {
	var all sync.WaitGroup
	turns := make(chan struct{}, run.plan.parallelism)
	for i := range run.plan.readers {
		reader := &run.plan.readers[i]
		time.Sleep(reader.start - run.service.now())
		turns <- struct{}{}
		ctx, cancel := context.WithCancel(context.WithValue(base, simReaderKey{}, reader.index))
		if reader.cancelAt > 0 {
			time.AfterFunc(reader.cancelAt, cancel)
		}
		var own sync.WaitGroup
		groups := [][]string{reader.paths()}
		if run.plan.way == byClient {
			groups = slices.Collect(slices.Chunk(reader.paths(), 1))
		}
		for _, paths := range groups {
			reading := &simReading{reader: reader, paths: paths, start: run.service.now()}
			run.readings = append(run.readings, reading)
			own.Go(func() {
				ask(ctx, reading)
				reading.end = run.service.now()
				reading.cancelled = ctx.Err() != nil || run.plan.interruptAt > 0 && reading.end >= run.plan.interruptAt
			})
		}
		all.Go(func() {
			own.Wait()
			cancel()
			<-turns
		})
	}
	all.Wait()
}

// connect makes a provider. stop interrupts it as an engine does, finish ends
// what carries its requests.
func (run *simRun) connect(t *testing.T, written *logs) (ask asking, stop, finish func()) {
	t.Helper()
	jitter := func() float64 { return run.plan.jitter }
	if run.plan.way == byClient {
		client := run.client(t, jitter, written)
		return func(ctx context.Context, r *simReading) { askClient(ctx, client, r) }, nil, func() {}
	}
	p := &catalogueProvider{version: "test", jitter: jitter, transport: run.service}
	url, more, finish := "http://localhost", arguments{}, func() {}
	if run.plan.way == byNetwork {
		p.transport = nil
		p.dial, url, more, finish = run.service.listen(run.plan.http2)
	}
	config := northwind(url).merge(more).merge(arguments{
		argClientSecret: run.service.secret, argMaxRetries: run.plan.maxRetries, argSnapshot: run.plan.snapshot,
		argReadTimeout: run.plan.readTimeout.String(), argRequestTimeout: run.plan.requestTimeout.String(),
	})
	if run.plan.ceiling > 0 {
		config = config.with(argMaxRequests, evenly(run.plan.ceiling).String())
	}
	e, diagnostics := startEngine(t, p, config)
	expectNone(t, diagnostics)
	ask = func(ctx context.Context, r *simReading) { e.askServer(written.in(ctx), t, r) }
	stop = func() {
		if _, err := e.server.StopProvider(context.Background(), &tfprotov6.StopProviderRequest{}); err != nil {
			t.Error(err)
		}
	}
	return ask, stop, finish
}

// evenly is a ceiling of so many requests a second, without a burst; 0 is none.
func evenly(rate float64) pace.Limit {
	if rate == 0 {
		return pace.Limit{}
	}
	return pace.Limit{Requests: 1, Per: time.Duration(float64(time.Second) / rate)}
}

// client is the client that the provider would make. It logs everything, as it
// is before the masks of the log.
func (run *simRun) client(t *testing.T, jitter func() float64, written *logs) *catalogue.Client {
	t.Helper()
	base, err := parseBaseURL("https://catalogue.example.com/prefix")
	if err != nil {
		t.Fatal(err)
	}
	return catalogue.New(catalogue.Config{
		BaseURL: base, ClientID: "northwind", ClientSecret: run.service.secret,
		RequestTimeout: run.plan.requestTimeout, ReadTimeout: run.plan.readTimeout, MaxRetries: run.plan.maxRetries,
		Ceiling: evenly(run.plan.ceiling), Snapshot: run.plan.snapshot,
		Transport: run.service, Jitter: jitter,
		Observe: func(_ context.Context, x catalogue.Exchange) { fmt.Fprintf(written, "%s %+v\n", run.service.now(), x) },
		Note:    func(_ context.Context, text string) { fmt.Fprintf(written, "%s %s\n", run.service.now(), text) },
	})
}

// askClient asks one question of the client, and has its error told as the
// provider tells it.
func askClient(ctx context.Context, client *catalogue.Client, r *simReading) {
	var err error
	var parts []string
	model := func(m *catalogue.Model) { parts = append(parts, *m.ID) }
	group := func(g *catalogue.ModelGroup) { parts = append(parts, fmt.Sprintf("%s@%d", *g.ID, *g.LatestRevision)) }
	id := strings.Split(r.paths[0]+"///", "/")[3]
	switch r.reader.source {
	case "model_groups":
		var groups []*catalogue.ModelGroup
		groups, err = client.ModelGroups(ctx, "")
		for _, g := range groups {
			group(g)
		}
	case "model_group":
		var g *catalogue.ModelGroup
		if g, err = client.ModelGroup(ctx, id); err == nil {
			group(g)
		}
	case "model_group_models":
		var models []*catalogue.Model
		models, err = client.Models(ctx, id)
		for _, m := range models {
			model(m)
		}
	default:
		var m *catalogue.Model
		if m, err = client.LatestModel(ctx, id); err == nil {
			model(m)
		}
	}
	r.answer = strings.Join(parts, ",")
	if err != nil {
		told := diagnose(err, groupSubject(path.Root("id"), id))
		r.summaries, r.details = []string{told.Summary()}, told.Detail()
	}
}

// askServer reads a data source as an engine does.
func (e *engine) askServer(ctx context.Context, t *testing.T, r *simReading) {
	t.Helper()
	var ids []any
	for _, group := range r.reader.groups {
		ids = append(ids, groupID(group))
	}
	config := arguments{}
	switch r.reader.source {
	case "model_groups":
	case "model_group":
		config["id"] = ids[0]
	case "latest_models":
		config["model_group_ids"] = ids
	default:
		config["model_group_id"] = ids[0]
	}
	state, diagnostics := e.read(ctx, t, r.reader.source, config)
	for _, d := range diagnostics {
		r.summaries = append(r.summaries, d.Summary)
		r.details += d.Summary + "\n" + d.Detail + "\n"
	}
	if state == nil {
		return
	}
	join := func(elements any, format string, names ...string) string {
		var parts []string
		list, _ := elements.([]any)
		for _, element := range list {
			object, _ := element.(map[string]any)
			var values []any
			for _, name := range names {
				values = append(values, object[name])
			}
			parts = append(parts, fmt.Sprintf(format, values...))
		}
		return strings.Join(parts, ",")
	}
	switch r.reader.source {
	case "model_groups":
		r.answer = join(state["model_groups"], "%v@%v", "id", "latest_revision")
	case "model_group":
		r.answer = fmt.Sprintf("%v@%v", state["id"], state["latest_revision"])
	case "model_group_models":
		r.answer = join(state["models"], "%v", "id")
	case "latest_models":
		models, _ := state["models"].(map[string]any)
		var parts []string
		for _, id := range slices.Sorted(maps.Keys(models)) {
			parts = append(parts, join([]any{models[id]}, "%v", "id"))
		}
		r.answer = strings.Join(parts, "|")
	default:
		r.answer = fmt.Sprint(state["id"])
	}
}
