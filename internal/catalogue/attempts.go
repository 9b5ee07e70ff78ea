package catalogue

import (
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

// backOffLocked puts a ticket into the queue for its next attempt. Callers who share it
// wait as long as the last of them to come would by himself.
func (s *schedule) backOffLocked(t *ticket) {
	failures := t.tries.failures
	for c := range t.callers {
		failures = min(failures, t.tries.failures-c.missed.failures)
	}
	wait := backOff(failures, s.jitter())
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
