package catalogue

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// caller is one who waits for an answer.
type caller struct {
	began, deadline time.Time
	result          chan reply
}

// reply is what a caller gets.
type reply struct {
	answer
	err error
}

// answer is what a question was answered, by a request that was sent at askedAt.
type answer struct {
	value   any
	askedAt time.Time
}

// flightKey tells one flight from another.
type flightKey struct {
	Endpoint
	alone int // the order of a flight that nobody may join, else 0
}

// answers are the flights on their way, and the answers that are kept, so that whoever asks the same within one
// process sees the same. Failures are not kept.
type answers struct {
	shared  bool // else each read is made afresh
	flights map[flightKey]*flight
	kept    map[Endpoint]answer
}

func newAnswers(shared bool) answers {
	return answers{shared: shared, flights: map[flightKey]*flight{}, kept: map[Endpoint]answer{}}
}

// ended records the end of a flight.
func (s *answers) ended(f *flight, err error) {
	delete(s.flights, f.asks)
	if err == nil && s.shared {
		s.kept[f.asks.Endpoint] = f.got
	}
}

// answer returns the answer that is kept, or that of a flight, which it joins or begins. An answer that was asked for
// before this call cannot prove that something is absent: if it does not suffice, or is a 404, the question is asked
// once more.
func (a *admission) answer(ctx context.Context, to Endpoint, suffices func(any) bool, read reader) (any, error) {
	deadline, _ := ctx.Deadline()
	me := &caller{began: time.Now(), deadline: deadline, result: make(chan reply, 1)}
	holds := func(got reply) bool {
		absent := errors.Is(got.err, ErrNotFound) || got.err == nil && !suffices(got.value)
		return !absent || !got.askedAt.Before(me.began)
	}
	for {
		f, got := a.join(ctx, me, to, holds, read)
		if f == nil {
			return got.value, got.err
		}
		select {
		case got = <-me.result:
		case <-ctx.Done():
			got = a.leave(f, me, ctx.Err())
		}
		if holds(got) {
			return got.value, got.err
		}
	}
}

// join joins the flight that asks a question, or begins it. It returns no flight if it knows what the caller gets.
func (a *admission) join(
	ctx context.Context, me *caller, to Endpoint, holds func(reply) bool, read reader,
) (*flight, reply) {
	a.mu.Lock()
	defer a.unlock()
	if err := cmp.Or(a.run.over, ctx.Err()); err != nil {
		return nil, reply{err: err}
	}
	if known, ok := a.answers.kept[to]; ok && holds(reply{answer: known}) {
		return nil, reply{answer: known}
	}
	f, found := a.answers.flights[flightKey{Endpoint: to}]
	if !found {
		f = a.newFlightLocked(ctx, to, read)
	}
	if err := a.unfitLocked(f, me); err != nil {
		return nil, reply{err: err}
	}
	f.callers[me] = struct{}{}
	if !found {
		a.answers.flights[f.asks] = f
		go a.fly(f)
	}
	return f, reply{}
}

// newFlightLocked makes a flight, which comes behind all others. The values of the first caller's context stay:
// loggers are among them.
func (a *admission) newFlightLocked(ctx context.Context, to Endpoint, read reader) *flight {
	a.queue.arrived++
	f := &flight{
		to: to, read: read, callers: map[*caller]struct{}{}, wake: make(chan struct{}, 1),
		arrival: arrival{
			asks: flightKey{Endpoint: to}, order: a.queue.arrived, began: time.Now(), inOutage: !a.outage.since.IsZero(),
		},
	}
	if !a.answers.shared {
		f.asks.alone = f.order
	}
	f.ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return f
}

// leave removes a caller whose context has ended with cause. If its answer came at the same instant, that counts.
func (a *admission) leave(f *flight, me *caller, cause error) reply {
	a.mu.Lock()
	defer a.unlock()
	defer a.wakeLocked()
	select {
	case got := <-me.result:
		return got
	default:
	}
	err := a.leavingLocked(f, me, cause)
	a.dismissLocked(f, func(c *caller) error {
		if c == me {
			return err
		}
		return nil
	})
	return <-me.result
}

// dismissLocked fails the callers for whom why gives an error. The flight ends with the last of them.
func (a *admission) dismissLocked(f *flight, why func(*caller) error) {
	for c := range f.callers {
		if err := why(c); err != nil {
			delete(f.callers, c)
			c.result <- reply{err: err}
		}
	}
	if len(f.callers) == 0 {
		a.endLocked(f, context.Canceled)
	}
}

// dismissLateLocked fails the callers whose time ends before that of a wait.
func (a *admission) dismissLateLocked(f *flight, until time.Time, cause Cause, err error) {
	a.dismissLocked(f, func(c *caller) error { return a.lateLocked(f, c, until, cause, err) })
}

// unfitLocked is the error of a caller whose time ends before that of a wait that is known already, nil if there is
// none.
func (a *admission) unfitLocked(f *flight, c *caller) error {
	if f.underWay() {
		return nil
	}
	before, _ := a.queue.find(f)
	return cmp.Or(
		a.lateLocked(f, c, a.pace.PausedUntil(), WaitTooLong, a.pause.err),
		a.lateLocked(f, c, f.notBefore, WaitTooLong, f.last),
		a.lateLocked(f, c, a.tokens.notBefore, WaitTooLong, a.tokens.last),
		a.lateLocked(f, c, a.pace.CeilingAfter(before, time.Now()), CeilingTooLow, nil),
	)
}

// lateLocked is the error of a caller whose time ends before that of a wait, nil if it does not.
func (a *admission) lateLocked(f *flight, c *caller, until time.Time, cause Cause, err error) error {
	if until.Before(time.Now()) || !c.deadline.Before(until) || cause == WaitTooLong && err == nil {
		return nil
	}
	late := a.gaveUpLocked(f, c, cause, err)
	late.Wait = time.Until(until)
	return late
}

// gaveUpLocked is the error of a caller whose read has no attempt left, or no time for one.
func (a *admission) gaveUpLocked(f *flight, c *caller, cause Cause, err error) *GaveUpError {
	attempts := f.attempts
	if failed, ok := endpointOf(err); ok && failed == a.tokens.source.to {
		attempts = a.tokens.attempts
	}
	return &GaveUpError{
		Cause: cause, Attempts: attempts, Elapsed: time.Since(c.began), Remaining: max(0, time.Until(c.deadline)),
		WaitingFor: a.waitsForLocked(f), Err: err,
	}
}

// leavingLocked is the error of a caller whose context has ended with cause.
func (a *admission) leavingLocked(f *flight, c *caller, cause error) error {
	if cause == context.DeadlineExceeded { //nolint:errorlint // as context.Context.Err returns it
		return a.timeOverLocked(f, c)
	}
	until, _ := a.pace.Next(time.Now())
	if f.notBefore.After(until) {
		until = f.notBefore
	}
	left := &InterruptedError{Attempts: f.attempts, Last: f.last, WaitingFor: a.waitsForLocked(f), Err: cause}
	if left.WaitingFor != "" {
		left.Remaining = max(0, time.Until(until))
	}
	return left
}

// timeOverLocked is the error of a caller whose time is over: the last failure of its read, or else what kept it.
func (a *admission) timeOverLocked(f *flight, c *caller) error {
	now, sent, waits := time.Now(), f.sent, a.waitsForLocked(f) != ""
	_, reason := a.pace.Next(now)
	if a.tokens.asking != nil && !f.underWay() {
		sent = a.tokens.asking
	}
	switch {
	case waits && reason == pace.Ceiling:
		return a.gaveUpLocked(f, c, CeilingTooLow, f.last)
	case f.last != nil:
		return a.gaveUpLocked(f, c, TimeOver, f.last)
	case sent != nil && !sent.ended:
		const problem = "no whole answer before the read's time was over"
		slow := &NetworkError{Endpoint: sent.to, TimedOut: true, Problem: problem, Err: context.DeadlineExceeded}
		return a.gaveUpLocked(f, c, TimeOver, slow)
	case a.tokens.last != nil:
		return a.gaveUpLocked(f, c, TimeOver, a.tokens.last)
	case a.pace.PausedUntil().After(c.began):
		return a.gaveUpLocked(f, c, TimeOver, a.pause.err)
	}
	return a.gaveUpLocked(f, c, TimeOver, nil)
}

// waitsForLocked is what a flight waits for, in words, "" if a request is under way, its own or the one for its token.
func (a *admission) waitsForLocked(f *flight) string {
	switch {
	case f.underWay():
		return ""
	case f.notBefore.After(time.Now()):
		return forBackOff
	case a.queue.hold != "":
		return a.queue.hold
	}
	return forItsTurn
}
