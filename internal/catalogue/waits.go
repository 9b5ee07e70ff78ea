package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// wait is one reason for a question to wait. The list of waits decides when its request is sent, whether a caller's
// time suffices, and the words of errors and the log.
type wait struct {
	words  string    // for errors and the log; empty for the answer to a request under way
	until  time.Time // its latest end
	least  time.Time // its earliest end; zero if it may end at any moment
	cause  Cause     // for a caller whose time is over before
	err    error     // the failure behind it, or nil
	unread bool      // the body of that failure has not come yet
}

// The waits of a question, in words.
const (
	forItsTurn = "the requests before it"
	forBackOff = "its back-off"
	forPause   = "the pause that the service asked for"
	forGap     = "a gap, because the service let nothing through after its pause"
	forCeiling = "max_requests"
	forRoom    = "answers to the requests in flight"
	forToken   = "a token"
)

// waits lists the waits of a question for its next request, with that many requests of others before it. To add a wait,
// add a line.
func (s *scheduler) waits(now time.Time, q *question, before int) [7]wait {
	t, underWay := s.tokenRequest, now
	if t.sent != nil {
		underWay = openEnd
	}
	return [...]wait{
		exact(forBackOff, q.notBefore, q.last),
		s.after429(forPause, s.pace.PausedUntil()),
		s.after429(forGap, s.pace.GapUntil()),
		ceiling(s.pace.CeilingAfter(before, now), s.pace.InFlight(now)),
		atMost(forRoom, s.pace.RoomAt(now), nil),
		exact(forToken, t.notBefore, t.last),
		atMost(forToken, underWay, t.last),
	}
}

// exact returns a wait with a fixed end.
func exact(words string, until time.Time, err error) wait {
	return wait{words: words, until: until, least: until, cause: WaitTooLong, err: err}
}

// after429 returns a wait caused by the 429 of the pause in force.
func (s *scheduler) after429(words string, until time.Time) wait {
	w := exact(words, until, s.pausedBy.failure)
	w.unread = slices.Contains(s.awaited, s.pausedBy)
	return w
}

// atMost returns a wait that an answer may end sooner.
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

// openEnd is the end of a wait that lasts until an event ends it. It is after all others.
var openEnd = time.Unix(1<<40, 0)

// left returns the rest of a wait, or 0 if its end is open.
func (w wait) left(now time.Time) time.Duration {
	if w.until.Equal(openEnd) {
		return 0
	}
	return max(0, w.until.Sub(now))
}

// longestWait returns the last wait of a question to end. Without any, the question waits for its turn, which ends now.
func (s *scheduler) longestWait(now time.Time, q *question) wait {
	if q.sent != nil {
		return atMost("", openEnd, q.last)
	}
	longest := atMost(forItsTurn, now, nil)
	for _, w := range s.waits(now, q, 0) {
		if w.until.After(longest.until) {
			longest = w
		}
	}
	return longest
}

// failLate fails the reads, anywhere in the queue, whose time ends before one of their waits does. It looks closer only
// at those whose time ends before their back-off, or before the longest wait shared by all. Reads in a back-off come
// last: once no other read waits for a token, the request for it ends.
func (s *scheduler) failLate(now time.Time) {
	var shared time.Time
	for _, w := range s.waits(now, &question{}, len(s.queue)+1) {
		shared = latest(shared, w.least)
	}
	for _, ready := range []bool{true, false} {
		for _, q := range slices.Backward(s.queue) { // a question leaves the queue when it ends
			longest := latest(shared, q.notBefore)
			mayBeLate := longest.After(now) && (!q.allOutlast(longest) || s.process.usedUp.concerns(q.order))
			if mayBeLate && q.isReady(now) == ready {
				s.fail(q, func(c *caller) error { return s.lateErr(now, q, c) })
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

// lateErr returns an error if a caller's time ends before one of its waits does, or at the same moment. For a read that
// came after the allowance was used up, any wait because of a 429 is too long.
func (s *scheduler) lateErr(now time.Time, q *question, c *caller) error {
	if q.sent != nil {
		return nil
	}
	for _, w := range s.waits(now, q, s.ahead(now, q)) {
		switch {
		case w.unread, !w.least.After(now):
		case !c.outlasts(w.least):
			return s.gaveUpErr(now, q, c, w)
		case s.process.usedUp.concerns(q.order) && classify(w.err) == limited:
			w.cause = AllowanceUsedUp
			return s.gaveUpErr(now, q, c, w)
		}
	}
	return nil
}

// leftErr returns the error of a caller whose time is over, or whose context was cancelled earlier, with cause.
func (s *scheduler) leftErr(now time.Time, q *question, c *caller, cause error) error {
	w := s.longestWait(now, q)
	switch {
	case now.Before(c.deadline):
		return &InterruptedError{
			Attempts:   s.attemptsOf(q, w.err),
			Last:       w.err,
			WaitingFor: w.words,
			Remaining:  w.left(now),
			Err:        cause,
		}
	case w.unread: // the body of its 429 did not come in time
	case w.cause == CeilingTooLow:
		w.until = s.pace.CeilingAfter(s.ahead(now, q), now)
	default:
		w.err = s.blocker(q, c, w)
		w.cause = TimeOver
		w.until = now
	}
	return s.gaveUpErr(now, q, c, w)
}

// blocker returns the failure that delayed a caller until its time was over, or nil. A 429 counts from its header, even
// if its body never comes.
func (s *scheduler) blocker(q *question, c *caller, w wait) error {
	switch t := s.tokenRequest; {
	case q.sent != nil:
		return cmp.Or(q.sent.failure, tooSlow(q.to, q.sent.stage))
	case w.until.Equal(openEnd):
		return cmp.Or(t.sent.failure, tooSlow(t.to, t.sent.stage))
	case s.pace.PausedUntil().After(c.began):
		return s.pausedBy.failure
	}
	return q.last
}

// gaveUpErr returns the error of a caller that gives up because of a wait. If a 429 caused the wait, this may begin an
// outage of the allowance.
func (s *scheduler) gaveUpErr(now time.Time, q *question, c *caller, w wait) *GaveUpError {
	if classify(w.err) == limited && s.process.usedUp.begin(q.order, s.arrived) {
		s.note(q, "The allowance is used up: reads that begin now fail at once while a pause lasts, and make "+
			"one attempt otherwise")
	}
	return &GaveUpError{
		Cause:      w.cause,
		Attempts:   s.attemptsOf(q, w.err),
		Elapsed:    now.Sub(c.began),
		Remaining:  max(0, c.deadline.Sub(now)),
		Wait:       w.left(now),
		WaitingFor: w.words,
		Err:        w.err,
	}
}

// attemptsOf counts the attempts for a token if err came from the token endpoint, or else for the question.
func (s *scheduler) attemptsOf(q *question, err error) int {
	failure, ok := errors.AsType[aboutEndpoint](err)
	if ok && failure.OfToken() {
		return cmp.Or(s.tokenRequest.attempts, q.attempts)
	}
	return q.attempts
}

// longWait is the longest wait without a line in the log. If a wait is logged, a later one is measured from its end. A
// pause or a gap is logged whatever its length, unless a logged wait still lasts.
const longWait = 10 * time.Second

// noteWait logs the wait of the question at the head of the queue, which all others share, unless it outlasts every
// caller.
func (s *scheduler) noteWait(now time.Time, q *question, w wait) {
	if w.until.Equal(openEnd) || !q.anyOutlasts(w.until) {
		return
	}
	logged := max(0, s.noted.Sub(now))
	isPause := w.until.Equal(s.pace.PausedUntil()) || w.until.Equal(s.pace.GapUntil())
	if w.left(now)-logged <= longWait && (logged > 0 || !isPause) {
		return
	}
	s.noted = w.until
	more := ""
	switch {
	case isPause:
		more = fmt.Sprintf(" (status 429); after it at most %d in flight at first", s.pace.Window())
	case w.cause == CeilingTooLow:
		more = fmt.Sprintf(" (%s)", s.pace.Ceiling)
	}
	s.note(q, "Waiting %s for %s%s", rounded(w.left(now)), w.words, more)
}

// rounded rounds a time for people, a long one to seconds.
func rounded(d time.Duration) time.Duration {
	if d >= longWait {
		return d.Round(time.Second)
	}
	return d.Round(time.Millisecond)
}
