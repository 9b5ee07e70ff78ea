package catalogue

import (
	"errors"
	"time"
)

// judge decides what follows an attempt for a question: an answer, a final error, or another attempt.
func (s *scheduler) judge(now time.Time, f *flight, result outcome, got ended) {
	switch {
	case result == final:
		s.conclude(f, got)
	case s.run.over != nil:
		s.end(f, ended{err: s.run.over})
	case result == unauthorized && f.renewals == maxRenewals:
		s.end(f, ended{err: &RejectedError{Issued: true, Alone: true, Err: got.err}})
	default:
		s.again(now, f, result, got.err)
	}
}

// conclude ends a flight with an answer, or with a final error.
func (s *scheduler) conclude(f *flight, got ended) {
	api, answered := apiError(got.err)
	switch {
	case answered && api.Is(ErrOrganisationDisabled):
		s.endRun(got.err)
		got.err = s.run.over
	case answered, got.err == nil:
		if s.run.down.end(s.arrived) {
			s.note(f.asked, "The service answers again: reads have all their attempts")
		}
	}
	s.answers.keep(f, got)
	s.end(f, got)
}

// again makes a flight try again after an attempt that failed, if it has a retry left.
func (s *scheduler) again(now time.Time, f *flight, result outcome, err error) {
	if result == unauthorized {
		f.renewals++
	} else if !s.failIfNoRetry(now, f, &f.history, result, err) && result == transient {
		f.failed(now, err, s.retries.jitter())
	}
	f.last = err
	s.fail(f, func(c *caller) error { return s.lateErr(now, f, c) })
	if result == transient && !f.over {
		s.note(f.asked, "Another attempt in %s: %s", rounded(f.notBefore.Sub(now)), err)
	}
}

// failIfNoRetry fails all callers if no retry is left after a failure of the flight, or of the request for the token
// that it waits for, and reports whether it did. A 429 does not use up a retry. The service is down if no read was
// answered since the flight came: later reads make one attempt each.
func (s *scheduler) failIfNoRetry(now time.Time, f *flight, h *history, result outcome, err error) bool {
	cause, over := s.retries.over(h, err)
	over = over && result == transient
	if over && s.run.down.begin(f.order, s.arrived) {
		s.note(f.asked, "The service is down: reads that begin now make one attempt each")
	}
	switch {
	case result == transient && s.run.down.holds(f.order):
		cause = ServiceDown
	case over:
	case s.run.usedUp.holds(f.order):
		cause = AllowanceUsedUp
	default:
		return false
	}
	s.fail(f, func(c *caller) error { return s.gaveUpErr(now, f, c, wait{cause: cause, err: err}) })
	return true
}

// tokenCame acts on the outcome of a request for a token. A final answer of the service ends the run; a final fault of
// the network, such as a certificate that is not trusted, ends the reads that wait.
func (s *scheduler) tokenCame(now time.Time, sent *attempt, result outcome, err error) {
	t := &s.tokens
	switch _, noAnswer := errors.AsType[*NetworkError](err); {
	case sent.stopped && err != nil && result != limited: // no read waits for it now
	case err == nil:
		if sent.token.unused > maxUnused {
			sent.token.life = 0
		}
		t.current = sent.token
		s.renewal.history = history{}
		t.credentials.understood = true
	case result == limited, result == transient:
		s.tokenFailed(now, sent, result, err)
	case t.credentials.switchToJSON(err):
		s.note(sent.by, "The token endpoint does not understand a form, so the same is sent as JSON: %s", err)
	case noAnswer:
		for _, waiting := range s.ready(now) {
			s.end(waiting, ended{err: err})
		}
	default:
		s.endRun(&RejectedError{Err: t.credentials.finally(err)})
	}
}

// tokenFailed makes the request for a token back off after a failure that may pass. Reads without a retry left, or
// without time for that wait, fail with it.
func (s *scheduler) tokenFailed(now time.Time, sent *attempt, result outcome, err error) {
	t := s.renewal
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
		s.note(sent.by, "Another attempt in %s: %s", rounded(t.notBefore.Sub(now)), err)
	}
}
