package catalogue

import (
	"context"
	"errors"
	"time"
)

// maxRenewals is how many 401s of one read are followed by another attempt with a
// new token.
const maxRenewals = 2

// budget is the time and the attempts that a caller has, and his read.
type budget struct {
	began, deadline time.Time
	oneAttempt      bool // he came in an outage
	successes       int  // outage.successes when he came
}

// tries are the attempts of a ticket and what came of them.
type tries struct {
	attempts, failures int
	unnamed            int       // 429s that named no wait
	last               error     // the last failure that was worth another attempt
	failedAt           time.Time // when that was
	reconnected        bool      // it was sent once more because its connection had been closed
	refusals           refusals
	missed             int // failures of the request for a token before the read was ready
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

// failedLocked acts on a failure of a read that may pass: its back-off, or its end.
func (s *schedule) failedLocked(t *ticket, err error) {
	t.tries.failed(err)
	if t.tries.failures > s.retriesLocked(t) {
		s.endLocked(t, s.giveUpLocked(t, err))
		return
	}
	s.backOffLocked(t)
}

// retriesLocked is how many failures of a read are followed by another attempt.
func (s *schedule) retriesLocked(t *ticket) int {
	if t.oneAttempt && s.outage.on {
		return 0
	}
	return s.maxRetries
}

// backOffLocked puts a ticket into the queue for its next attempt.
func (s *schedule) backOffLocked(t *ticket) {
	wait := backOff(t.tries.failures, s.jitter())
	t.notBefore, t.why = time.Now().Add(wait), "its back-off"
	s.sayLocked(t, "Tried again in %s: %s", round(wait), t.tries.last)
	s.enqueueLocked(t)
}

// giveUpLocked is the error of a read that has no attempt left. An outage begins
// where no read has ended well since it came: from then on each new read makes one
// attempt, until one of them ends well.
func (s *schedule) giveUpLocked(t *ticket, err error) error {
	if s.outage.successes == t.successes && !s.outage.on {
		s.outage.on = true
		s.sayLocked(t, "The service is down: reads that begin now make one attempt each")
	}
	gaveUp := s.gaveUpLocked(t, t.began, err)
	gaveUp.Timeout, gaveUp.Outage = false, t.oneAttempt && s.outage.on
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
func (s *schedule) gaveUpLocked(t *ticket, began time.Time, err error) *GaveUpError {
	return &GaveUpError{Attempts: s.attemptsLocked(t), Elapsed: time.Since(began), Timeout: true, Err: err}
}

// attemptsLocked counts the attempts of a read, and those for a token where it
// waits for one.
func (s *schedule) attemptsLocked(t *ticket) int {
	attempts := t.tries.attempts
	if request := s.tokens.request; request != nil && t.sent == nil {
		attempts += max(0, request.tries.attempts-t.tries.missed)
	}
	return attempts
}

// unfitLocked is the error of a read whose time is over, or ends before a wait that
// is known already: the pause, its back-off, or that of the request for a token. It
// is nil where there is none.
func (s *schedule) unfitLocked(t *ticket, now time.Time) error {
	ends := func(wait time.Time) bool { return wait.After(now) && t.deadline.Before(wait) }
	request := s.tokens.request
	switch {
	case !now.Before(t.deadline):
		return s.timeIsOverLocked(t, t.began)
	case ends(s.pause.until) && s.pause.told:
		return &WaitTooLongError{
			Asked: s.pause.requested, Remaining: t.deadline.Sub(now),
			Attempts: s.attemptsLocked(t), Elapsed: now.Sub(t.began), Err: s.pause.refusal,
		}
	case ends(t.notBefore):
		return s.gaveUpLocked(t, t.began, t.tries.last)
	case request != nil && request.tries.last != nil && ends(request.notBefore):
		return s.gaveUpLocked(t, t.began, request.tries.last)
	}
	return nil
}

// leavingLocked is the error of a caller whose context has ended with cause.
func (s *schedule) leavingLocked(t *ticket, began time.Time, cause error) error {
	if cause == context.DeadlineExceeded { //nolint:errorlint // as context.Context.Err returns it
		return s.timeIsOverLocked(t, began)
	}
	now := time.Now()
	left := &InterruptedError{
		Attempts: s.attemptsLocked(t), Last: s.lastFailureLocked(t, began), WaitingFor: s.waitsForLocked(t), Err: cause,
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
	switch head := s.waiting.ready.first(); {
	case t.sent != nil:
		return ""
	case t.queue == &s.waiting.ready && head != nil:
		return head.why
	}
	return t.why
}

// lastFailureLocked is the last failure since a caller began: of his read, or of the
// request for a token that it waits for.
func (s *schedule) lastFailureLocked(t *ticket, began time.Time) error {
	request := s.tokens.request
	switch {
	case t.tries.last != nil && !t.tries.failedAt.Before(began):
		return t.tries.last
	case t.sent == nil && request != nil && request.tries.last != nil && !request.tries.failedAt.Before(began):
		return request.tries.last
	}
	return nil
}

// timeIsOverLocked is the error of a caller whose time is over. It has the last
// failure since he began, or else what kept his read.
func (s *schedule) timeIsOverLocked(t *ticket, began time.Time) error {
	if s.run.rejection != nil && t.sent == nil {
		s.finishLocked(s.run.rejection) // all are told the same, so none waits for the words any longer
		return s.run.end
	}
	err := s.lastFailureLocked(t, began)
	request := s.tokens.request
	switch {
	case err != nil:
	case t.sent != nil:
		err = unanswered(t.sent)
	case request != nil && request.sent != nil:
		err = unanswered(request.sent)
	case s.pause.refusal != nil && s.pause.until.After(began):
		err = s.pause.refusal
	case s.ceiling.Requests > 0:
		err = &CeilingError{Ceiling: s.ceiling}
	default:
		err = context.DeadlineExceeded
	}
	gaveUp := s.gaveUpLocked(t, began, err)
	gaveUp.WaitingFor = s.waitsForLocked(t)
	return gaveUp
}

// unanswered is the fault of a request that a caller's time did not suffice for.
func unanswered(p *permit) error {
	const problem = "no whole answer before the read's time was over"
	return &NetworkError{Endpoint: p.endpoint, TimedOut: true, Problem: problem, Err: context.DeadlineExceeded}
}

// joinsLocked adds a caller to a read, and records the attempts that he missed.
func (s *schedule) joinsLocked(a *arrival, t *ticket) {
	t.callers++
	a.missed = s.attemptsLocked(t)
	if request := s.tokens.request; a.missed > 0 && (t.sent != nil || request != nil && request.sent != nil) {
		a.missed-- // he waits for the one that is under way
	}
}

// own is what the read of a caller ended with, as it is for him: with his own time, and
// the attempts since he came. He asks again where he joined the read later, and has time
// or attempts that it had no more. Those who come at once share its end.
func (a *arrival) own(joined *ticket, retries int) (err error, again bool) {
	now, later := time.Now(), a.began.Sub(joined.began) >= atOnce
	if shared, ok := errors.AsType[*WaitTooLongError](joined.err); ok {
		own := *shared
		own.Attempts, own.Elapsed, own.Remaining = max(0, own.Attempts-a.missed), now.Sub(a.began), a.deadline.Sub(now)
		return &own, later
	}
	shared, ok := errors.AsType[*GaveUpError](joined.err)
	if !ok {
		return joined.err, false
	}
	own := *shared
	own.Attempts, own.Elapsed = max(0, own.Attempts-a.missed), now.Sub(a.began)
	a.failures, a.last = own.Attempts, own.Err
	return &own, later && (own.Timeout || a.missed > 0) && own.Attempts <= retries
}
