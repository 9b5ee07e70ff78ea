package catalogue

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// admission decides when each request of the process is sent. Flights wait in one queue, first come, first served, and
// the one at its head holds the turn: it waits for the pause, the ceiling and the congestion window, requests a token
// if none serves, is sent, and leaves the turn to the next. Whatever may let it go sooner wakes it, and it decides
// again. No other flight has to be woken. golang.org/x/sync/semaphore hands on its turn in the same way.
//
// Methods whose name ends in Locked need mu.
type admission struct {
	cfg      Config
	mu       sync.Mutex
	arrived  int // how many flights have come
	queue    queue
	answers  answers
	earliest time.Time // no caller's deadline is before it; zero if there is no caller
	pace     *pace.Pace
	paused   error // the 429 of a pause, once its body is read
	tokens   tokens
	run      run
}

// run is what concerns all reads of the process. down and succeeded are moments: the number of flights that had come.
type run struct {
	proof     *token // its 401 proves a rejection, and ends the run once its body is read; nil if there is none
	over      error  // the answer to every read
	down      int    // when a read gave up after all its retries, 0 if the service is not down
	succeeded int    // when a read was last answered
}

// What a flight waits for, beside the reasons of the pace.
const (
	forItsTurn = "the requests before it"
	forBackOff = "its back-off"
	forToken   = "a token"
)

// admit waits until a flight's back-off is over and its next request may be sent, and returns the attempt. It returns
// nil if the flight has ended.
func (a *admission) admit(f *flight) *attempt {
	a.mu.Lock()
	defer a.mu.Unlock()
	came, waitedFor := time.Now(), ""
	for f.ctx.Err() == nil && f.notBefore.After(time.Now()) {
		waitedFor = forBackOff
		a.waitLocked(f, f.notBefore)
	}
	if f.ctx.Err() == nil {
		a.queue.add(f)
		a.wakeLocked() // it may have come before the head
	}
	for f.ctx.Err() == nil {
		until, hold := a.holdLocked(f)
		switch {
		case a.run.proof != nil, a.queue.head() != f:
			waitedFor = forItsTurn
			a.waitLocked(f, time.Time{})
		case hold != "":
			waitedFor = hold
			a.failLocked(f, a.deadlineExceededLocked)
			a.waitLocked(f, until)
		case !a.tokens.serve(time.Now()):
			a.requestTokenLocked(f, came, waitedFor)
		default:
			a.queue.remove(f)
			a.wakeLocked()
			f.sent = a.sendLocked(a.tokens.current, &f.tries, came, waitedFor)
			f.got.requestedAt = f.sent.sentAt
			return f.sent
		}
	}
	return nil
}

// holdLocked returns what holds back a flight whose turn it is, "" for nothing, and until when, the zero time if only
// an event can tell.
func (a *admission) holdLocked(f *flight) (until time.Time, hold string) {
	now := time.Now()
	until, reason := a.pace.Next(now)
	switch {
	case f.sent != nil:
		return now, ""
	case f.notBefore.After(now):
		return f.notBefore, forBackOff
	case reason != pace.Nothing:
		return until, reason.String()
	case a.tokens.stop != nil:
		return time.Time{}, forToken
	case !a.tokens.serve(now) && a.tokens.notBefore.After(now):
		return a.tokens.notBefore, forToken
	}
	return now, ""
}

// waitLocked waits, without mu, until then or until something wakes the flight. The zero time never comes.
func (a *admission) waitLocked(f *flight, until time.Time) {
	a.mu.Unlock()
	defer a.mu.Lock()
	var over <-chan time.Time
	if !until.IsZero() {
		over = time.After(time.Until(until))
	}
	select {
	case <-over:
	case <-f.wake:
	case <-f.ctx.Done():
	}
}

// wakeLocked makes the head of the queue decide again. If the queue is empty, it ends the request for a token.
func (a *admission) wakeLocked() {
	switch head := a.queue.head(); {
	case head != nil:
		select {
		case head.wake <- struct{}{}:
		default: // it is woken already
		}
	case a.tokens.stop != nil: // no flight waits for a token any more
		a.tokens.stop()
	default:
		a.tokens.tries = tries{}
	}
}

// sendLocked makes the attempt that is sent now.
func (a *admission) sendLocked(by *token, t *tries, came time.Time, waitedFor string) *attempt {
	now := time.Now()
	t.attempts++
	return &attempt{
		token: by, number: a.pace.Sent(now), sentAt: now,
		seen: Exchange{Attempt: t.attempts, Waited: now.Sub(came), WaitedFor: waitedFor},
	}
}

// headerReceived acts on the header of an answer before its body is read: from then on nothing is sent in the pause
// that it asks for, or with the token that it rejects. response is nil if the request ended without a header.
func (a *admission) headerReceived(ctx context.Context, to Endpoint, sent *attempt, response *http.Response) {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer a.wakeLocked()
	if response == nil {
		a.pace.Ended(sent.number, time.Now())
		return
	}
	outcome := outcomeOf(response.StatusCode, to == a.tokens.to, "")
	if outcome != limited {
		a.pace.Answered(sent.number, time.Now())
	}
	switch {
	case outcome == limited:
		a.pauseLocked(ctx, to, sent, response.Header)
	case outcome == unauthorized:
		if !sent.token.rejected {
			a.noteLocked(ctx, "The token is not used again: 401 for %s", to.path())
		}
		if a.tokens.reject(sent.token, time.Now()) {
			a.run.proof = sent.token
		}
	case outcome == final && to != a.tokens.to:
		a.tokens.served(sent.token)
	}
}

// pauseLocked begins or prolongs the pause that a 429 asks for.
func (a *admission) pauseLocked(ctx context.Context, to Endpoint, sent *attempt, header http.Header) {
	now, last, why := time.Now(), a.pace.PausedUntil(), "for the pause that the service asked for"
	wait, named := contract.RetryAfter(header, now)
	if !named {
		wait, why = backOff(sent.seen.Attempt, a.cfg.Jitter()), "because the service limits requests and names no wait"
	}
	a.pace.Limited(sent.number, now, wait)
	if !last.After(now) {
		a.paused = nil
		const note = "Waiting %s %s (429 for %s); " +
			"after it at most %d requests are in flight, and one more for every 8 answers"
		a.noteLocked(ctx, note, round(wait), why, to.path(), a.pace.Window())
	}
}

// doneLocked applies what an attempt means for other reads, once its answer is read, and returns its outcome.
func (a *admission) doneLocked(sent *attempt, err error) outcome {
	outcome := classify(err)
	switch {
	case outcome == unauthorized && sent.token == a.run.proof:
		a.endRunLocked(&RejectedError{Given: a.tokens.given(), Issued: !a.tokens.given(), Err: err})
	case outcome == limited:
		a.pausedLocked(err)
	}
	return outcome
}

// pausedLocked fails the reads whose time ends before a pause, with the 429 that asked for it. A 429 that asked for a
// shorter pause does not count.
func (a *admission) pausedLocked(err error) {
	until := a.pace.PausedUntil()
	if api, ok := apiError(err); a.paused == nil || ok && !time.Now().Add(api.RetryAfter).Before(until) {
		a.paused = err
	}
	if !a.earliest.Before(until) {
		return
	}
	a.earliest = time.Time{}
	for f := range a.answers.flights {
		a.failLocked(f, a.deadlineExceededLocked)
		for c := range f.callers {
			a.expectLocked(c)
		}
	}
}

// expectLocked keeps the earliest deadline, so that a pause that fits in every caller's time costs nothing.
func (a *admission) expectLocked(c *caller) {
	if a.earliest.IsZero() || c.deadline.Before(a.earliest) {
		a.earliest = c.deadline
	}
}

// endRunLocked ends the run with the first error that does: every read that is not under way fails with it, and every
// later one. A read under way ends with its own answer, if it gets one.
func (a *admission) endRunLocked(err error) {
	if a.run.over != nil {
		return
	}
	a.run.over = err
	for f := range a.answers.flights {
		if f.sent == nil {
			a.endLocked(f, err)
		}
	}
}

func (a *admission) noteLocked(ctx context.Context, format string, args ...any) {
	a.cfg.Note(ctx, fmt.Sprintf(format, args...))
}

// queue has the flights that wait to be sent, in the order in which they came. The first of them holds the turn.
type queue []*flight

func (q *queue) head() *flight {
	if len(*q) == 0 {
		return nil
	}
	return (*q)[0]
}

func (q *queue) find(f *flight) (at int, found bool) {
	return slices.BinarySearchFunc(*q, f, func(a, b *flight) int { return a.order - b.order })
}

func (q *queue) add(f *flight) {
	if at, found := q.find(f); !found {
		*q = slices.Insert(*q, at, f)
	}
}

func (q *queue) remove(f *flight) {
	if at, found := q.find(f); found {
		*q = slices.Delete(*q, at, at+1)
	}
}
