package catalogue

import (
	"cmp"
	"slices"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// asks adds a caller, which joins the flight of the same question or begins one. A caller that has left already, for a
// reason that is not nil, is only told how the run ended, or that reason.
func (s *scheduler) asks(now time.Time, asked *question, c *caller, gone error) {
	got, kept := s.answers.kept[asked.to]
	switch gone = cmp.Or(s.run.over, gone); {
	case gone != nil:
		s.tell(c, ended{err: gone})
		return
	case kept:
		s.tell(c, got)
		return
	}
	f := s.answers.shared[asked.to]
	if f == nil {
		f = &flight{order: s.arrived + 1, asked: asked, came: now}
	}
	if err := s.lateErr(now, f, c); err != nil {
		s.tell(c, ended{err: err})
		return
	}
	c.of = f
	f.callers = append(f.callers, c)
	if f.order > s.arrived {
		s.arrived = f.order
		s.queue = append(s.queue, f)
		s.answers.share(f)
	}
}

// leaves removes a caller whose time is over, or whose context has ended, with cause.
func (s *scheduler) leaves(now time.Time, c *caller, cause error) {
	if f := c.of; f != nil {
		s.drop(f, c, s.leftErr(now, f, c, cause))
	}
}

// header takes the status of an answer before its body is read: after that nothing is sent in the pause that it asks
// for, or with the token that it rejects. The status is 0 if the request ended without a header. failure is the error
// of a 429 as far as it is known.
func (s *scheduler) header(now time.Time, sent *attempt, status int, failure error) {
	ofToken := sent.to().OfToken()
	result := outcomeOf(status, ofToken, "")
	switch {
	case status == 0:
		s.pace.Ended(sent.number, now)
		return
	case result == limited:
		s.beginPause(now, sent, failure)
		return
	}
	s.pace.Answered(sent.number, now)
	if ofToken {
		return
	}
	if s.run.usedUp.end(s.arrived) {
		s.note(sent.by, "The service lets reads through again: they wait for its pauses")
	}
	switch result {
	case unauthorized:
		if !sent.token.rejected {
			s.note(sent.by, "%s answered 401; the token is discarded", sent.to())
		}
		if s.tokens.reject(sent.token, now) {
			s.run.proof = sent.token
			s.await(sent, now.Add(maxPatience))
		}
	case final:
		s.tokens.lastServed = now
	}
}

// maxPatience is how long, at most, all reads wait for the body of an answer that concerns them all.
const maxPatience = pace.Slow

// await makes all reads wait for the body of an answer.
func (s *scheduler) await(sent *attempt, patience time.Time) {
	sent.patience = patience
	s.awaited = append(s.awaited, sent)
}

// beginPause begins or prolongs the pause that a 429 asks for.
func (s *scheduler) beginPause(now time.Time, sent *attempt, failure error) {
	pause := backOff(sent.seen.Attempt, s.retries.jitter())
	if api, _ := apiError(failure); api.RetryAfter > 0 {
		pause = api.RetryAfter
	}
	sent.failure = failure
	s.await(sent, now.Add(min(pause, maxPatience)))
	if now.Add(pause).After(s.pace.PausedUntil()) {
		s.pausedBy = sent
	}
	s.pace.Limited(sent.number, now, pause)
}

// ends takes the outcome of a request.
func (s *scheduler) ends(now time.Time, sent *attempt, got ended) {
	f := sent.of
	result := classify(got.err)
	f.sent, f.came = nil, now
	s.awaited = slices.DeleteFunc(s.awaited, func(other *attempt) bool { return other == sent })
	if result == limited {
		sent.failure = got.err
	}
	if result == unauthorized && sent.token == s.run.proof {
		s.endRun(&RejectedError{Given: s.tokens.given(), Issued: !s.tokens.given(), Err: got.err})
	}
	switch {
	case f.over: // all its callers have left
	case f == s.renewal:
		s.tokenCame(now, sent, result, got.err)
	default:
		s.judge(now, f, result, got)
	}
}

// next decides what follows from an event. It returns the actions, and when to decide again if nothing happens before.
// A zero time means never.
func (s *scheduler) next(now time.Time) (wanted []action, wake time.Time) {
	s.failLate(now)
	for s.sendsOne(now) {
		s.failLate(now)
	}
	s.endSlow(now)
	wake = s.wakesAt(now)
	wanted, s.wanted = s.wanted, nil
	return wanted, wake
}

// sendsOne sends the next request, if it may be sent now: the first in the queue that waits for its turn holds it, and
// a request for a token goes before it unless a token is valid.
func (s *scheduler) sendsOne(now time.Time) bool {
	f := s.head(now)
	if f == nil || s.run.proof != nil {
		return false
	}
	switch hold := s.hold(now, f); {
	case !f.mayWait(now.Add(1)): // their time is over at this very moment
		s.fail(f, func(c *caller) error { return s.leftErr(now, f, c, nil) })
	case hold.until.After(now):
		s.noteWait(now, f, hold)
		return false
	case s.tokens.valid(now):
		s.tokens.current.unused = 0
		s.send(now, f, f, s.tokens.current)
	default: // for this flight and all behind it
		got, why := s.tokens.next(now)
		s.note(f.asked, "Requesting a token: %s", why)
		s.send(now, s.renewal, f, got)
	}
	return true
}

// endSlow ends the requests for whose bodies all reads have waited long enough.
func (s *scheduler) endSlow(now time.Time) {
	for _, sent := range s.awaited {
		if !sent.patience.After(now) {
			s.stop(sent)
		}
	}
}

// wakesAt returns the earliest moment at which the passing of time changes something, or the zero time: a back-off is
// over, or the wait of the flight that holds the turn, or the patience for the body of an answer.
func (s *scheduler) wakesAt(now time.Time) (wake time.Time) {
	for _, sent := range s.awaited {
		wake = sooner(now, wake, sent.patience)
	}
	turn := s.head(now)
	for _, f := range s.queue {
		switch {
		case f.sent != nil:
		case f.notBefore.After(now):
			f.waitedFor = forBackOff
			wake = sooner(now, wake, f.notBefore)
		case f == turn && s.run.proof == nil:
			hold := s.hold(now, f)
			f.waitedFor = hold.words
			wake = sooner(now, wake, hold.until)
		default:
			f.waitedFor = forItsTurn
		}
	}
	return wake
}

// sooner returns the earlier of wake and moment, if moment is still to come and wake is not zero.
func sooner(now, wake, moment time.Time) time.Time {
	if moment.After(now) && moment.Before(openEnd) && (wake.IsZero() || moment.Before(wake)) {
		return moment
	}
	return wake
}
