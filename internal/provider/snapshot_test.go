package provider

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestBlocksThatReadTheSameShareOneRequest(t *testing.T) {
	t.Parallel()
	for name, latency := range map[string]time.Duration{"together": sec, "one after another": 0} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				const groups = 50
				service := sandbox.New(manyGroups(t, groups))
				service.Inject(sandbox.Fault{Delay: latency})
				e := inMemory(t, service, nil)
				var readings []reading
				for range 2 {
					for i := range groups {
						readings = append(readings,
							reading{"model_group_models", arguments{"model_group_id": groupID(i)}},
							reading{"model", arguments{"model_group_id": groupID(i), "revision": 1}})
					}
				}
				if len(readings) != 200 {
					t.Fatalf("%d blocks", len(readings))
				}
				expectAllRead(t, e.readAll(t, 10, readings))
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: groups})
			})
		})
	}
}

// TestBlocksNeverDisagree: a revision is published between two blocks that
// read the same.
func TestBlocksNeverDisagree(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		route    sandbox.Route
		reading  reading
		revision func(state map[string]any) any
	}{
		"model_groups": {sandbox.RouteGroups, reading{"model_groups", nil}, func(state map[string]any) any {
			group, _ := state["model_groups"].([]any)[0].(map[string]any)
			return group["latest_revision"]
		}},
		"model_group": {sandbox.RouteGroup, reading{"model_group", arguments{"id": groupID(0)}}, func(state map[string]any) any {
			return state["latest_revision"]
		}},
		"model_group by name": {sandbox.RouteGroups, reading{"model_group", arguments{"name": "Group 0"}}, func(state map[string]any) any {
			return state["latest_revision"]
		}},
		"latest_model": {sandbox.RouteLatest, reading{"latest_model", arguments{"model_group_id": groupID(0)}}, func(state map[string]any) any {
			return state["revision"]
		}},
		"model_group_models": {sandbox.RouteModels, reading{"model_group_models", arguments{"model_group_id": groupID(0)}}, func(state map[string]any) any {
			model, _ := state["models"].([]any)[0].(map[string]any)
			return model["revision"]
		}},
		"model": {sandbox.RouteModels, reading{"model", arguments{"model_group_id": groupID(0), "revision": 1}}, func(state map[string]any) any {
			return state["latest_revision"]
		}},
	} {
		for name2, snapshot := range map[string]bool{"one snapshot": true, "snapshot = false": false} {
			t.Run(name+", "+name2, func(t *testing.T) {
				onFakeClock(t, func(t *testing.T) {
					service := sandbox.New(manyGroups(t, 1))
					e := inMemory(t, service, arguments{argSnapshot: snapshot})
					before := e.mustRead(t, test.reading.name, test.reading.config)
					if _, err := service.Publish(groupID(0), json.RawMessage(`{"dockerImage":"image:3"}`)); err != nil {
						t.Fatal(err)
					}
					later := e.mustRead(t, test.reading.name, test.reading.config)
					if got := test.revision(before); got != int64(2) {
						t.Fatalf("revision %v at first, want 2", got)
					}
					if snapshot {
						expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, test.route: 1})
						if !reflect.DeepEqual(before, later) {
							t.Errorf("two blocks of one run differ:\n%v\n%v", before, later)
						}
						// The next run sees it.
						later = inMemory(t, service, nil).mustRead(t, test.reading.name, test.reading.config)
						expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 2, test.route: 2})
					} else {
						expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, test.route: 2})
					}
					if got := test.revision(later); got != int64(3) {
						t.Errorf("revision %v, want 3", got)
					}
				})
			})
		}
	}
}

// TestOtherQuestionsHaveOtherAnswers: what is kept is kept for one question.
func TestOtherQuestionsHaveOtherAnswers(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		e := inMemory(t, service, nil)
		all := e.mustRead(t, "model_groups", nil)
		some := e.mustRead(t, "model_groups", arguments{"time_horizon": "week_ahead"})
		if reflect.DeepEqual(all["model_groups"], some["model_groups"]) {
			t.Error("one horizon has as many groups as all of them")
		}
		e.mustRead(t, "model_groups", arguments{"time_horizon": "week_ahead"})
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroups: 2})
	})
}

func TestAFailureIsNotKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault    sandbox.Fault
		summary  string
		argument string
	}{
		"404":                            {sandbox.Refuse(sandbox.RouteGroup, "NOT_FOUND", "Not yet."), summaryGroupNotFound, "id"},
		"503":                            {status(503, "", 0), summaryUnavailable, ""},
		"a shape that is not understood": {status(200, `[]`, 0), summaryUnexpected, ""},
		"a body that is cut":             {sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.CutJSON}, summaryUnreachable, ""},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				remove := service.Inject(test.fault)
				e := inMemory(t, service, arguments{argMaxRetries: 0})
				for range 2 {
					_, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
					expectError(t, diagnostics, test.argument, test.summary)
				}
				remove()
				e.mustRead(t, "model_group", arguments{"id": mainGroup})
				e.mustRead(t, "model_group", arguments{"id": mainGroup})
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 3})
			})
		})
	}
}

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
			sandbox.Fault{Route: sandbox.RouteGroup, Delay: 10 * sec},
			same, 0,
			map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1},
		},
		"one who waits with it": {
			sandbox.Fault{Route: sandbox.RouteGroup, Delay: 10 * sec},
			same, 2,
			map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1},
		},
		"the one who asked for the token": {
			sandbox.Fault{Route: sandbox.RouteToken, Delay: 10 * sec},
			others, 0,
			map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteLatest: 1, sandbox.RouteGroups: 1},
		},
		"one who waits for the token": {
			sandbox.Fault{Route: sandbox.RouteToken, Delay: 10 * sec},
			others, 1,
			map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1, sandbox.RouteGroups: 1},
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
			sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang, Times: 1},
			52 * sec,
			map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 2},
			summaryTimeout,
		},
		"a hanging token call": {
			sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.Hang, Times: 1},
			52 * sec,
			map[sandbox.Route]int{sandbox.RouteToken: 2, sandbox.RouteGroup: 1},
			summaryTimeout,
		},
		// Asked for after 20 s, over after 70 s.
		"a wait too long for the first": {
			late, 55 * sec,
			map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 2},
			summaryRateLimited,
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
		"the service hangs":        {sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang}, nil},
		"the service is slow":      {sandbox.Fault{Route: sandbox.RouteGroup, Delay: 20 * sec}, nil},
		"the token call hangs":     {sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.Hang}, nil},
		"between two attempts":     {status(503, "", 0), arguments{argMaxRetries: 20}},
		"between two token calls":  {sandbox.RefuseToken("temporarily_unavailable", "Later."), arguments{argMaxRetries: 20}},
		"in a wait it was told":    {limited(sandbox.RouteGroup, "200", 0), nil},
		"in a wait for its turn":   {sandbox.Fault{Route: sandbox.RouteLatest}, arguments{argMaxRequestsPerSecond: 0.01}},
		"without snapshot, a hang": {sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang}, arguments{argSnapshot: false}},
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
