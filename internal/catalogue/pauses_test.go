package catalogue_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestRetryAfterIsKept(t *testing.T) {
	type row struct {
		header string
		in     time.Duration // a date in so much time, in place of header
		waits  []wait        // of three refusals in a row
	}
	seconds, none := exactly(3*sec, 3*sec, 3*sec), backOffs(1*sec, 2*sec, 4*sec)
	eachOnFakeClock(t, map[string]row{
		"seconds": {"3", 0, seconds},
		"a date":  {"", 5 * sec, append(exactly(5*sec), backOffs(1*sec, 2*sec)...)},
		"absent":  {"-", 0, none},
	}, func(t *testing.T, test row) {
		if test.in != 0 { // on the clock of the bubble
			test.header = time.Now().Add(test.in).UTC().Format(http.TimeFormat)
		}
		service := sandbox.New(sandbox.Default())
		service.Inject(limited(sandbox.RouteGroup, test.header, 3))
		// What the service asks for is no failure: it uses up no retry.
		theGroup.mustRead(t, connect(t, service, maxRetries(0)))
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 4})
		// From the second refusal on the process goes more slowly, which may add
		// to a wait, and takes nothing from it.
		at := arrivals(service, sandbox.RouteGroup)
		expectWaits(t, at[:2], test.waits[:1])
		for i, want := range test.waits {
			if got := at[i+1].Sub(at[i]); got < want.least {
				t.Errorf("wait %d took %s, want at least %s", i+1, got, want.least)
			}
		}
	})
}

func TestEveryReaderWaits(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 20), sandbox.WithTokenLife(8*sec))
		refusal := limited(sandbox.RouteGroup, "10", 1)
		refusal.Path = "/v1/model-group/" + groupID(0)
		service.Inject(refusal)
		c, began := connect(t, service), time.Now()
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
	type row struct {
		header string
		within time.Duration // the read's time
		says   string
	}
	const asked = "the service asked to wait "
	eachOnFakeClock(t, map[string]row{
		"seconds":            {"600", 5 * time.Minute, asked + "10m0s, and 5m0s are left"},
		"of a short read":    {"31", 30 * sec, asked + "31s, and 30s are left"},
		"for a hundred ages": {"99999999999999999999", 5 * time.Minute, asked + "876000h0m0s"},
		"a date":             {"Tue, 01 Feb 2000 00:00:00 GMT", 5 * time.Minute, asked + "744h0m0s"},
		"no wait named":      {"-", 900 * time.Millisecond, "named no wait"},
	}, func(t *testing.T, test row) {
		service := sandbox.New(sandbox.Default())
		service.Inject(limited(sandbox.RouteGroup, test.header, 0))
		c, began := connect(t, service, readTimeout(test.within)), time.Now()
		answers := readAll(t, c, 1, []reading{theGroup, theGroup, theGroup}) // the first is refused; what comes later asks no more
		expectAllTold(t, answers, toldLimited, test.says, "429 Too Many Requests (RATE_LIMITED): Too many requests.")
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %s", took)
		}
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1})
	})
}

func TestAReadThatStartsLateInThePauseSitsItOut(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 2))
		service.Inject(limited(sandbox.RouteGroup, "600", 1))
		c, began := connect(t, service), time.Now()
		expectError(t, group(groupID(0)).read(t, c).err, toldLimited, "asked to wait 10m0s")
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
		c, began := connect(t, service, readTimeout(70*sec)), time.Now()
		expectError(t, theGroup.read(t, c).err, toldLimited, "429 Too Many Requests (RATE_LIMITED)")
		if took, n := time.Since(began), service.Count(sandbox.RouteGroup); took > 70*sec || n < 2 || n > 4 {
			t.Errorf("%d reads in %s, want 2 to 4 in at most 70s", n, took)
		}
	})
}

func TestAReadWhoseTurnComesTooLateFailsAtOnce(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 10))
		c, began := connect(t, service, atMost(1, 10*sec), readTimeout(25*sec)), time.Now()
		answers := readAll(t, c, 10, eachGroup(0, 10))
		if took := time.Since(began); took > 25*sec {
			t.Errorf("it took %s", took)
		}
		late := 0
		for _, a := range answers {
			if a.err != nil {
				expectError(t, a.err, toldCeiling)
				late++
			}
		}
		// The token at 0 s, reads at 10 s and 20 s.
		if late != 8 {
			t.Errorf("%d of 10 reads were late, want 8", late)
		}
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 2})
	})
}

func TestAllWhoWaitFailAtOnceWhereANewWaitDoesNotFit(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 20))
		first := limited(sandbox.RouteGroup, "5", 20)
		first.Delay = sec // so that every reader has asked
		service.Inject(first)
		service.Inject(limited(sandbox.RouteGroup, "600", 0))
		c, began := connect(t, service), time.Now()
		expectAllTold(t, readAll(t, c, 20, eachGroup(0, 20)), toldLimited, "asked to wait 10m0s")
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
		ten := slices.Repeat([]reading{theGroup}, 10)
		theGroup.mustRead(t, c)
		time.Sleep(10 * time.Minute)
		service.Inject(limited(sandbox.RouteLatest, "1", 1))
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Delay: 100 * time.Millisecond})
		expectAllRead(t, readAll(t, c, 1, ten))
		latestModel(mainGroup).mustRead(t, c)
		began := time.Now()
		expectAllRead(t, readAll(t, c, 1, ten))
		if took := time.Since(began); took > 20*sec {
			t.Errorf("ten reads after the second refusal took %s, want at most 20s", took)
		}
	})
}
