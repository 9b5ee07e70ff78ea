package catalogue

import (
	"cmp"
	"context"
	"errors"
	"time"
)

// answers are the flights on their way and what is kept, so that all who ask the same within one process see the same.
// An answer is kept, and so is a final refusal, which asking again does not change (INTERFACE.md, Client handling
// rules). admission.mu guards the fields.
type answers struct {
	arrived       int // how many flights have come
	flights       map[*flight]struct{}
	shared        map[Endpoint]*flight // those that others may join; nil if every call asks afresh
	kept          map[Endpoint]ended
	deadlineFloor time.Time // a lower bound of all callers' deadlines, so that a pause that fits costs no look at each
}

// ended is how a question ended for a caller.
type ended struct {
	value any
	err   error
}

// caller is a goroutine that waits for an answer.
type caller struct {
	began    time.Time
	deadline time.Time
	result   chan ended
}

// answer returns what is kept, or the end of a flight, which it joins or begins.
func (a *admission) answer(ctx context.Context, asked *flight) (any, error) {
	deadline, _ := ctx.Deadline()
	me := &caller{began: time.Now(), deadline: deadline, result: make(chan ended, 1)}
	f, got := a.join(ctx, me, asked)
	if f == nil {
		return got.value, got.err
	}
	select {
	case got = <-me.result:
	case <-ctx.Done():
		got = f.leave(me, ctx.Err())
	}
	return got.value, got.err
}

// join joins the flight that asks the same, or begins the one that is asked for. If the end is known already, it
// returns that and no flight.
func (a *admission) join(ctx context.Context, me *caller, asked *flight) (*flight, ended) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := cmp.Or(a.run.over, ctx.Err()); err != nil {
		return nil, ended{err: err}
	}
	if got, kept := a.answers.kept[asked.to]; kept {
		return nil, got
	}
	f, found := a.answers.shared[asked.to]
	if !found {
		f = asked
		f.prepare(ctx, a)
	}
	if err := f.lateErrLocked(me); err != nil {
		return nil, ended{err: err}
	}
	f.callers[me] = struct{}{}
	a.answers.expect(me)
	if !found {
		a.answers.arrived = f.order
		a.answers.flights[f] = struct{}{}
		if a.answers.shared != nil {
			a.answers.shared[f.to] = f
		}
		a.queue.add(f)
		go f.fly() //nolint:contextcheck // the flight has its own
	}
	return f, ended{}
}

// keep keeps how a question ended, for callers who ask it later. A fault of the network may pass, so it is not kept.
func (k *answers) keep(f *flight, got ended) {
	_, noAnswer := errors.AsType[*NetworkError](got.err)
	if k.kept != nil && !noAnswer {
		k.kept[f.to] = got
	}
}

// expect keeps the bound of all deadlines when a caller comes.
func (k *answers) expect(c *caller) {
	if k.deadlineFloor.IsZero() || c.deadline.Before(k.deadlineFloor) {
		k.deadlineFloor = c.deadline
	}
}
