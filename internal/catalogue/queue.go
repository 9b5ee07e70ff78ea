package catalogue

import (
	"context"
	"errors"
	"slices"
	"time"
)

// The queue of the admission. Everything here needs admission.mu.

// enqueue puts w where its order says.
func (a *admission) enqueue(w *waiter) {
	w.since = time.Now()
	i, _ := slices.BinarySearchFunc(a.waiting, w.order, func(other *waiter, order int) int { return other.order - order })
	a.waiting = slices.Insert(a.waiting, i, w)
}

// dequeue takes w out. A request for a token ends with the last read that waits.
func (a *admission) dequeue(w *waiter) {
	if i := slices.Index(a.waiting, w); i >= 0 {
		a.waiting = slices.Delete(a.waiting, i, i+1)
	}
	if a.tokens.renewal != nil && !slices.ContainsFunc(a.waiting, func(w *waiter) bool { return w != a.tokens.renewal }) {
		a.tokens.renewal.cancel()
	}
	a.signalHead()
}

// head is the first of the queue that is not in its back-off.
func (a *admission) head(now time.Time) *waiter {
	for _, w := range a.waiting {
		if !w.notBefore.After(now) {
			return w
		}
	}
	return nil
}

func (a *admission) signalHead() {
	if head := a.head(time.Now()); head != nil {
		head.signal()
	}
}

func (a *admission) signalAll() {
	for _, w := range a.waiting {
		w.signal()
	}
}

func (w *waiter) signal() {
	select {
	case w.wake <- struct{}{}:
	default: // it has been told already
	}
}

// sleep waits until w is woken, at the latest at the given time where there is
// one, or until nobody waits for w.
func (w *waiter) sleep(at time.Time) {
	var alarm <-chan time.Time
	if !at.IsZero() {
		timer := time.NewTimer(time.Until(at))
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-w.wake:
	case <-alarm:
	case <-w.ctx.Done():
	}
}

// dismiss takes a caller away from w, which ends with its last one.
func (a *admission) dismiss(w *waiter, c *caller) {
	w.callers = slices.DeleteFunc(w.callers, func(other *caller) bool { return other == c })
	if len(w.callers) == 0 {
		w.cancel()
	}
}

// failBefore fails the callers of w whose time ends before until.
func (a *admission) failBefore(w *waiter, until time.Time, why func(*caller) error) {
	for _, c := range slices.Clone(w.callers) {
		if c.deadline.Before(until) {
			c.failed <- why(c)
			a.dismiss(w, c)
		}
	}
}

// failAll fails every caller of w.
func (a *admission) failAll(w *waiter, err error) {
	for _, c := range slices.Clone(w.callers) {
		c.failed <- err
		a.dismiss(w, c)
	}
}

// retire is the end of w.
func (a *admission) retire(w *waiter) {
	a.mu.Lock()
	defer a.unlock()
	w.cancel()
	a.dequeue(w)
}

// failThoseWithoutTime fails the callers of w for whom a wait that is known
// already is too long: the pause, the back-off of w or that of the token.
func (a *admission) failThoseWithoutTime(w *waiter, now time.Time) {
	a.failBefore(w, now.Add(1), func(c *caller) error { return a.timeIsOver(w, c) })
	if until := a.limiter.pausedUntil(); until.After(now) && a.pause.told {
		a.failBefore(w, until, func(c *caller) error {
			return &WaitTooLongError{Asked: a.pause.asked, Left: c.deadline.Sub(now), Err: a.pause.refusal}
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

// attempts counts those of w, and those of the token that it waits for.
func (a *admission) attempts(w *waiter) int {
	if renewal := a.tokens.renewal; renewal != nil && !w.inFlight {
		return w.attempts + renewal.attempts
	}
	return w.attempts
}

// gaveUp is the end of a caller for lack of time.
func (a *admission) gaveUp(w *waiter, c *caller, err error) error {
	return &GaveUpError{Attempts: a.attempts(w), Elapsed: time.Since(c.began), Timeout: true, Err: err}
}

// timeIsOver is what to tell a caller whose time is over: the last failure, or
// else what w waits for.
func (a *admission) timeIsOver(w *waiter, c *caller) error {
	unanswered := func(w *waiter) error {
		const problem = "no whole answer before the read's time was over"
		return &NetworkError{Endpoint: w.endpoint, TimedOut: true, Problem: problem, Err: context.DeadlineExceeded}
	}
	renewal := a.tokens.renewal
	// A failure from before the caller came is none of its own.
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
	case a.pause.refusal != nil:
		err = a.pause.refusal
	case a.ceiling > 0:
		err = &CeilingError{Ceiling: a.ceiling}
	}
	return a.gaveUp(w, c, err)
}

// giveUp is the end of a read that has no attempt left.
func (a *admission) giveUp(w *waiter, err error) error {
	a.doubtService(w)
	gaveUp := &GaveUpError{Attempts: a.attempts(w), Outage: w.single && a.outage.on, Err: err}
	if len(w.callers) > 0 {
		gaveUp.Elapsed = time.Since(w.callers[0].began)
	}
	return gaveUp
}

// doubtService takes in that a read used up its attempts. Where nothing has come
// back well since it began, the service is down: a read that begins now makes one
// attempt, until one comes back well.
func (a *admission) doubtService(w *waiter) {
	if a.outage.well == w.well && !a.outage.on {
		a.outage.on = true
		a.say(w, "The service is down: reads that begin now make one attempt each.")
	}
}

// cameBackWell ends an outage.
func (a *admission) cameBackWell(w *waiter) {
	a.outage.well++
	if a.outage.on {
		a.outage.on = false
		a.say(w, "The service answers again: reads have all their attempts.")
	}
}

func asAPIError(err error) (*APIError, bool) { return errors.AsType[*APIError](err) }
