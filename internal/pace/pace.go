package pace

import "time"

// Pace decides when the next request of a process may be sent. It is not safe for concurrent use.
type Pace struct {
	ceiling    ceiling
	until      time.Time // the end of the pause
	congestion congestion
	allowance  allowance
	last       int // the number of the last request
	burst      int // the last request that was sent before the last refusal came
	refusals   int
}

// New returns a pace that knows no allowance yet, under the operator's ceiling. The zero Limit is no ceiling.
func New(ceiling Limit) *Pace {
	return &Pace{ceiling: newCeiling(ceiling)}
}

// Next is the earliest instant at which one more request may be sent, which is at once where it is not after now, and
// what it waits for. It changes nothing. token says that the request is one for a token, whose turn comes no earlier
// than lets a read follow while the token serves. Any other call can bring the instant forward.
func (p *Pace) Next(now time.Time, token bool) (at time.Time, why Reason) {
	at = now
	wait := func(until time.Time, r Reason) {
		if until.After(at) {
			at, why = until, r
		}
	}
	wait(p.until, Pause)
	wait(p.ceiling.free(), Ceiling)
	wait(p.allowance.free(now, token), Allowance)
	wait(p.congestion.free(), InFlight)
	return at, why
}

// Sent records that a request, for a read or a token, was sent at now. It returns the request's number.
func (p *Pace) Sent(now time.Time) int {
	p.last++
	r := request{number: p.last, sent: now}
	p.ceiling.record(now)
	p.congestion.record(r)
	p.allowance.record(r)
	return p.last
}

// Answered records, once for each number, a header that is no 429, or the end of a request without one.
func (p *Pace) Answered(number int, now time.Time) {
	p.congestion.remove(number)
	if number > p.burst {
		p.congestion.accept()
		p.allowance.accept(now)
	}
}

// Refused records a 429, instead of Answered. wait is what the service named; where it named nothing usable, named is
// false, and wait is the back-off that the caller chose.
func (p *Pace) Refused(number int, now time.Time, wait time.Duration, named bool) {
	p.refusals++
	p.congestion.remove(number)
	p.until = later(p.until, now.Add(wait))
	if number <= p.burst {
		p.allowance.refuseMore(number)
		return
	}
	p.burst = p.last
	window := 1
	if p.allowance.paced {
		window = max(1, p.congestion.inFlight()/2)
	}
	p.congestion.restart(window)
	p.allowance.refuse(number, refusal{came: now, until: p.until, wait: wait, short: !named || wait <= time.Second})
}

// TokenLife tells how long a token serves, so that its turn comes when a read can follow. A life that was not stated
// is learned from a 401: then it counts as four seconds at least, because a token may be revoked early.
func (p *Pace) TokenLife(life time.Duration, stated bool) {
	if !stated {
		life = max(life, leastTokenLife)
	}
	if life > 0 {
		p.allowance.setTokenLife(life)
	}
}

// PausedUntil is the end of the last pause, the zero time where there was none.
func (p *Pace) PausedUntil() time.Time { return p.until }

// Refusals is how many requests were answered with 429.
func (p *Pace) Refusals() int { return p.refusals }

// String is the allowance as it is known, for the log.
func (p *Pace) String() string { return p.allowance.String() }
