package catalogue_test

import (
	"math/rand/v2"
	"slices"
	"time"
)

// simAllowance is how a simulated service counts requests. Times count from the
// beginning of the simulation.
type simAllowance struct {
	kind     string // fixed, sliding, bucket, or "" for none
	requests int
	per      time.Duration
	phase    time.Duration // of fixed windows
}

func newSimAllowance(r *rand.Rand) simAllowance {
	a := simAllowance{
		kind:     oneOf(r, "fixed", "sliding", "bucket"),
		requests: oneOf(r, 1, 2, 5, 10, 20, 60, 120),
		per:      oneOf(r, time.Second, 2*time.Second, 4*time.Second, 10*time.Second, 30*time.Second, time.Minute),
	}
	a.phase = between(r, 0, a.per-1)
	return a
}

// simCounter is an allowance in use.
type simCounter struct {
	simAllowance
	passed []time.Duration // sliding: what was let through, fixed: in this window
	window int64
	full   time.Duration // bucket: when it is full again
}

// admit tells how long a request has to wait that arrives at now, 0 where it is
// let through.
func (c *simCounter) admit(now time.Duration) time.Duration {
	switch c.kind {
	case "fixed":
		window := int64((now + c.phase) / c.per)
		if window != c.window {
			c.window, c.passed = window, c.passed[:0]
		}
		if len(c.passed) == c.requests {
			return time.Duration(window+1)*c.per - c.phase - now
		}
		c.passed = append(c.passed, now)
	case "sliding":
		c.passed = slices.DeleteFunc(c.passed, func(at time.Duration) bool { return at+c.per <= now })
		if len(c.passed) == c.requests {
			return c.passed[0] + c.per - now
		}
		c.passed = append(c.passed, now)
	case "bucket":
		interval := c.per / time.Duration(c.requests)
		full := max(c.full, now) + interval
		if wait := full - now - interval*time.Duration(c.requests); wait > 0 {
			return wait
		}
		c.full = full
	}
	return 0
}

// least is how long it takes at least until so many requests are let through,
// wherever in a window the first one comes.
func (a simAllowance) least(requests int) time.Duration {
	switch {
	case a.kind == "" || requests <= a.requests:
		return 0
	case a.kind == "bucket":
		return time.Duration(requests-a.requests) * a.per / time.Duration(a.requests)
	default:
		return time.Duration((requests-1)/a.requests) * a.per
	}
}
