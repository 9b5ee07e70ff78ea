package catalogue

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// admission decides when each request of the process is sent. Flights wait in one queue, first come, first served, and
// the one at its head holds the turn: it waits for the pause, the ceiling and the congestion window, asks for a token
// if none serves, is sent, and leaves the turn to the next. Whatever may let it go sooner wakes it, and it decides
// anew; nobody else has to be woken. golang.org/x/sync/semaphore hands on its turn like this.
//
// Methods whose name ends in Locked need mu.
type admission struct {
	cfg     Config
	mu      sync.Mutex
	arrived int // how many flights have come
	queue   queue
	answers answers
	pace    *pace.Pace
	paused  error // the 429 of a pause, once its body is read
	tokens  tokens
	run     run
}

// run is what is known of the service, for all reads of the process. It is running; ending, while the words of a
// rejection are on their way; and then over. down and succeeded are moments, told by how many flights had come.
type run struct {
	ending    bool
	over      error // the answer to every read
	down      int   // when a read gave up after all its retries, 0 if the service is not down
	succeeded int   // when a read was last answered
}

// What a flight waits for, beside the reasons of the pace.
const (
	forItsTurn = "the requests before it"
	forBackOff = "its back-off"
	forToken   = "a token"
)

func newAdmission(cfg Config, tokens tokens) *admission {
	if cfg.Jitter == nil {
		cfg.Jitter = rand.Float64
	}
	if cfg.Note == nil {
		cfg.Note = func(context.Context, string) {}
	}
	return &admission{cfg: cfg, pace: pace.New(cfg.Ceiling), tokens: tokens, answers: newAnswers(cfg.Snapshot)}
}

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
	a.enqueueLocked(f)
	for f.ctx.Err() == nil {
		until, hold := a.holdLocked(f)
		switch {
		case f.ctx.Err() != nil:
		case hold != "":
			waitedFor = hold
			a.waitLocked(f, until)
		case !a.tokens.serve(time.Now()):
			a.askLocked(f, came, waitedFor)
		default:
			a.queue.remove(f)
			a.wakeLocked()
			f.sent = a.sendLocked(a.tokens.current, &f.tries, came, waitedFor)
			if f.got.value == nil { // not another page
				f.got.askedAt = f.sent.sentAt
			}
			return f.sent
		}
	}
	return nil
}

// enqueueLocked makes a flight wait for its next attempt, at its old place.
func (a *admission) enqueueLocked(f *flight) {
	switch {
	case f.ctx.Err() != nil:
		return
	case a.run.over != nil:
		a.endLocked(f, a.run.over)
		return
	}
	a.queue.add(f)
	a.wakeLocked() // it may have come before the head
}

// holdLocked returns what holds back a flight in the queue, "" for nothing, and until when, the zero time if only an
// event can tell. It fails callers whose time ends before that.
func (a *admission) holdLocked(f *flight) (until time.Time, hold string) {
	if a.run.ending || a.queue.head() != f {
		return time.Time{}, forItsTurn
	}
	now := time.Now()
	until, reason := a.pace.Next(now)
	switch {
	case reason == pace.Ceiling:
		a.dismissLateLocked(f, until, CeilingTooLow, f.last)
		fallthrough
	case reason != pace.Nothing:
		return until, reason.String()
	case a.tokens.asking:
		return time.Time{}, forToken
	case !a.tokens.serve(now) && a.tokens.notBefore.After(now):
		return a.tokens.notBefore, forToken
	}
	return now, ""
}

// waitLocked frees mu until something wakes a flight.
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

// wakeLocked lets the head of the queue decide anew.
func (a *admission) wakeLocked() {
	head := a.queue.head()
	if head == nil {
		if !a.tokens.asking {
			a.tokens.tries = tries{} // nobody waits for a token any more
		}
		return
	}
	select {
	case head.wake <- struct{}{}:
	default: // it will, for an earlier reason
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

// headerReceived acts on the header of an answer before its body is read: from here on nothing is sent during the
// pause that it asks for, or with the token that it rejects. response is nil if the request ended without a header.
func (a *admission) headerReceived(ctx context.Context, to Endpoint, sent *attempt, response *http.Response) {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer a.wakeLocked()
	if response != nil && response.StatusCode == http.StatusTooManyRequests {
		a.pauseLocked(ctx, to, sent, response.Header)
		return
	}
	a.pace.Answered(sent.number, time.Now())
	if response == nil || to == a.tokens.to {
		return
	}
	switch outcomeOf(response.StatusCode, false, "") {
	case unauthorized:
		a.unauthorizedLocked(ctx, to, sent)
	case final:
		a.tokens.served(sent.token)
	}
}

// pauseLocked begins or prolongs the pause that a 429 asks for.
func (a *admission) pauseLocked(ctx context.Context, to Endpoint, sent *attempt, header http.Header) {
	now, last, why := time.Now(), a.pace.PausedUntil(), "The service asked for a pause"
	wait, named := retryAfter(header, now)
	if !named {
		wait, why = backOff(sent.seen.Attempt, a.cfg.Jitter()), "The service limits requests and named no wait: a pause"
	}
	a.pace.Limited(sent.number, now, wait)
	if !last.After(now) {
		a.paused = nil
		a.noteLocked(ctx, "%s of %s (429 for %s); after it at most %d requests are in flight, and one more for every 8 answers",
			why, round(wait), to.path(), a.pace.Window())
	}
}

// doneLocked takes account of an attempt whose answer is read.
func (a *admission) doneLocked(outcome outcome, err error) {
	switch {
	case outcome == unauthorized && a.run.ending && a.run.over == nil:
		a.endRunLocked(&RejectedError{Given: a.tokens.given, Issued: !a.tokens.given, Err: err})
	case outcome == limited:
		a.paused = err
		for f := range a.answers.flights {
			if f.sent == nil {
				a.dismissLateLocked(f, a.pace.PausedUntil(), WaitTooLong, err)
			}
		}
	}
}

// endRunLocked ends the run with the first error that does: every read that is not under way fails with it, and so
// does each that comes later. A read under way ends with its own answer, if it gets one.
func (a *admission) endRunLocked(err error) {
	if a.run.over != nil {
		return
	}
	a.run.ending, a.run.over = true, err
	for f := range a.answers.flights {
		if f.sent == nil {
			a.endLocked(f, err)
		}
	}
}

// noteRetryLocked tells of another attempt after the failure err.
func (a *admission) noteRetryLocked(ctx context.Context, err error, at time.Time) {
	request, came := inNote(err)
	a.noteLocked(ctx, "%s is tried again in %s: %s", request, round(time.Until(at)), came)
}

func (a *admission) noteLocked(ctx context.Context, format string, args ...any) {
	a.cfg.Note(ctx, fmt.Sprintf(format, args...))
}

func round(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

// queue is the flights that wait to be sent, in the order in which they came. The first of them holds the turn.
type queue []*flight

func (q queue) head() *flight {
	if len(q) == 0 {
		return nil
	}
	return q[0]
}

func (q queue) find(f *flight) (at int, found bool) {
	return slices.BinarySearchFunc(q, f, func(a, b *flight) int { return a.order - b.order })
}

func (q *queue) add(f *flight) {
	if at, found := q.find(f); !found {
		*q = slices.Insert(*q, at, f)
	}
}

func (q *queue) remove(f *flight) {
	switch at, found := q.find(f); {
	case !found:
	case at == 0:
		(*q)[0] = nil
		*q = (*q)[1:]
	default:
		*q = slices.Delete(*q, at, at+1)
	}
}
