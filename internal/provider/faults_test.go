package provider

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

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
			fault: sandbox.Refuse(sandbox.RouteGroup, "INTERNAL_ERROR", "It broke."), summary: summaryUnavailable,
			says: []string{
				"The service said: It broke.", "Status 500 Internal Server Error, code INTERNAL_ERROR, for GET http://localhost" + mainPath,
			},
		},
		"502": {
			fault: sandbox.Refuse(sandbox.RouteGroup, "BAD_GATEWAY", "Upstream is gone."), summary: summaryUnavailable,
			says: []string{"The service said: Upstream is gone.", "Status 502 Bad Gateway, code BAD_GATEWAY"},
		},
		"503": {
			fault: status(503, `{"code":"DOWN","message":"Down for repair."}`, 0), summary: summaryUnavailable,
			says: []string{"The service said: Down for repair.", "Status 503 Service Unavailable, code DOWN"},
		},
		"504": {fault: status(504, "", 0), summary: summaryUnavailable, says: []string{"Status 504 Gateway Timeout, for GET"}},
		"500, a code nobody knows": {
			fault: status(500, `{"code":"BRAND_NEW","message":"New."}`, 0), summary: summaryUnavailable,
			says: []string{"Status 500 Internal Server Error, code BRAND_NEW"},
		},
		"500, a code of another status": {
			fault: status(500, `{"code":"NOT_FOUND","message":"Not here."}`, 0), summary: summaryUnavailable,
			says: []string{"Status 500 Internal Server Error, code NOT_FOUND"},
		},
		"599": {fault: status(599, "", 0), summary: summaryUnavailable, says: []string{"Status 599, for GET"}},
		"408": {
			fault: sandbox.Refuse(sandbox.RouteGroup, "REQUEST_TIMEOUT", "Too slow."), summary: summaryUnavailable,
			says: []string{"The service said: Too slow.", "Status 408 Request Timeout, code REQUEST_TIMEOUT"},
		},
		"reset": {
			fault:   sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Reset},
			summary: summaryUnreachable,
			says:    []string{"The fault: ", "for GET http://localhost" + mainPath},
		},
		"hanging": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang},
			took:  30 * sec, summary: summaryTimeout,
			says: []string{"no whole answer within 30s", "request_timeout"},
		},
		"slower than request_timeout": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Delay: 31 * sec},
			took:  30 * sec, summary: summaryTimeout,
			says: []string{"no whole answer within 30s"},
		},
		"cut by length": {
			fault:   sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.CutLength},
			summary: summaryUnreachable,
			says:    []string{"the answer was cut short", "for GET http://localhost" + mainPath},
		},
		"cut inside the JSON": {
			fault:   sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.CutJSON},
			summary: summaryUnreachable,
			says:    []string{"the answer was cut short"},
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
		"twice": {refused: 2, want: outcome{}, waits: backOffs(1*sec, 2*sec)},
		"always": {
			refused: 100,
			want: outcome{
				summary: summaryUnreachable,
				says:    []string{"connection refused", "for POST http://localhost/v1/auth/token", "gave up after 5 attempts"},
			},
			waits: backOffs(1*sec, 2*sec, 4*sec, 8*sec),
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				dial, closeAll := sandboxtest.Pipe(service)
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
			fault: status(503, `{"code":"DOWN","message":"Down."}`, 0),
			more:  arguments{argReadTimeout: "14s", argMaxRetries: 100},
			want: outcome{
				summary: summaryUnavailable,
				says: []string{
					"The service said: Down.", "503 Service Unavailable, code DOWN", "gave up after 4 attempts", "read_timeout leaves no time for more",
				},
			},
			waits: backOffs(1*sec, 2*sec, 4*sec), least: 7 * sec, most: 8750 * time.Millisecond,
		},
		"the time ends within an attempt": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang},
			more:  arguments{argReadTimeout: "45s"},
			want: outcome{
				summary: summaryTimeout,
				says:    []string{"no whole answer within 30s", "gave up after 2 attempts", "read_timeout leaves no time for more"},
			},
			waits: after(30*sec, backOffs(1*sec)), least: 45 * sec, most: 45 * sec,
		},
		"the time ends within the first attempt": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang},
			more:  arguments{argReadTimeout: "20s"},
			want: outcome{
				summary: summaryTimeout,
				says: []string{
					"no whole answer before the read's time was over", "gave up after 1 attempt in 20s", "read_timeout leaves no time for more",
				},
			},
			least: 20 * sec, most: 20 * sec,
		},
		"an attempt may not outlast the read": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Delay: 15 * sec},
			more:  arguments{argReadTimeout: "10s", argRequestTimeout: "1h"},
			want: outcome{
				summary: summaryTimeout,
				says: []string{
					"no whole answer before the read's time was over", "gave up after 1 attempt in 10s", "read_timeout leaves no time for more",
				},
			},
			least: 10 * sec, most: 10 * sec,
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
		"twice": {times: 2, want: outcome{}, waits: backOffs(1*sec, 2*sec)},
		"always": {
			times: 100, want: outcome{summary: summaryTimeout, says: []string{"no whole answer within 10s", "gave up after 5 attempts"}},
			waits: backOffs(1*sec, 2*sec, 4*sec, 8*sec),
		},
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
