// Package pace decides when the next request of a process may be sent. It is pure: time comes in through parameters.
//
// Pace asks five, and the last to agree decides: the pause that the service asked for; the ceiling that the operator
// set; the congestion window, which lets no more be in flight after a pause than were let through since; the allowance
// that refusals taught; and a growing gap while every request is refused. The allowance is a window of so many requests
// where Retry-After tells how long it is, and a rate along the curve of CUBIC where Retry-After is a second.
//
// Beyond that simplest thing these are here, each for cells of the table in BENCHMARKS.md:
//
//   - a first guess that is measured again from the end of a pause (runs begun at any phase of a window);
//   - a limit that nobody confirmed is probed at once, by 1, 2, 4, … (stray refusals, after others took everything);
//   - a window grows by up to a second where nothing is missing in it (4 s windows, 600 reads in 60 s windows);
//   - a rate begins with what its last second let through, and with as many in flight as before (10 a second);
//   - a refusal that contradicts what has held for long is waited out once (stray refusals of 30 s);
//   - five refusals in a row teach nothing more, and come ever later (others took everything, 8 processes);
//   - the first refusal after a handful of requests is only waited out (stray refusals);
//   - two requests fit into a token's life, of a window and of a rate (tokens of seconds).
package pace

import "time"

const (
	// young is for how long a request without the header of an answer counts: a slow one may not keep others from
	// being sent.
	young = 3 * time.Second
	// minTokenLife keeps a token that was revoked early from counting as a life.
	minTokenLife = 4 * time.Second
)

// Pace decides when the next request of a process may be sent. It is not safe for concurrent use.
type Pace struct {
	ceiling  window
	learned  allowance
	epoch    epoch
	until    time.Time // the end of the pause
	last     int       // the number of the last request
	burst    int       // the last request that was sent before the last refusal came
	refusals int
}

// epoch is what was sent since the last pause, and came of it.
type epoch struct {
	began    time.Time // when the first request was sent, zero before
	accepted int       // how many were let through
	start    int       // how many might be in flight at first; 0: any number, as there was no pause yet
	inFlight log       // those without a header
}

// free is when the congestion window lets one more be sent: at the latest when the youngest in its way counts no longer.
func (e *epoch) free() time.Time {
	if e.start == 0 {
		return time.Time{}
	}
	return e.inFlight.last(e.start + e.accepted).Add(young)
}

// New returns a pace that knows no allowance yet, under the operator's ceiling. The zero Limit is no ceiling.
func New(ceiling Limit) *Pace {
	return &Pace{ceiling: window{Limit: ceiling}}
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
	wait(p.ceiling.free(0), Ceiling)
	wait(p.learned.free(now, token), Allowance)
	wait(p.epoch.free(), InFlight)
	return at, why
}

// Sent records that a request, for a read or a token, was sent at now. It returns the request's number.
func (p *Pace) Sent(now time.Time) int {
	p.last++
	r := request{number: p.last, sent: now}
	if p.ceiling.Requests > 0 {
		p.ceiling.record(r)
	}
	p.learned.record(r)
	p.epoch.inFlight = append(p.epoch.inFlight, r)
	if p.epoch.began.IsZero() {
		p.epoch.began = now
	}
	return p.last
}

// Answered records, once for each number, a header that is no 429, or the end of a request without one.
func (p *Pace) Answered(number int, now time.Time) {
	p.epoch.inFlight.remove(number)
	if number > p.burst {
		p.epoch.accepted++
		p.learned.accept(now)
	}
}

// Refused records a 429, instead of Answered. wait is what the service named; where it named nothing usable, named is
// false, and wait is the back-off that the caller chose. The first refusal of a burst is a lesson: all requests that
// were sent before it came belong to the burst, because none is sent during the pause.
func (p *Pace) Refused(number int, now time.Time, wait time.Duration, named bool) {
	p.refusals++
	p.epoch.inFlight.remove(number)
	if until := now.Add(wait); until.After(p.until) {
		p.until = until
	}
	if number <= p.burst {
		p.learned.refuseMore(number)
		return
	}
	p.burst = p.last
	next := epoch{start: 1, inFlight: p.epoch.inFlight[:0]}
	if p.learned.paced() {
		next.start = max(1, len(p.epoch.inFlight))
	}
	r := refusal{came: now, until: p.until, wait: wait, short: !named || wait <= time.Second}
	p.learned.refuse(number, r, p.epoch)
	p.epoch = next
}

// TokenLife tells how long a token serves, so that its turn comes when a read can follow. A life that was not stated
// is learned from a 401: then it counts as four seconds at least, because a token may be revoked early.
func (p *Pace) TokenLife(life time.Duration, stated bool) {
	if !stated {
		life = max(life, minTokenLife)
	}
	if life > 0 {
		p.learned.tokenLife, p.learned.rate.min = life, minInALife/life.Seconds()
	}
}

// PausedUntil is the end of the last pause, the zero time where there was none.
func (p *Pace) PausedUntil() time.Time { return p.until }

// Refusals is how many requests were answered with 429.
func (p *Pace) Refusals() int { return p.refusals }

// String is the allowance as it is known, for the log.
func (p *Pace) String() string { return p.learned.String() }
