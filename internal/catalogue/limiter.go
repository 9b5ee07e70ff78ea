package catalogue

import (
	"math"
	"time"
)

// reason says why a request has to wait.
type reason int

const (
	waitsForNothing   reason = iota
	waitsForPause            // the service answered 429 and named a time, or the caller backs off after one that did not
	waitsForCeiling          // max_requests_per_second
	waitsForAllowance        // the allowance learned from refusals is used up
	waitsForAnswer           // slow start: an answer to a request under way decides
)

// String is the reason in the words of the log.
func (r reason) String() string {
	switch r {
	case waitsForPause:
		return "the service asked for a pause"
	case waitsForCeiling:
		return "max_requests_per_second"
	case waitsForAllowance:
		return "the allowance learned from refusals is used up"
	case waitsForAnswer:
		return "few requests at a time after a refusal"
	default:
		return "nothing"
	}
}

// limiter decides when the next request may be sent. It is not safe for
// concurrent use, and it takes the time from its caller, who calls sent for
// every request, and answered or refused once for each of them.
type limiter struct {
	gap  time.Duration // the least time between two requests, by the ceiling
	last time.Time     // when the last request was sent

	until  time.Time // the end of the last pause
	lesson time.Time // when the last refusal that taught something came

	accepted []time.Time // when the requests that the service did not refuse were sent, oldest first
	cycle    time.Time   // since when the next lesson counts
	limit    int         // at most limit requests in any window, 0: not known yet
	window   time.Duration
	few      int // slow start: how many may be under way, 0: any number
}

// newLimiter takes the operator's ceiling in requests a second; 0 is none.
func newLimiter(ceiling float64) *limiter {
	l := &limiter{}
	if ceiling > 0 {
		l.gap = time.Duration(min(math.Ceil(float64(time.Second)/ceiling), float64(math.MaxInt64/2)))
	}
	return l
}

// next is the earliest instant at which one more request may be sent, which is
// at once where it is not after now, and what it waits for. inFlight is how
// many requests are under way. Where ok is false, only an answer to one of them
// can say: the caller asks again when one came.
func (l *limiter) next(now time.Time, inFlight int) (at time.Time, why reason, ok bool) {
	if l.few > 0 && inFlight >= l.few {
		return time.Time{}, waitsForAnswer, false
	}
	at, why = now, waitsForNothing
	later := func(t time.Time, r reason) {
		if t.After(at) {
			at, why = t, r
		}
	}
	later(l.until, waitsForPause)
	if !l.last.IsZero() {
		later(l.last.Add(l.gap), waitsForCeiling)
	}
	if n := len(l.accepted); l.limit > 0 && n >= l.limit {
		later(l.accepted[n-l.limit].Add(l.window), waitsForAllowance)
	}
	return at, why, true
}

// sent records that a request, of a read or of a token, was sent.
func (l *limiter) sent(now time.Time) {
	l.last = now
	if l.cycle.IsZero() {
		l.cycle = now
	}
	l.accepted = append(l.accepted, now)
}

// answered records an answer that is no 429, or a fault, to the request that
// was sent at sentAt.
func (l *limiter) answered(sentAt, now time.Time) {
	if l.few > 0 {
		l.few++
	}
}

// refused records a 429 to the request that was sent at sentAt. wait is what
// the service named, or the back-off that the caller chose.
func (l *limiter) refused(sentAt, now time.Time, wait time.Duration, named bool) {
	for i := len(l.accepted) - 1; i >= 0; i-- {
		if l.accepted[i].Equal(sentAt) {
			l.accepted = append(l.accepted[:i], l.accepted[i+1:]...)
			break
		}
	}
	if until := now.Add(wait); until.After(l.until) {
		l.until = until
	}
	if !sentAt.After(l.lesson) {
		// It belongs to the burst that was refused before.
		if l.limit > 1 {
			l.limit--
		}
		return
	}
	l.lesson = now
	count := 0
	for _, t := range l.accepted {
		if !t.Before(l.cycle) {
			count++
		}
	}
	l.limit, l.window = max(count, 20), min(l.until.Sub(l.cycle), 4*time.Second)
	l.cycle = l.until
	l.few = 1
}

// pausedUntil is the end of the last pause, zero where there never was one.
func (l *limiter) pausedUntil() time.Time { return l.until }
