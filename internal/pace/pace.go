// Package pace decides when the next request of a process may be sent. It is pure: time comes in through parameters.
//
// Four things hold a request back: the pause that the service asked for with a 429; the operator's ceiling; the
// congestion window, which bounds what is in flight after a pause; and a gap while every request is limited. Nothing
// is learned about the allowance. The price is some 429s; who knows the allowance sets the ceiling and meets none.
package pace

import (
	"slices"
	"sort"
	"time"
)

const (
	// Slow is for how long a request without an answer counts as in flight, and the latest moment at which it counts
	// as having reached the service: a slow one keeps no other from being sent.
	Slow = 3 * time.Second
	// perGrowth is how many answers widen the congestion window by one.
	perGrowth = 8
)

// Pace decides when the next request of a process may be sent. It is not safe for concurrent use.
type Pace struct {
	ceiling  Limit
	counted  []time.Time // when each request ceases to count against the ceiling, earliest first
	inFlight []request   // those without an answer, in the order in which they were sent
	last     int         // the number of the last request
	burst    int         // the last request before the last pause: a 429 to one up to here teaches nothing more
	window   int         // how many may be in flight, 0 for any number
	accepted int         // how many were let through since the last pause
	gap      time.Duration
	until    time.Time     // the end of the pause
	paused   time.Duration // the length of all pauses, what is left of the last one included
}

type request struct {
	number int
	sent   time.Time
}

// New returns a Pace under the operator's ceiling. The zero Limit is no ceiling.
func New(ceiling Limit) *Pace { return &Pace{ceiling: ceiling} }

// Next returns the earliest instant at which one more request may be sent, and what it waits for if that is after now.
// An answer can bring the instant forward. Next changes nothing.
func (p *Pace) Next(now time.Time) (at time.Time, why Reason) {
	at = now
	wait := func(until time.Time, r Reason) {
		if until.After(at) {
			at, why = until, r
		}
	}
	wait(p.until, Pause)
	wait(p.until.Add(p.gap), Gap)
	wait(p.CeilingAfter(0, now), Ceiling)
	if young := p.young(now, p.burst); p.window > 0 && len(young) >= p.window {
		wait(young[len(young)-p.window].sent.Add(Slow), InFlight)
	}
	return at, why
}

// CeilingAfter returns the earliest instant at which the ceiling lets a request be sent if n others are sent before
// it. A request counts from when it is sent until the ceiling's length after its answer began.
func (p *Pace) CeilingAfter(n int, now time.Time) time.Time {
	if p.ceiling.Requests == 0 {
		return now
	}
	counted := p.counted[sort.Search(len(p.counted), func(i int) bool { return p.counted[i].After(now) }):]
	switch rank := len(counted) + n - p.ceiling.Requests; {
	case rank < 0:
		return now
	case rank < len(counted):
		return counted[rank]
	default: // those that are sent before it count by then
		rounds := (rank-len(counted))/p.ceiling.Requests + 1
		return p.CeilingAfter(n-rounds*p.ceiling.Requests, now).Add(time.Duration(rounds) * p.ceiling.Per)
	}
}

// Sent records that a request, for a read or a token, was sent at now. It returns the request's number.
func (p *Pace) Sent(now time.Time) int {
	p.last++
	p.inFlight = append(p.young(now, 0), request{number: p.last, sent: now})
	if p.ceiling.Requests > 0 {
		past := sort.Search(len(p.counted), func(i int) bool { return p.counted[i].After(now) })
		p.counted = append(p.counted[past:], now.Add(Slow+p.ceiling.Per))
	}
	return p.last
}

// Answered records, once for each number, a header that is no 429.
func (p *Pace) Answered(number int, now time.Time) {
	p.Ended(number, now)
	if number <= p.burst {
		return
	}
	p.gap = 0
	if p.accepted++; p.window > 0 && p.accepted%perGrowth == 0 {
		p.window++
	}
}

// Limited records a 429, instead of Answered: nothing is sent for wait. After that half as many may be in flight as
// were now. All 429s to requests that were sent before the pause began count once.
func (p *Pace) Limited(number int, now time.Time, wait time.Duration) {
	inFlight := len(p.young(now, p.burst))
	p.Ended(number, now)
	if until := now.Add(wait); until.After(p.until) {
		p.paused += min(wait, until.Sub(p.until))
		p.until = until
	}
	if number <= p.burst {
		return
	}
	if p.window > 0 && p.accepted == 0 {
		p.gap = min(max(time.Second, 2*p.gap), 8*time.Second)
	}
	p.burst, p.accepted, p.window = p.last, 0, max(1, inFlight/2)
}

// PausedUntil returns the end of the last pause, the zero time if there was none.
func (p *Pace) PausedUntil() time.Time { return p.until }

// Paused returns for how long pauses have held requests back until now.
func (p *Pace) Paused(now time.Time) time.Duration { return p.paused - max(0, p.until.Sub(now)) }

// Window returns how many requests may be in flight, 0 for any number.
func (p *Pace) Window() int { return p.window }

// young returns the requests after a number that have not been in flight for long.
func (p *Pace) young(now time.Time, number int) []request {
	return p.inFlight[sort.Search(len(p.inFlight), func(i int) bool {
		return p.inFlight[i].number > number && p.inFlight[i].sent.Add(Slow).After(now)
	}):]
}

// Ended records the end of a request without an answer: it counts against the ceiling for its length from now on.
func (p *Pace) Ended(number int, now time.Time) {
	i, found := slices.BinarySearchFunc(p.inFlight, number, func(r request, n int) int { return r.number - n })
	if !found {
		return
	}
	assumed := p.inFlight[i].sent.Add(Slow)
	p.inFlight = slices.Delete(p.inFlight, i, i+1)
	if p.ceiling.Requests == 0 || !now.Before(assumed) {
		return
	}
	if i, found := slices.BinarySearchFunc(p.counted, assumed.Add(p.ceiling.Per), time.Time.Compare); found {
		p.counted = slices.Delete(p.counted, i, i+1)
		until := now.Add(p.ceiling.Per)
		i, _ = slices.BinarySearchFunc(p.counted, until, time.Time.Compare)
		p.counted = slices.Insert(p.counted, i, until)
	}
}
