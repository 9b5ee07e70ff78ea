package provider

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// expectSpacing wants no two requests closer than apart: what a ceiling of so
// much a second comes to. The limiter rounds up to a nanosecond.
func expectSpacing(t *testing.T, service *sandbox.Sandbox, apart time.Duration) {
	t.Helper()
	requests := service.Requests()
	for i := range requests[1:] {
		if got := requests[i+1].At.Sub(requests[i].At); got < apart {
			t.Errorf("request %d came %s after the one before it, want at least %s", i+1, got, apart)
		}
	}
}

// A token that ends while reads wait releases none of them early.
func TestTheCeilingHoldsWhileTokensEnd(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]sandbox.Option{
		"life known":     {sandbox.WithTokenLife(8 * sec)},
		"life not known": {sandbox.WithTokenLife(8 * sec), sandbox.WithExpiresIn(nil)},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, 60), options...)
				service.Inject(sandbox.Fault{Delay: 200 * time.Millisecond})
				e := inMemory(t, service, arguments{argMaxRequests: "1/1s"})
				expectAllRead(t, e.readAll(t, 30, eachGroup(0, 60)))
				expectSpacing(t, service, sec)
			})
		})
	}
}

func TestACeilingBelowOneInTenSecondsIsKept(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 8))
		refusal := limited(sandbox.RouteGroup, "3", 2)
		service.Inject(refusal)
		e := inMemory(t, service, arguments{argMaxRequests: "1/50s", argReadTimeout: "20m"})
		expectAllRead(t, e.readAll(t, 8, eachGroup(0, 8)))
		expectSpacing(t, service, 50*sec)
	})
}

// Reads are sent in the order in which they came, whatever makes them wait.
func TestReadsAreSentInTheOrderInWhichTheyCame(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ceiling int
		life    time.Duration
	}{
		"under a ceiling":      {ceiling: 2, life: time.Hour},
		"with tokens that end": {ceiling: 2, life: 8 * sec},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				const blocks = 100
				service := sandbox.New(manyGroups(t, blocks), sandbox.WithTokenLife(test.life))
				service.Inject(sandbox.Fault{Delay: 100 * time.Millisecond})
				e := inMemory(t, service, arguments{argMaxRequests: evenly(float64(test.ceiling)).String()})
				var readers []*reader
				for _, r := range eachGroup(0, blocks) {
					readers = append(readers, e.start(t, r))
					synctest.Wait()
				}
				for _, r := range readers {
					<-r.done
					expectAllRead(t, []answer{r.answer})
				}
				var sent []string
				for _, r := range service.Requests() {
					if r.Route == sandbox.RouteGroup && r.Status == http.StatusOK {
						sent = append(sent, r.Path)
					}
				}
				if !slices.IsSorted(sent) {
					t.Errorf("not in order: %v", sent)
				}
			})
		})
	}
}

// 300 reads at 60 a minute take four minutes: first come, first served, none
// fails for lack of time.
func TestAnAllowanceOfSixtyAMinuteStarvesNobody(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		sixty := sandbox.Allowance{Kind: sandbox.FixedWindow, Requests: 60, Per: time.Minute}
		service := sandbox.New(manyGroups(t, 300), sandbox.WithAllowance(sixty))
		service.Inject(sandbox.Fault{Delay: 50 * time.Millisecond})
		e := inMemory(t, service, arguments{argReadTimeout: "3m"})
		expectAllRead(t, e.readAll(t, 30, eachGroup(0, 300)))
	})
}

// A pause that outlasts the time of who waits fails it at once, wherever it
// waits: in the queue, or in its back-off.
func TestAPauseThatDoesNotFitFailsWhoeverWaits(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 3))
		at := func(i int, fault sandbox.Fault) {
			fault.Path = "/v1/model-group/" + groupID(i)
			service.Inject(fault)
		}
		// The token at 0 s, the first read at 2 s, the second at 4 s. When that is
		// refused, the first is in its back-off and the third in the queue.
		at(0, sandbox.Fault{Status: 503, Delay: 2900 * time.Millisecond})
		refusal := limited(sandbox.RouteGroup, "600", 0)
		refusal.Delay = 1500 * time.Millisecond
		at(1, refusal)
		e := inMemory(t, service, arguments{argMaxRequests: "1/2s"})
		began := time.Now()
		var readers []*reader
		for _, r := range eachGroup(0, 3) {
			readers = append(readers, e.start(t, r))
			synctest.Wait()
		}
		for i, r := range readers {
			<-r.done
			expectError(t, r.answer.diagnostics, "", summaryRateLimited, "asked to wait 10m0s")
			if took := time.Since(began); took != 5500*time.Millisecond {
				t.Errorf("reader %d ended after %s", i, took)
			}
		}
	})
}

// A 429 counts from its header on, whatever becomes of its body.
func TestARefusalCountsBeforeItsBodyHasEnded(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		inner := sandbox.New(manyGroups(t, 20))
		service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/model-group/"+groupID(0) || inner.Count(sandbox.RouteGroup) > 5 {
				inner.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Retry-After", "20")
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(http.StatusTooManyRequests)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done() // the body never comes
		})
		e := inMemory(t, service, nil)
		began := time.Now()
		var readers []*reader
		for i, r := range eachGroup(0, 20) {
			readers = append(readers, e.start(t, r))
			if i > 0 {
				time.Sleep(500 * time.Millisecond)
			}
			synctest.Wait()
		}
		time.Sleep(5 * sec)
		for _, r := range inner.Requests() {
			if at := r.At.Sub(began); r.Route == sandbox.RouteGroup && at < 20*sec {
				t.Errorf("%s was sent %s after the refusal", r.Path, at)
			}
		}
		readers[0].cancel()
		for _, r := range readers {
			<-r.done
		}
	})
}

// A read that never got its turn because of refusals is told of these.
func TestAReadWithoutATurnIsToldWhy(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 40), sandbox.WithAllowance(sandbox.Allowance{Kind: sandbox.FixedWindow, Requests: 5, Per: 20 * sec}))
		e := inMemory(t, service, arguments{argReadTimeout: "50s"})
		answers := e.readAll(t, 40, eachGroup(0, 40))
		late := 0
		for _, a := range answers {
			if a.state == nil {
				expectError(t, a.diagnostics, "", summaryRateLimited, "429 Too Many Requests")
				late++
			}
		}
		if late == 0 || late == 40 {
			t.Errorf("%d of 40 had no turn", late)
		}
	})
}

// The back-off of a 429 without a header goes on doubling while other reads
// succeed.
func TestTheBackOffOfARefusalIsItsOwn(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 30))
		refusal := limited(sandbox.RouteGroup, "-", 3)
		refusal.Path = "/v1/model-group/" + groupID(0)
		service.Inject(refusal)
		e := inMemory(t, service, nil)
		first := e.start(t, eachGroup(0, 1)[0])
		for _, r := range eachGroup(1, 30) {
			time.Sleep(400 * time.Millisecond)
			e.start(t, r)
		}
		<-first.done
		expectAllRead(t, []answer{first.answer})
		var at []time.Time
		for _, r := range service.Requests() {
			if r.Path == refusal.Path {
				at = append(at, r.At)
			}
		}
		for i, least := range []time.Duration{1 * sec, 2 * sec, 4 * sec} {
			if got := at[i+1].Sub(at[i]); got < least {
				t.Errorf("wait %d took %s, want at least %s", i+1, got, least)
			}
		}
		time.Sleep(time.Minute)
	})
}
