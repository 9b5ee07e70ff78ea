package catalogue

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// admission decides when each request of the process is sent. Flights wait in one queue, first come, first served, and
// the one at its head holds the turn: it waits for what is in the list of waits, requests a token if none serves, is
// sent, and leaves the turn to the next. Whatever may let it go sooner wakes it, and it decides again. No other flight
// has to be woken. golang.org/x/sync/semaphore hands on its turn in the same way.
//
// A Client has one admission, which owns the flights and the token. The client's part is the exchange: it lends flights
// and tokens a function that makes one, which they call without mu, and the exchange reports the header of its answer
// to headerReceived. Admission, flights and token are one room under mu, and call each other.
//
// Methods whose name ends in Locked need mu.
type admission struct {
	retries  retries
	note     func(context.Context, string) // nil for none
	mu       sync.Mutex
	queue    queue
	answers  answers
	pace     *pace.Pace
	pausedBy *attempt  // whose 429 asked for the pause in force
	noted    time.Time // until when the log says that nothing is sent
	tokens   tokens
	run      run
}

// run is what concerns all reads of the process.
type run struct {
	proof  *token // its 401 proves a rejection, and ends the run once its body is read; nil if there is none
	over   error  // the answer to every read
	down   outage // of the service: from a read that gave up after all its retries to one that is answered
	usedUp outage // of the allowance: from a read that gave up because of 429s to one that is answered otherwise
}

// outage is a time in which reads that begin make one attempt each. Its moments are numbers of flights that had come.
type outage struct {
	began int // 0 if there is none now
	ended int // when there was last a sign that there is none
}

// begin begins an outage if there was no such sign since a flight came. It reports whether it did.
func (o *outage) begin(f *flight) bool {
	if o.began > 0 || f.order <= o.ended {
		return false
	}
	o.began = f.in.answers.arrived
	return true
}

// end ends an outage, and reports whether there was one.
func (o *outage) end(now int) bool {
	lasted := o.began > 0
	*o = outage{ended: now}
	return lasted
}

// holds reports whether a flight came in the outage.
func (o *outage) holds(f *flight) bool { return o.began > 0 && f.order > o.began }

func newAdmission(cfg Config) *admission {
	a := &admission{
		retries:  retries{most: cfg.MaxRetries, jitter: cfg.Jitter},
		note:     cfg.Note,
		answers:  answers{flights: map[*flight]struct{}{}},
		pausedBy: &attempt{},
		pace:     &pace.Pace{Ceiling: cfg.Ceiling},
	}
	if a.retries.jitter == nil {
		a.retries.jitter = rand.Float64
	}
	if cfg.Snapshot {
		a.answers.shared = map[Endpoint]*flight{}
		a.answers.kept = map[Endpoint]ended{}
	}
	return a
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
	if f.ctx.Err() == nil {
		a.queue.add(f)
		a.wakeLocked() // it may have come before the head
	}
	for f.ctx.Err() == nil {
		now := time.Now()
		hold := f.holdLocked(now)
		switch {
		case a.run.proof != nil, a.queue.head() != f:
			waitedFor = forItsTurn
			a.waitLocked(f, openEnd)
		case hold.until.After(now):
			waitedFor = hold.words
			a.noteWaitLocked(f, hold)
			f.failLocked(f.lateErrLocked)
			a.waitLocked(f, hold.until)
		case !a.tokens.valid(now):
			a.requestTokenLocked(f, came, waitedFor)
		default:
			a.queue.remove(f)
			a.wakeLocked()
			a.tokens.current.unused = 0
			f.sent = a.sendLocked(a.tokens.current, &f.history, came, waitedFor)
			return f.sent
		}
	}
	return nil
}

// waitLocked waits, without mu, until then or until something wakes the flight.
func (a *admission) waitLocked(f *flight, until time.Time) {
	a.mu.Unlock()
	defer a.mu.Lock()
	select {
	case <-time.After(time.Until(until)):
	case <-f.wake:
	case <-f.ctx.Done():
	}
}

// wakeLocked makes the head of the queue decide again. If the queue is empty, it ends the request for a token, or
// forgets how the last one failed.
func (a *admission) wakeLocked() {
	switch head := a.queue.head(); {
	case head != nil:
		select {
		case head.wake <- struct{}{}:
		default: // it is woken already
		}
	case a.tokens.sent != nil: // no flight waits for a token any more
		a.tokens.stop()
	default:
		a.tokens.history = history{}
	}
}

// sendLocked makes the attempt that is sent now.
func (a *admission) sendLocked(by *token, h *history, came time.Time, waitedFor string) *attempt {
	now := time.Now()
	h.attempts++
	return &attempt{
		token:  by,
		number: a.pace.Sent(now),
		seen:   Exchange{Attempt: h.attempts, SentAt: now, Waited: now.Sub(came), WaitedFor: waitedFor},
	}
}

// headerReceived acts on the header of an answer before its body is read: after that nothing is sent in the pause that
// it asks for, or with the token that it rejects. response is nil if the request ended without a header. If all reads
// wait for the words of the body, patience is how long they do, else 0.
func (a *admission) headerReceived(
	ctx context.Context, to Endpoint, sent *attempt, response *http.Response,
) (patience time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer a.wakeLocked()
	now := time.Now()
	if response == nil {
		a.pace.Ended(sent.number, now)
		return 0
	}
	result := outcomeOf(response.StatusCode, to.OfToken(), "")
	if result == limited {
		pause := a.beginPauseLocked(sent, response.Header)
		return min(pause, maxPatience)
	}
	a.pace.Answered(sent.number, now)
	if !to.OfToken() && a.run.usedUp.end(a.answers.arrived) {
		a.noteLocked(ctx, "The service lets reads through again: they wait for its pauses")
	}
	switch {
	case result == unauthorized:
		if !sent.token.rejected {
			a.noteLocked(ctx, "The token is not used again: 401 for %s", to)
		}
		if a.tokens.reject(sent.token, now) {
			a.run.proof = sent.token
			return maxPatience
		}
	case result == final && !to.OfToken():
		a.tokens.lastServed = now
	}
	return 0
}

// maxPatience is how long, at most, all reads wait for the words of an answer that concerns all.
const maxPatience = pace.Slow

// beginPauseLocked begins or prolongs the pause that a 429 asks for, and returns how long that is.
func (a *admission) beginPauseLocked(sent *attempt, header http.Header) time.Duration {
	now := time.Now()
	pause, named := contract.RetryAfter(header, now)
	if !named {
		pause = backOff(sent.seen.Attempt, a.retries.jitter())
	}
	sent.unread = true
	if now.Add(pause).After(a.pace.PausedUntil()) {
		a.pausedBy = sent
	}
	a.pace.Limited(sent.number, now, pause)
	return pause
}

// doneLocked applies what an attempt means for other reads, once its answer is read, and returns its outcome.
func (a *admission) doneLocked(sent *attempt, err error) outcome {
	result := classify(err)
	switch {
	case result == unauthorized && sent.token == a.run.proof:
		a.endRunLocked(&RejectedError{Given: a.tokens.given(), Issued: !a.tokens.given(), Err: err})
	case result == limited:
		sent.failure, sent.unread = err, false
		a.failLateLocked(a.pace.PausedUntil())
		a.failLateLocked(a.pace.GapUntil())
	}
	return result
}

// failLateLocked fails the reads, wherever they wait, whose time ends before a wait of all reads does. While the
// allowance is used up, it fails those that came later, too.
func (a *admission) failLateLocked(until time.Time) {
	if !a.answers.deadlineFloor.Before(until) && a.run.usedUp.began == 0 {
		return
	}
	a.answers.deadlineFloor = time.Time{}
	for f := range a.answers.flights {
		f.failLocked(f.lateErrLocked)
		for c := range f.callers {
			a.answers.expect(c)
		}
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
			f.endLocked(ended{err: err})
		}
	}
}

func (a *admission) noteLocked(ctx context.Context, format string, args ...any) {
	if a.note != nil {
		a.note(ctx, fmt.Sprintf(format, args...))
	}
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
	return slices.BinarySearchFunc(*q, f, func(a, b *flight) int {
		return a.order - b.order
	})
}

func (q *queue) add(f *flight) {
	at, found := q.find(f)
	if !found {
		*q = slices.Insert(*q, at, f)
	}
}

func (q *queue) remove(f *flight) {
	at, found := q.find(f)
	if found {
		*q = slices.Delete(*q, at, at+1)
	}
}
