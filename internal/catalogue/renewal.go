package catalogue

import (
	"context"
	"errors"
	"slices"
	"time"
)

// The one token that all reads share, and the one request that renews it.
// Everything but obtain needs admission.mu.

// renew starts a request for a token, because w needs one, unless there is such a
// request already.
func (a *admission) renew(w *waiter) {
	if a.tokens.renewal != nil {
		return
	}
	reason := "there is none yet"
	switch {
	case a.tokens.dropped:
		reason = "the last one was refused"
	case a.tokens.current != nil:
		reason = "the last one ends"
	}
	a.say(w, "A token is asked for: %s.", reason)
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.ctx))
	renewal := &waiter{ctx: ctx, cancel: cancel, wake: make(chan struct{}, 1)}
	a.tokens.renewal = renewal
	a.enqueue(renewal)
	go a.obtain(renewal)
}

// obtain makes attempts until there is a token, no attempt can help, or nobody
// waits for it.
func (a *admission) obtain(renewal *waiter) {
	for again := true; again; {
		g, err := a.admit(renewal)
		if err != nil {
			break
		}
		got, err := a.request(g)
		again = a.settleToken(renewal, g, got, err)
	}
	a.mu.Lock()
	defer a.unlock()
	renewal.cancel()
	if a.tokens.renewal == renewal {
		a.tokens.renewal = nil
	}
	a.dequeue(renewal)
}

// settleToken decides what becomes of the request for a token after an attempt:
// another attempt, or its end. It keeps the token.
func (a *admission) settleToken(renewal *waiter, g *grant, got *token, err error) (again bool) {
	a.mu.Lock()
	defer a.unlock()
	a.landed(g, err)
	switch {
	case err == nil:
		got.number, got.asked = g.number, g.sentAt
		got.replacement = a.tokens.dropped
		a.tokens.current, a.tokens.dropped, a.tokens.renewal = got, false, nil
		if got.life > 0 {
			a.pace.TokenLife(got.life-got.margin(), true)
		}
		a.signalHead()
		return false
	case renewal.ctx.Err() != nil:
		return false
	case a.credentials.otherFormat(err):
		a.say(renewal, "The token endpoint does not understand a form, so the same is sent as JSON: %s", err)
	case classify(err) == limited: // again after the pause
	case classify(err) == transient:
		renewal.last, renewal.failedAt = err, time.Now()
		renewal.failures++
		a.backOff(renewal)
		a.failReads(renewal, err)
	default:
		a.endTokens(err)
		return false
	}
	if !slices.ContainsFunc(a.waiting, func(w *waiter) bool { return w.ctx.Err() == nil }) {
		return false // the next read that comes begins a request of its own
	}
	a.enqueue(renewal)
	a.signalAll() // the back-off may not fit into the time of those who wait
	return true
}

// endTokens acts on a failure that no further request for a token can change: an
// answer of the service ends every read of the process, and a fault of the
// network, such as a certificate that is not trusted, the reads that wait.
func (a *admission) endTokens(err error) {
	err = a.credentials.finally(err)
	if _, ok := errors.AsType[*NetworkError](err); ok {
		for _, w := range slices.Clone(a.waiting) {
			a.failAll(w, err)
		}
		return
	}
	a.finish(&RejectedError{Err: err})
}

// failReads fails the reads that wait for a token and have no attempt left. Each
// failed request for a token counts as one of theirs.
func (a *admission) failReads(renewal *waiter, err error) {
	now := time.Now()
	for _, w := range slices.Clone(a.waiting) {
		if !w.notBefore.After(now) && renewal.failures > a.budget(w) {
			a.failAll(w, a.giveUp(w, err))
		}
	}
}

// dropToken forgets a token that was answered with 401. Where the token's life is
// not known, the time that it served is taken for the life of the next ones.
func (a *admission) dropToken(w *waiter, old *token) {
	if a.tokens.current == old {
		if old.life == 0 && old.served {
			a.pace.TokenLife(time.Since(old.asked), false)
		}
		a.tokens.current, a.tokens.dropped = nil, true
		a.say(w, "%s was answered with 401: the token is not used again.", w.endpoint)
	}
}
