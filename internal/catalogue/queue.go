package catalogue

import (
	"context"
	"slices"
	"time"
)

// The queue of the admission. newWaiter, join, leave and retire take admission.mu,
// and sleep needs it free. Everything else here needs it held.

// waiter is a request on its way, with all its attempts: a question and all who
// ask it, or the request for a token.
type waiter struct {
	ctx    context.Context // done once nobody waits for it
	cancel context.CancelFunc
	wake   chan struct{} // tells it to decide again

	// These belong to admission.mu.
	order            int // its place among reads, from 1; 0 for a request for a token
	callers          []*caller
	since            time.Time // when it entered the queue, for this attempt
	notBefore        time.Time // the end of its back-off
	why              string    // what it waits for
	inFlight         bool
	failing          bool      // the header of its last answer has a status that may pass
	endpoint         Endpoint  // of the request in flight
	attempts         int       // how many were made
	failures         int       // how many of them failed in a way that may pass
	unnamed          int       // how many were answered with a 429 that named no wait
	unauthorized     int       // how many were answered with 401
	unauthorizedWith int       // the number of the token that the first 401 answered
	last             error     // the last failure that was worth another attempt
	failedAt         time.Time // when that was
	well             int       // outage.well when it came
	single           bool      // it came in an outage, so it has one attempt
	reconnected      bool      // a kept connection was closed under it, and it was admitted once more for that
}

// caller is one of those who wait for an answer.
type caller struct {
	began, deadline time.Time
	failed          chan error
}

// newCaller takes the deadline of ctx, which has one.
func newCaller(ctx context.Context) *caller {
	deadline, _ := ctx.Deadline()
	return &caller{began: time.Now(), deadline: deadline, failed: make(chan error, 1)}
}

// newWaiter puts a read into the queue, behind those that came before it.
func (a *admission) newWaiter(ctx context.Context, first *caller) *waiter {
	a.mu.Lock()
	defer a.unlock()
	a.arrived++
	// The values of the first caller's context stay: loggers are among them.
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &waiter{
		ctx: own, cancel: cancel, wake: make(chan struct{}, 1), order: a.arrived, callers: []*caller{first},
		well: a.outage.well, single: a.outage.on,
	}
	a.enqueue(w)
	return w
}

// join adds a caller to a read. It returns false where the read has ended,
// because nobody waited for it any more.
func (a *admission) join(w *waiter, c *caller) bool {
	a.mu.Lock()
	defer a.unlock()
	if w.ctx.Err() != nil {
		return false
	}
	w.callers = append(w.callers, c)
	w.signal() // the wait that it is in may not fit into the new caller's time
	return true
}

// leave removes a caller whose context has ended with cause. It returns the
// caller's error.
func (a *admission) leave(w *waiter, c *caller, cause error) error {
	a.mu.Lock()
	defer a.unlock()
	if cause == context.DeadlineExceeded { //nolint:errorlint // as context.Context.Err returns it
		cause = a.timeIsOver(w, c)
		if w.failing && w.failures >= a.budget(w) {
			a.doubtService(w) // only the body of the last failure is missing
		}
	}
	a.dismiss(w, c)
	return cause
}

// enqueue puts w into the queue, at the place that its order gives it. A read
// that is tried again gets its old place.
func (a *admission) enqueue(w *waiter) {
	w.since = time.Now()
	i, _ := slices.BinarySearchFunc(a.waiting, w.order, func(other *waiter, order int) int { return other.order - order })
	a.waiting = slices.Insert(a.waiting, i, w)
}

// dequeue takes w out of the queue. The request for a token ends when no read is
// left there to wait for it.
func (a *admission) dequeue(w *waiter) {
	if i := slices.Index(a.waiting, w); i >= 0 {
		a.waiting = slices.Delete(a.waiting, i, i+1)
	}
	if a.tokens.renewal != nil && !slices.ContainsFunc(a.waiting, func(w *waiter) bool { return w != a.tokens.renewal }) {
		a.tokens.renewal.cancel()
	}
	a.signalHead()
}

// head is the first in the queue that is not in its back-off.
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
	default: // a signal is waiting already
	}
}

// sleep waits until w is signalled, until the given time where it is not zero, or
// until nobody waits for w, whichever is first.
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

// dismiss removes a caller of w. w ends with its last caller.
func (a *admission) dismiss(w *waiter, c *caller) {
	w.callers = slices.DeleteFunc(w.callers, func(other *caller) bool { return other == c })
	if len(w.callers) == 0 {
		w.cancel()
	}
}

// failBefore fails the callers of w whose deadline comes before until.
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

// retire ends w, after its call has returned.
func (a *admission) retire(w *waiter) {
	a.mu.Lock()
	defer a.unlock()
	w.cancel()
	a.dequeue(w)
}
