package catalogue

import (
	"cmp"
	"context"
	"time"
)

// What a caller is told who gets no answer: how often and for how long it was tried
// since he came, and what kept the answer from coming.

// gaveUpLocked is the error of a caller who has no time left, or no attempt. err is what
// kept the answer from coming.
func (s *schedule) gaveUpLocked(t *ticket, c *caller, err error) *GaveUpError {
	return &GaveUpError{Attempts: s.attemptsLocked(t, c), Elapsed: time.Since(c.began), Timeout: true, Err: err}
}

// afterCeilingLocked is the error of a caller whose turn comes after his time.
func (s *schedule) afterCeilingLocked(t *ticket, c *caller) error {
	return s.gaveUpLocked(t, c, &CeilingError{Ceiling: s.cfg.Ceiling})
}

// underwayLocked is the request that a read waits for at this moment: its own, or the
// one for the token that it needs. It is nil where there is none.
func (s *schedule) underwayLocked(t *ticket) *permit {
	if request := s.tokens.request; request != nil && s.ready.has(t) {
		return request.sent
	}
	return t.sent
}

// attemptsLocked counts the attempts since a caller came, the one under way included.
func (s *schedule) attemptsLocked(t *ticket, c *caller) int {
	if s.underwayLocked(t) != nil {
		return c.attempts + 1
	}
	return c.attempts
}

// unfitLocked is the error of a caller whose time is over, or ends before a wait that is
// known already: the pause, the back-off of his read, or that of the request for a token.
// It is nil where there is none.
func (s *schedule) unfitLocked(t *ticket, c *caller) error {
	now, request := time.Now(), s.tokens.request
	ends := func(wait time.Time) bool { return wait.After(now) && c.deadline.Before(wait) }
	switch {
	case !now.Before(c.deadline):
		return s.expireLocked(t, c)
	case ends(s.pace.PausedUntil()) && s.pause.ticket.sent != s.pause: // its body is read
		return &WaitTooLongError{
			RetryAfter: s.pause.refusal.RetryAfter, Remaining: c.deadline.Sub(now),
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
		return s.expireLocked(t, c)
	}
	left := &InterruptedError{
		Attempts: s.attemptsLocked(t, c), Last: s.lastFailureLocked(t, c), WaitingFor: s.waitsForLocked(t), Err: cause,
	}
	if t.sent == nil {
		if left.Remaining = time.Until(t.notBefore); left.Remaining <= 0 {
			left.Remaining = max(0, time.Until(s.pace.PausedUntil()))
		}
	}
	return left
}

// waitsForLocked is what a read waits for, in words, "" where its request is under way.
func (s *schedule) waitsForLocked(t *ticket) string {
	why := t.why
	switch head, request := s.ready.first(), s.tokens.request; {
	case t.sent != nil:
		return ""
	case t.notBefore.After(time.Now()):
	case request != nil:
		why = cmp.Or(request.why, "a token")
	case head != nil:
		why = head.why
	}
	return cmp.Or(why, "the requests before it")
}

// lastFailureLocked is the last failure since a caller came: of his read, or of the
// request for a token that it waits for.
func (s *schedule) lastFailureLocked(t *ticket, c *caller) error {
	request := s.tokens.request
	switch {
	case t.last != nil && !t.failedAt.Before(c.began):
		return t.last
	case t.sent == nil && request != nil && request.last != nil && !request.failedAt.Before(c.began):
		return request.last
	}
	return nil
}

// expireLocked is the error of a caller whose time is over. It has the last failure
// since he came, or else what kept his read. Where the run is ending, it ends now.
func (s *schedule) expireLocked(t *ticket, c *caller) error {
	if s.run.proof != nil {
		s.run.finish(s.run.proof.rejection()) // all are told the same, so none waits for the words any longer
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
	paused := s.pause != nil && s.pace.PausedUntil().After(c.began)
	switch sent := s.underwayLocked(t); {
	case sent != nil && (!paused || sent.refusal == nil):
		const problem = "no whole answer before the read's time was over"
		return &NetworkError{Endpoint: sent.ticket.endpoint, TimedOut: true, Problem: problem, Err: context.DeadlineExceeded}
	case paused:
		return s.pause.refusal
	case s.cfg.Ceiling.Requests > 0:
		return &CeilingError{Ceiling: s.cfg.Ceiling}
	}
	return context.DeadlineExceeded
}
