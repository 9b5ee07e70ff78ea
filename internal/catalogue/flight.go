package catalogue

import (
	"context"
	"time"
)

// flight is one question on its way, and all who wait for its answer. It is a loop: admitted, sent, judged, backs off.
// admission.mu guards its fields.
type flight struct {
	history
	in      *admission
	order   int // how many flights had come by then: a retry keeps its place in the queue
	to      Endpoint
	ask     func(ctx context.Context, sent *attempt) (value any, err error) // makes one exchange
	ctx     context.Context                                                 // done once the flight has ended
	cancel  func()
	callers map[*caller]struct{}
	sent    *attempt      // under way, nil if there is none
	wake    chan struct{} // a message makes the head of the queue decide again
}

// history is what came of the attempts for a question, or for a token.
type history struct {
	attempts  int
	failures  int // that may pass
	renewals  int // 401s
	last      error
	notBefore time.Time // the end of the back-off
}

// attempt is one request that was admitted, for a read or for a token.
type attempt struct {
	token   *token   // a read is sent with it, a request for a token fills it
	number  int      // of the request in the pace
	seen    Exchange // as far as it is known when the request is sent
	failure error    // its 429: the status and header, and all of it once its body is read
	unread  bool     // the words of that 429 are on their way
}

// prepare makes a flight ready for its callers. It outlives the one that begins it, and keeps the values of its
// context: loggers are among them.
func (f *flight) prepare(ctx context.Context, a *admission) {
	f.in = a
	f.order = a.answers.arrived + 1
	f.callers = map[*caller]struct{}{}
	f.wake = make(chan struct{}, 1)
	f.ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
}

// fly asks one question until its flight has ended.
func (f *flight) fly() {
	for sent := f.in.admit(f); sent != nil; sent = f.in.admit(f) {
		value, err := f.ask(f.ctx, sent)
		f.judge(value, err)
	}
}

// judge decides what follows an attempt: an answer, a final error, or another attempt.
func (f *flight) judge(value any, err error) {
	a := f.in
	a.mu.Lock()
	defer a.mu.Unlock()
	result := a.doneLocked(f.sent, err)
	got := ended{value: value, err: err}
	f.sent = nil
	switch {
	case f.ctx.Err() != nil: // no caller waits for it
	case result == final:
		f.concludeLocked(got)
	case a.run.over != nil:
		f.endLocked(ended{err: a.run.over})
	default:
		f.againLocked(result, err)
	}
}

// concludeLocked ends a flight with an answer, or with a final error.
func (f *flight) concludeLocked(got ended) {
	api, answered := apiError(got.err)
	switch {
	case answered && api.Is(ErrOrganisationDisabled):
		f.in.endRunLocked(got.err)
		got.err = f.in.run.over
	case answered, got.err == nil:
		if f.in.run.down.end(f.in.answers.arrived) {
			f.in.noteLocked(f.ctx, "The service answers again: reads have all their attempts")
		}
	}
	f.in.answers.keep(f, got)
	f.endLocked(got)
}

// againLocked makes a flight try again after an attempt that failed, if it has a retry left.
func (f *flight) againLocked(result outcome, err error) {
	if result == unauthorized {
		f.renewals++
		if f.renewals > maxRenewals {
			f.endLocked(ended{err: &RejectedError{Issued: true, Alone: true, Err: err}})
		}
	} else if !f.failIfNoRetryLocked(&f.history, result, err) && result == transient {
		f.failed(err, f.in.retries.jitter())
	}
	f.last = err
	f.failLocked(f.lateErrLocked)
	if result == transient && f.ctx.Err() == nil {
		f.in.noteLocked(f.ctx, "Another attempt in %s: %s", round(time.Until(f.notBefore)), err)
	}
}

// failIfNoRetryLocked fails all callers if no retry is left after a failure of the flight, or of the request for the
// token that it waits for, and reports whether it did. A 429 costs no retry. The service is down if no read was
// answered since the flight came: reads that come after that make one attempt each.
func (f *flight) failIfNoRetryLocked(h *history, result outcome, err error) bool {
	a := f.in
	cause, over := a.retries.over(h, err)
	over = over && result == transient
	if over && a.run.down.begin(f) {
		a.noteLocked(f.ctx, "The service is down: reads that begin now make one attempt each")
	}
	switch {
	case result == transient && a.run.down.holds(f):
		cause = ServiceDown
	case over:
	case a.run.usedUp.holds(f):
		cause = AllowanceUsedUp
	default:
		return false
	}
	f.failLocked(func(c *caller) error {
		return f.gaveUpErrLocked(c, wait{cause: cause, err: err})
	})
	return true
}

// failLocked fails the callers for which why returns an error.
func (f *flight) failLocked(why func(*caller) error) {
	for c := range f.callers {
		if err := why(c); err != nil {
			f.dropLocked(c, err)
		}
	}
}

// leave removes a caller whose context has ended with cause. If its answer came at the same instant, that counts.
func (f *flight) leave(me *caller, cause error) ended {
	f.in.mu.Lock()
	defer f.in.mu.Unlock()
	if _, waits := f.callers[me]; waits {
		f.dropLocked(me, f.leftErrLocked(me, cause))
	}
	return <-me.result
}

// dropLocked ends the flight for one caller, with an error. The flight ends with the last of them.
func (f *flight) dropLocked(c *caller, err error) {
	delete(f.callers, c)
	c.result <- ended{err: err}
	if len(f.callers) == 0 {
		f.endLocked(ended{err: err})
	}
}

// endLocked ends a flight. Its callers get an answer or an error.
func (f *flight) endLocked(got ended) {
	if f.ctx.Err() != nil {
		return
	}
	f.cancel()
	delete(f.in.answers.flights, f)
	delete(f.in.answers.shared, f.to)
	f.in.queue.remove(f)
	f.in.wakeLocked()
	for c := range f.callers {
		c.result <- got
	}
	clear(f.callers)
}

// failed counts a failure that may pass, and sets the back-off.
func (h *history) failed(err error, jitter float64) {
	h.failures++
	pause := backOff(h.failures, jitter)
	if api, ok := apiError(err); ok {
		pause = max(pause, api.RetryAfter)
	}
	h.notBefore = time.Now().Add(pause)
}
