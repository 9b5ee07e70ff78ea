package provider

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// onFakeClock runs a test in a bubble of testing/synctest, beside others.
func onFakeClock(t *testing.T, test func(*testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// inMemory configures a provider for a service that is reached without a
// socket: one that waits on a socket keeps the clock of a bubble from moving.
func inMemory(t *testing.T, service http.Handler, more arguments) *engine {
	t.Helper()
	dial, closeAll := sandbox.Pipe(service)
	t.Cleanup(closeAll)
	return dialling(t, dial, more)
}

// dialling configures a provider that connects by dial.
func dialling(t *testing.T, dial dialFunc, more arguments) *engine {
	t.Helper()
	e, diagnostics := startEngine(t, &catalogueProvider{version: "test", dial: dial}, northwind("http://localhost").merge(more))
	expectNone(t, diagnostics)
	return e
}

// merge returns a copy with more arguments.
func (a arguments) merge(more arguments) arguments {
	for name, value := range more {
		a = a.with(name, value)
	}
	return a
}

// manyGroups is a catalogue of so many groups, group-000 and so on, each with
// the revisions 1 and 2.
func manyGroups(t *testing.T, n int) *sandbox.Catalogue {
	t.Helper()
	groups := make([]string, 0, n)
	for i := range n {
		groups = append(groups, fmt.Sprintf(`{"owner": "Northwind", "group": {"id": %q, "name": "Group %d", "public": true},
			"models": [{"id": "%[2]d-1", "revision": 1, "dockerImage": "image:1"}, {"id": "%[2]d-2", "revision": 2, "dockerImage": "image:2"}]}`, groupID(i), i))
	}
	c, err := sandbox.ParseCatalogue(strings.NewReader(`{
		"organisations": [{"name": "Northwind", "clientId": "northwind", "clientSecret": "northwind-sandbox-secret"}],
		"modelGroups": [` + strings.Join(groups, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func groupID(i int) string { return fmt.Sprintf("group-%03d", i) }

// reading is one data source block, answer what an engine gets for it.
type (
	reading struct {
		name   string
		config arguments
	}
	answer struct {
		state       map[string]any
		diagnostics []*tfprotov6.Diagnostic
	}
)

// eachGroup reads groups of manyGroups, one block each.
func eachGroup(from, to int) []reading {
	var readings []reading
	for i := from; i < to; i++ {
		readings = append(readings, reading{"model_group", arguments{"id": groupID(i)}})
	}
	return readings
}

// readAll reads all of them, so many at once, as an engine does.
func (e *engine) readAll(t *testing.T, parallelism int, readings []reading) []answer {
	t.Helper()
	answers := make([]answer, len(readings))
	turns := make(chan struct{}, parallelism)
	var all sync.WaitGroup
	for i, r := range readings {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			answers[i].state, answers[i].diagnostics = e.read(t.Context(), t, r.name, r.config)
		})
	}
	all.Wait()
	return answers
}

func expectAllRead(t *testing.T, answers []answer) {
	t.Helper()
	for _, a := range answers {
		expectNone(t, a.diagnostics)
		if a.state == nil {
			t.Fatal("neither a state nor a diagnostic")
		}
	}
}

// outcome is how a read has to end: well, unless there is a summary.
type outcome struct {
	argument, summary string
	says              []string
}

func (o outcome) expect(t *testing.T, state map[string]any, diagnostics []*tfprotov6.Diagnostic) {
	t.Helper()
	switch {
	case o.summary != "":
		expectError(t, diagnostics, o.argument, o.summary, o.says...)
	default:
		expectAllRead(t, []answer{{state, diagnostics}})
	}
}

// arrivals are the times at which requests of the route came in.
func arrivals(service *sandbox.Sandbox, route sandbox.Route) []time.Time {
	var at []time.Time
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
func backOffs(lengths ...time.Duration) []wait {
	var waits []wait
	for _, d := range lengths {
		waits = append(waits, wait{d, d + d/4})
	}
	return waits
}

func exactly(lengths ...time.Duration) []wait {
	var waits []wait
	for _, d := range lengths {
		waits = append(waits, wait{d, d})
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

const sec = time.Second

// mainPath is the path of mainGroup.
const mainPath = "/v1/model-group/" + mainGroup

// status is an answer to every read of the group, so often.
func status(code int, body string, times int) sandbox.Fault {
	return sandbox.Fault{Route: sandbox.RouteGroup, Status: code, Body: body, Times: times}
}

// closing is a fault that keeps a connection from being used again: net/http
// replays a GET at once where it finds such a connection closed (RFC 9112
// §9.3.1), which would add a request to those a row counts.
var closing = sandbox.Fault{Route: sandbox.RouteToken, Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
	header.Set("Connection", "close")
	return status, header, body
}}

// TestFailuresThatMayPass: each row is a fault of the first requests, or of all.
func TestFailuresThatMayPass(t *testing.T) {
	t.Parallel()
	type row struct {
		fault   sandbox.Fault
		took    time.Duration // what one failing attempt takes
		summary string
		says    []string
	}
	rows := map[string]row{
		"500": {
			sandbox.Refuse(sandbox.RouteGroup, "INTERNAL_ERROR", "It broke."), 0, summaryUnavailable,
			[]string{"The service said: It broke.", "Status 500 Internal Server Error, code INTERNAL_ERROR, for GET " + mainPath},
		},
		"502": {
			sandbox.Refuse(sandbox.RouteGroup, "BAD_GATEWAY", "Upstream is gone."), 0, summaryUnavailable,
			[]string{"The service said: Upstream is gone.", "Status 502 Bad Gateway, code BAD_GATEWAY"},
		},
		"503": {
			status(503, `{"code":"DOWN","message":"Down for repair."}`, 0), 0, summaryUnavailable,
			[]string{"The service said: Down for repair.", "Status 503 Service Unavailable, code DOWN"},
		},
		"504": {status(504, "", 0), 0, summaryUnavailable, []string{"Status 504 Gateway Timeout, for GET"}},
		"500, a code nobody knows": {
			status(500, `{"code":"BRAND_NEW","message":"New."}`, 0), 0, summaryUnavailable,
			[]string{"Status 500 Internal Server Error, code BRAND_NEW"},
		},
		"500, a code of another status": {
			status(500, `{"code":"NOT_FOUND","message":"Not here."}`, 0), 0, summaryUnavailable,
			[]string{"Status 500 Internal Server Error, code NOT_FOUND"},
		},
		"599": {status(599, "", 0), 0, summaryUnavailable, []string{"Status 599, for GET"}},
		"408": {
			sandbox.Refuse(sandbox.RouteGroup, "REQUEST_TIMEOUT", "Too slow."), 0, summaryUnavailable,
			[]string{"The service said: Too slow.", "Status 408 Request Timeout, code REQUEST_TIMEOUT"},
		},
		"reset": {
			sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Reset},
			0, summaryUnreachable,
			[]string{"The fault: ", "for GET " + mainPath},
		},
		"hanging": {
			sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang},
			30 * sec, summaryTimeout,
			[]string{"no whole answer within 30s", "request_timeout"},
		},
		"slower than request_timeout": {
			sandbox.Fault{Route: sandbox.RouteGroup, Delay: 31 * sec},
			30 * sec, summaryTimeout,
			[]string{"no whole answer within 30s"},
		},
		"cut by length": {
			sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.CutLength},
			0, summaryUnreachable,
			[]string{"the answer was cut short", "for GET " + mainPath},
		},
		"cut inside the JSON": {
			sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.CutJSON},
			0, summaryUnreachable,
			[]string{"the answer was cut short"},
		},
	}
	run := func(t *testing.T, r row, times int, more arguments, want outcome, waits []wait) {
		t.Helper()
		service := sandbox.New(sandbox.Default())
		service.Inject(closing)
		r.fault.Times = times
		service.Inject(r.fault)
		e := inMemory(t, service, more)
		state, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
		want.expect(t, state, diagnostics)
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: len(waits) + 1})
		expectWaits(t, arrivals(service, sandbox.RouteGroup), after(r.took, waits))
	}
	for name, r := range rows {
		t.Run(name+", twice", func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				run(t, r, 2, nil, outcome{}, backOffs(1*sec, 2*sec))
			})
		})
		t.Run(name+", always", func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				says := append([]string{"gave up after 5 attempts", "max_retries allows no more"}, r.says...)
				run(t, r, 0, nil, outcome{summary: r.summary, says: says}, backOffs(1*sec, 2*sec, 4*sec, 8*sec))
			})
		})
		t.Run(name+", no retries", func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				says := append([]string{"gave up after 1 attempt in", "max_retries allows no more"}, r.says...)
				run(t, r, 0, arguments{argMaxRetries: 0}, outcome{summary: r.summary, says: says}, nil)
			})
		})
		t.Run(name+", once more than the retries", func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				run(t, r, 2, arguments{argMaxRetries: 1}, outcome{summary: r.summary, says: r.says}, backOffs(1*sec))
			})
		})
	}
}

func TestBackOffGoesUpToHalfAMinuteWithJitter(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(status(503, "", 0))
		e := inMemory(t, service, arguments{argMaxRetries: 8})
		_, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
		expectError(t, diagnostics, "", summaryUnavailable, "gave up after 9 attempts")
		at, waits := arrivals(service, sandbox.RouteGroup), backOffs(1*sec, 2*sec, 4*sec, 8*sec, 16*sec, 30*sec, 30*sec, 30*sec)
		expectWaits(t, at, waits)
		spread := 0
		for i := range waits {
			if at[i+1].Sub(at[i]) > waits[i].least {
				spread++
			}
		}
		if spread == 0 {
			t.Error("every wait is the least it may be: processes that failed together would come back together")
		}
	})
}

func TestRefusedConnections(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refused int // connections, the first ones
		want    outcome
		waits   []wait
	}{
		"twice": {2, outcome{}, backOffs(1*sec, 2*sec)},
		"always": {
			100,
			outcome{summary: summaryUnreachable, says: []string{"connection refused", "for POST /v1/auth/token", "gave up after 5 attempts"}},
			backOffs(1*sec, 2*sec, 4*sec, 8*sec),
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				dial, closeAll := sandbox.Pipe(service)
				t.Cleanup(closeAll)
				var dials []time.Time
				e := dialling(t, func(ctx context.Context, network, address string) (net.Conn, error) {
					dials = append(dials, time.Now())
					if len(dials) <= test.refused {
						return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
					}
					return dial(ctx, network, address)
				}, nil)
				state, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
				test.want.expect(t, state, diagnostics)
				expectWaits(t, dials, test.waits)
				want := map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1}
				if test.want.summary != "" {
					want = nil
				}
				expectRequests(t, service, want)
			})
		})
	}
}

// A connection kept from an earlier request may have been closed by the other
// side meanwhile. net/http sends a GET again at once then, on a new one.
func TestAConnectionThatWasKeptAndIsGoneCostsNoAttempt(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Reset, Times: 1})
		e := inMemory(t, service, arguments{argMaxRetries: 0})
		e.mustRead(t, "model_group", arguments{"id": mainGroup})
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 2})
		expectWaits(t, arrivals(service, sandbox.RouteGroup), exactly(0))
	})
}

func TestReadTimeoutCapsTheRetries(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault       sandbox.Fault
		more        arguments
		want        outcome
		waits       []wait
		least, most time.Duration
	}{
		// The wait of 8 s no longer fits, so the read does not sit it out.
		"the next wait does not fit": {
			status(503, `{"code":"DOWN","message":"Down."}`, 0),
			arguments{argReadTimeout: "14s", argMaxRetries: 100},
			outcome{summary: summaryUnavailable, says: []string{"The service said: Down.", "503 Service Unavailable, code DOWN", "gave up after 4 attempts", "read_timeout leaves no time for more"}},
			backOffs(1*sec, 2*sec, 4*sec), 7 * sec, 8750 * time.Millisecond,
		},
		"the time ends within an attempt": {
			sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang},
			arguments{argReadTimeout: "45s"},
			outcome{summary: summaryTimeout, says: []string{"no whole answer within 30s", "gave up after 2 attempts", "read_timeout leaves no time for more"}},
			after(30*sec, backOffs(1*sec)), 45 * sec, 45 * sec,
		},
		"the time ends within the first attempt": {
			sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang},
			arguments{argReadTimeout: "20s"},
			outcome{summary: summaryTimeout, says: []string{"no whole answer before the read's time was over", "gave up after 1 attempt in 20s", "read_timeout leaves no time for more"}},
			nil, 20 * sec, 20 * sec,
		},
		"an attempt may not outlast the read": {
			sandbox.Fault{Route: sandbox.RouteGroup, Delay: 15 * sec},
			arguments{argReadTimeout: "10s", argRequestTimeout: "1h"},
			outcome{summary: summaryTimeout, says: []string{"no whole answer before the read's time was over", "gave up after 1 attempt in 10s", "read_timeout leaves no time for more"}},
			nil, 10 * sec, 10 * sec,
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				service.Inject(test.fault)
				e := inMemory(t, service, test.more)
				began := time.Now()
				state, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
				if took := time.Since(began); took < test.least || took > test.most {
					t.Errorf("the read took %s, want %s to %s", took, test.least, test.most)
				}
				test.want.expect(t, state, diagnostics)
				expectWaits(t, arrivals(service, sandbox.RouteGroup), test.waits)
			})
		})
	}
}

// stalling sends the beginning of a group and no more, so many times.
type stalling struct {
	service http.Handler
	times   int

	mu sync.Mutex
	at []time.Time
}

func (h *stalling) arrivals() []time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.at)
}

func (h *stalling) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		h.service.ServeHTTP(w, r)
		return
	}
	h.mu.Lock()
	h.at = append(h.at, time.Now())
	stall := len(h.at) <= h.times
	h.mu.Unlock()
	if !stall {
		h.service.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Length", "1000")
	if _, err := w.Write([]byte(`{"id":`)); err != nil {
		panic(http.ErrAbortHandler)
	}
	if err := http.NewResponseController(w).Flush(); err != nil {
		panic(err)
	}
	<-r.Context().Done()
}

func TestRequestTimeoutIncludesTheBody(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		times int
		want  outcome
		waits []wait
	}{
		"twice":  {2, outcome{}, backOffs(1*sec, 2*sec)},
		"always": {100, outcome{summary: summaryTimeout, says: []string{"no whole answer within 10s", "gave up after 5 attempts"}}, backOffs(1*sec, 2*sec, 4*sec, 8*sec)},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := &stalling{service: sandbox.New(sandbox.Default()), times: test.times}
				e := inMemory(t, service, arguments{argRequestTimeout: "10s"})
				state, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
				test.want.expect(t, state, diagnostics)
				expectWaits(t, service.arrivals(), after(10*sec, test.waits))
			})
		})
	}
}

func TestTheLastFailureIsTheOneReported(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		for _, f := range []sandbox.Fault{
			status(500, `{"code":"FIRST","message":"The first."}`, 1),
			{Route: sandbox.RouteGroup, Kind: sandbox.CutJSON, Times: 1},
			status(503, `{"code":"THIRD","message":"The third."}`, 1),
			status(502, "<html><title>The fourth</title></html>", 1),
			status(504, `{"code":"LAST","message":"The last."}`, 0),
		} {
			service.Inject(f)
		}
		e := inMemory(t, service, nil)
		_, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
		expectError(t, diagnostics, "", summaryUnavailable, "The service said: The last.", "Status 504 Gateway Timeout, code LAST")
		for _, other := range []string{"FIRST", "The first", "THIRD", "fourth", "cut short"} {
			if strings.Contains(diagnostics[0].Detail, other) {
				t.Errorf("%q is there as well:\n%s", other, diagnostics[0].Detail)
			}
		}
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 5})
	})
}

// TestFailuresThatAreFinal: one request, one diagnostic, at once.
func TestFailuresThatAreFinal(t *testing.T) {
	t.Parallel()
	group := reading{"model_group", arguments{"id": mainGroup}}
	on := func(route sandbox.Route, code int, body string) sandbox.Fault {
		return sandbox.Fault{Route: route, Status: code, Body: body}
	}
	issues := `{"code":"VALIDATION_FAILED","message":"2 fields are not valid.","data":{"issues":[
		{"field":"id","messages":["is too long","is no UUID"]},{"field":"query.page.size","messages":["must be positive"]}]}}`
	for name, test := range map[string]struct {
		fault  sandbox.Fault
		client string // another organisation than northwind
		read   reading
		want   outcome
	}{
		"400 BAD_REQUEST": {
			sandbox.Refuse(sandbox.RouteGroup, "BAD_REQUEST", "No."), "", group,
			outcome{"id", "Invalid model group id", []string{"The service said: No.", "Status 400 Bad Request, code BAD_REQUEST, for GET " + mainPath}},
		},
		"400 BAD_REQUEST of a list": {
			sandbox.Refuse(sandbox.RouteGroups, "BAD_REQUEST", "No."), "",
			reading{"model_groups", nil},
			outcome{"", summaryInvalidRequest, []string{"The service said: No.", "Status 400 Bad Request, code BAD_REQUEST, for GET /v1/model-group"}},
		},
		"400 VALIDATION_FAILED": {
			on(sandbox.RouteGroup, 400, issues), "", group,
			outcome{"id", "Invalid model group id", []string{"2 fields are not valid.", "id: is too long; is no UUID", "query.page.size: must be positive", "Status 400 Bad Request, code VALIDATION_FAILED"}},
		},
		"400, a code nobody knows": {
			on(sandbox.RouteGroup, 400, `{"code":"BRAND_NEW","message":"New."}`), "", group,
			outcome{"id", "Invalid model group id", []string{"The service said: New.", "Status 400 Bad Request, code BRAND_NEW"}},
		},
		"403 FORBIDDEN": {
			sandbox.Refuse(sandbox.RouteGroup, "FORBIDDEN", "Not you."), "", group,
			outcome{"", summaryForbidden, []string{"The service said: Not you.", "Status 403 Forbidden, code FORBIDDEN"}},
		},
		"403 FORBIDDEN, the organisation": {
			sandbox.Fault{Route: sandbox.RouteToken},
			"adventure-works", group,
			outcome{"", summaryForbidden, []string{"not permitted", "Status 403 Forbidden, code FORBIDDEN"}},
		},
		"403 ORGANISATION_DISABLED": {
			sandbox.Fault{Route: sandbox.RouteToken},
			"tailspin", group,
			outcome{"", summaryOrganisationDisabled, []string{"The contract of Tailspin Power ended on 31 March 2026.", "Status 403 Forbidden, code ORGANISATION_DISABLED"}},
		},
		"403, a code nobody knows": {
			on(sandbox.RouteGroup, 403, `{"code":"BRAND_NEW","message":"New."}`), "", group,
			outcome{"", summaryForbidden, []string{"The service said: New.", "code BRAND_NEW"}},
		},
		"404 NOT_FOUND": {
			sandbox.Refuse(sandbox.RouteGroup, "NOT_FOUND", "None such."), "", group,
			outcome{"id", summaryGroupNotFound, []string{"The service said: None such.", "Status 404 Not Found, code NOT_FOUND"}},
		},
		"404 NOT_FOUND, latest model": {
			sandbox.Refuse(sandbox.RouteLatest, "NOT_FOUND", "None such."), "",
			reading{"latest_model", arguments{"model_group_id": mainGroup}},
			outcome{"model_group_id", summaryGroupNotFound + ", or without models", []string{"Status 404 Not Found, code NOT_FOUND"}},
		},
		"404 NOT_FOUND, models": {
			sandbox.Refuse(sandbox.RouteModels, "NOT_FOUND", "None such."), "",
			reading{"model", arguments{"model_group_id": mainGroup, "revision": 1}},
			outcome{"model_group_id", summaryGroupNotFound, []string{"Status 404 Not Found, code NOT_FOUND"}},
		},
		"404, a code nobody knows": {
			on(sandbox.RouteGroup, 404, `{"code":"BRAND_NEW","message":"New."}`), "", group,
			outcome{"id", summaryGroupNotFound, []string{"The service said: New.", "code BRAND_NEW"}},
		},
		"404 of the list": {
			on(sandbox.RouteGroups, 404, "<html>Not here</html>"), "",
			reading{"model_groups", nil},
			outcome{"", summaryNotAnswered, []string{"Check base_url", "Status 404 Not Found, for GET /v1/model-group"}},
		},
		"409 CONFLICT": {
			sandbox.Refuse(sandbox.RouteGroup, "CONFLICT", "In flight."), "", group,
			outcome{"", summaryNotAnswered, []string{"The service said: In flight.", "Status 409 Conflict, code CONFLICT"}},
		},
		"409 MODEL_RUN_OUTPUT_UNAVAILABLE": {
			sandbox.Refuse(sandbox.RouteGroup, "MODEL_RUN_OUTPUT_UNAVAILABLE", "Gone."), "", group,
			outcome{"", summaryNotAnswered, []string{"Status 409 Conflict, code MODEL_RUN_OUTPUT_UNAVAILABLE"}},
		},
		"409, a code nobody knows": {
			on(sandbox.RouteGroup, 409, `{"code":"BRAND_NEW","message":"New."}`), "", group,
			outcome{"", summaryNotAnswered, []string{"Status 409 Conflict, code BRAND_NEW"}},
		},
		"418": {
			on(sandbox.RouteGroup, 418, `{"code":"BRAND_NEW","message":"New."}`), "", group,
			outcome{"", summaryNotAnswered, []string{"Status 418", "code BRAND_NEW"}},
		},
		"405": {
			on(sandbox.RouteGroup, 405, ""), "", group,
			outcome{"", summaryNotAnswered, []string{"Status 405 Method Not Allowed, for GET"}},
		},
		"204": {
			sandbox.Fault{Route: sandbox.RouteGroup, Status: 204},
			"", group,
			outcome{"", summaryNotAnswered, []string{"Status 204 No Content"}},
		},
		"redirect": {
			sandbox.Fault{Route: sandbox.RouteGroup, Status: 307, Header: http.Header{"Location": {"https://elsewhere.example/x"}}},
			"", group,
			outcome{"", summaryRedirect, []string{"leads to https://elsewhere.example/x", "Status 307 Temporary Redirect"}},
		},
		"200 with HTML": {
			sandbox.Fault{Route: sandbox.RouteGroup, Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<html>Sign in</html>"},
			"", group,
			outcome{"", summaryUnexpected, []string{"no valid JSON", `content type "text/html"`, "for GET " + mainPath}},
		},
		"200, empty": {
			on(sandbox.RouteGroup, 200, ""), "", group,
			outcome{"", summaryUnexpected, []string{"the body is empty"}},
		},
		"200, another shape": {
			on(sandbox.RouteGroup, 200, `{"models":[{"revision":1},{"revision":"two"}]}`), "", group,
			outcome{"", summaryUnexpected, []string{"models[1].revision: a whole number is expected, the service sent a string"}},
		},
		"200, larger than a provider can pass on": {
			sandbox.Fault{Route: sandbox.RouteGroup, Status: 200, Header: http.Header{"Content-Length": {"300000000"}}, Body: "{"},
			"", group,
			outcome{"", summaryTooLarge, []string{"300000000 bytes (286 MiB)", "268435456 bytes (256 MiB)", "time_horizon"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				service.Inject(test.fault)
				more := arguments{}
				if test.client != "" {
					more = arguments{argClientID: test.client, argClientSecret: test.client + "-sandbox-secret"}
				}
				e := inMemory(t, service, more)
				began := time.Now()
				state, diagnostics := e.read(t.Context(), t, test.read.name, test.read.config)
				if took := time.Since(began); took != 0 {
					t.Errorf("it took %s", took)
				}
				test.want.expect(t, state, diagnostics)
				if got := service.Count(sandbox.RouteAny); got != 2 || service.Count(sandbox.RouteToken) != 1 {
					t.Errorf("%d requests, want one for a token and one read", got)
				}
			})
		})
	}
}

func TestTheStatusSurvivesAnyBody(t *testing.T) {
	t.Parallel()
	bodies := map[string]struct {
		contentType, body string
		says              string
	}{
		"empty":          {"application/json", "", ""},
		"HTML":           {"text/html", "<html><head><title>Sorry,\nwe are closed</title></head><body>" + strings.Repeat("x", 5000), "a page of HTML titled Sorry, we are closed"},
		"not UTF-8":      {"text/plain", "broken \xff\xfe\x1b[31m here", "broken [31m here"},
		"huge":           {"application/json", `{"code":"HUGE","message":"` + strings.Repeat("x", 2<<20) + `"}`, strings.Repeat("x", 100)},
		"huge, no JSON":  {"text/plain", strings.Repeat("y", 2<<20), strings.Repeat("y", 100)},
		"deeply nested":  {"application/json", strings.Repeat(`{"data":`, 100000) + "1" + strings.Repeat("}", 100000), ""},
		"without a code": {"application/json", `{"message":"Just words.","statusCode":200}`, "The service said: Just words."},
		"a code that is no string": {
			"application/json", `{"code":{"a":1},"message":["Two","words"],"data":{"issues":[{"field":["f"],"messages":[1]},7]}}`,
			`["Two","words"]`,
		},
		"null":   {"application/json", "null", ""},
		"a list": {"application/json", `["a"]`, `["a"]`},
		"cut":    {"application/json", `{"code":"NOT_FO`, `{"code":"NOT_FO`},
	}
	for _, expected := range []struct {
		status  int
		want    outcome
		request int
	}{
		{503, outcome{"", summaryUnavailable, []string{"Status 503 Service Unavailable"}}, 2},
		{404, outcome{"id", summaryGroupNotFound, []string{"Status 404 Not Found"}}, 1},
		{403, outcome{"", summaryForbidden, []string{"Status 403 Forbidden"}}, 1},
	} {
		for name, test := range bodies {
			t.Run(fmt.Sprintf("%d %s", expected.status, name), func(t *testing.T) {
				onFakeClock(t, func(t *testing.T) {
					service := sandbox.New(sandbox.Default())
					service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Status: expected.status, Header: http.Header{"Content-Type": {test.contentType}}, Body: test.body})
					e := inMemory(t, service, arguments{argMaxRetries: 1})
					state, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
					expected.want.expect(t, state, diagnostics)
					detail := diagnostics[0].Detail
					if !strings.Contains(detail, test.says) {
						t.Errorf("the detail lacks %q:\n%s", test.says, detail)
					}
					if len(detail) > 4000 || strings.ContainsFunc(detail, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
						t.Errorf("%d bytes, or not printable: %q", len(detail), detail)
					}
					expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: expected.request})
				})
			})
		}
	}
}
