// Package pace decides when the next request of a process may be sent. It is pure: time comes in through parameters.
//
// Four things hold a request back, each until a moment of its own: the pause of a 429, a gap while every request is
// limited, the operator's ceiling, and the congestion window, a bound of the requests in flight after a pause. Nothing
// is learned about the allowance. The price is some 429s. An operator who knows the allowance sets the ceiling, and
// then no request is limited.
package pace

import (
	"slices"
	"sort"
	"time"
)

const (
	// Slow is the longest time for which a request without an answer counts as in flight, so that a slow one does not
	// hold others back. For the ceiling, the request has reached the service by then.
	Slow = 3 * time.Second

	perGrowth = 16 // the answers that widen the congestion window by one
	maxGap    = 8 * time.Second
	// After a pause of longPause or more, at most restart requests are in flight at first: the restart window of RFC
	// 5681 §4.1. All 429s of a burst make one pause. Otherwise, if runs share an allowance, the first to wake would
	// take all of it.
	longPause = 3 * time.Second
	restart   = 2
)

// Pace decides when the next request of a process may be sent. The zero Pace is ready for use, without a ceiling. It
// is not safe for concurrent use.
type Pace struct {
	Ceiling  Limit         // the operator's; constant
	counted  []time.Time   // when each request stops counting against the ceiling, earliest first
	inFlight []request     // without an answer yet, in order of sending
	last     int           // the number of the last request
	burst    int           // the last request before the last pause: 429s up to it belong to the same burst
	window   int           // the most requests in flight, times perGrowth: an answer adds 1. 0 is no bound
	gap      time.Duration // after the next 429, if nothing is let through before it
	gapUntil time.Time
	pause    pause
	total    time.Duration // the length of all pauses, with the rest of the last one
}

// pause is the last period without requests that the service asked for. Several 429s may have prolonged it.
type pause struct {
	from, until time.Time
}

type request struct {
	number int
	sent   time.Time
}

// PausedUntil returns the end of the last pause, or the zero time if there was none.
func (p *Pace) PausedUntil() time.Time {
	return p.pause.until
}

// GapUntil returns the end of the last gap, or the zero time if there was none.
func (p *Pace) GapUntil() time.Time {
	return p.gapUntil
}

// RoomAt returns when the congestion window lets one more request be sent. An answer can bring that forward to now.
func (p *Pace) RoomAt(now time.Time) time.Time {
	young := p.young(now, p.burst)
	excess := len(young) - p.Window()
	if p.window == 0 || excess < 0 {
		return now
	}
	return young[excess].sent.Add(Slow)
}

// CeilingAfter returns when the ceiling lets a request be sent after n others. An answer can bring that forward by
// Slow. For example, if 3/10s is the ceiling, and two requests count until 0:08 and 0:09:
//
//	n = 0: now        a third may count
//	n = 1: 0:08       the first stops counting
//	n = 2: 0:09       the second does
//	n = 3: now + 10s  the request of n = 0 stops counting
//	n = 4: 0:18       the request of n = 1 does
func (p *Pace) CeilingAfter(n int, now time.Time) time.Time {
	limit := p.Ceiling.Requests
	if limit == 0 {
		return now
	}
	counted := after(p.counted, now)
	rounds, place := n/limit, n%limit
	room := limit - len(counted)
	at := now
	if place >= room {
		at = counted[place-room]
	}
	return at.Add(time.Duration(rounds) * p.Ceiling.Per)
}

// InFlight returns how many requests are in flight.
func (p *Pace) InFlight(now time.Time) int {
	return len(p.young(now, 0))
}

// Sent records a request, for a read or a token, and returns its number.
func (p *Pace) Sent(now time.Time) int {
	p.last++
	p.inFlight = append(p.young(now, 0), request{number: p.last, sent: now})
	if p.Ceiling.Requests > 0 {
		p.counted = after(p.counted, now)
		p.counted = append(p.counted, now.Add(Slow+p.Ceiling.Per))
	}
	return p.last
}

// Answered records, once for each number, a header other than a 429.
func (p *Pace) Answered(number int, now time.Time) {
	p.Ended(number, now)
	if number <= p.burst {
		return
	}
	p.gap = 0
	if p.window > 0 {
		p.window++
	}
}

// Limited records a 429, instead of Answered: nothing is sent for wait, and after that half as many may be in flight as
// now. All 429s to requests from before the pause count once. It reports whether this 429 prolonged the pause, so that
// the pause in force is its own.
func (p *Pace) Limited(number int, now time.Time, wait time.Duration) (inForce bool) {
	inFlight := len(p.young(now, p.burst))
	p.Ended(number, now)
	until := now.Add(wait)
	if !p.pause.until.After(now) {
		p.pause = pause{
			from:  now,
			until: now,
		}
	}
	inForce = until.After(p.pause.until)
	if inForce {
		p.total += until.Sub(p.pause.until)
		p.pause.until = until
	}
	if number > p.burst {
		p.burst = p.last
		half := max(1, inFlight/2)
		p.window = half * perGrowth
		p.gapUntil = now.Add(p.gap)
		next := max(time.Second, 2*p.gap)
		p.gap = min(next, maxGap)
	}
	if p.pause.until.Sub(p.pause.from) >= longPause {
		p.window = min(p.window, restart*perGrowth)
	}
	return inForce
}

// Ended records the end of a request without a header. It counts against the ceiling for the ceiling's length from now,
// or from Slow after it was sent if that was earlier.
func (p *Pace) Ended(number int, now time.Time) {
	i := slices.IndexFunc(p.inFlight, func(r request) bool {
		return r.number == number
	})
	if i < 0 {
		return // it has ended already, or was slow
	}
	assumed := p.inFlight[i].sent.Add(Slow + p.Ceiling.Per)
	p.inFlight = slices.Delete(p.inFlight, i, i+1)
	until := now.Add(p.Ceiling.Per)
	i, counts := slices.BinarySearchFunc(p.counted, assumed, time.Time.Compare)
	if counts && until.Before(assumed) {
		p.counted = slices.Delete(p.counted, i, i+1)
		i, _ = slices.BinarySearchFunc(p.counted, until, time.Time.Compare)
		p.counted = slices.Insert(p.counted, i, until)
	}
}

// Window returns the most requests in flight, or 0 for no bound.
func (p *Pace) Window() int {
	return p.window / perGrowth
}

// TotalPause returns for how long pauses have held requests back until now.
func (p *Pace) TotalPause(now time.Time) time.Duration {
	return p.total - max(0, p.pause.until.Sub(now))
}

// young returns the requests after a number that have been in flight for less than Slow.
func (p *Pace) young(now time.Time, number int) []request {
	first := sort.Search(len(p.inFlight), func(i int) bool {
		r := p.inFlight[i]
		return r.number > number && r.sent.Add(Slow).After(now)
	})
	return p.inFlight[first:]
}

// after returns the times after now.
func after(times []time.Time, now time.Time) []time.Time {
	first := sort.Search(len(times), func(i int) bool {
		return times[i].After(now)
	})
	return times[first:]
}
