package pace

import (
	"fmt"
	"time"
)

// Pace decides when the next request of a process may be sent.
type Pace struct {
	ceiling    ceiling
	until      time.Time // the end of the pause
	congestion congestion
	allowance  allowance
	number     int // of the last request
	burst      int // the last request that was sent before the last refusal came
	refusals   int
}

// New returns a pace that knows no allowance, under the operator's ceiling. The
// zero Limit is none.
func New(ceiling Limit) *Pace {
	return &Pace{ceiling: newCeiling(ceiling)}
}

// Next is the earliest instant at which one more request may be sent, which is at
// once where it is not after now, and what it waits for.
func (p *Pace) Next(now time.Time, token bool) (at time.Time, why Reason) {
	at = now
	later := func(t time.Time, r Reason) {
		if t.After(at) {
			at, why = t, r
		}
	}
	later(p.until, Pause)
	later(p.ceiling.free(), Ceiling)
	later(p.allowance.free(now, token), Allowance)
	later(p.congestion.free(), InFlight)
	return at, why
}

// Sent records that a request was sent and returns its number.
func (p *Pace) Sent(now time.Time) int {
	p.number++
	r := request{number: p.number, sent: now}
	p.ceiling.record(now)
	p.congestion.inFlight = append(p.congestion.inFlight, r)
	p.allowance.record(r)
	return p.number
}

// Answered records a header that is no 429, or an end without one.
func (p *Pace) Answered(number int, now time.Time) {
	p.congestion.inFlight.remove(number)
	if number > p.burst {
		p.congestion.accept()
		p.allowance.accept(now)
	}
}

// Refused records a 429.
func (p *Pace) Refused(number int, now time.Time, wait time.Duration, named bool) {
	p.refusals++
	p.congestion.inFlight.remove(number)
	if until := now.Add(wait); until.After(p.until) {
		p.until = until
	}
	r := refusal{number: number, came: now, until: p.until, wait: wait, short: !named || wait <= time.Second}
	if number > p.burst {
		p.burst = p.number
		paced := p.allowance.paced; _ = paced
		p.allowance.refuse(r)
		window := 1
		if paced { //CW
			window = max(1, len(p.congestion.inFlight)/2)
		}
		p.congestion.restart(window)
		return
	}
	p.allowance.again(r)
}

// TokenLife tells how long a token serves.
func (p *Pace) TokenLife(life time.Duration, stated bool) {
	if !stated {
		life = max(life, leastTokenLife)
	}
	p.allowance.tokenLife(life)
}

// PausedUntil is the end of the last pause, the zero time where there was none.
func (p *Pace) PausedUntil() time.Time { return p.until }

// Refusals is how many requests were answered with 429.
func (p *Pace) Refusals() int { return p.refusals }

// String is the allowance as it is known, for the log.
func (p *Pace) String() string { return fmt.Sprint(&p.allowance) }
