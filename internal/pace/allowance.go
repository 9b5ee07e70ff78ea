package pace

import (
	"fmt"
	"time"
)

const (
	// fewToLearn is how many requests have to be let through for the first refusal to tell anything: after a handful
	// it may be a stray one. It is waited out, and the next one tells.
	fewToLearn = 10
	// leastTokenLife keeps a token that was revoked early from counting as a life.
	leastTokenLife = 4 * time.Second
)

// allowance is what refusals taught: a window where Retry-After tells its length, and a rate where it is a second,
// because the service counts by the second or refills a bucket.
type allowance struct {
	window    window
	rate      cubic
	paced     bool          // the rate is in charge
	resumed   time.Time     // when the first request after the last pause was sent
	accepted  int           // since then
	bursts    int           // of refusals so far
	doubted   bool          // the last one taught nothing, because it contradicts what had held for long
	tokenLife time.Duration // how long a token serves, 0: not known, or for long
}

// free is when one more may be sent. A token is sent no earlier than lets a read follow within half of its life,
// because the token takes time to come.
func (a *allowance) free(now time.Time, token bool) time.Time {
	free := func(others int) time.Time {
		if a.paced {
			return a.rate.free(others, now)
		}
		return a.window.free(others, a.tokenLife)
	}
	at := free(0)
	if token && a.tokenLife > 0 {
		at = later(at, free(1).Add(-a.tokenLife/2))
	}
	return at
}

func (a *allowance) record(r request) {
	if a.resumed.IsZero() {
		a.resumed = r.sent
	}
	a.window.record(r)
	if a.paced {
		a.rate.record(r.sent)
	}
}

func (a *allowance) accept(now time.Time) {
	a.accepted++
	if !a.paced && a.window.Requests > 0 {
		a.window.accept(now, a.accepted)
	}
}

// refuse draws the lesson of the first refusal of a burst.
func (a *allowance) refuse(number int, r refusal) {
	if r.sent = a.window.log.remove(number).sent; r.sent.IsZero() {
		r.sent = r.came // so many are in flight that it was forgotten
	}
	elapsed := r.sent.Sub(a.resumed)
	known, doubted := a.window.Requests > 0, a.doubted
	a.doubted = false
	switch {
	case a.bursts == 0 && a.accepted < fewToLearn:
	case !doubted && !r.short && a.heldForLong(r.wait):
		a.doubted = true // it may be a stray one
	case a.tellsRate(r, elapsed):
		a.slowDown(r, elapsed)
	case a.paced || !known:
		a.paced = false
		a.window.guess(r, elapsed, a.bursts > 0)
	default:
		a.window.refuse(r, elapsed, a.accepted)
	}
	a.resumed, a.accepted = time.Time{}, 0
	a.bursts++
}

// heldForLong tells whether a wait contradicts an allowance that has held since the last pause, for long: it says
// that there is a longer window.
func (a *allowance) heldForLong(wait time.Duration) bool {
	if a.paced {
		return a.accepted >= fewToLearn
	}
	return wait > 2*a.window.Per && a.window.Requests > 0 && a.accepted >= 2*a.window.Requests
}

// contradicts tells whether a short refusal, so soon after a pause, says that a window that was only guessed is none.
func (a *allowance) contradicts(elapsed time.Duration) bool {
	return !a.window.confirmed && elapsed < a.window.Per/2
}

// tellsRate tells whether a refusal is of an allowance by the second: its wait is a second's, and no window is known
// that it does not contradict.
func (a *allowance) tellsRate(r refusal, elapsed time.Duration) bool {
	return r.short && (a.paced || a.window.Requests == 0 || a.contradicts(elapsed))
}

// slowDown takes the rate that was let through since the pause, and no more than the rate in use. It is a second's
// at least, because a bucket has saved up for the pause.
func (a *allowance) slowDown(r refusal, elapsed time.Duration) {
	rate := float64(max(a.accepted, 1)) / max(elapsed.Seconds(), 1)
	if a.paced {
		rate = min(a.rate.rate(r.came), 1.2*rate)
	} else {
		// A slow start has been slower than the service allows.
		rate = max(rate, float64(a.window.log.since(r.sent.Add(-time.Second))))
	}
	a.paced = true
	a.rate.refuse(rate, r)
}

// refuseMore is another refusal of the same burst.
func (a *allowance) refuseMore(number int) {
	if a.paced || a.doubted {
		a.window.log.remove(number)
		return
	}
	a.window.refuseMore(number)
}

func (a *allowance) setTokenLife(life time.Duration) {
	a.tokenLife = life
	a.rate.least = leastInALife / life.Seconds()
}

// String is the allowance as it is known, for the log.
func (a *allowance) String() string {
	switch {
	case a.paced:
		return fmt.Sprintf("about %.2g requests a second", a.rate.wMax)
	case a.window.Requests == 0:
		return Limit{}.String()
	}
	return fmt.Sprintf("at most %d requests in %s", a.window.Requests, shortly(a.window.Per))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
