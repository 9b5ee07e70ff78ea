//go:build unix && !race

// The race detector ends a program of that many goroutines; the tests on the newest Go run without it.

package catalogue_test

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// The cost of a decision does not grow with the queue: if it did, ten times as many callers would cost a hundred times
// as much.
func TestTheCostOfWaiting(t *testing.T) {
	const few, many, most = 1_000, 10_000, 30
	for name, test := range map[string]struct {
		service  func() *service // nil for one that limits each caller once
		ceiling  int             // requests a second
		shared   bool
		cancelAt time.Duration
	}{
		"nothing in the way": {service: func() *service { return always(found.in(sec)) }},
		"a pause for each":   {},
		"a token": {service: func() *service {
			return &service{token: func(n int) reply { return issue(n, 0).in(10 * sec) }}
		}},
		"a ceiling":     {service: func() *service { return &service{} }, ceiling: 100},
		"one question":  {service: func() *service { return always(found.in(sec)) }, shared: true},
		"one cancelled": {service: func() *service { return first(1, retryAfter(429, "20")) }, shared: true, cancelAt: sec},
		"all cancelled": {service: func() *service { return &service{} }, ceiling: 100, cancelAt: sec},
	} {
		t.Run(name, func(t *testing.T) {
			cost := func(callers int) (took time.Duration) {
				synctest.Test(t, func(t *testing.T) {
					settings := []setting{readTimeout(time.Hour)}
					if test.ceiling > 0 {
						settings = append(settings, atMost(test.ceiling, sec))
					}
					limits := first(callers, retryAfter(429, "5").in(sec/10))
					if test.service != nil {
						limits = test.service()
					}
					c := over(t, limits, settings...)
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if test.cancelAt > 0 {
						time.AfterFunc(test.cancelAt, cancel)
					}
					before := cpu(t)
					var all sync.WaitGroup
					for i := range callers {
						id := fmt.Sprint(i)
						if test.shared {
							id = "one"
						}
						all.Go(func() { _, _ = c.ModelGroup(ctx, id) })
					}
					all.Wait()
					took = cpu(t) - before
				})
				return took
			}
			cost(few) // a warm-up
			small, large := cost(few), cost(many)
			t.Logf("%d callers: %s of CPU, %d: %s", few, small, many, large)
			if large > most*max(small, 10*time.Millisecond) {
				t.Errorf("ten times as many callers cost %.0f times as much, want at most %d", float64(large)/float64(small), most)
			}
		})
	}
}

// cpu returns the CPU time that this process has used so far.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Skip(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
