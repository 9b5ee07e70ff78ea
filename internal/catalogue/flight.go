package catalogue

import (
	"context"
	"time"
)

// flight is one question on its way, and all who wait for its answer. It is a loop: admitted, sent, judged, backs off.
// Its fields belong to admission.mu.
type flight struct {
	tries
	arrival
	to      Endpoint // of the next request: of an answer in pages the next page
	ctx     context.Context
	cancel  context.CancelFunc // at its end
	read    reader
	got     answer
	callers map[*caller]struct{}
	sent    *attempt      // the last one, nil before
	wake    chan struct{} // told that the head of the queue has to decide anew
}

// reader makes one exchange. next is the target of the answer's next page, "" at its end.
type reader func(ctx context.Context, sent *attempt) (value any, next string, err error)

// arrival is how a flight came.
type arrival struct {
	asks     flightKey
	order    int // among all flights: a retry has its old place
	began    time.Time
	inOutage bool // the service was down: there is one attempt
}

// tries is how often something was asked for, and what came of it.
type tries struct {
	attempts  int
	failures  int // that may pass
	unnamed   int // 429s that named no wait
	renewals  int // 401s
	last      error
	notBefore time.Time // the end of the back-off
}

// attempt is one request that was admitted, for a read or for a token.
type attempt struct {
	to        Endpoint
	token     *token // a read is sent with it, a request for a token fills it
	tries     *tries
	number    int // by which the pace knows it
	sentAt    time.Time
	waited    time.Duration
	waitedFor string // "" for nothing
	answered  bool   // its header has come, or its end
	ended     bool   // its answer is read
	proves    bool   // its 401 proves that the credentials are rejected
}

func (f *flight) underWay() bool { return f.sent != nil && !f.sent.ended }

// fly asks one question until its flight has ended.
func (a *admission) fly(f *flight) {
	for a.admit(f) {
		value, next, err := f.read(f.ctx, f.sent)
		a.judge(f, value, next, err)
	}
}

// judge decides what follows an attempt: an answer, an error that stays, or another attempt.
func (a *admission) judge(f *flight, value any, next string, err error) {
	a.mu.Lock()
	defer a.unlock()
	defer a.wakeLocked()
	a.doneLocked(f.sent, err)
	switch outcome := classify(err); {
	case f.ctx.Err() != nil: // nobody waits for it
	case outcome == final && next != "":
		f.to.Path, f.tries = next, tries{attempts: f.attempts, renewals: f.renewals}
	case outcome == final:
		f.got.value = value
		a.concludeLocked(f, err)
	case a.run.over != nil:
		a.endLocked(f, a.run.over)
	case outcome == limited:
		f.last = err
	case outcome == unauthorized:
		f.last = err
		if f.renewals++; f.renewals > maxRenewals {
			a.endLocked(f, err)
		}
	default:
		f.fail(err, a.cfg.Jitter())
		if !a.giveUpLocked(f, f.failures, err) {
			a.sayAgainLocked(f.ctx, err, f.notBefore)
			a.dismissLateLocked(f, f.notBefore, WaitTooLong, err)
		}
	}
}

// fail counts a failure that may pass, and sets the back-off.
func (t *tries) fail(err error, jitter float64) {
	t.failures++
	wait := backOff(t.failures, jitter)
	if api, ok := apiError(err); ok {
		wait = max(wait, api.RetryAfter)
	}
	t.last, t.notBefore = err, time.Now().Add(wait)
}

// giveUpLocked ends a flight that has no retry left after so many failures, its own or those of the request for a
// token. It reports whether it did.
func (a *admission) giveUpLocked(f *flight, failures int, err error) bool {
	retries, cause := a.cfg.MaxRetries, RetriesUsedUp
	if f.inOutage {
		retries, cause = 0, ServiceDown
	}
	if failures <= retries {
		return false
	}
	if cause == RetriesUsedUp && a.outage.begins(f.began, time.Now()) {
		a.sayLocked(f.ctx, "The service is down: reads that begin now make one attempt each")
	}
	a.dismissLocked(f, func(c *caller) error { return a.gaveUpLocked(f, c, cause, err) })
	return true
}

// concludeLocked ends a flight with an answer, or with an error that stays.
func (a *admission) concludeLocked(f *flight, err error) {
	if api, ok := apiError(err); ok && api.Is(ErrOrganisationDisabled) {
		a.endRunLocked(err)
		a.endLocked(f, a.run.over)
		return
	} else if (ok || err == nil) && a.outage.succeeded(time.Now()) {
		a.sayLocked(f.ctx, "The service answers again: reads have all their attempts")
	}
	a.endLocked(f, err)
}

// endLocked ends a flight: all who wait for it get err, or its answer.
func (a *admission) endLocked(f *flight, err error) {
	if f.ctx.Err() != nil {
		return
	}
	f.cancel()
	a.queue.remove(f)
	a.answers.ended(f, err)
	for c := range f.callers {
		c.result <- reply{answer: f.got, err: err}
	}
	clear(f.callers)
}

// outage is when the service went down: a read gave up after all its retries, and no read had succeeded since it
// began.
type outage struct {
	since       time.Time // zero if the service is not down
	succeededAt time.Time
}

// begins records that a read that began then has no retry left. It reports whether that begins an outage.
func (o *outage) begins(began, now time.Time) bool {
	if !o.since.IsZero() || !o.succeededAt.Before(began) {
		return false
	}
	o.since = now
	return true
}

// succeeded records that the service answered a read. It reports whether that ends an outage.
func (o *outage) succeeded(now time.Time) (ended bool) {
	ended = !o.since.IsZero()
	o.since, o.succeededAt = time.Time{}, now
	return ended
}
