package catalogue

import (
	"cmp"
	"context"
	"time"
)

// What a caller is told who gets no answer: how often and for how long it was tried
// since he came, and what kept the answer from coming.

// gaveUpLocked is the error of a caller who has no time left. err is what kept the
// answer from coming.
func (s *schedule) gaveUpLocked(t *ticket, c *caller, err error) *GaveUpError {
	return &GaveUpError{Attempts: s.attemptsLocked(t, c), Elapsed: time.Since(c.began), Timeout: true, Err: err}
}

// attemptsLocked counts the attempts since a caller came, and those for a token where
// his read waits for one.
func (s *schedule) attemptsLocked(t *ticket, c *caller) int {
	attempts := t.tries.attempts - c.missed.attempts
	if request := s.tokens.request; request != nil && t.sent == nil {
		attempts += request.tries.attempts - max(t.tries.tokens.of(request).attempts, c.missed.tokens.of(request).attempts)
	}
	return attempts
}

// unfitLocked is the error of a caller whose time is over, or ends before a wait that is
// known already: the pause, the back-off of his read, or that of the request for a token.
// It is nil where there is none.
func (s *schedule) unfitLocked(t *ticket, c *caller, now time.Time) error {
	ends := func(wait time.Time) bool { return wait.After(now) && c.deadline.Before(wait) }
	request := s.tokens.request
	switch {
	case !now.Before(c.deadline):
		return s.expireLocked(t, c)
	case ends(s.pause.until) && s.pause.reported:
		return &WaitTooLongError{
			RetryAfter: s.pause.retryAfter, Remaining: c.deadline.Sub(now),
			Attempts: s.attemptsLocked(t, c), Elapsed: now.Sub(c.began), Err: s.pause.refusal,
		}
	case ends(t.notBefore):
		return s.gaveUpLocked(t, c, t.tries.last)
	case request != nil && request.tries.last != nil && ends(request.notBefore):
		return s.gaveUpLocked(t, c, request.tries.last)
	}
	return nil
}

// leavingLocked is the error of a caller whose context has ended with cause.
func (s *schedule) leavingLocked(t *ticket, c *caller, cause error) error {
	if cause == context.DeadlineExceeded { //nolint:errorlint // as context.Context.Err returns it
		return s.expireLocked(t, c)
	}
	now := time.Now()
	left := &InterruptedError{
		Attempts: s.attemptsLocked(t, c), Last: s.lastFailureLocked(t, c), WaitingFor: s.waitsForLocked(t), Err: cause,
	}
	switch {
	case t.sent != nil:
	case t.notBefore.After(now):
		left.Remaining = t.notBefore.Sub(now)
	case s.pause.until.After(now):
		left.Remaining = s.pause.until.Sub(now)
	}
	return left
}

// waitsForLocked is what a read waits for, in words, "" where its request is under way.
func (s *schedule) waitsForLocked(t *ticket) string {
	why := t.why
	switch head := s.waiting.ready.first(); {
	case t.sent != nil:
		return ""
	case t.queue == &s.waiting.ready && s.tokens.request != nil:
		why = cmp.Or(s.tokens.request.why, "a token")
	case t.queue == &s.waiting.ready:
		why = head.why
	}
	return cmp.Or(why, "the requests before it")
}

// lastFailureLocked is the last failure since a caller came: of his read, or of the
// request for a token that it waits for.
func (s *schedule) lastFailureLocked(t *ticket, c *caller) error {
	request := s.tokens.request
	switch {
	case t.tries.last != nil && !t.tries.failedAt.Before(c.began):
		return t.tries.last
	case t.sent == nil && request != nil && request.tries.last != nil && !request.tries.failedAt.Before(c.began):
		return request.tries.last
	}
	return nil
}

// expireLocked returns the error of a caller whose time is over. It has the last failure
// since he came, or else what kept his read.
func (s *schedule) expireLocked(t *ticket, c *caller) error {
	if s.run.rejection != nil && t.sent == nil {
		s.finishLocked(s.run.rejection) // all are told the same, so none waits for the words any longer
		return s.run.end
	}
	err := s.lastFailureLocked(t, c)
	if err == nil {
		err = s.keptByLocked(t, c)
	}
	gaveUp := s.gaveUpLocked(t, c, err)
	gaveUp.WaitingFor = s.waitsForLocked(t)
	return gaveUp
}

// keptByLocked is what kept a caller's read, where no attempt failed.
func (s *schedule) keptByLocked(t *ticket, c *caller) error {
	request := s.tokens.request
	switch {
	case t.sent != nil:
		return unanswered(t.sent)
	case request != nil && request.sent != nil:
		return unanswered(request.sent)
	case s.pause.refusal != nil && s.pause.until.After(c.began):
		return s.pause.refusal
	case s.ceiling.Requests > 0:
		return &CeilingError{Ceiling: s.ceiling}
	}
	return context.DeadlineExceeded
}

// unanswered is the fault of a request that a caller's time did not suffice for.
func unanswered(p *permit) error {
	const problem = "no whole answer before the read's time was over"
	return &NetworkError{Endpoint: p.endpoint, TimedOut: true, Problem: problem, Err: context.DeadlineExceeded}
}
