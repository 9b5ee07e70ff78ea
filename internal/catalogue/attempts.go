package catalogue

import (
	"cmp"
	"context"
	"time"
)

// maxRenewals is how many 401s of one read are followed by another attempt with a
// new token.
const maxRenewals = 2

// caller is one who waits for an answer. What happened to his read before he came
// does not count against him.
type caller struct {
	began, deadline time.Time
	oneAttempt      bool // he came in an outage
	successes       int  // outage.successes when he came
	missed          missed
	result          chan error
}

// missed is what happened to a read before a caller joined it.
type missed struct {
	attempts, failures, refusals int
	tokens                       missedTokens
}

// missedTokens are the attempts of a request for a token before a read was ready for it,
// or before a caller came.
type missedTokens struct {
	request            *ticket
	attempts, failures int
}

// of are those of a request: none where it was another one.
func (m missedTokens) of(request *ticket) missedTokens {
	if m.request != request {
		return missedTokens{}
	}
	return m
}

// missedTokensLocked is what one who comes at that instant has missed. The one under way
// counts for him, and the last failure for those who come at once after it, as the blocks
// do that an engine starts together.
func (s *schedule) missedTokensLocked(comes time.Time) missedTokens {
	request := s.tokens.request
	if request == nil {
		return missedTokens{}
	}
	missed := missedTokens{request: request, attempts: request.tries.attempts, failures: request.tries.failures}
	switch {
	case request.sent != nil:
		missed.attempts--
	case missed.failures > 0 && comes.Sub(request.tries.failedAt) < atOnce:
		missed.failures--
		if !comes.After(request.tries.failedAt) {
			missed.attempts--
		}
	}
	return missed
}

// newCaller takes the deadline of ctx, which has one.
func newCaller(ctx context.Context) *caller {
	deadline, _ := ctx.Deadline()
	return &caller{began: time.Now(), deadline: deadline, result: make(chan error, 1)}
}

// tries are the attempts of a ticket and what came of them.
type tries struct {
	attempts, failures int
	unnamed            int       // 429s that named no wait
	last               error     // the last failure that was worth another attempt
	failedAt           time.Time // when that was
	reconnected        bool      // it was sent once more because its connection had been closed
	refusals           refusals
	tokens             missedTokens
}

// failed counts a failure that may pass.
func (t *tries) failed(err error) {
	t.failures++
	t.last, t.failedAt = err, time.Now()
}

// outage tells whether the service is down: a read gave up after all its retries,
// and nothing has come back well since it began.
type outage struct {
	on        bool
	successes int // reads that ended with a good answer, or with an error that stays
}

// failedLocked acts on a failure of a read that may pass. Callers without another
// attempt fail, and the back-off begins for the others.
func (s *schedule) failedLocked(t *ticket, err error) {
	t.tries.failed(err)
	s.dismissLocked(t, func(c *caller) error {
		if t.tries.failures-c.missed.failures > s.retriesLocked(c) {
			return s.giveUpLocked(t, c, err)
		}
		return nil
	})
	if t.ctx.Err() == nil {
		s.backOffLocked(t)
	}
}

// retriesLocked is how many failures of a caller's read are followed by another attempt.
func (s *schedule) retriesLocked(c *caller) int {
	if c.oneAttempt && s.outage.on {
		return 0
	}
	return s.maxRetries
}

// backOffLocked puts a ticket into the queue for its next attempt.
func (s *schedule) backOffLocked(t *ticket) {
	wait := backOff(t.tries.failures, s.jitter())
	t.notBefore, t.why = time.Now().Add(wait), "its back-off"
	request, came := inNote(t.tries.last)
	s.sayLocked(t, "%s is tried again in %s: %s", request, round(wait), came)
	s.enqueueLocked(t)
}

// giveUpLocked is the error of a caller who has no attempt left. An outage begins where
// no read has ended well since he came: from then on each new read makes one attempt,
// until one of them ends well.
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
		return s.timeIsOverLocked(t, c)
	case ends(s.pause.until) && s.pause.told:
		return &WaitTooLongError{
			Asked: s.pause.requested, Remaining: c.deadline.Sub(now),
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
		return s.timeIsOverLocked(t, c)
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

// timeIsOverLocked is the error of a caller whose time is over. It has the last failure
// since he came, or else what kept his read.
func (s *schedule) timeIsOverLocked(t *ticket, c *caller) error {
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
