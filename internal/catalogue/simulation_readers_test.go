package catalogue_test

import (
	"cmp"
	"errors"
	"slices"
	"time"
)

// inTime checks invariant 3: a question ends within its read_timeout. An interrupt ends all readers at once, and a
// cancellation only its own, without an error for others.
func (c *simCheck) inTime() {
	for _, r := range c.readings {
		due := never
		if r.cancelAt > 0 {
			due = r.start + r.cancelAt
		}
		if at := c.plan.interruptAt; at > 0 {
			due = min(due, max(at, r.start))
		}
		if r.end > min(due, r.deadline()) {
			c.fail("reader %d ended at %s, with time until %s and cancelled or interrupted at %s", r.index, r.end, r.deadline(), due)
		}
		if kindOf(r.err) == kindInterrupted && r.end < due {
			c.fail("reader %d has the error of an interrupt at %s, and there was none: %v", r.index, r.end, r.err)
		}
	}
}

// nothingRuns checks the end of invariant 3: a request lasts only as long as a reader waits for it. No goroutine is left,
// because the bubble ends.
func (c *simCheck) nothingRuns() {
	for _, x := range c.requests {
		waits := func(at time.Duration) bool {
			return slices.ContainsFunc(c.readings, func(r *simReading) bool {
				return (x.token || r.path == x.path) && r.during(at)
			})
		}
		if !waits(x.sentAt) || !waits(x.endAt) {
			c.fail("request %d was under way from %s to %s, and no reader waited for it", x.number, x.sentAt, x.endAt)
		}
	}
}

// silentOnceEnded: once the credentials are rejected, the organisation is disabled or the token endpoint refuses, nothing
// is sent, and all readers fail at once with the same error.
func (c *simCheck) silentOnceEnded() {
	ended := filter(c.readings, func(r *simReading) bool {
		return slices.Contains([]errorKind{kindRejected, kindNoToken, kindDisabled}, kindOf(r.err))
	})
	if len(ended) == 0 {
		return
	}
	first := slices.MinFunc(ended, func(a, b *simReading) int {
		return cmp.Compare(a.end, b.end)
	})
	for _, x := range c.requests {
		if x.sentAt > first.end {
			c.fail("request %d was sent at %s, after the end of the process at %s: %v", x.number, x.sentAt, first.end, first.err)
		}
		if x.left && !x.token && x.endAt == first.end && !c.isProof(x.with) {
			c.fail("request %d was under way when the process ended at %s, and was given up", x.number, first.end)
		}
	}
	for _, r := range c.readings {
		if r.end <= first.end || c.mayOutlive(r, first.end) {
			continue
		}
		if r.end > max(first.end, r.start) || !errors.Is(r.err, errors.Unwrap(first.err)) {
			c.fail("reader %d ended at %s with %v, though the process ended at %s: %v", r.index, r.end, r.err, first.end, first.err)
		}
	}
}

// mayOutlive reports whether a reading may end differently from the process: with its request under way, or a kept
// answer.
func (c *simCheck) mayOutlive(r *simReading, end time.Duration) bool {
	kept := r.start > end && r.err == nil && c.plan.snapshot
	return kept || slices.ContainsFunc(c.of(r.path), func(x *request) bool {
		return x.sentAt <= end && x.endAt >= end
	})
}

// atOnceIfAWaitDoesNotFit checks the end of invariant 3: for the back-off of a read and of a token, for pauses and gaps.
func (c *simCheck) atOnceIfAWaitDoesNotFit() {
	for _, x := range c.requests {
		until, named := x.waits()
		switch {
		case x.transient():
			until = max(until, x.learned()+sec)
		case !x.limited():
			continue
		case named:
			until = max(until, c.gapAfter(x.headerAt))
		default: // the client chooses the pause
			until = c.gapAfter(x.headerAt)
		}
		for _, r := range c.readings {
			if r.deadline() <= until && c.isHeldBy(r, x) && r.end > c.latestEnd(r, x) {
				c.fail("reader %d, with time until %s, ended at %s, though request %d failed at %s, and nothing is sent until %s",
					r.index, r.deadline(), r.end, x.number, x.learned(), until)
			}
		}
	}
}

// isHeldBy reports whether a reader waits because a request failed. A read sent before may have a back-off of its own,
// and then it does not wait for a token.
func (c *simCheck) isHeldBy(r *simReading, x *request) bool {
	if x.limited() {
		return r.end > x.headerAt
	}
	sentBefore := slices.ContainsFunc(c.of(r.path), func(y *request) bool {
		return y.sentAt <= x.endAt
	})
	return r.during(x.endAt) && (r.path == x.path || x.token && !sentBefore)
}

// latestEnd returns the latest end of a reader without time for the wait of an answer. The words of a pause may come
// late.
func (c *simCheck) latestEnd(r *simReading, answer *request) time.Duration {
	latest := max(answer.endAt, r.start)
	if answer.transient() {
		return latest
	}
	for _, x := range c.requests {
		underWay := x.sentAt <= answer.learned() && x.endAt > answer.learned()
		if underWay && (x.token || x.path == r.path) {
			latest = max(latest, x.endAt)
		}
	}
	for _, x := range c.limits { // each may prolong the pause, and then its words are waited for
		if x.headerAt <= latest {
			latest = max(latest, x.endAt)
		}
	}
	return latest
}

// inOrder checks invariant 4, for readings that share nothing. When a retry comes back, one later read may hold the turn.
func (c *simCheck) inOrder() {
	for i, r := range c.readings {
		if c.shares(i) {
			continue
		}
		ready, allowed := r.start, 0
		for _, x := range append(c.of(r.path), &request{sentAt: r.end}) {
			if !r.during(x.sentAt) {
				continue
			}
			overtaking := filter(c.requests, func(y *request) bool {
				return !y.token && y.sentAt > ready && y.sentAt < x.sentAt && c.cameAfter(r, y)
			})
			if len(overtaking) > allowed {
				c.fail("reader %d, which came at %s, waited from %s to %s, and request %d for %s went before it",
					r.index, r.start, ready, x.sentAt, overtaking[allowed].number, overtaking[allowed].path)
			}
			ready, allowed = x.readyAgain(), 1
		}
	}
}

// readyAgain returns when, at the latest, the question of a failed request waits for its turn again.
func (x *request) readyAgain() time.Duration {
	until, named := x.waits()
	switch {
	case named && x.limited():
		return max(x.endAt, until)
	case x.transient(), x.limited():
		return max(x.endAt+longestBackOff, until)
	}
	return x.endAt
}

// simSpan is a time in which no request of the process can be sent.
type simSpan struct{ from, to time.Duration }

// noReadIsHeld checks invariant 6: a reader's request is sent as soon as no pause, gap, ceiling, full window or request
// for a token is in its way.
func (c *simCheck) noReadIsHeld() {
	held := c.heldByPace()
	for _, x := range c.requests {
		held = append(held, simSpan{x.sentAt, x.sentAt})
		held = append(held, c.heldBy(x)...)
	}
	slices.SortFunc(held, func(a, b simSpan) int {
		return cmp.Compare(a.from, b.from)
	})
	for i, r := range c.readings {
		if c.shares(i) {
			continue
		}
		until := r.end
		if sent := filter(c.of(r.path), func(x *request) bool { return r.during(x.sentAt) }); len(sent) > 0 {
			until = sent[0].sentAt
		}
		free := r.start
		for _, s := range append(held, simSpan{until, until}) {
			if at := min(s.from, until); at > free {
				c.fail("reader %d waited from %s to %s, and nothing was in its way", r.index, free, at)
				break
			}
			free = max(free, s.to)
		}
	}
}

// heldBy returns when a request holds all others back: while a token is requested and backs off, and while the body of a
// rejection is on its way.
func (c *simCheck) heldBy(x *request) (held []simSpan) {
	until, _ := x.waits()
	if x.unauthorized() && c.isProof(x.with) {
		held = append(held, simSpan{x.headerAt, x.endAt})
	}
	if x.token && x.transient() {
		until = max(until, x.endAt+longestBackOff)
	}
	if x.token {
		held = append(held, simSpan{x.sentAt, max(until, x.endAt)})
	}
	return held
}

// answersAreTheRecords: a reader gets a record sent for its question, and without snapshot, one sent since it came.
func (c *simCheck) answersAreTheRecords() {
	for _, r := range c.readings {
		since := r.start
		if c.plan.snapshot {
			since = 0 // it may have an answer from before it came
		}
		sent := slices.ContainsFunc(c.of(r.path), func(x *request) bool {
			inTime := x.sentAt >= since && x.headerAt <= r.end
			return x.served() && inTime && x.answer == r.answer
		})
		if r.answer != "" && !sent {
			c.fail("reader %d, which came at %s, has %q, and no answer that it may have says so", r.index, r.start, r.answer)
		}
	}
}

// eachIsAskedOnce: with snapshot, a question is asked once at a time, and never again after an answer or a final refusal.
func (c *simCheck) eachIsAskedOnce() {
	last := map[string]*request{}
	for _, x := range c.requests {
		before := last[x.path]
		last[x.path] = x
		if before == nil || x.token || !c.plan.snapshot {
			continue
		}
		if x.sentAt < before.endAt {
			c.fail("requests %d and %d for %s were under way at once", before.number, x.number, x.path)
		}
		if (before.served() || before.refused()) && !before.left {
			c.fail("request %d asks %s again, which request %d had answered", x.number, x.path, before.number)
		}
	}
}
