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

// crowd is many callers that come at the same time.
type crowd struct {
	service  func(callers int) *service
	ceiling  int // requests a second
	shared   bool
	cancelAt time.Duration
}

// The cost of a decision does not grow with the queue: if it did, ten times as many callers would cost a hundred times
// as much.
func TestTheCostOfWaiting(t *testing.T) {
	const few, many, most, budget = 1_000, 10_000, 30, 5 * sec
	quickly := func(int) *service { return &service{} }
	inASecond := func(int) *service { return always(found.in(sec)) }
	for name, c := range map[string]crowd{
		"nothing in the way": {service: inASecond},
		"a pause for each": {service: func(callers int) *service {
			return first(callers, retryAfter(429, "5").in(sec/10))
		}},
		"a token": {service: func(int) *service {
			return &service{token: func(n int) reply { return issue(n, 0).in(10 * sec) }}
		}},
		"a ceiling":    {service: quickly, ceiling: 100},
		"one question": {service: inASecond, shared: true},
		"one cancelled": {
			service:  func(int) *service { return first(1, retryAfter(429, "20")) },
			shared:   true,
			cancelAt: sec,
		},
		"all cancelled": {service: quickly, ceiling: 100, cancelAt: sec},
	} {
		t.Run(name, func(t *testing.T) {
			c.cost(t, few) // a warm-up
			var small, large time.Duration
			for range 3 { // another process may disturb one measurement, and not each
				small, large = c.cost(t, few), c.cost(t, many)
				t.Logf("%d callers: %s of CPU, %d: %s", few, small, many, large)
				if large <= budget && large <= most*max(small, 10*time.Millisecond) {
					return
				}
			}
			t.Errorf("%d callers cost %s, and ten times as many %s: want %d times that and %s at most", few, small, large, most, budget)
		})
	}
}

// cost returns the CPU time that a number of callers take.
func (c crowd) cost(t *testing.T, callers int) (took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		settings := []setting{readTimeout(time.Hour)}
		if c.ceiling > 0 {
			settings = append(settings, atMost(c.ceiling, sec))
		}
		client := over(t, c.service(callers), settings...)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if c.cancelAt > 0 {
			time.AfterFunc(c.cancelAt, cancel)
		}
		before := cpu(t)
		var all sync.WaitGroup
		for i := range callers {
			id := fmt.Sprint(i)
			if c.shared {
				id = "one"
			}
			all.Go(func() { _, _ = client.ModelGroup(ctx, id) })
		}
		all.Wait()
		took = cpu(t) - before
	})
	return took
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
