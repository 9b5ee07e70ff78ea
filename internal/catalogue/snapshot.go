package catalogue

import (
	"cmp"
	"context"
	"errors"
	"time"
)

// answers are the flights on their way and the answers that are kept, so that all who ask the same within one process
// see the same. Failures are not kept. admission.mu guards the fields.
type answers struct {
	arrived       int // how many flights have come
	flights       map[*flight]struct{}
	shared        map[Endpoint]*flight // those that others may join; nil if every call asks afresh
	kept          map[Endpoint]ended
	deadlineFloor time.Time // a lower bound of all callers' deadlines, so that a pause that fits costs no look at each
}

func newAnswers(snapshot bool) answers {
	k := answers{flights: map[*flight]struct{}{}}
	if snapshot {
		k.shared = map[Endpoint]*flight{}
		k.kept = map[Endpoint]ended{}
	}
	return k
}

// ended is how a question ended for a caller.
type ended struct {
	value       any
	requestedAt time.Time // when the request for the value was sent
	err         error
}

// caller is a goroutine that waits for an answer.
type caller struct {
	began    time.Time
	deadline time.Time
	result   chan ended
}

// mayUse reports whether a caller may use an answer. One that was requested before it called does not prove that
// something is absent: a 404 and a value that is not usable do not count then.
func (c *caller) mayUse(got ended, usable func(any) bool) bool {
	if !got.requestedAt.Before(c.began) {
		return true
	}
	if got.err != nil {
		return !errors.Is(got.err, ErrNotFound)
	}
	return usable(got.value)
}

// answer returns the answer that is kept, or that of a flight, which it joins or begins. If that does not prove enough,
// the question is asked once more.
func (a *admission) answer(ctx context.Context, to Endpoint, usable func(any) bool, ask exchanger) (any, error) {
	deadline, _ := ctx.Deadline()
	me := &caller{began: time.Now(), deadline: deadline, result: make(chan ended, 1)}
	for {
		f, got := a.join(ctx, me, to, usable, ask)
		if f != nil {
			select {
			case got = <-me.result:
			case <-ctx.Done():
				got = f.leave(me, ctx.Err())
			}
		}
		if f == nil || me.mayUse(got, usable) {
			return got.value, got.err
		}
	}
}

// join joins the flight that asks a question, or begins it. If the end is known already, it returns that and no flight.
func (a *admission) join(
	ctx context.Context, me *caller, to Endpoint, usable func(any) bool, ask exchanger,
) (*flight, ended) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := cmp.Or(a.run.over, ctx.Err()); err != nil {
		return nil, ended{err: err}
	}
	if got, kept := a.answers.kept[to]; kept && me.mayUse(got, usable) {
		return nil, got
	}
	f, found := a.answers.shared[to]
	if !found {
		f = newFlight(ctx, a, to, ask)
	}
	if err := f.lateErrLocked(me); err != nil {
		return nil, ended{err: err}
	}
	f.callers[me] = struct{}{}
	a.answers.expect(me)
	if !found {
		a.answers.begin(f)
		a.queue.add(f)
		go f.fly() //nolint:contextcheck // the flight has its own
	}
	return f, ended{}
}

// begin adds a flight.
func (k *answers) begin(f *flight) {
	k.arrived = f.order
	k.flights[f] = struct{}{}
	if k.shared != nil {
		k.shared[f.to] = f
	}
}

// end removes a flight, and keeps its answer for those who come later.
func (k *answers) end(f *flight, got ended) {
	delete(k.flights, f)
	delete(k.shared, f.to)
	if k.shared != nil && got.err == nil {
		k.kept[f.to] = got
	}
}

// expect keeps the bound of all deadlines when a caller comes.
func (k *answers) expect(c *caller) {
	if k.deadlineFloor.IsZero() || c.deadline.Before(k.deadlineFloor) {
		k.deadlineFloor = c.deadline
	}
}
