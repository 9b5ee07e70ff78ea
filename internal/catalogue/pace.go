package catalogue

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// slowest is the rate below which the process does not lower itself, in
// requests a second.
const slowest rate.Limit = 0.1

// pace is how fast the process may go: never faster than the operator's
// ceiling, not at all while the service asks to wait, and slower once it asked
// again.
type pace struct {
	ceiling rate.Limit
	limiter *rate.Limiter

	mu       sync.Mutex
	since    time.Time // when the service last asked to wait, zero while it never did
	until    time.Time // when that wait is over
	asked    time.Duration
	refusal  error // the answer that asked
	sent     int   // requests sent after since
	unspoken int   // refusals in a row that named no wait
}

// newPace takes the ceiling in requests a second; 0 is none.
func newPace(ceiling float64) *pace {
	limit := rate.Inf
	if ceiling > 0 {
		limit = rate.Limit(ceiling)
	}
	return &pace{ceiling: limit, limiter: rate.NewLimiter(limit, 1)}
}

// turn waits until the process may send another request. It fails at once
// where the context's deadline would come first.
func (p *pace) turn(ctx context.Context) error {
	for {
		if err := p.sitOut(ctx); err != nil {
			return err
		}
		if err := p.limiter.Wait(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return errNoTurn
		}
		// The service may have asked for a pause while this request was in
		// the queue.
		if p.send(time.Now()) {
			return nil
		}
	}
}

// errNoTurn says that the read's time ends before its turn comes.
var errNoTurn = errors.New("at the present request rate this read's turn comes only after its time is over")

// sitOut waits for the end of the pause that the service asked for.
func (p *pace) sitOut(ctx context.Context) error {
	p.mu.Lock()
	until, asked, refusal := p.until, p.asked, p.refusal
	p.mu.Unlock()
	deadline, bounded := ctx.Deadline()
	if bounded && until.After(deadline) {
		return &WaitTooLongError{Asked: asked, Left: time.Until(deadline), Err: refusal}
	}
	return sleep(ctx, time.Until(until))
}

// send counts a request, unless a pause is on.
func (p *pace) send(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Before(p.until) {
		return false
	}
	p.sent++
	return true
}

// refused records a 429 to a request sent at sentAt: every request waits until
// what the service asked for is over.
func (p *pace) refused(refusal *APIError, sentAt, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sameBurst := sentAt.Before(p.since)
	asked, spoken := retryAfter(refusal.retryAfter, now)
	wait := asked
	if !spoken {
		asked = 0
		if !sameBurst || p.unspoken == 0 {
			p.unspoken++
		}
		wait = backOff(p.unspoken, rand.Float64())
	}
	if until := now.Add(wait); until.After(p.until) {
		p.until, p.asked, p.refusal = until, asked, refusal
	}
	if sameBurst {
		return
	}
	if !p.since.IsZero() {
		p.limiter.SetLimitAt(now, lowered(p.limiter.Limit(), p.sent, now.Sub(p.since)))
	}
	p.since, p.sent = now, 0
}

// succeeded records an answer other than 429.
func (p *pace) succeeded(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unspoken = 0
	if limit := p.limiter.Limit(); limit < p.ceiling {
		p.limiter.SetLimitAt(now, min(raised(limit), p.ceiling))
	}
}

// lowered is half the rate at which the process sent since the service asked
// to wait before, that wait included.
func lowered(limit rate.Limit, sent int, elapsed time.Duration) rate.Limit {
	seen := rate.Limit(float64(sent) / max(elapsed.Seconds(), 0.001))
	return max(min(limit, seen)/2, slowest)
}

// raised is the rate after one more good answer: half a request a second more
// for each second that goes well, and never more than a twentieth at once.
func raised(limit rate.Limit) rate.Limit {
	return limit + min(0.5/limit, limit/20)
}

// sleep waits, or returns the context's error once that is over.
func sleep(ctx context.Context, wait time.Duration) error {
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
