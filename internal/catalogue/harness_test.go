package catalogue_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// pipe serves a handler without a socket: one that waits on a socket keeps the
// clock of a bubble from moving.
var pipe = sandboxtest.Pipe

var (
	manyGroups     = sandboxtest.ManyGroups
	groupID        = sandboxtest.GroupID
	limited        = sandboxtest.Limited
	expectRequests = sandboxtest.ExpectRequests
)

// onFakeClock runs a test in a bubble of testing/synctest, beside others.
func onFakeClock(t *testing.T, test func(*testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// setting changes the configuration of a client from the provider's defaults.
type setting func(*catalogue.Config)

func maxRetries(n int) setting { return func(c *catalogue.Config) { c.MaxRetries = n } }

func readTimeout(d time.Duration) setting { return func(c *catalogue.Config) { c.ReadTimeout = d } }

func requestTimeout(d time.Duration) setting {
	return func(c *catalogue.Config) { c.RequestTimeout = d }
}

func afresh() setting { return func(c *catalogue.Config) { c.Snapshot = false } }

func secret(text string) setting { return func(c *catalogue.Config) { c.ClientSecret = text } }

// atMost sets the operator's ceiling.
func atMost(requests int, per time.Duration) setting {
	return func(c *catalogue.Config) { c.Ceiling = pace.Limit{Requests: requests, Per: per} }
}

// connect makes a client of a service that is reached without a socket.
func connect(t *testing.T, service http.Handler, settings ...setting) *catalogue.Client {
	t.Helper()
	dial, closeAll := pipe(service)
	t.Cleanup(closeAll)
	return dialling(t, dial, settings...)
}

// dialling makes a client that connects by dial, of the organisation that owns
// most groups of the sandbox's default catalogue.
func dialling(t *testing.T, dial dialFunc, settings ...setting) *catalogue.Client {
	t.Helper()
	base, err := url.Parse("http://localhost")
	if err != nil {
		t.Fatal(err)
	}
	config := catalogue.Config{
		BaseURL: base, ClientID: "northwind", ClientSecret: "northwind-sandbox-secret", RequestTimeout: 30 * sec,
		ReadTimeout: 5 * time.Minute, MaxRetries: 4, Snapshot: true, DialContext: dial,
	}
	for _, change := range settings {
		change(&config)
	}
	return catalogue.New(config)
}

// reading is one question, and answer what its caller gets.
type (
	reading func(context.Context, *catalogue.Client) (any, error)
	answer  struct {
		value any
		err   error
	}
)

// The four questions of INTERFACE.md, Endpoints.

func group(id string) reading {
	return func(ctx context.Context, c *catalogue.Client) (any, error) { return c.ModelGroup(ctx, id) }
}

func groups(timeHorizon string) reading {
	return func(ctx context.Context, c *catalogue.Client) (any, error) { return c.ModelGroups(ctx, timeHorizon) }
}

func latestModel(id string) reading {
	return func(ctx context.Context, c *catalogue.Client) (any, error) { return c.LatestModel(ctx, id) }
}

func models(id string) reading {
	return func(ctx context.Context, c *catalogue.Client) (any, error) { return c.Models(ctx, id) }
}

// theGroup is the main one of the sandbox's default catalogue, and mainPath where
// it is read.
var theGroup = group(mainGroup)

const (
	mainGroup = sandbox.MainGroup
	mainPath  = "/v1/model-group/" + mainGroup
	sec       = time.Second
)

// eachGroup reads groups of manyGroups, one question each.
func eachGroup(from, to int) (readings []reading) {
	for i := from; i < to; i++ {
		readings = append(readings, group(groupID(i)))
	}
	return readings
}

// read asks one question.
func (r reading) read(t *testing.T, c *catalogue.Client) answer {
	t.Helper()
	value, err := r(t.Context(), c)
	return answer{value, err}
}

// mustRead reads what has to be there.
func (r reading) mustRead(t *testing.T, c *catalogue.Client) any {
	t.Helper()
	a := r.read(t, c)
	expectAllRead(t, []answer{a})
	return a.value
}

// readAll asks all of them, so many at once, as an engine does.
func readAll(t *testing.T, c *catalogue.Client, parallelism int, readings []reading) []answer {
	t.Helper()
	answers := make([]answer, len(readings))
	turns := make(chan struct{}, parallelism)
	var all sync.WaitGroup
	for i, r := range readings {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			answers[i] = r.read(t, c)
		})
	}
	all.Wait()
	return answers
}

// reader is a read under way.
type reader struct {
	cancel context.CancelFunc
	done   chan struct{}
	answer answer
	took   time.Duration
}

func (r reading) start(t *testing.T, c *catalogue.Client) *reader {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	under := &reader{cancel: cancel, done: make(chan struct{})}
	began := time.Now()
	go func() {
		defer close(under.done)
		under.answer.value, under.answer.err = r(ctx, c)
		under.took = time.Since(began)
	}()
	return under
}

func expectAllRead(t *testing.T, answers []answer) {
	t.Helper()
	for _, a := range answers {
		if a.err != nil {
			t.Fatal(a.err)
		}
	}
}

// expectError wants an error of that kind, whose text has all of the fragments.
func expectError(t *testing.T, err error, kind simTold, fragments ...string) {
	t.Helper()
	if got := kindOf(err); got != kind {
		t.Fatalf("an error of %q, want one of %q: %v", got, kind, err)
	}
	for _, fragment := range fragments {
		if err != nil && !strings.Contains(err.Error(), fragment) {
			t.Errorf("the error lacks %q: %v", fragment, err)
		}
	}
}

// expectAllTold wants one error of that kind for all.
func expectAllTold(t *testing.T, answers []answer, kind simTold, fragments ...string) {
	t.Helper()
	for _, a := range answers {
		expectError(t, a.err, kind, fragments...)
	}
}

// arrivals are the times at which requests of the route came in.
func arrivals(service *sandbox.Sandbox, route sandbox.Route) (at []time.Time) {
	for _, r := range service.Requests() {
		if r.Route == route {
			at = append(at, r.At)
		}
	}
	return at
}

// wait is what may lie between two requests.
type wait struct{ least, most time.Duration }

// backOffs are waits of that length and up to a quarter more.
func backOffs(lengths ...time.Duration) (waits []wait) {
	for _, d := range lengths {
		waits = append(waits, wait{least: d, most: d + d/4})
	}
	return waits
}

func exactly(lengths ...time.Duration) (waits []wait) {
	for _, d := range lengths {
		waits = append(waits, wait{least: d, most: d})
	}
	return waits
}

// after adds what an attempt itself takes.
func after(took time.Duration, waits []wait) []wait {
	later := slices.Clone(waits)
	for i := range later {
		later[i].least += took
		later[i].most += took
	}
	return later
}

func expectWaits(t *testing.T, at []time.Time, waits []wait) {
	t.Helper()
	if len(at) != len(waits)+1 {
		t.Errorf("%d requests, want %d", len(at), len(waits)+1)
		return
	}
	for i, want := range waits {
		if got := at[i+1].Sub(at[i]); got < want.least || got > want.most {
			t.Errorf("wait %d took %s, want %s to %s", i+1, got, want.least, want.most)
		}
	}
}

// status is an answer to every read of a group, so often.
func status(code int, body string, times int) sandbox.Fault {
	return sandbox.Fault{Route: sandbox.RouteGroup, Status: code, Body: body, Times: times}
}
