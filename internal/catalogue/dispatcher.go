package catalogue

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// dispatcher is the shell of the scheduler: the lock, the clock and its timer, a channel for each caller and a
// goroutine for each request.
type dispatcher struct {
	mu       sync.Mutex
	core     scheduler
	timer    *time.Timer
	exchange exchange
	note     func(context.Context, string)
	told     map[*caller]chan ended
	cancel   map[*attempt]context.CancelFunc
}

// exchange makes one request, and returns what its answer says.
type exchange func(context.Context, *attempt) (value any, err error)

// newDispatcher returns a dispatcher that makes requests by exchange, and asks forToken to get a token.
func newDispatcher(cfg Config, exchange exchange, forToken *question) *dispatcher {
	if cfg.Jitter == nil {
		cfg.Jitter = rand.Float64
	}
	d := &dispatcher{
		core:     newScheduler(cfg, forToken),
		exchange: exchange,
		note:     cfg.Note,
		told:     map[*caller]chan ended{},
		cancel:   map[*attempt]context.CancelFunc{},
	}
	if d.note == nil {
		d.note = func(context.Context, string) {}
	}
	return d
}

// answer asks a question, and waits for its end, or for that of ctx. If both come at the same instant, the answer
// counts.
func (d *dispatcher) answer(ctx context.Context, asked *question) (any, error) {
	deadline, _ := ctx.Deadline()
	me, told := &caller{deadline: deadline}, make(chan ended, 1)
	d.happens(func(now time.Time) {
		d.told[me] = told
		me.began = now
		d.core.asks(now, asked, me, ctx.Err())
	})
	select {
	case got := <-told:
		return got.value, got.err
	case <-ctx.Done():
		d.happens(func(now time.Time) { d.core.leaves(now, me, ctx.Err()) })
		got := <-told
		return got.value, got.err
	}
}

// headerReceived reports the header of an answer, before its body is read. The status is 0 if no answer came.
func (d *dispatcher) headerReceived(sent *attempt, status int, failure error) {
	d.happens(func(now time.Time) { d.core.header(now, sent, status, failure) })
}

// reached reports how far a request without an answer has come, as the fault that it would meet there.
func (d *dispatcher) reached(sent *attempt, stage Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	sent.stage = stage
}

// happens reports an event, and does the actions that the scheduler then wants.
func (d *dispatcher) happens(event func(now time.Time)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	event(now)
	wanted, wake := d.core.next(now)
	for _, a := range wanted {
		d.do(a)
	}
	switch {
	case wake.IsZero() && d.timer != nil:
		d.timer.Stop()
	case wake.IsZero():
	case d.timer == nil:
		d.timer = time.AfterFunc(wake.Sub(now), func() { d.happens(func(time.Time) {}) })
	default:
		d.timer.Reset(wake.Sub(now))
	}
}

// do does one action of the scheduler.
//
//nolint:contextcheck,nolintlint // a request has the context of the caller that asked first, not of the event's caller
func (d *dispatcher) do(a action) {
	switch {
	case a.send != nil:
		ctx, cancel := context.WithCancel(a.send.by.ctx)
		d.cancel[a.send] = cancel
		go d.send(ctx, a.send)
	case a.stop != nil:
		d.cancel[a.stop]()
	case a.tell != nil:
		d.told[a.tell] <- a.end
		delete(d.told, a.tell)
	default:
		d.note(a.of.ctx, a.note)
	}
}

// send makes a request.
func (d *dispatcher) send(ctx context.Context, sent *attempt) {
	value, err := d.exchange(ctx, sent)
	d.happens(func(now time.Time) {
		d.cancel[sent]()
		delete(d.cancel, sent)
		d.core.ends(now, sent, ended{value, err})
	})
}

// totalPause returns for how long pauses have held requests back until now.
func (d *dispatcher) totalPause() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.core.pace.TotalPause(time.Now())
}
