package catalogue_test

import (
	"slices"
	"time"
)

// young is how long a request counts for slow start, at the longest: a few
// seconds.
const young = 6 * time.Second

// nobodyIsHeld is DESIGN.md, invariant 6, and more: where a read waits and nothing of what
// the contract names keeps it back, it is sent.
func (c *simCheck) nobodyIsHeld() {
	if c.plan.way != inMemory {
		return
	}
	for _, r := range c.readings {
		for _, wait := range c.waits(r) {
			c.holds(r, wait[0], wait[1])
		}
	}
}

// waits are the stretches in which a reader's question was in the queue, in its
// back-off no longer.
func (c *simCheck) waits(r *simReading) (all [][2]time.Duration) {
	calls := c.own(r)
	if len(calls) == 0 {
		if r.err != nil && !c.shares(r) {
			all = append(all, [2]time.Duration{r.start, r.end})
		}
		return all
	}
	for _, call := range calls {
		if call.reading != r {
			continue
		}
		ready, failures := c.joined(r, call.requests[0].sentAt), 0
		for _, x := range call.requests {
			all = append(all, [2]time.Duration{ready, x.sentAt})
			ready = x.endAt
			switch {
			case x.transient():
				failures++
				ready += simMost(failures)
			case x.unauthorized():
				ready = max(ready, c.replacedAt(x))
			}
		}
		all = append(all, [2]time.Duration{ready, r.end})
	}
	return all
}

// shares tells whether a reader joined a read that had failed before he came, and may be
// in its back-off.
func (c *simCheck) shares(r *simReading) bool {
	return c.plan.snapshot && slices.ContainsFunc(c.requests, func(x *simRequest) bool {
		return x.path == r.path && x.transient() && x.endAt <= r.start
	})
}

// holds looks for a stretch between two moments in which nothing is sent and
// nothing keeps a read back.
func (c *simCheck) holds(r *simReading, from, to time.Duration) {
	var windows []time.Duration // when the ceiling's last N were sent
	since, tokenFailures := from, 0
	busy := func(until time.Duration) { since = max(since, until) }
	check := func(at time.Duration) {
		if bound := c.longestGap(at); since != never && at-since > bound {
			c.fail("reader %d waits from %s on, and from %s to %s nothing is sent and nothing keeps it back (%d bursts of 429)",
				r.reader.index, from, since, at, c.bursts(at))
			since = 1 << 60
		}
	}
	n := c.plan.ceiling.Requests
	for _, x := range c.requests {
		if x.sentAt >= from {
			if x.sentAt > to {
				break
			}
			if n > 0 && len(windows) >= n {
				busy(windows[len(windows)-n] + c.plan.ceiling.Per)
			}
			check(min(x.sentAt, to))
		}
		windows = append(windows, x.sentAt)
		busy(x.sentAt)
		if _, most := c.pauseEnds(x); x.limited() && x.headerAt != never && x.headerAt <= to {
			busy(most)
		}
		if x.token {
			busy(x.endAt)
			if tokenFailures++; x.whole() {
				tokenFailures = 0
			} else if x.transient() || x.left {
				busy(x.endAt + simMost(tokenFailures))
			}
		}
		if x.unauthorized() && x.headerAt <= to {
			busy(c.replacedAt(x))
			if c.mayProve(x) {
				busy(x.endAt) // the words of the proof are on their way
			}
		}
	}
	if n > 0 && len(windows) >= n {
		busy(windows[len(windows)-n] + c.plan.ceiling.Per)
	}
	check(to)
}

// replacedAt is when the token is asked for, at the latest, that replaces the one
// that a read was refused with: a second replacement in a row waits for a back-off.
func (c *simCheck) replacedAt(x *simRequest) time.Duration {
	if refused := c.inARow(x.headerAt); refused > 1 {
		return x.headerAt + simMost(refused)
	}
	return x.headerAt
}

// fewToLearn is how many requests let through make the first refusal teach.
const fewToLearn = 10

// learned tells whether refusals have taught an allowance by then: the second, or
// the first after many requests.
func (c *simCheck) learned(at time.Duration) bool {
	bursts := c.bursts(at)
	if bursts != 1 {
		return bursts > 1
	}
	through, first := 0, c.requests[slices.IndexFunc(c.requests, (*simRequest).limited)]
	for _, x := range c.requests {
		if !x.limited() && x.sentAt <= first.headerAt {
			through++
		}
	}
	return through >= fewToLearn
}

// longestGap is how long nothing may be sent while a read waits: not at all as
// long as nothing was refused, as long as a request is young after the first
// refusals, and later as the learned allowance says.
func (c *simCheck) longestGap(at time.Duration) time.Duration {
	switch {
	case c.bursts(at) == 0:
		return 0
	case !c.learned(at):
		return young
	}
	longest := 2 * max(c.plan.service.allowance.per, c.plan.service.changed.per)
	for _, x := range c.requests {
		if x.limited() && x.headerAt != never {
			longest = max(longest, x.pauseUntil-x.headerAt)
		}
	}
	return longest + 20*time.Second
}

// noReadFailsWhoseFaultsAreForgiven is the first half of DESIGN.md, invariant 5: a read whose
// faults are all of the passing kind, and no more than its attempts, has to succeed
// where even the longest of all waits fits in its time.
func (c *simCheck) noReadFailsWhoseFaultsAreForgiven() {
	for _, r := range c.readings {
		longest := c.longest(r)
		if r.err != nil && !r.cancelled && c.forgiven(r) && longest >= 0 && longest < c.plan.readTimeout { // below 0: more than fits
			c.fail("reader %d is told at %s, though its faults are forgiven and all waits take %s at most: %v",
				r.reader.index, r.end, longest, r.err)
		}
	}
}

// forgiven tells whether no fault of a failed reading is final or one too many.
func (c *simCheck) forgiven(r *simReading) bool {
	if at, _ := c.ends(); at != never && at <= r.end {
		return false
	}
	ended := func(other *simReading) bool { return processEnd(other.err) && other.end <= r.end }
	if kindOf(r.err) == toldTokensOver || slices.ContainsFunc(c.readings, ended) {
		return false // whether that had to be is a question of the cause
	}
	reads, tokens, refused, closed, budget := 0, 0, 0, 0, c.plan.maxRetries
	for _, x := range c.concerning(r) {
		if x.token && x.learned() < r.start-together {
			continue // it failed before he came
		}
		if x.transient() && c.inAnOutage(r, x.endAt) {
			budget = 0
		}
		switch {
		case x.closed && !x.token && closed == 0:
			closed++
		case x.transient() && x.token:
			tokens++
		case x.transient():
			reads++
		case x.unauthorized():
			refused++
		case x.token && !c.final(x):
		case x.status != 0 && x.status != http200 && !x.limited(),
			x.status == http200 && (slices.Contains(finalReadFaults, x.fault) || slices.Contains(finalTokenFaults, x.fault)):
			return false
		}
	}
	return reads <= budget && tokens <= budget && refused <= 2
}

const http200 = 200

// longest is how long a reading takes where everything that can wait waits for
// everything else.
func (c *simCheck) longest(r *simReading) time.Duration {
	var sum time.Duration
	sent, accidents := 0, 0
	bursts := c.bursts(r.end)
	for _, x := range c.requests {
		if x.sentAt > r.end {
			continue
		}
		if x.limited() && x.fault != "allowance" {
			accidents++
		}
		if _, most := c.pauseEnds(x); x.limited() && x.headerAt <= r.end && most > r.start {
			sum += most - max(x.headerAt, r.start)
		}
		if x.endAt < r.start {
			continue
		}
		sent++
		if bursts > 0 {
			sum += min(x.endAt-x.sentAt, young) // after a refusal few are young at a time
		}
		if x.unauthorized() {
			sum += simMost(max(1, len(c.refusals(x))))
		}
	}
	if c.learned(r.end) && (accidents > 0 || c.plan.processes > 1 || c.plan.service.changeAt > 0) {
		return 24 * time.Hour // what is learned then is not what the service allows: see nobodyIsHeld
	}
	if slices.ContainsFunc(c.tokens(), func(t *simToken) bool { return t.over(t.known) }) {
		return 24 * time.Hour // each serves one read only, so the others wait for as many requests
	}
	reads := 0
	for _, x := range c.requests {
		if x.token && x.transient() && x.sentAt <= r.end && x.endAt+simMost(10) >= r.start {
			sum += simMost(10) // it may have failed often before he came
		}
	}
	for _, x := range c.concerning(r) {
		if (x.left || x.endAt > r.end) && x.endAt >= r.end && !x.whole() {
			return 24 * time.Hour // it is the service that took his time
		}
		sum += max(0, x.endAt-max(x.sentAt, r.start))
		switch {
		case x.token:
		case x.transient():
			reads++
			sum += simMost(reads)
		}
	}
	if allowance := c.plan.service.allowance; allowance.kind != "" && bursts > 0 {
		sum += 3*allowance.least(len(c.requests)+len(c.readings)) + 2*allowance.per
	}
	if ceiling := c.plan.ceiling; ceiling.Requests > 0 {
		sum += time.Duration((sent+len(c.readings))/ceiling.Requests+1) * ceiling.Per
	}
	return sum + time.Second
}
