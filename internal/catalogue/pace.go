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
// ceiling, not at all while the service asks to wait, with few reads at a time
// after that, and slower once it asked again.
type pace struct {
	ceiling rate.Limit
	limiter *rate.Limiter

	mu       sync.Mutex
	since    time.Time // when the service last asked to wait, zero while it never did
	until    time.Time // when that wait is over
	asked    time.Duration
	refusal  error         // the answer that asked
	sent     int           // requests sent after since
	last     time.Time     // when the last of them was sent, or the wait was over
	busy     time.Duration // how much of the time since then was spent on sending or waiting
	unspoken int           // refusals in a row that named no wait

	reads  int           // reads under way
	window int           // how many there may be, 0 for any number
	left   chan struct{} // closed when one has ended
}

const (
	// firstWindow is how many reads start together once a wait is over. Each
	// good answer admits one more, so that those who waited do not come back
	// as the burst that was refused.
	firstWindow = 4
	// lastWindow is where the window stops mattering.
	lastWindow = 256
	// idle is the longest stretch between two requests that counts as busy.
	idle = time.Second
)

// newPace takes the ceiling in requests a second; 0 is none.
func newPace(ceiling float64) *pace {
	limit := rate.Inf
	if ceiling > 0 {
		limit = rate.Limit(ceiling)
	}
	return &pace{ceiling: limit, limiter: rate.NewLimiter(limit, 1), left: make(chan struct{})}
}

// enter waits until one more read may be under way; leave must follow. It
// fails at once where a wait that the service asked for does not fit.
func (p *pace) enter(ctx context.Context) error {
	for {
		if err := p.sitOut(ctx); err != nil {
			return err
		}
		p.mu.Lock()
		left, room := p.left, p.window == 0 || p.reads < p.window
		if room {
			p.reads++
		}
		p.mu.Unlock()
		if room {
			return nil
		}
		select {
		case <-left:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// leave ends what enter began.
func (p *pace) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reads--
	close(p.left)
	p.left = make(chan struct{})
}

// turn waits until the process may send another request, and returns since
// when it may. It fails at once where the context's deadline would come first.
func (p *pace) turn(ctx context.Context) (time.Time, error) {
	for {
		if err := p.sitOut(ctx); err != nil {
			return time.Time{}, err
		}
		if err := p.limiter.Wait(ctx); err != nil {
			if ctx.Err() != nil {
				return time.Time{}, ctx.Err()
			}
			return time.Time{}, errNoTurn
		}
		// The service may have asked for a pause while this request was in
		// the queue.
		if now := time.Now(); p.send(now) {
			return now, nil
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
	p.busy += min(now.Sub(p.last), idle)
	p.last = now
	return true
}

// refused records a 429 to a request whose turn came at turn: every request
// waits until what the service asked for is over.
func (p *pace) refused(refusal *APIError, turn, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// No turn comes between a refusal and the end of its pause.
	sameBurst := !turn.After(p.since)
	asked, spoken := retryAfter(refusal.retryAfter, now)
	wait := asked
	if !spoken {
		asked = 0
		if !sameBurst || p.unspoken == 0 {
			p.unspoken++
		}
		wait = backOff(p.unspoken, rand.Float64())
	}
	if !sameBurst {
		if !p.since.IsZero() {
			p.limiter.SetLimitAt(now, lowered(p.limiter.Limit(), p.sent, p.busy))
		}
		p.since, p.sent, p.last, p.busy = now, 0, now, 0
		p.window = firstWindow
	}
	if until := now.Add(wait); until.After(p.until) {
		p.until, p.asked, p.refusal = until, asked, refusal
		// The wait itself is time in which no more could be sent.
		p.busy += until.Sub(p.last)
		p.last = until
	}
}

// succeeded records an answer other than 429.
func (p *pace) succeeded(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unspoken = 0
	if p.window > 0 {
		if p.window++; p.window > lastWindow {
			p.window = 0
		}
	}
	if limit := p.limiter.Limit(); limit < p.ceiling {
		p.limiter.SetLimitAt(now, min(raised(limit), p.ceiling))
	}
}

// lowered is half the rate at which the process sent since the service asked
// to wait before, that wait included, and times without a request left out.
func lowered(limit rate.Limit, sent int, busy time.Duration) rate.Limit {
	seen := rate.Limit(float64(sent) / max(busy.Seconds(), 0.001))
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
