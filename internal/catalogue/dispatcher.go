package catalogue

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// dispatcher is the shell of the scheduler: the lock, the clock and its timer, a channel for each caller and a
// goroutine for each request. After each event it writes the log and then answers callers, both without the lock.
type dispatcher struct {
	mu       sync.Mutex // of core, notes and attempt.stage
	core     scheduler
	timer    *time.Timer
	exchange exchange
	notes    []action                      // to be written
	writing  sync.Mutex                    // held to write them in order
	note     func(context.Context, string) // or nil
}

// exchange makes one request, and returns the decoded body of its answer.
type exchange func(context.Context, *attempt) (value any, err error)

// newDispatcher returns a dispatcher that makes requests by exchange. forToken is the question for a token.
func newDispatcher(cfg Config, exchange exchange, forToken *question) *dispatcher {
	if cfg.Jitter == nil {
		cfg.Jitter = rand.Float64
	}
	d := &dispatcher{
		core:     newScheduler(cfg, forToken),
		exchange: exchange,
		note:     cfg.Note,
	}
	d.timer = time.AfterFunc(time.Hour, func() { d.happens(func(time.Time) {}) })
	d.timer.Stop()
	return d
}

// answer asks a question, and waits for its end or for the end of ctx. If both come at the same instant, the answer
// counts.
func (d *dispatcher) answer(ctx context.Context, q *question) (any, error) {
	deadline, _ := ctx.Deadline()
	told := make(chan ended, 1)
	me := &caller{deadline: deadline, tell: func(got ended) { told <- got }}
	d.happens(func(now time.Time) {
		me.began = now
		d.core.asks(now, q, me, ctx.Err())
	})
	stop := context.AfterFunc(ctx, func() {
		d.happens(func(now time.Time) { d.core.leaves(now, me, ctx.Err()) })
	})
	defer stop()
	got := <-told
	return got.value, got.err
}

// headerReceived reports the header of an answer before its body is read. The status is 0 if no answer came.
func (d *dispatcher) headerReceived(sent *attempt, status int, failure error) {
	d.happens(func(now time.Time) { d.core.header(now, sent, status, failure) })
}

// reached reports the stage of a request without an answer, as the fault that belongs to it.
func (d *dispatcher) reached(sent *attempt, stage Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	sent.stage = stage
}

// happens reports an event, and does the actions that follow.
func (d *dispatcher) happens(event func(now time.Time)) {
	wanted := d.decide(event)
	d.writeNotes()
	for _, a := range wanted {
		if a.tell != nil {
			a.tell.tell(a.end)
		}
	}
}

// writeNotes writes the lines of the log in the order of their events.
func (d *dispatcher) writeNotes() {
	d.writing.Lock()
	defer d.writing.Unlock()
	d.mu.Lock()
	notes := d.notes
	d.notes = nil
	d.mu.Unlock()
	for _, a := range notes {
		d.note(a.of.ctx, a.note)
	}
}

// decide reports an event, begins and ends requests, and sets the timer. It returns the actions of the event.
func (d *dispatcher) decide(event func(now time.Time)) (wanted []action) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	event(now)
	wanted, wake := d.core.next(now)
	for _, a := range wanted {
		switch {
		case a.begin != nil:
			d.begin(a.begin)
		case a.stop != nil:
			a.stop.cancel()
		case a.note != "" && d.note != nil:
			d.notes = append(d.notes, a)
		}
	}
	if wake.Equal(openEnd) {
		d.timer.Stop()
	} else {
		d.timer.Reset(wake.Sub(now))
	}
	return wanted
}

// begin makes a request in a goroutine of its own, and reports its end.
//
//nolint:contextcheck,nolintlint // a request has the context of the caller that asked first, not of the event's caller
func (d *dispatcher) begin(sent *attempt) {
	ctx, cancel := context.WithCancel(sent.onBehalfOf.ctx)
	sent.cancel = cancel
	go func() {
		defer cancel()
		value, err := d.exchange(ctx, sent)
		d.happens(func(now time.Time) { d.core.ends(now, sent, ended{value, err}) })
	}()
}

// totalPause returns for how long pauses have held requests back until now.
func (d *dispatcher) totalPause() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.core.pace.TotalPause(time.Now())
}
