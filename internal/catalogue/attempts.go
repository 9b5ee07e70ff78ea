package catalogue

import (
	"context"
	"time"
)

// How many attempts a read has, and the errors of callers who have no attempt or
// no time left. Everything here needs admission.mu.

// fail counts a failure of w that may pass. It returns an error where w has no
// attempt left, and else starts the back-off.
func (a *admission) fail(w *waiter, err error) error {
	w.last, w.failedAt = err, time.Now()
	w.failures++
	if w.failures > a.budget(w) {
		return a.giveUp(w, err)
	}
	a.backOff(w)
	return nil
}

// budget is how many failures of w are followed by another attempt.
func (a *admission) budget(w *waiter) int {
	if w.single && a.outage.on {
		return 0
	}
	return a.maxRetries
}

// backOff starts the wait before the next attempt of w.
func (a *admission) backOff(w *waiter) {
	wait := backOff(w.failures, a.jitter())
	w.notBefore = time.Now().Add(wait)
	a.say(w, "%s is tried again in %s, because it failed: %s", w.endpoint, wait.Round(time.Millisecond), w.last)
}

// failThoseWithoutTime fails the callers of w whose time is over, or ends before
// a wait that is already known: the pause, the back-off of w, or the back-off of
// the request for a token.
func (a *admission) failThoseWithoutTime(w *waiter, now time.Time) {
	a.failBefore(w, now.Add(1), func(c *caller) error { return a.timeIsOver(w, c) })
	if until := a.limiter.pausedUntil(); until.After(now) && a.pause.whole {
		a.failBefore(w, until, func(c *caller) error {
			return &WaitTooLongError{Asked: a.pause.asked, Remaining: c.deadline.Sub(now), Err: a.pause.answer}
		})
	}
	if w.notBefore.After(now) {
		a.failBefore(w, w.notBefore, func(c *caller) error { return a.gaveUp(w, c, w.last) })
	}
	renewal := a.tokens.renewal
	if renewal != nil && renewal.notBefore.After(now) && !a.tokens.current.fresh(now) {
		a.failBefore(w, renewal.notBefore, func(c *caller) error { return a.gaveUp(w, c, renewal.last) })
	}
}

// attempts counts the attempts of w, and those of the request for a token where w
// waits for it.
func (a *admission) attempts(w *waiter) int {
	if renewal := a.tokens.renewal; renewal != nil && !w.inFlight {
		return w.attempts + renewal.attempts
	}
	return w.attempts
}

// gaveUp is the error of a caller of w who has no time left. err is what kept the
// answer from coming.
func (a *admission) gaveUp(w *waiter, c *caller, err error) error {
	return &GaveUpError{Attempts: a.attempts(w), Elapsed: time.Since(c.began), Timeout: true, Err: err}
}

// timeIsOver is the error of a caller whose time is over. It has the last failure
// since the caller came, or else what w is waiting for.
func (a *admission) timeIsOver(w *waiter, c *caller) error {
	unanswered := func(w *waiter) error {
		const problem = "no whole answer before the read's time was over"
		return &NetworkError{Endpoint: w.endpoint, TimedOut: true, Problem: problem, Err: context.DeadlineExceeded}
	}
	if a.rejection != nil && !w.inFlight {
		a.finish(a.rejection) // all are told the same, so none waits for the body any longer
		return a.end
	}
	renewal := a.tokens.renewal
	// A failure before the caller came says nothing about its own time.
	failed := func(w *waiter) bool { return w != nil && w.last != nil && !w.failedAt.Before(c.began) }
	err := context.DeadlineExceeded
	switch {
	case failed(w):
		err = w.last
	case w.inFlight:
		err = unanswered(w)
	case failed(renewal):
		err = renewal.last
	case renewal != nil && renewal.inFlight:
		err = unanswered(renewal)
	case a.pause.answer != nil:
		err = a.pause.answer
	case a.ceiling.Requests > 0:
		err = &CeilingError{Ceiling: a.ceiling}
	}
	return a.gaveUp(w, c, err)
}

// giveUp returns the error of a read that has no attempt left.
func (a *admission) giveUp(w *waiter, err error) error {
	a.doubtService(w)
	gaveUp := &GaveUpError{Attempts: a.attempts(w), Outage: w.single && a.outage.on, Err: err}
	if len(w.callers) > 0 {
		gaveUp.Elapsed = time.Since(w.callers[0].began)
	}
	return gaveUp
}

// doubtService records that w used up its attempts. An outage begins where no read
// has come back well since w came: from then on each new read makes one attempt,
// until one of them comes back well.
func (a *admission) doubtService(w *waiter) {
	if a.outage.well == w.well && !a.outage.on {
		a.outage.on = true
		a.say(w, "The service is down: reads that begin now make one attempt each.")
	}
}

// cameBackWell counts a read that the service answered, which ends an outage.
func (a *admission) cameBackWell(w *waiter) {
	a.outage.well++
	if a.outage.on {
		a.outage.on = false
		a.say(w, "The service answers again: reads have all their attempts.")
	}
}
