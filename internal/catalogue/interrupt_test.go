package catalogue_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// An interrupt ends a read at once, wherever it is, and says what it waited for.
func TestAnInterrupt(t *testing.T) {
	type waited struct {
		attempts  int
		words     string
		remaining time.Duration
		last      errorKind
	}
	type row struct {
		service  *service
		settings []setting
		waited
	}
	hangs := reply{after: ages}
	stalls := reply{stall: ages}
	tokens := func(r reply) *service {
		return &service{token: func(int) reply { return r }}
	}
	const pause = "the pause that the service asked for"
	eachOnFakeClock(t, map[string]row{
		"the service hangs":      {always(hangs), nil, waited{1, "", 0, kindNothing}},
		"the body stalls":        {always(stalls), nil, waited{1, "", 0, kindNothing}},
		"in its back-off":        {always(answered(503)), nil, waited{4, "its back-off", 7 * sec, kindUnavailable}},
		"in a pause":             {always(retryAfter(429, "200")), nil, waited{1, pause, 192 * sec, kindLimited}},
		"under a ceiling":        {always(found), []setting{atMost(1, 100*sec)}, waited{0, "max_requests", 92 * sec, kindNothing}},
		"a token is asked for":   {tokens(hangs), nil, waited{0, "a token", 0, kindNothing}},
		"the token is put off":   {tokens(answered(503)), nil, waited{4, "a token", 7 * sec, kindUnavailable}},
		"nothing kept, it hangs": {always(hangs), []setting{afresh()}, waited{1, "", 0, kindNothing}},
	}, func(t *testing.T, r row) {
		c := over(t, r.service, r.settings...)
		read := theGroup.start(t, c)
		time.Sleep(8 * sec)
		read.cancel()
		a := read.end()
		at, ok := errors.AsType[*catalogue.InterruptedError](a.err)
		if !ok || a.took != 8*sec || !errors.Is(a.err, context.Canceled) {
			t.Fatalf("after %s: %v", a.took, a.err)
		}
		got := waited{at.Attempts, at.WaitingFor, at.Remaining, kindOf(at.Last)}
		if got != r.waited {
			t.Errorf("%+v, want %+v", got, r.waited)
		}
	})
}

// The end of one caller is not the end of another that shares its request, or that waits for the same token.
func TestOneIsCancelledTheOthersFinish(t *testing.T) {
	rows := map[string]int{
		"who requests the token": 0,
		"who asks":               1,
		"who shares":             2,
		"who comes last":         3,
	}
	eachOnFakeClock(t, rows, func(t *testing.T, cancelled int) {
		s := always(found.in(10 * sec))
		s.token = func(n int) reply {
			return issue(n, 0).in(10 * sec)
		}
		c := over(t, s)
		var readers []*pending
		for _, id := range []string{"a", "b", "b", "c"} {
			readers = append(readers, group(id).start(t, c))
		}
		time.Sleep(5 * sec)
		readers[cancelled].cancel()
		for i, reader := range readers {
			a := reader.end()
			kind, took := kindNothing, 20*sec
			if i == cancelled {
				kind, took = kindInterrupted, 5*sec
			}
			if kindOf(a.err) != kind || a.took != took {
				t.Errorf("read %d after %s: %v", i, a.took, a.err)
			}
		}
	})
}
