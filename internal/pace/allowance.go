package pace

import (
	"fmt"
	"time"
)

const (
	// fewToLearn is how many requests have to be let through for the first refusal to tell anything: after a handful
	// it may be a stray one. It is waited out, and the next one tells.
	fewToLearn = 10
	// recent is how long ago what was let through tells a rate.
	recent = 10 * time.Second
	// crowdedOut is after how many refusals in a row, with nothing let through between them, others have taken
	// everything.
	crowdedOut = 5
	// longestTry is the longest gap to the next request while everything is refused. It begins with a second and doubles.
	longestTry = 20 * time.Second
)

// allowance is what refusals taught: a window, or a rate where the service counts by the second or refills a bucket.
type allowance struct {
	window
	rate      cubic         // in charge where its wMax is known
	refused   int           // how many bursts of refusals came in a row, with nothing let through between them
	notBefore time.Time     // nothing is sent earlier, as everything was refused
	doubted   bool          // the last refusal taught nothing
	tokenLife time.Duration // how long a token serves, 0: not known, or for long
}

// refusal is what the first 429 of a burst says.
type refusal struct {
	sent, came, until time.Time // until is the end of the pause
	wait              time.Duration
	short             bool // a second at most, or no usable wait named: it tells nothing about the length of a window
}

func (a *allowance) paced() bool { return a.rate.wMax > 0 }

// free is when one more may be sent. A token is sent no earlier than lets a read follow within half of its life,
// because the token takes time to come.
func (a *allowance) free(now time.Time, token bool) time.Time {
	free := a.window.even(a.tokenLife).free
	if a.paced() {
		free = func(others int) time.Time { return a.rate.free(others, now) }
	}
	at := later(a.notBefore, free(0))
	if token && a.tokenLife > 0 {
		at = later(at, free(1).Add(-a.tokenLife/2))
	}
	return at
}

func (a *allowance) record(r request) {
	a.window.record(r)
	if a.paced() {
		a.rate.record(r.sent)
	}
}

func (a *allowance) accept(now time.Time) {
	a.refused = 0
	if a.Requests > 0 {
		a.window.accept(now)
	}
}

// refuse draws the lesson of the first refusal of a burst.
func (a *allowance) refuse(number int, r refusal, e epoch) {
	if r.sent = a.log.remove(number).sent; r.sent.IsZero() {
		r.sent = r.came // so many are in flight that it was forgotten
	}
	if e.accepted == 0 {
		a.refused++
		a.notBefore = r.sent.Add(min(time.Second<<min(a.refused-1, crowdedOut), longestTry))
	}
	elapsed := r.sent.Sub(e.began)
	if a.doubted = a.doubts(r, elapsed, e); a.doubted {
		return
	}
	if r.short && (a.Requests == 0 || !a.measured && elapsed < a.Per/4) {
		a.slowDown(r, elapsed, e.accepted)
		return
	}
	a.rate.wMax = 0
	a.window.refuse(r, elapsed, e.accepted)
}

// doubts tells whether a refusal teaches nothing: others have taken everything, it is the first and came after a handful
// of requests, or its wait contradicts what has held for long, so that it may be a stray one, the first time.
func (a *allowance) doubts(r refusal, elapsed time.Duration, e epoch) bool {
	first := e.start == 0 && e.accepted < fewToLearn
	contradicts := a.Per > 0 && min(r.wait, elapsed) > 2*a.Per
	return a.refused >= crowdedOut || first || contradicts && !a.doubted
}

// slowDown takes the rate that was let through since the pause, and no more than the rate in use.
func (a *allowance) slowDown(r refusal, elapsed time.Duration, accepted int) {
	if elapsed > recent { // time without requests says nothing
		elapsed, accepted = recent, a.log.since(r.sent.Add(-recent))
	}
	// It is a second's at least, because a bucket has saved up for the pause.
	rate := float64(max(accepted, 1)) / max(elapsed.Seconds(), 1)
	if a.paced() {
		rate = min(a.rate.rate(r.came), 1.2*rate)
	} else {
		// A slow start, and what came before it, has been slower than the service allows.
		rate = max(rate, float64(a.log.since(r.sent.Add(-time.Second))))
	}
	a.rate.refuse(rate, r)
	a.Limit = Limit{Per: time.Second}
}

// refuseMore is another refusal of the same burst.
func (a *allowance) refuseMore(number int) {
	a.log.remove(number)
	if a.Requests > 0 && !a.doubted {
		a.Requests = max(a.Requests-1, a.floor)
	}
}

// String is the allowance as it is known, for the log.
func (a *allowance) String() string {
	switch {
	case a.paced():
		return fmt.Sprintf("about %.2g requests a second", a.rate.wMax)
	case a.Requests == 0:
		return Limit{}.String()
	}
	return fmt.Sprintf("at most %d requests in %s", a.Requests, shortly(a.Per))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
