package catalogue_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// An interrupt ends a read at once, wherever it is, and names its wait.
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
	tokens := func(r reply) *service {
		return &service{token: func(int) reply { return r }}
	}
	const pause = "the pause that the service asked for"
	eachOnFakeClock(t, map[string]row{
		"the service hangs":    {always(hangs), nil, waited{1, "", 0, kindNothing}},
		"in its back-off":      {always(answered(503)), nil, waited{4, "its back-off", 7 * sec, kindUnavailable}},
		"in a pause":           {always(retryAfter(429, "200")), nil, waited{1, pause, 192 * sec, kindLimited}},
		"under a ceiling":      {always(found), []setting{atMost(1, 100*sec)}, waited{0, "max_requests", 92 * sec, kindNothing}},
		"a token is asked for": {tokens(hangs), nil, waited{0, "a token", 0, kindNothing}},
		"the token is put off": {tokens(answered(503)), nil, waited{4, "a token", 7 * sec, kindUnavailable}},
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

// The request for a token serves all reads that wait for it, so it goes on without the read that made it.
func TestATokenIsRequestedForAll(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &service{token: func(n int) reply {
			return issue(n, 0).in(10 * sec)
		}}
		c := over(t, s)
		first := group("first").start(t, c)
		second := group("second").start(t, c)
		first.cancel()
		expectKind(t, []readResult{first.end()}, kindInterrupted)
		expectAllRead(t, []readResult{second.end()})
		s.expectCounts(t, 1, 1)
	})
}
