package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// wait is one thing that a flight waits for. The list of waits decides what holds a flight back, whether a caller's
// time suffices, what a caller is told and what is logged.
type wait struct {
	words  string    // for errors and the log; empty for the answer to a request under way
	until  time.Time // when it ends, if nothing ends it sooner
	least  time.Time // its earliest end; zero if it may end at any moment
	cause  Cause     // of the error of a caller whose time is over before
	err    error     // the failure behind it, or nil
	unread bool      // the body of that failure has not come yet
}

// The waits of a flight, in words.
const (
	forItsTurn = "the requests before it"
	forBackOff = "its back-off"
	forPause   = "the pause that the service asked for"
	forGap     = "a gap, because the service let nothing through after its pause"
	forCeiling = "max_requests"
	forRoom    = "answers to the requests in flight"
	forToken   = "a token"
)

// waits lists the waits of a flight until its next request, if that many others are sent before it. To add a wait, add
// a line.
func (s *scheduler) waits(now time.Time, f *flight, before int) [7]wait {
	underWay := now
	if s.renewal.sent != nil {
		underWay = openEnd
	}
	return [...]wait{
		exact(forBackOff, f.notBefore, f.last),
		s.limited(forPause, s.pace.PausedUntil()),
		s.limited(forGap, s.pace.GapUntil()),
		ceiling(s.pace.CeilingAfter(before, now), s.pace.InFlight(now)),
		atMost(forRoom, s.pace.RoomAt(now), nil),
		exact(forToken, s.renewal.notBefore, s.renewal.last),
		atMost(forToken, underWay, s.renewal.last),
	}
}

// exact returns a wait that ends at a time that is known.
func exact(words string, until time.Time, err error) wait {
	return wait{words: words, until: until, least: until, cause: WaitTooLong, err: err}
}

// limited returns a wait that a 429 asked for.
func (s *scheduler) limited(words string, until time.Time) wait {
	w := exact(words, until, s.pausedBy.failure)
	w.unread = slices.Contains(s.awaited, s.pausedBy)
	return w
}

// atMost returns a wait that an answer may end at any moment.
func atMost(words string, until time.Time, err error) wait {
	return wait{words: words, until: until, err: err}
}

// ceiling returns the wait for max_requests. The answer to a request in flight may shorten it by pace.Slow.
func ceiling(until time.Time, inFlight int) wait {
	least := until
	if inFlight > 0 {
		least = until.Add(-pace.Slow)
	}
	return wait{words: forCeiling, until: until, least: least, cause: CeilingTooLow}
}

// openEnd is the end of a wait that only an event ends. It is after all others.
var openEnd = time.Unix(1<<40, 0)

// left returns how long a wait has to go, 0 if only an event ends it.
func (w wait) left(now time.Time) time.Duration {
	if w.until.Equal(openEnd) {
		return 0
	}
	return max(0, w.until.Sub(now))
}

// hold returns the wait of a flight that ends last. A flight that waits for nothing else waits for its turn, which ends
// now.
func (s *scheduler) hold(now time.Time, f *flight) wait {
	if f.sent != nil {
		return atMost("", openEnd, f.last)
	}
	hold := atMost(forItsTurn, now, nil)
	for _, w := range s.waits(now, f, 0) {
		if w.until.After(hold.until) {
			hold = w
		}
	}
	return hold
}

// failLate fails the reads, anywhere in the queue, whose time ends before one of their waits does. Most have time for
// the longest of the waits that all share, and a read whose back-off does not fit fails when that begins. A read in its
// back-off waits for a token only as long as another read does: when the last of those leaves, the request for the
// token ends.
func (s *scheduler) failLate(now time.Time) {
	var longest time.Time
	for _, w := range s.waits(now, &flight{}, len(s.queue)+1) {
		longest = latest(longest, w.least)
	}
	for _, ready := range []bool{true, false} {
		for _, f := range slices.Backward(s.queue) { // one that ends leaves the queue
			mayBeLate := longest.After(now) && (!f.hasUntil(longest) || s.run.usedUp.holds(f.order))
			if mayBeLate && f.isReady(now) == ready {
				s.fail(f, func(c *caller) error { return s.lateErr(now, f, c) })
			}
		}
		if s.head(now) == nil {
			s.dropToken()
		}
	}
}

// latest returns the later of two moments.
func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// lateErr returns an error if a caller's time ends before one of its waits does.
func (s *scheduler) lateErr(now time.Time, f *flight, c *caller) error {
	if f.sent != nil {
		return nil
	}
	for _, w := range s.waits(now, f, s.ahead(now, f)) {
		if w.unread || !w.least.After(now) {
			continue
		}
		if c.deadline.Before(w.least) {
			return s.gaveUpErr(now, f, c, w)
		}
		if s.run.usedUp.holds(f.order) && classify(w.err) == limited {
			w.cause = AllowanceUsedUp
			return s.gaveUpErr(now, f, c, w)
		}
	}
	return nil
}

// leftErr returns the error of a caller whose time is over, or whose context was cancelled with cause before.
func (s *scheduler) leftErr(now time.Time, f *flight, c *caller, cause error) error {
	hold := s.hold(now, f)
	switch {
	case now.Before(c.deadline):
		return &InterruptedError{
			Attempts:   s.attemptsOf(f, hold.err),
			Last:       hold.err,
			WaitingFor: hold.words,
			Remaining:  hold.left(now),
			Err:        cause,
		}
	case hold.unread: // its body did not come in time
	case hold.cause == CeilingTooLow:
		hold.until = s.pace.CeilingAfter(s.ahead(now, f), now)
	default:
		hold.err = s.blocker(f, c, hold)
		hold.cause = TimeOver
		hold.until = now
	}
	return s.gaveUpErr(now, f, c, hold)
}

// blocker returns the failure that kept the answer from a caller until its time was over, nil if nothing failed. A 429
// is known from its header, even if its body never comes.
func (s *scheduler) blocker(f *flight, c *caller, hold wait) error {
	switch t := s.renewal; {
	case f.sent != nil:
		return cmp.Or(f.sent.failure, tooSlow(f.asked.to, f.sent.stage))
	case hold.until.Equal(openEnd):
		return cmp.Or(t.sent.failure, tooSlow(t.asked.to, t.sent.stage))
	case s.pace.PausedUntil().After(c.began):
		return s.pausedBy.failure
	}
	return f.last
}

// gaveUpErr returns the error of a caller that gives up because of a wait. If that is a 429's, it may begin an outage
// of the allowance.
func (s *scheduler) gaveUpErr(now time.Time, f *flight, c *caller, w wait) *GaveUpError {
	if classify(w.err) == limited && s.run.usedUp.begin(f.order, s.arrived) {
		s.note(f.asked, "The allowance is used up: reads that begin now fail at once while a pause lasts, and make "+
			"one attempt otherwise")
	}
	return &GaveUpError{
		Cause:      w.cause,
		Attempts:   s.attemptsOf(f, w.err),
		Elapsed:    now.Sub(c.began),
		Remaining:  max(0, c.deadline.Sub(now)),
		Wait:       w.left(now),
		WaitingFor: w.words,
		Err:        w.err,
	}
}

// attemptsOf returns how many attempts were made: for a token if err is the token endpoint's, and else for the
// question.
func (s *scheduler) attemptsOf(f *flight, err error) int {
	failure, ok := errors.AsType[aboutEndpoint](err)
	if ok && failure.OfToken() {
		return cmp.Or(s.renewal.attempts, f.attempts)
	}
	return f.attempts
}

// longWait is the shortest wait that is always logged.
const longWait = 10 * time.Second

// noteWait logs the wait of the flight at the head of the queue, which holds back all others: each pause and gap, and
// any long wait. Each idle stretch is logged once. Waits that outlast every caller are not logged.
func (s *scheduler) noteWait(now time.Time, f *flight, hold wait) {
	if hold.until.Equal(openEnd) || !f.mayWait(hold.until) {
		return
	}
	told := max(0, s.noted.Sub(now))
	isPause := hold.until.Equal(s.pace.PausedUntil()) || hold.until.Equal(s.pace.GapUntil())
	if hold.left(now)-told <= longWait && (told > 0 || !isPause) {
		return
	}
	s.noted = hold.until
	more := ""
	switch {
	case isPause:
		more = fmt.Sprintf(" (status 429); after it at most %d in flight at first", s.pace.Window())
	case hold.cause == CeilingTooLow:
		more = fmt.Sprintf(" (%s)", s.pace.Ceiling)
	}
	s.note(f.asked, "Waiting %s for %s%s", rounded(hold.left(now)), hold.words, more)
}

// rounded rounds a time for people: a long one to seconds.
func rounded(d time.Duration) time.Duration {
	if d >= longWait {
		return d.Round(time.Second)
	}
	return d.Round(time.Millisecond)
}
