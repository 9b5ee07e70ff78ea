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
	queue   queue
	answers answers
	pace    *pace.Pace
	pause   pause
	tokens  tokens
	outage  outage
	run     run
	notes   []func() // to give once mu is free, because a log may block
}

// pause is why nothing is sent for a while.
type pause struct {
	by  *attempt // that was answered with the 429 of the pause that ends last
	err error    // the 429, once its body is read
}

// run says whether reads can still succeed: it is running; ending, while the words of a rejection are on their way;
// and then over.
type run struct {
	ending bool
	over   error // the answer to every read
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

// admit waits until a flight's back-off is over and its next request may be sent, and makes the attempt. It reports
// whether it did, which it does not if the flight has ended.
func (a *admission) admit(f *flight) bool {
	a.mu.Lock()
	defer a.unlock()
	defer a.wakeLocked()
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
			f.sent = a.sendLocked(f.to, a.tokens.current, &f.tries, came, waitedFor)
			if f.to == f.asks.Endpoint {
				f.got.askedAt = f.sent.sentAt
			}
			return true
		}
	}
	return false
}

// enqueueLocked makes a flight wait for its next attempt, at its old place.
func (a *admission) enqueueLocked(f *flight) {
	switch {
	case f.ctx.Err() != nil:
		return
	case a.run.over != nil:
		a.endLocked(f, a.run.over)
		return
	case len(a.queue.flights) == 0 && a.tokens.asking == nil:
		a.tokens.tries = tries{} // nobody waits for the request for a token any more
	}
	a.queue.add(f)
	a.wakeLocked() // it may have come before the head
}

// holdLocked returns what holds back a flight in the queue, "" for nothing, and until when, the zero time if only an
// event can tell. It dismisses callers whose time ends before that.
func (a *admission) holdLocked(f *flight) (until time.Time, hold string) {
	if a.run.ending || a.queue.head() != f {
		return time.Time{}, forItsTurn
	}
	now := time.Now()
	until, reason := a.pace.Next(now)
	switch {
	case reason == pace.Ceiling:
		a.dismissLateLocked(f, until, CeilingTooLow, f.last)
		hold = reason.String()
	case reason != pace.Nothing:
		hold = reason.String()
	case a.tokens.asking != nil:
		until, hold = time.Time{}, forToken
	case !a.tokens.serve(now) && a.tokens.notBefore.After(now):
		until, hold = a.tokens.notBefore, forToken
	}
	a.queue.hold = hold
	return until, hold
}

// waitLocked frees mu until something wakes a flight.
func (a *admission) waitLocked(f *flight, until time.Time) {
	a.unlock()
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
	if head := a.queue.head(); head != nil {
		select {
		case head.wake <- struct{}{}:
		default: // it will, for an earlier reason
		}
	}
}

// sendLocked makes the attempt that is sent now. It has waited since it came.
func (a *admission) sendLocked(to Endpoint, by *token, t *tries, came time.Time, waitedFor string) *attempt {
	now := time.Now()
	t.attempts++
	return &attempt{
		to: to, token: by, tries: t, number: a.pace.Sent(now), sentAt: now, waited: now.Sub(came), waitedFor: waitedFor,
	}
}

// headerReceived acts on the header of an answer before its body is read: from here on nothing is sent during the
// pause that it asks for, or with the token that it rejects.
func (a *admission) headerReceived(ctx context.Context, sent *attempt, response *http.Response) {
	a.mu.Lock()
	defer a.unlock()
	token := sent.to == a.tokens.source.to
	outcome := outcomeOf(response.StatusCode, token, "")
	sent.answered = true
	if outcome == limited {
		a.pauseLocked(ctx, sent, response.Header)
	} else {
		a.pace.Answered(sent.number, time.Now())
	}
	switch {
	case outcome == unauthorized:
		a.unauthorizedLocked(ctx, sent)
	case outcome == final && !token:
		a.tokens.succeeded(sent.token)
	}
	a.wakeLocked()
}

// pauseLocked begins or prolongs the pause that a 429 asks for.
func (a *admission) pauseLocked(ctx context.Context, sent *attempt, header http.Header) {
	now, last := time.Now(), a.pace.PausedUntil()
	wait, named := retryAfter(header, now)
	if !named {
		sent.tries.unnamed++
		wait = backOff(sent.tries.unnamed, a.cfg.Jitter())
	}
	a.pace.Limited(sent.number, now, wait)
	if !a.pace.PausedUntil().After(last) {
		return
	}
	a.pause.by, a.pause.err = sent, nil
	if !last.After(now) {
		why := "The service asked for a pause"
		if !named {
			why = "The service limits requests and named no wait: a pause"
		}
		a.sayLocked(ctx, "%s of %s (429 for %s); after it at most %d requests are in flight, and one more for every 8 answers",
			why, round(wait), sent.to.path(), a.pace.Window())
	}
}

// doneLocked takes account of an attempt whose answer is read.
func (a *admission) doneLocked(sent *attempt, err error) {
	sent.ended = true
	if !sent.answered {
		sent.answered = true
		a.pace.Answered(sent.number, time.Now())
	}
	if sent.proves {
		a.endRunLocked(a.tokens.rejection(err))
	}
	if a.pause.by == sent {
		a.pause.err = err
		for _, f := range a.answers.flights {
			if !f.underWay() {
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
	a.run = run{ending: true, over: err}
	for _, f := range a.answers.flights {
		if !f.underWay() {
			a.endLocked(f, err)
		}
	}
}

// unlock frees mu and then gives the notes. A request that was admitted does not wait for them.
func (a *admission) unlock() {
	notes := a.notes
	a.notes = nil
	a.mu.Unlock()
	for _, note := range notes {
		note()
	}
}

// sayAgainLocked adds a note about another attempt after the failure err.
func (a *admission) sayAgainLocked(ctx context.Context, err error, at time.Time) {
	request, came := inNote(err)
	a.sayLocked(ctx, "%s is tried again in %s: %s", request, round(time.Until(at)), came)
}

// sayLocked adds a note about a flight, whose context has the loggers of its first caller.
func (a *admission) sayLocked(ctx context.Context, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.notes = append(a.notes, func() { a.cfg.Note(ctx, text) })
}

func round(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

// queue is the flights that wait to be sent, in the order in which they came. The first of them holds the turn.
type queue struct {
	flights []*flight
	hold    string // what the head waits for
	arrived int    // how many flights have come
}

func (q *queue) head() *flight {
	if len(q.flights) == 0 {
		return nil
	}
	return q.flights[0]
}

func (q *queue) find(f *flight) (at int, found bool) {
	return slices.BinarySearchFunc(q.flights, f, func(a, b *flight) int { return a.order - b.order })
}

func (q *queue) add(f *flight) {
	at, _ := q.find(f)
	q.flights = slices.Insert(q.flights, at, f)
}

func (q *queue) remove(f *flight) {
	switch at, found := q.find(f); {
	case !found:
	case at == 0:
		q.flights[0] = nil
		q.flights = q.flights[1:]
	default:
		q.flights = slices.Delete(q.flights, at, at+1)
	}
}
