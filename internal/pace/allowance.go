package pace

import (
	"fmt"
	"slices"
	"time"
)

const (
	leastTokenLife = 4 * time.Second
	fewToLearn     = 10
	maxLogged      = 1 << 16
	firstProbe     = 30 * time.Second
)

// refusal is the first of a burst.
type refusal struct {
	number int
	came   time.Time
	until  time.Time
	wait   time.Duration
	short  bool
}

// allowance is what refusals taught.
type allowance struct {
	log     log   // those that count at the service: sent, and not refused
	limit   Limit // zero: nothing is known
	paced   bool  // the rate is in charge
	rate    cubic
	resumed request // the first after the last pause
	refusal refusal
	sent    time.Time // of the refused request
	slack   time.Duration
	confirmed bool
	exact   bool  // the window was measured from a pause
	before  Limit // before the burst
	through int   // let through since the limit changed
	tryAt   time.Time
	step    int
	life    time.Duration
	warned  bool
	count   int // let through since the last refusal
}

func (a *allowance) free(now time.Time, token bool) time.Time {
	switch {
	case a.paced:
		if token && a.life > 0 {
			return later(a.rate.free(1, now), a.rate.free(2, now).Add(-a.life/2))
		}
		return a.rate.free(1, now)
	case token && a.life > 0:
		return later(a.window(0), a.window(1).Add(-a.life/2))
	}
	return a.window(0)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// window is when one more may be sent after so many others.
func (a *allowance) window(others int) time.Time {
	l := a.limit
	if l.Requests == 1 && a.life > 0 && l.Per > a.life/2 {
		l = Limit{2, 2 * l.Per}
	}
	if n := len(a.log) + others; l.Requests > others && n >= l.Requests {
		return a.log[n-l.Requests].sent.Add(l.Per)
	}
	return time.Time{}
}

func (a *allowance) record(r request) {
	if a.resumed.number == 0 {
		a.resumed = r
	}
	if a.paced {
		a.rate.record(r.sent)
	}
	if len(a.log) >= maxLogged {
		a.log = slices.Delete(a.log, 0, maxLogged/2)
	}
	a.log = append(a.log, r)
}

func (a *allowance) accept(now time.Time) {
	a.count++
	a.through++
	a.exact = a.exact || a.limit.Requests > 0 && a.count > a.limit.Requests
	if a.limit.Requests == 0 || a.paced || now.Before(a.tryAt) || a.window(0).Sub(now) < a.limit.Per/2 {
		return
	}
	if !a.confirmed {
		if a.through >= a.step {
			a.limit.Requests += a.step
			a.step *= 2
			a.through = 0
		}
		return
	}
	if a.through < a.limit.Requests {
		return
	}
	a.limit.Requests += a.step
	a.step = min(2*a.step, 2)
	if a.limit.Requests < 2*int(a.limit.Per/leastGap) {
		a.step = 2
	}
	a.through = 0
	a.tryAt = now.Add(max(a.limit.Per, firstProbe))
}

// refuse is the first refusal of a burst.
func (a *allowance) refuse(r refusal) {
	last := a.refusal
	a.refusal = r
	req, _ := a.log.remove(r.number)
	a.sent = req.sent
	a.before = a.limit
	elapsed := req.sent.Sub(a.resumed.sent)
	switch {
	case a.limit.Requests == 0 && !a.paced && !a.warned && a.count < fewToLearn:
		a.warned = true
	case r.short && (a.paced || a.limit.Requests == 0 || !a.confirmed && !a.exact && elapsed < a.limit.Per/2):
		rate := float64(max(a.count, 1)) / max(elapsed.Seconds(), 1)
		if a.paced {
			rate = min(a.rate.rate(r.came), 1.2*rate)
		}
		a.paced = true
		a.rate.refuse(rate, a.sent, r.until)
	case a.limit.Requests == 0 || a.paced:
		a.paced = false
		a.exact = last.number != 0
		a.confirmed = false
		a.limit.Per = min(elapsed, r.wait).Truncate(time.Second) + r.wait
		a.fit()
	case !r.short && 2*a.held() < a.limit.Requests && (elapsed <= a.limit.Per/2 || !a.exact && elapsed < 2*a.limit.Per) && elapsed.Truncate(time.Second)+r.wait > a.limit.Per:
		a.limit.Per = elapsed.Truncate(time.Second) + r.wait
		a.slack = 0
		a.exact = true
		a.confirmed = true
		a.fit()
	default:
		if r.wait > a.limit.Per {
			a.limit.Per = r.wait
		}
		a.confirmed = true
		a.fit()
	}
	a.resumed = request{}
	a.count, a.through, a.step = 0, 0, 1
	if a.confirmed {
		a.tryAt = r.came.Add(max(a.limit.Per, firstProbe))
	}
}

// again is another refusal of the burst.
func (a *allowance) again(r refusal) {
	a.log.remove(r.number)
	if !a.paced && a.limit.Requests > 0 {
		a.fit()
	}
}

func (a *allowance) held() int {
	return a.log.since(a.sent.Add(max(a.refusal.wait-time.Second, 0) - a.limit.Per))
}

func (a *allowance) fit() {
	held := a.held()
	if a.refusal.short && a.before.Requests > 0 && held >= a.before.Requests-1 {
		if a.slack < time.Second {
			a.limit = a.before
			a.slack += min(a.limit.Per/8, time.Second)
			a.limit.Per += min(a.limit.Per/8, time.Second)
			return
		}
		held = a.before.Requests - max(1, a.before.Requests/8)
	}
	a.limit.Requests = max(held, int(a.limit.Per/leastGap), int(0.5*float64(a.before.Requests)), 1)
}

func (l Limit) zero() bool { return l.Requests == 0 }

func (a *allowance) tokenLife(life time.Duration) {
	a.life = life
	a.rate.least = 2.5 / life.Seconds()
}

func (a *allowance) String() string {
	switch {
	case a.paced:
		return fmt.Sprintf("about %.2g requests a second", a.rate.wMax)
	case a.limit.Requests == 0:
		return a.limit.String()
	}
	return fmt.Sprintf("at most %d requests in %s", a.limit.Requests, a.limit.Per)
}
