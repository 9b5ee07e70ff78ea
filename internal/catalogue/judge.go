package catalogue

import (
	"errors"
	"time"
)

// judge decides what follows an attempt for a question: its end, or another attempt.
func (s *scheduler) judge(now time.Time, q *question, result outcome, got ended) {
	switch {
	case result == final:
		s.conclude(q, got)
	case s.process.fatal != nil:
		s.end(q, ended{err: s.process.fatal})
	case result == unauthorized && q.rejections == maxRejections:
		s.end(q, ended{err: &RejectedError{Issued: true, Alone: true, Err: got.err}})
	case result == unauthorized:
		q.rejections++
	case !s.failIfNoRetry(now, q, &q.history, result, got.err) && result == transient:
		q.failed(now, got.err, s.retries.jitter())
	}
	q.last = got.err
}

// conclude ends a question with an answer, or with a final error.
func (s *scheduler) conclude(q *question, got ended) {
	api, answered := apiError(got.err)
	switch {
	case answered && api.Is(ErrOrganisationDisabled):
		s.endAll(got.err)
		got.err = s.process.fatal
	case answered, got.err == nil:
		if s.process.down.end(s.arrived) {
			s.note(q, "The service answers again: reads have all their attempts")
		}
	}
	s.answers.keep(q, got)
	s.end(q, got)
}

// failIfNoRetry fails all callers of a question if no retry is left after a failure, and reports whether it did. The
// failure, and h, are those of the question or of the request for its token. A 429 does not use up a retry. If a retry
// failed too, and no read was answered since the question came, the service is down: later reads make one attempt each.
func (s *scheduler) failIfNoRetry(now time.Time, q *question, h *history, result outcome, err error) bool {
	cause, exhausted := s.retries.exhausted(h, err)
	exhausted = exhausted && result == transient
	if exhausted && h.failures > 0 && s.process.down.begin(q.order, s.arrived) {
		s.note(q, "The service is down: reads that begin now make one attempt each")
	}
	switch {
	case result == transient && s.process.down.concerns(q.order):
		cause = ServiceDown
	case exhausted:
	case s.process.usedUp.concerns(q.order):
		cause = AllowanceUsedUp
	default:
		return false
	}
	s.fail(q, func(c *caller) error { return s.gaveUpErr(now, q, c, wait{cause: cause, err: err}) })
	return true
}

// tokenCame acts on the outcome of a request for a token. A final answer of the service is fatal. A final fault of the
// network, such as an untrusted certificate, ends the waiting reads.
func (s *scheduler) tokenCame(now time.Time, sent *attempt, result outcome, err error) {
	t := &s.tokens
	switch _, noAnswer := errors.AsType[*NetworkError](err); {
	case sent.stopped && err != nil && result != limited: // no read waited for it any more
	case err == nil:
		if sent.token.unused > maxUnused {
			sent.token.life = 0
		}
		t.current = sent.token
		s.tokenRequest.history = history{}
		t.credentials.understood = true
	case result == limited, result == transient:
		s.tokenFailed(now, sent, result, err)
	case t.credentials.switchToJSON(err):
		s.note(sent.onBehalfOf, "The token endpoint does not understand a form, so the same is sent as JSON: %s", err)
	case noAnswer:
		for _, waiting := range s.ready(now) {
			s.end(waiting, ended{err: err})
		}
	default:
		s.endAll(&RejectedError{Err: t.credentials.finally(err)})
	}
}

// tokenFailed makes the request for a token back off after a transient failure. Reads without a retry left, or without
// time for the back-off, fail with it.
func (s *scheduler) tokenFailed(now time.Time, sent *attempt, result outcome, err error) {
	t := s.tokenRequest
	for _, waiting := range s.ready(now) {
		s.failIfNoRetry(now, waiting, &t.history, result, err)
	}
	t.last = err
	if result != transient {
		return
	}
	t.failed(now, err, s.retries.jitter())
	s.failLate(now)
	if s.head(now) != nil {
		s.noted = latest(s.noted, t.notBefore)
		s.note(sent.onBehalfOf, "Another attempt in %s: %s", rounded(t.notBefore.Sub(now)), err)
	}
}
