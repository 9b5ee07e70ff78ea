package catalogue_test

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
)

// closing is a fault that keeps a connection from being used again: a kept
// connection that is closed is not an attempt like any other.
var closing = sandbox.Fault{
	Route: sandbox.RouteToken, Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		header.Set("Connection", "close")
		return status, header, body
	},
}

// TestFailuresThatMayPass: each row is a fault of the first requests, or of all.
func TestFailuresThatMayPass(t *testing.T) {
	t.Parallel()
	type row struct {
		fault sandbox.Fault
		took  time.Duration // what one failing attempt takes
		kind  simTold
		says  []string
	}
	rows := map[string]row{
		"500": {
			fault: sandbox.Refuse(sandbox.RouteGroup, "INTERNAL_ERROR", "It broke."), kind: toldUnavailable,
			says: []string{
				"It broke.", "500 Internal Server Error (INTERNAL_ERROR)",
			},
		},
		"502": {
			fault: sandbox.Refuse(sandbox.RouteGroup, "BAD_GATEWAY", "Upstream is gone."), kind: toldUnavailable,
			says: []string{"Upstream is gone.", "502 Bad Gateway (BAD_GATEWAY)"},
		},
		"503": {
			fault: status(503, `{"code":"DOWN","message":"Down for repair."}`, 0), kind: toldUnavailable,
			says: []string{"Down for repair.", "503 Service Unavailable (DOWN)"},
		},
		"504": {fault: status(504, "", 0), kind: toldUnavailable, says: []string{"504 Gateway Timeout"}},
		"500, a code nobody knows": {
			fault: status(500, `{"code":"BRAND_NEW","message":"New."}`, 0), kind: toldUnavailable,
			says: []string{"500 Internal Server Error (BRAND_NEW)"},
		},
		"500, a code of another status": {
			fault: status(500, `{"code":"NOT_FOUND","message":"Not here."}`, 0), kind: toldUnavailable,
			says: []string{"500 Internal Server Error (NOT_FOUND)"},
		},
		"599": {fault: status(599, "", 0), kind: toldUnavailable, says: []string{"599"}},
		"408": {
			fault: sandbox.Refuse(sandbox.RouteGroup, "REQUEST_TIMEOUT", "Too slow."), kind: toldUnavailable,
			says: []string{"Too slow.", "408 Request Timeout (REQUEST_TIMEOUT)"},
		},
		"reset": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Reset},
			kind:  toldNetwork,
			says:  []string{"GET http://localhost" + mainPath},
		},
		"hanging": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang},
			took:  30 * sec, kind: toldTimeout,
			says: []string{"no whole answer within 30s"},
		},
		"slower than request_timeout": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Delay: 31 * sec},
			took:  30 * sec, kind: toldTimeout,
			says: []string{"no whole answer within 30s"},
		},
		"cut by length": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.CutLength},
			kind:  toldNetwork,
			says:  []string{"the answer was cut short", "GET http://localhost" + mainPath},
		},
		"cut inside the JSON": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.CutJSON},
			kind:  toldNetwork,
			says:  []string{"the answer was cut short"},
		},
	}
	run := func(t *testing.T, r row, times int, more []setting, want outcome, waits []wait) {
		t.Helper()
		service := sandbox.New(sandbox.Default())
		service.Inject(closing)
		r.fault.Times = times
		service.Inject(r.fault)
		c := connect(t, service, more...)
		err := group(mainGroup).read(t, c).err
		want.expect(t, err)
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
				says := append([]string{"gave up after 5 attempts"}, r.says...)
				run(t, r, 0, nil, outcome{kind: r.kind, says: says}, backOffs(1*sec, 2*sec, 4*sec, 8*sec))
			})
		})
		t.Run(name+", no retries", func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				says := append([]string{"gave up after 1 attempts in"}, r.says...)
				run(t, r, 0, []setting{maxRetries(0)}, outcome{kind: r.kind, says: says}, nil)
			})
		})
		t.Run(name+", once more than the retries", func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				run(t, r, 2, []setting{maxRetries(1)}, outcome{kind: r.kind, says: r.says}, backOffs(1*sec))
			})
		})
	}
}

func TestBackOffGoesUpToHalfAMinuteWithJitter(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(status(503, "", 0))
		c := connect(t, service, maxRetries(8))
		err := group(mainGroup).read(t, c).err
		expectError(t, err, toldUnavailable, "gave up after 9 attempts")
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
				kind: toldNetwork,
				says: []string{"connection refused", "POST http://localhost/v1/auth/token", "gave up after 5 attempts"},
			},
			waits: backOffs(1*sec, 2*sec, 4*sec, 8*sec),
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				dial, closeAll := pipe(service)
				t.Cleanup(closeAll)
				var dials []time.Time
				c := dialling(t, func(ctx context.Context, network, address string) (net.Conn, error) {
					dials = append(dials, time.Now())
					if len(dials) <= test.refused {
						return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
					}
					return dial(ctx, network, address)
				})
				err := group(mainGroup).read(t, c).err
				test.want.expect(t, err)
				expectWaits(t, dials, test.waits)
				want := map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1}
				if test.want.kind != "" {
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
		c := connect(t, service, maxRetries(0))
		group(mainGroup).mustRead(t, c)
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 2})
		expectWaits(t, arrivals(service, sandbox.RouteGroup), exactly(0))
	})
}

func TestReadTimeoutCapsTheRetries(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault       sandbox.Fault
		more        []setting
		want        outcome
		waits       []wait
		least, most time.Duration
	}{
		// The wait of 8 s no longer fits, so the read does not sit it out.
		"the next wait does not fit": {
			fault: status(503, `{"code":"DOWN","message":"Down."}`, 0),
			more:  []setting{readTimeout(14 * sec), maxRetries(100)},
			want: outcome{
				kind: toldUnavailable,
				says: []string{
					"Down.", "503 Service Unavailable (DOWN)", "gave up after 4 attempts",
				},
			},
			waits: backOffs(1*sec, 2*sec, 4*sec), least: 7 * sec, most: 8750 * time.Millisecond,
		},
		"the time ends within an attempt": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang},
			more:  []setting{readTimeout(45 * sec)},
			want: outcome{
				kind: toldTimeout,
				says: []string{"no whole answer within 30s", "gave up after 2 attempts"},
			},
			waits: after(30*sec, backOffs(1*sec)), least: 45 * sec, most: 45 * sec,
		},
		"the time ends within the first attempt": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang},
			more:  []setting{readTimeout(20 * sec)},
			want: outcome{
				kind: toldTimeout,
				says: []string{
					"no whole answer before the read's time was over", "gave up after 1 attempts in 20s",
				},
			},
			least: 20 * sec, most: 20 * sec,
		},
		"an attempt may not outlast the read": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Delay: 15 * sec},
			more:  []setting{readTimeout(10 * sec), requestTimeout(1 * time.Hour)},
			want: outcome{
				kind: toldTimeout,
				says: []string{
					"no whole answer before the read's time was over", "gave up after 1 attempts in 10s",
				},
			},
			least: 10 * sec, most: 10 * sec,
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				service.Inject(test.fault)
				c := connect(t, service, test.more...)
				began := time.Now()
				err := group(mainGroup).read(t, c).err
				if took := time.Since(began); took < test.least || took > test.most {
					t.Errorf("the read took %s, want %s to %s", took, test.least, test.most)
				}
				test.want.expect(t, err)
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
			times: 100, want: outcome{kind: toldTimeout, says: []string{"no whole answer within 10s", "gave up after 5 attempts"}},
			waits: backOffs(1*sec, 2*sec, 4*sec, 8*sec),
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := &stalling{service: sandbox.New(sandbox.Default()), times: test.times}
				c := connect(t, service, requestTimeout(10*sec))
				err := group(mainGroup).read(t, c).err
				test.want.expect(t, err)
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
		c := connect(t, service)
		err := group(mainGroup).read(t, c).err
		expectError(t, err, toldUnavailable, "The last.", "504 Gateway Timeout (LAST)")
		for _, other := range []string{"FIRST", "The first", "THIRD", "fourth", "cut short"} {
			if strings.Contains(err.Error(), other) {
				t.Errorf("%q is there as well: %v", other, err)
			}
		}
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 5})
	})
}
