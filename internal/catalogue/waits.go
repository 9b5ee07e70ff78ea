package catalogue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// wait is one thing that a flight waits for. What holds a flight back, whether a caller's time suffices, what a caller
// is told and the lines of the log come from the list of waits.
type wait struct {
	words  string    // for errors and the log; empty for the answer to a request under way
	until  time.Time // when it ends, if nothing ends it sooner
	least  time.Time // its earliest end; zero if it may end at any moment
	cause  Cause     // of the error of a caller whose time is over before
	err    error     // the failure behind it, nil if there is none
	unread bool      // the words of that failure are on their way
}

// What a flight waits for, in words.
const (
	forItsTurn = "the requests before it"
	forBackOff = "its back-off"
	forPause   = "the pause that the service asked for"
	forGap     = "a gap, because the service let nothing through after its pause"
	forCeiling = "max_requests"
	forRoom    = "answers to the requests in flight"
	forToken   = "a token"
)

// waitsLocked lists what a flight waits for until its next request is sent, if that many others are sent before it. To
// add a wait, add a line.
func (f *flight) waitsLocked(now time.Time, before int) []wait {
	a := f.in
	t := &a.tokens
	waits := []wait{
		exact(forBackOff, f.notBefore, f.last),
		a.limitedLocked(forPause, a.pace.PausedUntil()),
		a.limitedLocked(forGap, a.pace.GapUntil()),
		ceiling(a.pace.CeilingAfter(before, now), a.pace.InFlight(now)),
		atMost(forRoom, a.pace.RoomAt(now), nil),
		exact(forToken, t.notBefore, t.last),
	}
	if t.sent != nil {
		waits = append(waits, atMost(forToken, openEnd, t.last))
	}
	return waits
}

// exact returns a wait that ends at a time that is known.
func exact(words string, until time.Time, err error) wait {
	return wait{words: words, until: until, least: until, cause: WaitTooLong, err: err}
}

// limitedLocked returns a wait that a 429 asked for.
func (a *admission) limitedLocked(words string, until time.Time) wait {
	w := exact(words, until, a.pausedBy.failure)
	w.unread = a.pausedBy.unread
	return w
}

// atMost returns a wait that an answer may end at any moment.
func atMost(words string, until time.Time, err error) wait {
	return wait{words: words, until: until, cause: TimeOver, err: err}
}

// ceiling returns the wait for max_requests. The answer to a request in flight may shorten it by pace.Slow.
func ceiling(until time.Time, inFlight int) wait {
	least := until
	if inFlight > 0 {
		least = until.Add(-pace.Slow)
	}
	return wait{words: forCeiling, until: until, least: least, cause: CeilingTooLow}
}

// openEnd is the end of a wait that only an event ends. It is after every other.
var openEnd = time.Unix(1<<40, 0)

// left returns how long a wait has to go, 0 if only an event ends it.
func (w wait) left() time.Duration {
	if w.until.Equal(openEnd) {
		return 0
	}
	return max(0, time.Until(w.until))
}

// holdLocked returns what a flight waits for: of its waits the one that ends last. If there is none, it returns the
// wait for its turn, which ends now.
func (f *flight) holdLocked(now time.Time) wait {
	if f.sent != nil {
		return atMost("", openEnd, f.last)
	}
	hold := atMost(forItsTurn, now, nil)
	for _, w := range f.waitsLocked(now, 0) {
		if w.until.After(hold.until) {
			hold = w
		}
	}
	return hold
}

// lateErrLocked returns an error if a caller's time is over before one of its waits is.
func (f *flight) lateErrLocked(c *caller) error {
	if f.sent != nil {
		return nil
	}
	now := time.Now()
	for _, w := range f.waitsLocked(now, f.aheadLocked(now)) {
		if w.unread || !w.least.After(now) {
			continue
		}
		if c.deadline.Before(w.least) {
			return f.gaveUpErrLocked(c, w)
		}
		if f.in.run.usedUp.holds(f) && classify(w.err) == limited {
			w.cause = AllowanceUsedUp
			return f.gaveUpErrLocked(c, w)
		}
	}
	return nil
}

// aheadLocked returns how many requests are sent before the flight's: those of the flights before it, and one for a
// token if none is valid.
func (f *flight) aheadLocked(now time.Time) int {
	ahead, _ := f.in.queue.find(f)
	t := &f.in.tokens
	if !t.valid(now) && t.sent == nil {
		ahead++
	}
	return ahead
}

// leftErrLocked returns the error of a caller whose context has ended with cause.
func (f *flight) leftErrLocked(c *caller, cause error) error {
	now := time.Now()
	hold := f.holdLocked(now)
	switch {
	case cause != context.DeadlineExceeded: //nolint:errorlint // as context.Context.Err returns it
		return &InterruptedError{
			Attempts:   f.attemptsLocked(hold.err),
			Last:       hold.err,
			WaitingFor: hold.words,
			Remaining:  hold.left(),
			Err:        cause,
		}
	case hold.unread: // its words did not come in time
	case hold.cause == CeilingTooLow:
		hold.until = f.in.pace.CeilingAfter(f.aheadLocked(now), now)
	default:
		hold.err = f.blockerLocked(c, hold)
		hold.cause = TimeOver
		hold.until = now
	}
	return f.gaveUpErrLocked(c, hold)
}

// blockerLocked returns what kept the answer from a caller until its time was over, nil if nothing failed.
func (f *flight) blockerLocked(c *caller, hold wait) error {
	a := f.in
	switch {
	case f.sent != nil:
		return cmp.Or(f.sent.failure, tooSlow(f.to)) // a 429 is known from its header, whatever becomes of its body
	case hold.until.Equal(openEnd):
		return cmp.Or(a.tokens.sent.failure, tooSlow(a.tokens.to))
	case hold.err != nil:
		return hold.err
	case a.pace.PausedUntil().After(c.began):
		return a.pausedBy.failure
	}
	return f.last
}

// gaveUpErrLocked returns the error of a caller that gives up because of a wait. If that is a 429's, it may begin an
// outage of the allowance.
func (f *flight) gaveUpErrLocked(c *caller, w wait) *GaveUpError {
	if classify(w.err) == limited && f.in.run.usedUp.begin(f) {
		const text = "The allowance is used up: reads that begin now fail at once while a pause lasts, and make one " +
			"attempt otherwise"
		f.in.noteLocked(f.ctx, text)
	}
	return &GaveUpError{
		Cause:      w.cause,
		Attempts:   f.attemptsLocked(w.err),
		Elapsed:    time.Since(c.began),
		Remaining:  max(0, time.Until(c.deadline)),
		Wait:       w.left(),
		WaitingFor: w.words,
		Err:        w.err,
	}
}

// attemptsLocked returns how many attempts were made: for a token if err is the token endpoint's, and else for the
// question.
func (f *flight) attemptsLocked(err error) int {
	failure, ok := errors.AsType[aboutEndpoint](err)
	if ok && failure.OfToken() {
		return cmp.Or(f.in.tokens.attempts, f.attempts)
	}
	return f.attempts
}

// hasTimeLocked reports whether a caller of the flight waits until then.
func (f *flight) hasTimeLocked(until time.Time) bool {
	for c := range f.callers {
		if !c.deadline.Before(until) {
			return true
		}
	}
	return false
}

// longWait is the shortest wait that has a line in the log, whatever it is for.
const longWait = 10 * time.Second

// noteWaitLocked logs what the flight at the head of the queue waits for, and with it every other: each pause and gap,
// and any wait that is long. The log reports each idle stretch once, and no wait that no caller has time for.
func (a *admission) noteWaitLocked(f *flight, hold wait) {
	if hold.until.Equal(openEnd) || !f.hasTimeLocked(hold.until) {
		return
	}
	told := max(0, time.Until(a.noted))
	isPause := hold.until.Equal(a.pace.PausedUntil()) || hold.until.Equal(a.pace.GapUntil())
	if hold.left()-told <= longWait && (told > 0 || !isPause) {
		return
	}
	a.noted = hold.until
	more := ""
	switch {
	case isPause:
		more = fmt.Sprintf(" (status 429); after it at most %d in flight at first", a.pace.Window())
	case hold.cause == CeilingTooLow:
		more = fmt.Sprintf(" (%s)", a.pace.Ceiling)
	}
	a.noteLocked(f.ctx, "Waiting %s for %s%s", round(hold.left()), hold.words, more)
}
