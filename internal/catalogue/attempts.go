package catalogue

import (
	"context"
	"errors"
	"time"
)

// How many attempts a caller has, and the errors of those who have no attempt or
// no time left.

// maxRenewals is how many 401s of one read are followed by another attempt with a
// new token.
const maxRenewals = 2

// outage tells whether the service is down: a read gave up after all its retries,
// and nothing has come back well since it began.
type outage struct {
	on        bool
	successes int // reads that ended with a good answer, or with an error that stays
}

// failedLocked counts a failure of a read that may pass. Callers without another
// attempt fail, and the back-off begins for the others.
func (s *schedule) failedLocked(t *ticket, err error) {
	t.last, t.failedAt = err, time.Now()
	t.count.failures++
	t.failEach(func(c *caller) error {
		if t.count.failures-c.since.failures <= s.budget(c) {
			return nil
		}
		return s.giveUpLocked(t, c, err)
	})
	if len(t.callers) > 0 {
		s.backOffLocked(t)
	}
}

// budget is how many failures of a caller's read are followed by another attempt.
func (s *schedule) budget(c *caller) int {
	if c.oneAttempt && s.outage.on {
		return 0
	}
	return s.maxRetries
}

// backOffLocked starts the wait before the next attempt.
func (s *schedule) backOffLocked(t *ticket) {
	wait := backOff(t.count.failures, s.jitter())
	t.notBefore, t.why = time.Now().Add(wait), "its back-off"
	s.sayLocked(t, "Tried again in %s: %s", round(wait), t.last)
}

// giveUpLocked is the error of a caller who has no attempt left. An outage begins
// where no read has ended well since he came: from then on each new read makes one
// attempt, until one of them ends well.
func (s *schedule) giveUpLocked(t *ticket, c *caller, err error) error {
	if s.outage.successes == c.successes && !s.outage.on {
		s.outage.on = true
		s.sayLocked(t, "The service is down: reads that begin now make one attempt each")
	}
	gaveUp := s.gaveUpLocked(t, c, err)
	gaveUp.Timeout, gaveUp.Outage = false, c.oneAttempt && s.outage.on
	return gaveUp
}

// succeededLocked counts a read that the service answered, which ends an outage.
func (s *schedule) succeededLocked(t *ticket) {
	s.outage.successes++
	if s.outage.on {
		s.outage.on = false
		s.sayLocked(t, "The service answers again: reads have all their attempts")
	}
}

// gaveUpLocked is the error of a caller who has no time left. err is what kept the
// answer from coming.
func (s *schedule) gaveUpLocked(t *ticket, c *caller, err error) *GaveUpError {
	return &GaveUpError{Attempts: s.attemptsLocked(t, c), Elapsed: time.Since(c.began), Timeout: true, Err: err}
}

// attemptsLocked counts the attempts since a caller came, and those for a token
// where his read waits for one.
func (s *schedule) attemptsLocked(t *ticket, c *caller) int {
	attempts := t.count.attempts - c.since.attempts
	if request := s.tokens.request; request != nil && t.sent == nil {
		attempts += s.tokens.attempts - max(c.since.tokenAttempts, t.count.tokenAttempts, request.count.tokenAttempts)
	}
	return attempts
}

// unfitLocked is the error of a caller whose time is over, or ends before a wait
// that is known already: the pause, the back-off of his read, or that of the
// request for a token. It is nil where there is none.
func (s *schedule) unfitLocked(t *ticket, c *caller, now time.Time) error {
	ends := func(wait time.Time) bool { return wait.After(now) && c.deadline.Before(wait) }
	request := s.tokens.request
	switch {
	case !now.Before(c.deadline):
		return s.timeIsOverLocked(t, c)
	case ends(s.pause.until) && s.pause.told:
		return &WaitTooLongError{
			Asked: s.pause.requested, Remaining: c.deadline.Sub(now),
			Attempts: s.attemptsLocked(t, c), Elapsed: now.Sub(c.began), Err: s.pause.refusal,
		}
	case ends(t.notBefore):
		return s.gaveUpLocked(t, c, t.last)
	case request != nil && request.last != nil && ends(request.notBefore):
		return s.gaveUpLocked(t, c, request.last)
	}
	return nil
}

// leavingLocked is the error of a caller whose context has ended with cause.
func (s *schedule) leavingLocked(t *ticket, c *caller, cause error) error {
	if cause == context.DeadlineExceeded { //nolint:errorlint // as context.Context.Err returns it
		return s.timeIsOverLocked(t, c)
	}
	left := &InterruptedError{Attempts: s.attemptsLocked(t, c), Last: s.lastFailureLocked(t, c), Err: cause}
	now := time.Now()
	switch {
	case t.sent != nil:
	case t.notBefore.After(now):
		left.WaitingFor, left.Remaining = t.why, t.notBefore.Sub(now)
	case s.pause.until.After(now):
		left.WaitingFor, left.Remaining = "the pause that the service asked for", s.pause.until.Sub(now)
	default:
		left.WaitingFor = t.why
	}
	return left
}

// lastFailureLocked is the last failure of a caller's read, or of the request for
// a token that it waits for, since he came.
func (s *schedule) lastFailureLocked(t *ticket, c *caller) error {
	for _, failed := range []*ticket{t, s.tokens.request} {
		if failed != nil && failed.last != nil && !failed.failedAt.Before(c.began) {
			return failed.last
		}
		if t.sent != nil {
			break
		}
	}
	return nil
}

// timeIsOverLocked is the error of a caller whose time is over. It has the last
// failure since he came, or else what kept his read.
func (s *schedule) timeIsOverLocked(t *ticket, c *caller) error {
	if s.run.rejection != nil && t.sent == nil {
		s.finishLocked(s.run.rejection) // all are told the same, so none waits for the words any longer
		return s.run.end
	}
	err := s.lastFailureLocked(t, c)
	request := s.tokens.request
	switch {
	case err != nil:
	case t.sent != nil:
		err = unanswered(t.sent)
	case request != nil && request.sent != nil:
		err = unanswered(request.sent)
	case s.pause.refusal != nil && s.pause.until.After(c.began):
		err = s.pause.refusal
	case s.ceiling.Requests > 0:
		err = &CeilingError{Ceiling: s.ceiling}
	default:
		err = context.DeadlineExceeded
	}
	return s.gaveUpLocked(t, c, err)
}

// unanswered is the fault of a request that a caller's time did not suffice for.
func unanswered(p *permit) error {
	const problem = "no whole answer before the read's time was over"
	return &NetworkError{Endpoint: p.endpoint, TimedOut: true, Problem: problem, Err: context.DeadlineExceeded}
}

// rejection is the error that ends the run, after a 401 proved it. err is how
// that request ended.
func (p *permit) rejection(err error) error {
	if _, ok := errors.AsType[*APIError](err); !ok {
		err = p.refusal()
	}
	return &RejectedError{Given: p.token.given, Issued: !p.token.given, Err: err}
}
