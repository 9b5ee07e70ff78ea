package catalogue_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// slowly answers after a second, when every reader has asked.
func slowly(fault sandbox.Fault) sandbox.Fault {
	fault.Delay = sec
	return fault
}

func TestRetryAfterIsKept(t *testing.T) {
	t.Parallel()
	// Headers are made on the clock of the bubble.
	in := func(d time.Duration) func() string {
		return func() string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	}
	is := func(text string) func() string { return func() string { return text } }
	for name, test := range map[string]struct {
		header func() string
		waits  []wait // of three refusals in a row
	}{
		"seconds":              {header: is("3"), waits: exactly(3*sec, 3*sec, 3*sec)},
		"seconds, white space": {header: is("  3 "), waits: exactly(3*sec, 3*sec, 3*sec)},
		"a date": {
			header: in(5 * sec),
			waits: []wait{
				{least: 5 * sec, most: 5 * sec}, {least: 1 * sec, most: 1250 * time.Millisecond}, {least: 2 * sec, most: 2500 * time.Millisecond},
			},
		},
		"a date in the past":     {header: in(-time.Hour), waits: backOffs(1*sec, 2*sec, 4*sec)},
		"absent":                 {header: is("-"), waits: backOffs(1*sec, 2*sec, 4*sec)},
		"empty":                  {header: is(""), waits: backOffs(1*sec, 2*sec, 4*sec)},
		"0":                      {header: is("0"), waits: backOffs(1*sec, 2*sec, 4*sec)},
		"negative":               {header: is("-7"), waits: backOffs(1*sec, 2*sec, 4*sec)},
		"text":                   {header: is("soon"), waits: backOffs(1*sec, 2*sec, 4*sec)},
		"a fraction of a second": {header: is("0.5"), waits: backOffs(1*sec, 2*sec, 4*sec)},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				service.Inject(limited(sandbox.RouteGroup, test.header(), 3))
				// What the service asks for is no failure: it uses up no retry.
				c := connect(t, service, maxRetries(0))
				group(mainGroup).mustRead(t, c)
				at := arrivals(service, sandbox.RouteGroup)
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 4})
				// From the second refusal on the process goes more slowly, which
				// may add to a wait, and takes nothing from it.
				expectWaits(t, at[:2], test.waits[:1])
				for i, want := range test.waits {
					if got := at[i+1].Sub(at[i]); got < want.least {
						t.Errorf("wait %d took %s, want at least %s", i+1, got, want.least)
					}
				}
			})
		})
	}
}

func TestEveryReaderWaits(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 20), sandbox.WithTokenLife(8*sec))
		refusal := limited(sandbox.RouteGroup, "10", 1)
		refusal.Path = "/v1/model-group/" + groupID(0)
		service.Inject(refusal)
		c := connect(t, service)
		began := time.Now()
		var all sync.WaitGroup
		for i := range 20 {
			// The first is refused; the others start one by one in the pause.
			all.Go(func() {
				time.Sleep(time.Duration(i) * 400 * time.Millisecond)
				group(groupID(i)).mustRead(t, c)
			})
		}
		all.Wait()
		for i, r := range service.Requests() {
			if at := r.At.Sub(began); i > 1 && at < 10*sec {
				t.Errorf("request %d, %s, was sent %s after the refusal", i, r.Path, at)
			}
		}
		// A token that ends during the pause is asked for after it, too.
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 2, sandbox.RouteGroup: 21})
	})
}

func TestAWaitThatDoesNotFitFailsAtOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		header string
		more   []setting
		says   []string
	}{
		"seconds": {header: "600", says: []string{"the service asked to wait 10m0s, and 5m0s are left"}},
		"of a short read": {
			header: "31", more: []setting{readTimeout(30 * sec)}, says: []string{"the service asked to wait 31s, and 30s are left"},
		},
		"for a hundred ages": {header: "99999999999999999999", says: []string{"the service asked to wait 876000h0m0s"}},
		"a date":             {header: "Tue, 01 Feb 2000 00:00:00 GMT", says: []string{"the service asked to wait 744h0m0s"}},
		"no wait named": {
			header: "-", more: []setting{readTimeout(900 * time.Millisecond)}, says: []string{"named no wait"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				service.Inject(limited(sandbox.RouteGroup, test.header, 0))
				c := connect(t, service, test.more...)
				began := time.Now()
				answers := readAll(t, c, 1, []reading{theGroup, theGroup, theGroup}) // the first is refused; what comes later asks no more
				expectAllTold(t, answers, toldLimited, append(test.says, "429 Too Many Requests (RATE_LIMITED): Too many requests.")...)
				if took := time.Since(began); took != 0 {
					t.Errorf("it took %s", took)
				}
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1})
			})
		})
	}
}

func TestAReadThatStartsLateInThePauseSitsItOut(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 2))
		service.Inject(limited(sandbox.RouteGroup, "600", 1))
		c := connect(t, service)
		began := time.Now()
		err := group(groupID(0)).read(t, c).err
		expectError(t, err, toldLimited, "asked to wait 10m0s")
		time.Sleep(400 * sec)
		group(groupID(1)).mustRead(t, c)
		if took := time.Since(began); took != 600*sec {
			t.Errorf("the second read ended after %s, want 10 minutes", took)
		}
	})
}

// Ever new refusals, each with a wait that fits, end with the read's time.
func TestRefusalsCountAgainstReadTimeout(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(limited(sandbox.RouteGroup, "20", 0))
		c := connect(t, service, readTimeout(70*sec))
		began := time.Now()
		err := group(mainGroup).read(t, c).err
		expectError(t, err, toldLimited, "429 Too Many Requests (RATE_LIMITED)")
		if took := time.Since(began); took > 70*sec {
			t.Errorf("it took %s", took)
		}
		if n := service.Count(sandbox.RouteGroup); n < 2 || n > 4 {
			t.Errorf("%d reads, want 2 to 4", n)
		}
	})
}

func TestAnAllowanceOfTenASecond(t *testing.T) {
	t.Parallel()
	for _, latency := range []time.Duration{0, 10 * time.Millisecond, 50 * time.Millisecond, 300 * time.Millisecond, sec} {
		t.Run("answers take "+latency.String(), func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				const blocks = 60
				service := sandbox.New(manyGroups(t, blocks), sandbox.WithAllowance(sandbox.Allowance{Requests: 10, Per: sec}))
				service.Inject(sandbox.Fault{Delay: latency})
				c := connect(t, service)
				began := time.Now()
				expectAllRead(t, readAll(t, c, 20, eachGroup(0, blocks)))
				took := time.Since(began)
				refusals := 0
				for _, r := range service.Requests() {
					if r.Status == http.StatusTooManyRequests {
						refusals++
					}
				}
				t.Logf("%d reads at parallelism 20 under 10 requests a second: %d refusals, %s", blocks, refusals, took)
				if refusals > 43 || took > 30*sec {
					t.Errorf("%d refusals in %s, want at most 43 (5 %% of the reads and twice the readers) within 30s", refusals, took)
				}
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: blocks + refusals})
			})
		})
	}
}

func TestTheCeilingIsKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		apart time.Duration
	}{
		"5 a second":         {apart: 200 * time.Millisecond},
		"one in two seconds": {apart: 2 * sec},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				const blocks = 30
				service := sandbox.New(manyGroups(t, blocks))
				service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Delay: 10 * time.Millisecond})
				c := connect(t, service, atMost(1, test.apart))
				expectAllRead(t, readAll(t, c, 20, eachGroup(0, blocks)))
				requests := service.Requests()
				for i, r := range requests[1:] {
					// The limiter reckons in floating point: a nanosecond is off.
					if apart := r.At.Sub(requests[i].At); apart < test.apart-time.Microsecond {
						t.Errorf("request %d came %s after the one before it, want %s", i+1, apart, test.apart)
					}
				}
				// No slower than that, either.
				if took := requests[len(requests)-1].At.Sub(requests[0].At); took > blocks*test.apart+time.Millisecond {
					t.Errorf("it took %s", took)
				}
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: blocks})
			})
		})
	}
}

func TestAReadWhoseTurnComesTooLateFailsAtOnce(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 10))
		c := connect(t, service, atMost(1, 10*sec), readTimeout(25*sec))
		began := time.Now()
		answers := readAll(t, c, 10, eachGroup(0, 10))
		if took := time.Since(began); took > 25*sec {
			t.Errorf("it took %s", took)
		}
		read, late := 0, 0
		for _, a := range answers {
			if a.err == nil {
				read++
				continue
			}
			expectError(t, a.err, toldCeiling)
			late++
		}
		// The token at 0 s, reads at 10 s and 20 s.
		if read != 2 || late != 8 {
			t.Errorf("%d read and %d late, want 2 and 8", read, late)
		}
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 2})
	})
}

func TestAllWhoWaitFailAtOnceWhereANewWaitDoesNotFit(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 20))
		service.Inject(slowly(limited(sandbox.RouteGroup, "5", 20)))
		service.Inject(limited(sandbox.RouteGroup, "600", 0))
		c := connect(t, service)
		began := time.Now()
		for _, a := range readAll(t, c, 20, eachGroup(0, 20)) {
			expectError(t, a.err, toldLimited, "asked to wait 10m0s")
		}
		if took := time.Since(began); took != 6*sec {
			t.Errorf("it took %s", took)
		}
		// The few that came back first, and no other.
		if came := service.Count(sandbox.RouteGroup) - 20; came < 1 || came > 4 {
			t.Errorf("%d came back, want 1 to 4", came)
		}
	})
}

// An apply may read, change things for ten minutes, and read again.
func TestTimeWithoutRequestsDoesNotLowerTheRate(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(limited(sandbox.RouteGroup, "1", 1))
		c := connect(t, service, afresh())
		group(mainGroup).mustRead(t, c)
		time.Sleep(10 * time.Minute)
		service.Inject(limited(sandbox.RouteLatest, "1", 1))
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Delay: 100 * time.Millisecond})
		for range 10 {
			group(mainGroup).mustRead(t, c)
		}
		latestModel(mainGroup).mustRead(t, c)
		began := time.Now()
		for range 10 {
			group(mainGroup).mustRead(t, c)
		}
		if took := time.Since(began); took > 20*sec {
			t.Errorf("ten reads after the second refusal took %s, want at most 20s", took)
		}
	})
}
