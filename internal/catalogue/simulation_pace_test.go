package catalogue_test

import (
	"cmp"
	"slices"
	"time"
)

// The rules of the pace, as a reader of the contract would keep them beside a log of the requests.

const (
	counted   = 3 * sec // a request counts as in flight no longer
	longPause = 3 * sec // after which at most two are in flight at first
	perGrowth = 16      // that are let through make room for one more
)

// simPace is the pace of a process between two answers.
type simPace struct {
	from   time.Duration // the first of them
	began  time.Duration // the last pause
	window int           // how many requests may be in flight, times perGrowth; 0 for any number
	low    int           // the same, if a pause that the client chose was a long one
	passed bool          // a request that was sent after the last pause began was let through
	gap    time.Duration // after the 429 that began the last pause, for which nothing is sent
	pause  simSpan       // that the 429s of the last burst ask for together
}

// paces returns the pace of the process after each answer, in order.
func (c *simCheck) paces() []simPace {
	answers := filter(c.requests, func(x *request) bool {
		return x.headerAt != never
	})
	slices.SortStableFunc(answers, func(a, b *request) int {
		return cmp.Compare(a.headerAt, b.headerAt)
	})
	p := simPace{from: -1, began: -1}
	all := []simPace{p}
	for _, x := range answers {
		p.from = x.headerAt
		switch ofBurst := x.sentAt <= p.began; {
		case ofBurst: // it counts once
		case x.limited():
			p = p.limited(c.inFlight(p, x.headerAt, x))
		case p.window > 0:
			p.window++
			p.low++
			p.passed = true
		}
		if x.limited() {
			p.prolong(x)
		}
		all = append(all, p)
	}
	return all
}

// prolong adds the wait of a 429 to the pause. After a long pause at most two are in flight at first.
func (p *simPace) prolong(x *request) {
	until, named := x.waits()
	if !named {
		p.low = min(p.low, 2*perGrowth)
	}
	if p.pause.to <= x.headerAt {
		p.pause.from = x.headerAt
	}
	p.pause.to = max(p.pause.to, until)
	if p.pause.to-p.pause.from >= longPause {
		p.window = min(p.window, 2*perGrowth)
	}
	p.low = min(p.low, p.window)
}

// limited returns the pace after a 429 that begins a burst, when that many requests were in flight.
func (p *simPace) limited(inFlight int) simPace {
	next := simPace{from: p.from, began: p.from, pause: p.pause, window: max(1, inFlight/2) * perGrowth}
	next.low = next.window
	if p.window > 0 && !p.passed {
		next.gap = min(max(sec, 2*p.gap), maxGap)
	}
	return next
}

// inFlight returns how many requests are in flight at a moment, before x if it is sent then, and with x if it is
// answered then.
func (c *simCheck) inFlight(p simPace, at time.Duration, x *request) (n int) {
	for _, y := range c.requests {
		answered := min(y.headerAt, y.endAt)
		sent := y.sentAt > p.began && y.sentAt <= at && (y.sentAt < at || x == nil || y.number < x.number)
		if sent && y.sentAt+counted > at && (answered > at || y == x) {
			n++
		}
	}
	return n
}

// paceAt returns the pace after the answers that came before a moment or at it.
func paceAt(all []simPace, at time.Duration) simPace {
	i, _ := slices.BinarySearchFunc(all, at, func(p simPace, at time.Duration) int {
		if p.from <= at {
			return -1
		}
		return 1
	})
	return all[max(0, i-1)]
}

// noMoreInFlight: after a pause at most half as many are in flight as before it, and one more for every sixteen that
// were let through; at first at most two if the pause was long.
func (c *simCheck) noMoreInFlight() {
	all := c.paces()
	for _, x := range c.requests {
		p := paceAt(all, x.sentAt)
		if n := c.inFlight(p, x.sentAt, x); p.window > 0 && n >= p.window/perGrowth {
			c.fail("request %d was sent at %s, when %d were in flight, and %d may be since the pause that began at %s",
				x.number, x.sentAt, n, p.window/perGrowth, p.began)
		}
	}
}

// noRequestInAGap: a 429 after which nothing was let through is followed by 1, 2, 4 and at most 8 s without a request.
func (c *simCheck) noRequestInAGap() {
	all := c.paces()
	for _, x := range c.requests {
		p := paceAt(all, x.sentAt-1)
		if x.sentAt < p.began+p.gap {
			c.fail("request %d was sent at %s, in the gap of %s that began at %s", x.number, x.sentAt, p.gap, p.began)
		}
	}
}

// heldByPace returns when the process sends nothing because of a gap, or because its window is full.
func (c *simCheck) heldByPace() (held []simSpan) {
	all := c.paces()
	var moments []time.Duration
	for _, p := range all {
		held = append(held, simSpan{p.began, p.began + p.gap})
		moments = append(moments, p.from)
	}
	for _, x := range c.requests {
		moments = append(moments, x.sentAt, x.sentAt+counted, x.endAt)
	}
	slices.Sort(moments)
	moments = slices.Compact(moments)
	for i, at := range moments[:len(moments)-1] {
		p := paceAt(all, at)
		if p.window > 0 && c.inFlight(p, at, nil) >= p.low/perGrowth {
			held = append(held, simSpan{at, moments[i+1]})
		}
	}
	return held
}
