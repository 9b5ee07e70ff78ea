package catalogue_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// expectInterrupted wants a read that was interrupted, and ended at that time.
func expectInterrupted(t *testing.T, r *reader, took time.Duration) {
	t.Helper()
	<-r.done
	expectError(t, r.answer.err, toldInterrupted)
	if r.took != took {
		t.Errorf("a read that was interrupted after %s took %s", took, r.took)
	}
}

func TestOneReaderIsCancelledTheOthersFinish(t *testing.T) {
	type row struct {
		slow      sandbox.Route
		readings  []reading
		cancelled int
		requests  map[sandbox.Route]int
	}
	const token, group, latest, all = sandbox.RouteToken, sandbox.RouteGroup, sandbox.RouteLatest, sandbox.RouteGroups
	// Readers of the same answer, and of the same token.
	same, others := []reading{theGroup, theGroup, theGroup}, []reading{theGroup, latestModel(mainGroup), groups("")}
	eachOnFakeClock(t, map[string]row{
		"the one who asked":               {group, same, 0, map[sandbox.Route]int{token: 1, group: 1}},
		"one who waits with it":           {group, same, 2, map[sandbox.Route]int{token: 1, group: 1}},
		"the one who asked for the token": {token, others, 0, map[sandbox.Route]int{token: 1, latest: 1, all: 1}},
		"one who waits for the token":     {token, others, 1, map[sandbox.Route]int{token: 1, group: 1, all: 1}},
	}, func(t *testing.T, test row) {
		service := sandbox.New(sandbox.Default())
		service.Inject(sandbox.Fault{Route: test.slow, Delay: 10 * sec})
		c := connect(t, service)
		var readers []*reader
		for _, r := range test.readings {
			readers = append(readers, r.start(t, c))
			synctest.Wait() // so that the first is the one who asks
		}
		time.Sleep(5 * sec)
		readers[test.cancelled].cancel()
		for i, r := range readers {
			if i == test.cancelled {
				expectInterrupted(t, r, 5*sec)
				continue
			}
			<-r.done
			expectAllRead(t, []answer{r.answer})
			if r.took != 10*sec {
				t.Errorf("reader %d took %s", i, r.took)
			}
		}
		expectRequests(t, service, test.requests)
	})
}

func TestTheRequestEndsWithItsLastReader(t *testing.T) {
	eachOnFakeClock(t, map[string]sandbox.Route{
		"a read": sandbox.RouteGroup, "a token": sandbox.RouteToken,
	}, func(t *testing.T, route sandbox.Route) {
		service := sandbox.New(sandbox.Default())
		requests := make(chan context.Context, 1)
		service.Inject(sandbox.Fault{Route: route, Kind: sandbox.Hang, Times: 1, OnRequest: func(r *http.Request) { requests <- r.Context() }})
		c := connect(t, service)
		readers := []*reader{theGroup.start(t, c), theGroup.start(t, c), theGroup.start(t, c)}
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
			expectInterrupted(t, r, 5*sec)
		}
		if n := service.Count(route); n != 1 {
			t.Errorf("%d requests", n)
		}
		theGroup.mustRead(t, c) // who comes later asks anew
	})
}

func TestAReaderWithMoreTimeGoesOn(t *testing.T) {
	type row struct {
		fault         sandbox.Fault
		most          time.Duration // that the later reader takes
		tokens, reads int
		kind          simTold
	}
	late := limited(sandbox.RouteGroup, "50", 1) // asked for after 20 s, over after 70 s
	late.Delay = 20 * sec
	eachOnFakeClock(t, map[string]row{
		"a hanging read":       {sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang, Times: 1}, 52 * sec, 1, 2, toldTimeout},
		"a hanging token call": {sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.Hang, Times: 1}, 52 * sec, 2, 1, toldTimeout},
		"a wait too long":      {late, 55 * sec, 1, 2, toldLimited},
	}, func(t *testing.T, test row) {
		service := sandbox.New(sandbox.Default())
		service.Inject(test.fault)
		c := connect(t, service, readTimeout(60*sec), requestTimeout(65*sec))
		first := theGroup.start(t, c)
		time.Sleep(15 * sec)
		later := theGroup.start(t, c)
		<-first.done
		expectError(t, first.answer.err, test.kind)
		<-later.done
		expectAllRead(t, []answer{later.answer})
		if later.took > test.most {
			t.Errorf("the later reader took %s, want at most %s", later.took, test.most)
		}
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: test.tokens, sandbox.RouteGroup: test.reads})
	})
}

// TestInterruptingEndsAReadAtOnce: wherever the read is just then.
func TestInterruptingEndsAReadAtOnce(t *testing.T) {
	type row struct {
		fault    sandbox.Fault
		settings []setting
	}
	hang, retries := sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang}, []setting{maxRetries(20)}
	eachOnFakeClock(t, map[string]row{
		"the service hangs":        {hang, nil},
		"the service is slow":      {sandbox.Fault{Route: sandbox.RouteGroup, Delay: 20 * sec}, nil},
		"the body stalls":          {marked(sandbox.RouteGroup, "Stall", "yes"), nil},
		"the token call hangs":     {sandbox.Fault{Route: sandbox.RouteToken, Kind: sandbox.Hang}, nil},
		"between two attempts":     {status(503, "", 0), retries},
		"between two token calls":  {sandbox.RefuseToken("temporarily_unavailable", "Later."), retries},
		"in a wait it was told":    {limited(sandbox.RouteGroup, "200", 0), nil},
		"in a wait for its turn":   {sandbox.Fault{}, []setting{atMost(1, 100*sec)}},
		"without snapshot, a hang": {hang, []setting{afresh()}},
	}, func(t *testing.T, test row) {
		service := sandbox.New(sandbox.Default())
		service.Inject(test.fault)
		c := connect(t, stalling(service), test.settings...)
		var readers []*reader
		for range 5 {
			readers = append(readers, theGroup.start(t, c))
		}
		time.Sleep(8 * sec)
		sent := service.Count(sandbox.RouteAny)
		for _, r := range readers {
			r.cancel()
		}
		for _, r := range readers {
			expectInterrupted(t, r, 8*sec)
		}
		time.Sleep(10 * time.Minute)
		if later := service.Count(sandbox.RouteAny); later != sent {
			t.Errorf("%d more requests after the interrupt", later-sent)
		}
	})
}
