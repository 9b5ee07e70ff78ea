package provider

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// reader is a read under way.
type reader struct {
	cancel context.CancelFunc
	done   chan struct{}
	answer answer
	took   time.Duration
}

func (e *engine) start(t *testing.T, r reading) *reader {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	under := &reader{cancel: cancel, done: make(chan struct{})}
	began := time.Now()
	go func() {
		defer close(under.done)
		under.answer.state, under.answer.diagnostics = e.read(ctx, t, r.name, r.config)
		under.took = time.Since(began)
	}()
	return under
}

var mainReading = reading{"model_group", arguments{"id": mainGroup}}

func TestOneReaderIsCancelledTheOthersFinish(t *testing.T) {
	t.Parallel()
	// Readers of the same answer, and of the same token.
	same := []reading{mainReading, mainReading, mainReading}
	others := []reading{mainReading, {"latest_model", arguments{"model_group_id": mainGroup}}, {"model_groups", nil}}
	for name, test := range map[string]struct {
		fault     sandbox.Fault
		readings  []reading
		cancelled int
		requests  map[sandbox.Route]int
	}{
		"the one who asked": {
			fault:    sandbox.Fault{Route: sandbox.RouteGroup, Delay: 10 * sec},
			readings: same, cancelled: 0,
			requests: map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1},
		},
		"one who waits with it": {
			fault:    sandbox.Fault{Route: sandbox.RouteGroup, Delay: 10 * sec},
			readings: same, cancelled: 2,
			requests: map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1},
		},
		"the one who asked for the token": {
			fault:    sandbox.Fault{Route: sandbox.RouteToken, Delay: 10 * sec},
			readings: others, cancelled: 0,
			requests: map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteLatest: 1, sandbox.RouteGroups: 1},
		},
		"one who waits for the token": {
			fault:    sandbox.Fault{Route: sandbox.RouteToken, Delay: 10 * sec},
			readings: others, cancelled: 1,
			requests: map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1, sandbox.RouteGroups: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				service.Inject(test.fault)
				e := inMemory(t, service, nil)
				var readers []*reader
				for _, r := range test.readings {
					readers = append(readers, e.start(t, r))
					synctest.Wait() // so that the first is the one who asks
				}
				time.Sleep(5 * sec)
				readers[test.cancelled].cancel()
				for i, r := range readers {
					<-r.done
					if i != test.cancelled {
						expectAllRead(t, []answer{r.answer})
						if r.took != 10*sec {
							t.Errorf("reader %d took %s", i, r.took)
						}
						continue
					}
					expectError(t, r.answer.diagnostics, "", summaryInterrupted)
					if r.took != 5*sec {
						t.Errorf("the cancelled reader took %s", r.took)
					}
				}
				expectRequests(t, service, test.requests)
			})
		})
	}
}

func TestTheRequestEndsWithItsLastReader(t *testing.T) {
	t.Parallel()
	for name, route := range map[string]sandbox.Route{"a read": sandbox.RouteGroup, "a token": sandbox.RouteToken} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				requests := make(chan context.Context, 1)
				service.Inject(sandbox.Fault{Route: route, Kind: sandbox.Hang, Times: 1, OnRequest: func(r *http.Request) { requests <- r.Context() }})
				e := inMemory(t, service, nil)
				readers := []*reader{e.start(t, mainReading), e.start(t, mainReading), e.start(t, mainReading)}
				request := <-requests
				time.Sleep(5 * sec)
				for i, r := range readers {
					if request.Err() != nil {
						t.Fatalf("the request has ended though %d readers wait for it", len(readers)-i)
					}
					r.cancel()
					synctest.Wait()
				}
				if request.Err() == nil {
					t.Error("the request goes on though nobody waits for it")
				}
				for _, r := range readers {
					<-r.done
					expectError(t, r.answer.diagnostics, "", summaryInterrupted)
					if r.took != 5*sec {
						t.Errorf("a reader took %s", r.took)
					}
				}
				if n := service.Count(route); n != 1 {
					t.Errorf("%d requests", n)
				}
				// Who comes later asks anew.
				e.mustRead(t, mainReading.name, mainReading.config)
			})
		})
	}
}

func TestAReaderWithMoreTimeGoesOn(t *testing.T) {
	t.Parallel()
	late := limited(sandbox.RouteGroup, "50", 1)
	late.Delay = 20 * sec
	for name, test := range map[string]struct {
		fault    sandbox.Fault
		most     time.Duration // that the later reader takes
		requests map[sandbox.Route]int
		summary  string
	}{
		"a hanging read": {
			fault:    sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang, Times: 1},
			most:     52 * sec,
			requests: map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 2},
			summary:  summaryTimeout,
		},
		"a hanging token call": {
			fault:    sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.Hang, Times: 1},
			most:     52 * sec,
			requests: map[sandbox.Route]int{sandbox.RouteToken: 2, sandbox.RouteGroup: 1},
			summary:  summaryTimeout,
		},
		// Asked for after 20 s, over after 70 s.
		"a wait too long for the first": {
			fault: late, most: 55 * sec,
			requests: map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 2},
			summary:  summaryRateLimited,
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				service.Inject(test.fault)
				e := inMemory(t, service, arguments{argReadTimeout: "60s", argRequestTimeout: "65s"})
				first := e.start(t, mainReading)
				time.Sleep(15 * sec)
				later := e.start(t, mainReading)
				<-first.done
				expectError(t, first.answer.diagnostics, "", test.summary)
				<-later.done
				expectAllRead(t, []answer{later.answer})
				if later.took > test.most {
					t.Errorf("the later reader took %s, want at most %s", later.took, test.most)
				}
				expectRequests(t, service, test.requests)
			})
		})
	}
}

// TestInterruptingEndsAReadAtOnce: wherever the read is just then.
func TestInterruptingEndsAReadAtOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault sandbox.Fault
		more  arguments
	}{
		"the service hangs":        {fault: sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang}},
		"the service is slow":      {fault: sandbox.Fault{Route: sandbox.RouteGroup, Delay: 20 * sec}},
		"the token call hangs":     {fault: sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.Hang}},
		"between two attempts":     {fault: status(503, "", 0), more: arguments{argMaxRetries: 20}},
		"between two token calls":  {fault: sandbox.RefuseToken("temporarily_unavailable", "Later."), more: arguments{argMaxRetries: 20}},
		"in a wait it was told":    {fault: limited(sandbox.RouteGroup, "200", 0)},
		"in a wait for its turn":   {fault: sandbox.Fault{Route: sandbox.RouteLatest}, more: arguments{argMaxRequests: "1/100s"}},
		"without snapshot, a hang": {fault: sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang}, more: arguments{argSnapshot: false}},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				service.Inject(test.fault)
				e := inMemory(t, service, test.more)
				var readers []*reader
				for range 5 {
					readers = append(readers, e.start(t, mainReading))
				}
				time.Sleep(8 * sec)
				asked := service.Count(sandbox.RouteAny)
				var all sync.WaitGroup
				for _, r := range readers {
					all.Go(r.cancel)
				}
				all.Wait()
				for _, r := range readers {
					<-r.done
					expectError(t, r.answer.diagnostics, "", summaryInterrupted)
					if r.took != 8*sec {
						t.Errorf("it took %s to return", r.took-8*sec)
					}
				}
				time.Sleep(10 * time.Minute)
				if later := service.Count(sandbox.RouteAny); later != asked {
					t.Errorf("%d more requests after the interrupt", later-asked)
				}
			})
		})
	}
}

func TestInterruptingEndsABodyThatStalls(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := &stalling{service: sandbox.New(sandbox.Default()), times: 100}
		e := inMemory(t, service, nil)
		r := e.start(t, mainReading)
		time.Sleep(8 * sec)
		r.cancel()
		<-r.done
		expectError(t, r.answer.diagnostics, "", summaryInterrupted)
		if r.took != 8*sec {
			t.Errorf("it took %s to return", r.took-8*sec)
		}
		if n := len(service.arrivals()); n != 1 {
			t.Errorf("%d reads", n)
		}
	})
}
