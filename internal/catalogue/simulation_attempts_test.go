package catalogue_test

import (
	"slices"
	"time"
)

// noMoreAttempts counts attempts as max_retries does. Callers who share a read have
// their own attempts: it goes on as long as one of them has any left.
func (c *simCheck) noMoreAttempts() {
	for _, call := range c.calls {
		for i, x := range call.requests {
			waits := func(r *simReading) bool {
				return r.path == call.path && (r == call.reading || c.plan.snapshot) && r.start <= x.sentAt && r.end >= x.sentAt
			}
			has := func(r *simReading) bool { return waits(r) && c.hasAttempts(r, call.requests[:i]) }
			if !slices.ContainsFunc(c.readings, has) {
				c.fail("request %d for %s was sent, and no reader had an attempt left, with a max_retries of %d",
					x.number, call.path, c.plan.maxRetries)
				break
			}
		}
	}
}

// hasAttempts tells whether a reader has an attempt left after requests of a read.
func (c *simCheck) hasAttempts(r *simReading, requests []*simRequest) bool {
	failures, refusals, closed := 0, 0, 0
	for _, x := range requests {
		switch {
		case x.closed && closed == 0:
			closed++ // the first such connection costs no retry
		case x.learned() <= r.start: // at the same instant either may have been first
		case x.unauthorized():
			refusals++
		case !x.limited() && !x.left:
			failures++
		}
	}
	return failures <= c.plan.maxRetries && refusals <= 2
}

// leastBackOff is the wait after a failure of a read, by the attempts of the one of its
// readers who came last.
func (c *simCheck) leastBackOff(call *simCall, failed *simRequest) time.Duration {
	fewest := c.failuresSince(call.reading.start, call, failed)
	for _, r := range c.readings {
		if c.plan.snapshot && r.path == call.path && r.start <= failed.endAt && r.end > failed.endAt {
			fewest = min(fewest, c.failuresSince(r.start, call, failed))
		}
	}
	return simBackOff(max(1, fewest))
}

// failuresSince counts the failures of a read, up to one of them, that came after a moment.
func (c *simCheck) failuresSince(from time.Duration, call *simCall, last *simRequest) (failures int) {
	closed := false
	for _, x := range call.requests {
		switch {
		case x.closed && !closed:
			closed = true // the first such connection costs no retry
		case x.transient() && x.endAt > from: // its body may have been on its way
			failures++
		}
		if x == last {
			break
		}
	}
	return failures
}

// noEarlierAttempt wants 1 s, 2 s, 4 s and so on before a further attempt.
func (c *simCheck) noEarlierAttempt() {
	for _, call := range c.calls {
		unnamed, closed := 0, 0
		for i, x := range call.requests[:len(call.requests)-1] {
			var wait time.Duration
			switch {
			case x.closed && closed == 0:
				closed++
			case x.unnamed && x.limited():
				unnamed++
				wait = simBackOff(unnamed)
			case x.transient():
				wait = c.leastBackOff(call, x)
			}
			c.spaced(x, call.requests[i+1], wait)
		}
	}
	// Those who wait for a token share its attempts. Whoever waited all the time
	// knows how many failures there were since he came.
	var last *simRequest
	for _, x := range c.requests {
		if !x.token {
			continue
		}
		if last != nil && (last.transient() && !last.closed || last.unnamed && last.limited()) {
			most := 0
			for _, r := range c.readings {
				if r.start <= last.sentAt && r.end > x.sentAt && c.waitsForToken(r, last, x) {
					most = max(most, c.tokenFailures(r, last))
				}
			}
			if most > 0 {
				c.spaced(last, x, simBackOff(most))
			}
		}
		last = x
	}
}

// waitsForToken tells whether a reader waited for a token all the time from one request
// for it to the next: no read of his was under way, or in its back-off.
func (c *simCheck) waitsForToken(r *simReading, last, next *simRequest) bool {
	return !slices.ContainsFunc(c.own(r), func(call *simCall) bool {
		return slices.ContainsFunc(call.requests, func(x *simRequest) bool {
			return x.sentAt < next.sentAt && x.endAt+simMost(6) > last.sentAt
		})
	})
}

// tokenFailures counts the failed token requests in a row that ended with last,
// sent since r came.
func (c *simCheck) tokenFailures(r *simReading, last *simRequest) (failures int) {
	for _, x := range slices.Backward(c.requests) {
		switch {
		case !x.token || x.number > last.number, x.closed:
			continue
		case x.sentAt < r.start || x.limited() != last.limited() || x.limited() && !x.unnamed || !x.limited() && !x.transient():
			return failures
		}
		failures++
	}
	return failures
}

func (c *simCheck) spaced(x, next *simRequest, wait time.Duration) {
	if next.sentAt < x.learned()+wait {
		c.fail("request %d was sent at %s, and request %d had failed at %s: want %s between them",
			next.number, next.sentAt, x.number, x.learned(), wait)
	}
}

// wellBetween tells whether a read came back well in that time.
func (c *simCheck) wellBetween(from, to time.Duration) bool {
	return slices.ContainsFunc(c.requests, func(x *simRequest) bool {
		return x.headerAt != never && x.well() && x.endAt >= from && x.headerAt <= to
	})
}

// endedWell tells whether a read ended well in that time, its body too.
func (c *simCheck) endedWell(from, to time.Duration) bool {
	return slices.ContainsFunc(c.requests, func(x *simRequest) bool {
		return x.headerAt != never && x.well() && x.endAt >= from && x.endAt <= to
	})
}

// oneAttemptInAnOutage: after a read gave up, and nothing came back well since
// it began, later reads make one attempt, until one comes back well.
func (c *simCheck) oneAttemptInAnOutage() {
	for _, gaveUp := range c.calls {
		r, failures := gaveUp.reading, 0
		closed := 0
		for _, x := range gaveUp.requests {
			if x.closed && closed == 0 {
				closed++
			} else if x.transient() && !x.left && x.endAt <= r.end {
				failures++
			}
		}
		if failures <= c.plan.maxRetries || r.cancelled || r.err == nil || c.wellBetween(r.start, r.end) {
			continue
		}
		for _, later := range c.calls {
			if later.reading.start <= r.end {
				continue
			}
			reconnected := false
			for i, x := range later.requests[:len(later.requests)-1] {
				if x.closed && !reconnected {
					reconnected = true // that costs no attempt
					continue
				}
				if x.transient() && !c.wellBetween(r.start, x.endAt) {
					c.fail("reader %d gave up at %s and nothing came back well since, "+
						"but reader %d, which came at %s, made request %d after request %d had failed",
						r.reader.index, r.end, later.reading.reader.index, later.reading.start, later.requests[i+1].number, x.number)
					break
				}
			}
		}
	}
}

// inAnOutage tells whether r has one attempt at that moment: before it began
// another read gave up after all its retries, and nothing came back well since
// that one began.
func (c *simCheck) inAnOutage(r *simReading, at time.Duration) bool {
	return slices.ContainsFunc(c.readings, func(other *simReading) bool {
		if other == r || other.err == nil || other.end > r.start || c.endedWell(other.start+1, at) {
			return false
		}
		failures := 0
		for _, x := range c.concerning(other) {
			if x.transient() && x.endAt <= other.end || x.sentAt < other.end && x.endAt >= other.end && x.left {
				failures++
			}
		}
		return failures > c.plan.maxRetries
	})
}

// atOnceWhereAWaitDoesNotFit: a pause that outlasts a reader's time fails it at
// once, wherever it waits, and so does its own back-off.
func (c *simCheck) atOnceWhereAWaitDoesNotFit() {
	for _, refusal := range c.requests {
		if refusal.pauseUntil == never || refusal.unnamed || refusal.headerAt == never {
			continue
		}
		for _, r := range c.readings {
			if r.start+c.plan.readTimeout >= refusal.pauseUntil || r.end <= refusal.headerAt || r.start >= refusal.pauseUntil {
				continue
			}
			latest := max(refusal.endAt, r.start)
			for _, x := range c.requests {
				// What the service says of a pause is in the body, which may come late.
				own, told := r.path == x.path, x.limited() && x.pauseUntil > r.start+c.plan.readTimeout
				if (own || told) && x.sentAt <= refusal.headerAt && x.endAt > refusal.headerAt {
					latest = max(latest, x.endAt)
				}
			}
			if r.end > latest {
				c.fail("reader %d, with time until %s, ended at %s, though request %d announced a pause until %s at %s",
					r.reader.index, r.start+c.plan.readTimeout, r.end, refusal.number, refusal.pauseUntil, refusal.headerAt)
			}
		}
	}
	for _, call := range c.calls {
		closed := 0
		for _, x := range call.requests {
			if x.closed && closed == 0 {
				closed++
				continue
			}
			if !x.transient() {
				continue
			}
			r, wait := call.reading, c.leastBackOff(call, x)
			if x.endAt < r.end && x.endAt+wait > r.start+c.plan.readTimeout {
				c.fail("reader %d, with time until %s, ended at %s, though request %d failed at %s and the next wait was %s",
					r.reader.index, r.start+c.plan.readTimeout, r.end, x.number, x.endAt, wait)
			}
		}
	}
}
