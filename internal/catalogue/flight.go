package catalogue

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// flight is one question on its way, and all who wait for its answer. It is a loop: admitted, sent, judged, backs off.
// Its fields belong to admission.mu.
type flight struct {
	tries
	order   int // when it came, among all flights: a retry keeps its place
	to      Endpoint
	ctx     context.Context // done once the flight has ended
	cancel  func()
	read    reader
	got     reply
	callers map[*caller]struct{}
	sent    *attempt      // under way, nil if there is none
	wake    chan struct{} // a message makes the head of the queue decide again
}

// reader makes an exchange of a question.
type reader func(ctx context.Context, sent *attempt) (value any, err error)

// tries counts the attempts of a question, or of the request for a token, and their failures.
type tries struct {
	attempts  int
	failures  int // that may pass
	renewals  int // 401s
	last      error
	notBefore time.Time // the end of the back-off
}

// attempt is one request that was admitted, for a read or for a token.
type attempt struct {
	token  *token // a read is sent with it, a request for a token fills it
	number int    // by which the pace knows it
	sentAt time.Time
	seen   Exchange // its number among the tries, and what it waited for
}

// caller is a goroutine that waits for an answer.
type caller struct {
	began, deadline time.Time
	result          chan reply
}

// reply is what a caller gets. requestedAt is when the request for the value was sent.
type reply struct {
	value       any
	requestedAt time.Time
	err         error
}

// answers are the flights on their way and the answers that are kept, so that all who ask the same within one process
// see the same. Failures are not kept.
type answers struct {
	flights map[*flight]struct{}
	shared  map[Endpoint]*flight // those that others may join
	kept    map[Endpoint]reply
}

// answer returns the answer that is kept, or that of a flight, which it joins or begins. An answer that was requested
// before this call cannot prove that something is absent: if it is a 404 or does not suffice, the question is asked
// once more.
func (a *admission) answer(ctx context.Context, to Endpoint, suffices func(any) bool, read reader) (any, error) {
	deadline, _ := ctx.Deadline()
	me := &caller{began: time.Now(), deadline: deadline, result: make(chan reply, 1)}
	holds := func(got reply) bool {
		absent := errors.Is(got.err, ErrNotFound) || got.err == nil && !suffices(got.value)
		return !absent || !got.requestedAt.Before(me.began)
	}
	for {
		f, got := a.join(ctx, me, to, holds, read)
		if f != nil {
			select {
			case got = <-me.result:
			case <-ctx.Done():
				got = a.abandon(f, me, ctx.Err())
			}
		}
		if f == nil || holds(got) {
			return got.value, got.err
		}
	}
}

// join joins the flight that asks a question, or begins it. If the reply is known already, it returns that and no
// flight.
func (a *admission) join(
	ctx context.Context, me *caller, to Endpoint, holds func(reply) bool, read reader,
) (*flight, reply) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := cmp.Or(a.run.over, ctx.Err()); err != nil {
		return nil, reply{err: err}
	}
	if got, kept := a.answers.kept[to]; kept && holds(got) {
		return nil, got
	}
	f, found := a.answers.shared[to]
	if !found {
		a.arrived++
		f = &flight{order: a.arrived, to: to, read: read, callers: map[*caller]struct{}{}, wake: make(chan struct{}, 1)}
		// It outlives the caller that begins it, and keeps the values of its context: loggers are among them.
		f.ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
	}
	if err := a.deadlineExceededLocked(f, me); err != nil {
		return nil, reply{err: err}
	}
	f.callers[me] = struct{}{}
	a.expectLocked(me)
	if !found {
		a.answers.flights[f] = struct{}{}
		if a.cfg.Snapshot {
			a.answers.shared[to] = f
		}
		a.queue.add(f)
		go a.fly(f) //nolint:contextcheck // the flight has its own
	}
	return f, reply{}
}

// abandon removes a caller whose context has ended with cause. If its reply came at the same instant, that counts.
func (a *admission) abandon(f *flight, me *caller, cause error) reply {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, waits := f.callers[me]; waits {
		delete(f.callers, me)
		me.result <- reply{err: a.abandonedLocked(f, me, cause)}
		if len(f.callers) == 0 {
			a.endLocked(f, cause)
		}
	}
	return <-me.result
}

// failLocked fails the callers for which why returns an error. The flight ends with the last of them.
func (a *admission) failLocked(f *flight, why func(*flight, *caller) error) {
	for c := range f.callers {
		if err := why(f, c); err != nil {
			delete(f.callers, c)
			c.result <- reply{err: err}
		}
	}
	if len(f.callers) == 0 {
		a.endLocked(f, context.Canceled)
	}
}

// endLocked ends a flight. Its callers get err, or the answer if err is nil.
func (a *admission) endLocked(f *flight, err error) {
	if f.ctx.Err() != nil {
		return
	}
	f.got.err = err
	f.cancel()
	delete(a.answers.flights, f)
	delete(a.answers.shared, f.to)
	if a.cfg.Snapshot && err == nil {
		a.answers.kept[f.to] = f.got
	}
	a.queue.remove(f)
	a.wakeLocked()
	for c := range f.callers {
		c.result <- f.got
	}
	clear(f.callers)
}

// fly asks one question until its flight has ended.
func (a *admission) fly(f *flight) {
	for sent := a.admit(f); sent != nil; sent = a.admit(f) {
		value, err := f.read(f.ctx, sent)
		a.judge(f, value, err)
	}
}

// judge decides what follows an attempt: an answer, a final error, or another attempt.
func (a *admission) judge(f *flight, value any, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	outcome := a.doneLocked(f.sent, err)
	f.sent = nil
	switch {
	case f.ctx.Err() != nil: // no caller waits for it
	case outcome == final:
		f.got.value = value
		a.concludeLocked(f, err)
	case a.run.over != nil:
		a.endLocked(f, a.run.over)
	default:
		a.againLocked(f, outcome, err)
	}
}

// againLocked makes a flight try again after an attempt that failed, if it has a retry left.
func (a *admission) againLocked(f *flight, outcome outcome, err error) {
	f.last = err
	switch outcome {
	case unauthorized:
		if f.renewals++; f.renewals > maxRenewals {
			a.endLocked(f, err)
		}
	case transient:
		f.failed(err, a.cfg.Jitter())
		if !a.giveUpLocked(f, f.failures, err) {
			a.noteLocked(f.ctx, "Another attempt in %s: %s", round(time.Until(f.notBefore)), err)
		}
	}
	a.failLocked(f, a.deadlineExceededLocked)
}

// failed counts a failure that may pass, and sets the back-off.
func (t *tries) failed(err error, jitter float64) {
	t.failures++
	wait := backOff(t.failures, jitter)
	if api, ok := apiError(err); ok {
		wait = max(wait, api.RetryAfter)
	}
	t.last, t.notBefore = err, time.Now().Add(wait)
}

// concludeLocked ends a flight with an answer, or with a final error.
func (a *admission) concludeLocked(f *flight, err error) {
	api, answered := apiError(err)
	switch {
	case answered && api.Is(ErrOrganisationDisabled):
		a.endRunLocked(err)
		err = a.run.over
	case answered, err == nil:
		if a.run.down > 0 {
			a.noteLocked(f.ctx, "The service answers again: reads have all their attempts")
		}
		a.run.down, a.run.succeeded = 0, a.arrived
	}
	a.endLocked(f, err)
}

// giveUpLocked ends a flight that has no retry left after its failures, or those of the request for a token, and
// reports whether it did. The service is down if no read has succeeded since the flight came: reads that come after
// that make one attempt each.
func (a *admission) giveUpLocked(f *flight, failures int, err error) bool {
	retries, cause := a.cfg.MaxRetries, RetriesUsedUp
	if a.run.down > 0 && f.order > a.run.down {
		retries, cause = 0, ServiceDown
	}
	if failures <= retries {
		return false
	}
	if a.run.down == 0 && f.order > a.run.succeeded {
		a.run.down = a.arrived
		a.noteLocked(f.ctx, "The service is down: reads that begin now make one attempt each")
	}
	a.failLocked(f, func(f *flight, c *caller) error { return a.gaveUpLocked(f, c, cause, err, time.Time{}) })
	return true
}

// deadlineExceededLocked returns an error if a caller's time ends before a wait that is known already.
func (a *admission) deadlineExceededLocked(f *flight, c *caller) error {
	if f.sent != nil {
		return nil
	}
	if late := cmp.Or(
		a.lateLocked(f, c, a.pace.PausedUntil(), WaitTooLong, a.paused),
		a.lateLocked(f, c, f.notBefore, WaitTooLong, f.last),
		a.lateLocked(f, c, a.tokens.notBefore, WaitTooLong, a.tokens.last),
	); late != nil {
		return late
	}
	before, _ := a.queue.find(f)
	turn := a.pace.CeilingAfter(before, time.Now())
	if !c.deadline.Before(turn.Add(-pace.Slow)) { // an answer can bring it forward by that
		return nil
	}
	return a.lateLocked(f, c, turn, CeilingTooLow, nil)
}

// lateLocked returns an error if a caller's time ends before a wait does. For a pause it returns none until the body of
// the 429 is read.
func (a *admission) lateLocked(f *flight, c *caller, until time.Time, cause Cause, err error) error {
	if !until.After(time.Now()) || !c.deadline.Before(until) || cause == WaitTooLong && err == nil {
		return nil
	}
	return a.gaveUpLocked(f, c, cause, err, until)
}

// gaveUpLocked returns the error of a caller whose read has no attempt left, or not the time to wait until then.
func (a *admission) gaveUpLocked(f *flight, c *caller, cause Cause, err error, until time.Time) *GaveUpError {
	attempts := f.attempts
	if to, ok := endpointOf(err); ok && to.Method == http.MethodPost {
		attempts = cmp.Or(a.tokens.attempts, attempts)
	}
	_, hold := a.holdLocked(f)
	if hold == "" && f.sent == nil {
		hold = forItsTurn
	}
	return &GaveUpError{
		Cause: cause, Attempts: attempts, Elapsed: time.Since(c.began), Remaining: max(0, time.Until(c.deadline)),
		Wait: max(0, time.Until(until)), WaitingFor: hold, Err: err,
	}
}

// abandonedLocked returns the error of a caller whose context has ended with cause.
func (a *admission) abandonedLocked(f *flight, c *caller, cause error) error {
	until, _ := a.holdLocked(f)
	if cause != context.DeadlineExceeded { //nolint:errorlint // as context.Context.Err returns it
		at := a.gaveUpLocked(f, c, TimeOver, a.lastLocked(f), until)
		return &InterruptedError{
			Attempts: at.Attempts, Last: at.Err, WaitingFor: at.WaitingFor, Remaining: at.Wait, Err: cause,
		}
	}
	before, waits := a.queue.find(f)
	if _, reason := a.pace.Next(time.Now()); waits && reason == pace.Ceiling && a.tokens.stop == nil {
		return a.gaveUpLocked(f, c, CeilingTooLow, f.last, a.pace.CeilingAfter(before, time.Now()))
	}
	return a.gaveUpLocked(f, c, TimeOver, a.blockedByLocked(f, c), time.Time{})
}

// blockedByLocked returns what kept the answer from a caller until its time was over.
func (a *admission) blockedByLocked(f *flight, c *caller) error {
	switch last := a.lastLocked(f); {
	case last != nil:
		return last
	case f.sent != nil:
		return tooSlow(f.to)
	case a.tokens.stop != nil:
		return tooSlow(a.tokens.to)
	case a.pace.PausedUntil().After(c.began):
		return a.paused
	}
	return nil
}

// lastLocked returns the last failure of a flight's own request, or of the request for the token that it waits for.
func (a *admission) lastLocked(f *flight) error {
	if f.sent != nil {
		return f.last
	}
	return cmp.Or(f.last, a.tokens.last)
}
