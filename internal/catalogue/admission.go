package catalogue

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"
)

// admission is the one queue in which every request of the process waits. All
// that can make a request wait is decided by decide, at one instant, for the
// request at the head: is it wanted still, is the process at its end, is there
// a pause, does the pace allow it, is the token fresh? The request is sent then
// or not at all, so nothing that was obtained before a wait is used after it.
type admission struct {
	maxRetries  int
	ceiling     float64
	credentials *credentials
	request     func(*grant) (*token, error) // asks for a token, once
	note        func(context.Context, string)
	jitter      func() float64

	mu         sync.Mutex
	limiter    *limiter
	allowance  string    // as it was logged last
	waiting    []*waiter // in the order in which they came; a token request is first
	arrived    int       // reads so far
	unanswered int       // requests under way whose header has not come
	end        error     // once set, the answer to every read
	ending     bool      // end is about to be set
	notes      []func()  // what to tell once mu is free

	pause struct {
		refusal *APIError     // the last 429 that began or extended a pause
		asked   time.Duration // the wait that it named, 0 where it named none
		told    bool          // refusal has the service's words
	}
	tokens struct {
		current *token
		asked   int     // token requests so far
		refused bool    // the last token was refused
		renewal *waiter // the token request under way, nil where there is none
	}
	outage struct {
		on   bool
		well int // answers of reads that came back well
	}
}

// waiter is a request on its way: a question and all who ask it, or the request
// for a token that reads wait for.
type waiter struct {
	ctx    context.Context // done once nobody waits for it
	cancel context.CancelFunc
	wake   chan struct{} // told to decide again

	// These belong to admission.mu.
	order       int // among reads, as they came
	callers     []*caller
	since       time.Time // when it began to wait
	notBefore   time.Time // the end of its back-off
	why         string    // what it waits for
	inFlight    bool
	failing     bool     // the header of the last answer tells of a transient failure
	endpoint    Endpoint // of the request in flight
	attempts    int      // of its own and, for a read, of the token that it waited for
	failures    int      // of them that were transient
	unnamed     int      // 429s that named no wait
	refusals    int      // 401s
	refusedWith int      // the number of the token of the first
	last        error    // the last failure
	failedAt    time.Time
	well        int  // outage.well when it came
	single      bool // it came in an outage and has one attempt
}

// caller is one who waits for the answer of a waiter.
type caller struct {
	began, deadline time.Time
	failed          chan error
}

// newCaller takes the deadline of ctx, which has one.
func newCaller(ctx context.Context) *caller {
	deadline, _ := ctx.Deadline()
	return &caller{began: time.Now(), deadline: deadline, failed: make(chan error, 1)}
}

// grant is the leave to send one request now.
type grant struct {
	admission *admission
	waiter    *waiter
	ctx       context.Context
	token     *token // to send with a read
	number    int    // of the token request
	sentAt    time.Time
	mark      time.Time // by which the limiter knows it
	waited    time.Duration
	why       string
	attempt   int
	answered  bool // its header has come
	condemned bool // its 401 proves that the credentials are rejected
	pauses    bool // its refusal began or extended a pause
}

func newAdmission(cfg Config, credentials *credentials, request func(*grant) (*token, error)) *admission {
	a := &admission{
		maxRetries: cfg.MaxRetries, ceiling: cfg.MaxRequestsPerSecond, limiter: newLimiter(cfg.MaxRequestsPerSecond),
		credentials: credentials, request: request, note: cfg.Note,
	}
	if a.jitter = cfg.Jitter; a.jitter == nil {
		a.jitter = rand.Float64
	}
	a.allowance = a.limiter.String()
	if a.note == nil {
		a.note = func(context.Context, string) {}
	}
	return a
}

// ended is why no read can succeed any more, nil while one can.
func (a *admission) ended() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.end
}

// newWaiter puts a read into the queue, behind those that came before it.
func (a *admission) newWaiter(ctx context.Context, first *caller) *waiter {
	a.mu.Lock()
	defer a.unlock()
	a.arrived++
	// The values of the first caller's context stay: loggers are among them.
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &waiter{
		ctx: own, cancel: cancel, wake: make(chan struct{}, 1), order: a.arrived, callers: []*caller{first},
		well: a.outage.well, single: a.outage.on,
	}
	a.enqueue(w)
	return w
}

// join adds a caller to a read, unless nobody waits for that any more.
func (a *admission) join(w *waiter, c *caller) bool {
	a.mu.Lock()
	defer a.unlock()
	if w.ctx.Err() != nil {
		return false
	}
	w.callers = append(w.callers, c)
	w.signal() // a wait may not fit into the new caller's time
	return true
}

// leave takes a caller away whose own context has ended with cause, and returns
// what to tell it.
func (a *admission) leave(w *waiter, c *caller, cause error) error {
	a.mu.Lock()
	defer a.unlock()
	if cause == context.DeadlineExceeded { //nolint:errorlint // as context.Context.Err returns it
		cause = a.timeIsOver(w, c)
		if w.failing && w.failures >= a.budget(w) {
			a.doubtService(w) // only the body of the last failure is not here yet
		}
	}
	a.dismiss(w, c)
	return cause
}

// admit waits until w may send. Its error is final.
func (a *admission) admit(w *waiter) (*grant, error) {
	a.mu.Lock()
	defer a.unlock()
	for {
		now := time.Now()
		at, why, err := a.decide(w, now)
		switch {
		case err != nil:
			a.dequeue(w)
			return nil, err
		case why == "":
			return a.grant(w, now), nil
		}
		w.why = why
		a.unlock()
		w.sleep(at)
		a.mu.Lock()
	}
}

// decide says why w must wait and until when, at the zero time until it is
// woken. It may be sent now where why is "".
func (a *admission) decide(w *waiter, now time.Time) (at time.Time, why string, err error) {
	if a.end != nil {
		return at, "", a.end
	}
	a.failThoseWithoutTime(w, now)
	if err := w.ctx.Err(); err != nil {
		return at, "", err
	}
	isToken := w == a.tokens.renewal
	switch {
	case w.notBefore.After(now):
		return w.notBefore, "its back-off", nil
	case w != a.head(now) || a.ending:
		return at, "the requests before it", nil
	case !isToken && !a.tokens.current.fresh(now):
		a.renew(w)
		return at, "a token", nil
	}
	at, reason, ok := a.limiter.next(now, a.unanswered, isToken)
	if allowance := a.limiter.String(); allowance != a.allowance {
		a.allowance = allowance
		a.say(w, "The pace is now %s, as refusals and good answers have taught.", allowance)
	}
	switch {
	case !ok:
		return time.Time{}, reason.String(), nil
	case !at.After(now):
		return at, "", nil
	case reason == waitsForCeiling:
		// Nobody's turn comes before the head's.
		for _, other := range slices.Clone(a.waiting) {
			a.failBefore(other, at, func(c *caller) error {
				return a.gaveUp(other, c, &CeilingError{Ceiling: a.ceiling})
			})
		}
	}
	return at, reason.String(), w.ctx.Err()
}

// grant takes w out of the queue to be sent at now.
func (a *admission) grant(w *waiter, now time.Time) *grant {
	w.inFlight, w.failing = true, false
	w.attempts++
	g := &grant{
		admission: a, waiter: w, ctx: w.ctx, token: a.tokens.current, sentAt: now,
		waited: now.Sub(w.since), why: w.why, attempt: w.attempts,
	}
	if w == a.tokens.renewal {
		a.tokens.asked++
		g.token, g.number = nil, a.tokens.asked
	}
	a.unanswered++
	g.mark = a.limiter.sent(now)
	a.dequeue(w)
	return g
}

// sends tells where the request goes, for messages.
func (g *grant) sends(at Endpoint) {
	g.admission.mu.Lock()
	defer g.admission.mu.Unlock()
	g.waiter.endpoint = at
}

// heard takes in what the header of an answer says, whatever becomes of the
// body: from here on no request is sent in the pause that it begins, or with
// the token that it refuses.
func (g *grant) heard(response *http.Response) {
	a, w := g.admission, g.waiter
	a.mu.Lock()
	defer a.unlock()
	now := time.Now()
	g.answered = true
	a.unanswered--
	switch status := response.StatusCode; {
	case status == http.StatusTooManyRequests:
		asked, named := retryAfter(response.Header, now)
		wait := asked
		if !named {
			w.unnamed++
			asked, wait = 0, backOff(w.unnamed, a.jitter())
		}
		before := a.limiter.pausedUntil()
		a.limiter.refused(g.mark, now, wait, named)
		if a.limiter.pausedUntil().After(before) {
			g.pauses = true
			a.pause.refusal = &APIError{Endpoint: w.endpoint, Status: response.StatusCode} // until the body tells more
			a.pause.asked, a.pause.told = asked, false
			a.say(w, "%s was answered with 429: every request waits %s.", w.endpoint, wait)
		}
		a.signalHead()
		return
	case status == http.StatusUnauthorized && g.token != nil:
		w.refusals++
		if w.refusals > 1 && g.token.condemns(w.refusedWith, g.sentAt) {
			g.condemned, a.ending = true, true
		}
		w.refusedWith = cmp.Or(w.refusedWith, g.token.number)
		a.refuseToken(w, g.token)
	case status >= 500 || status == http.StatusRequestTimeout:
		w.failing = true
	case g.token != nil:
		g.token.served = true
	}
	a.limiter.answered(g.mark)
	a.signalHead()
}

// settle says what becomes of a read after an attempt: another one, or the end
// with err.
func (a *admission) settle(w *waiter, g *grant, err error) (again bool, _ error) {
	a.mu.Lock()
	defer a.unlock()
	a.landed(g, err)
	if err != nil && w.ctx.Err() != nil {
		return false, w.ctx.Err()
	}
	switch classify(err) {
	case limited:
		w.last, w.failedAt = err, time.Now()
	case transient:
		if gaveUp := a.fail(w, err); gaveUp != nil {
			return false, gaveUp
		}
	case unauthorized:
		if w.refusals > maxRenewals && a.end == nil {
			return false, err
		}
	default:
		if api, ok := asAPIError(err); ok && api.Is(ErrOrganisationDisabled) {
			a.finish(err)
			return false, a.end
		} else if ok || err == nil {
			a.cameBackWell(w)
		}
		return false, err
	}
	a.enqueue(w)
	return true, nil
}

// maxRenewals is how often one read has the token renewed.
const maxRenewals = 2

// landed ends a request that was under way.
func (a *admission) landed(g *grant, err error) {
	g.waiter.inFlight = false
	if !g.answered {
		g.answered = true
		a.unanswered--
		a.limiter.answered(g.mark)
		a.signalHead()
	}
	// Only now is it known what the service said of the pause.
	if api, ok := asAPIError(err); ok && g.pauses {
		a.pause.refusal, a.pause.told = api, true
		a.signalAll()
	}
	if g.condemned {
		a.finish(&RejectedError{Err: err})
	}
}

// fail counts a transient failure of w. It returns an error where w has no
// attempt left, and sets the back-off where it has.
func (a *admission) fail(w *waiter, err error) error {
	w.last, w.failedAt = err, time.Now()
	w.failures++
	if w.failures > a.budget(w) {
		return a.giveUp(w, err)
	}
	a.backOff(w)
	return nil
}

// budget is how many transient failures w survives.
func (a *admission) budget(w *waiter) int {
	if w.single && a.outage.on {
		return 0
	}
	return a.maxRetries
}

// backOff keeps w from its next attempt for a while.
func (a *admission) backOff(w *waiter) {
	wait := backOff(w.failures, a.jitter())
	w.notBefore = time.Now().Add(wait)
	a.say(w, "%s is tried again in %s, because it failed: %s", w.endpoint, wait.Round(time.Millisecond), w.last)
}

// finish ends the process for every read.
func (a *admission) finish(err error) {
	if a.end == nil {
		a.end = err
		a.signalAll()
	}
}

// unlock frees mu and then tells what there is to tell.
func (a *admission) unlock() {
	notes := a.notes
	a.notes = nil
	a.mu.Unlock()
	for _, note := range notes {
		note()
	}
}

func (a *admission) say(w *waiter, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.notes = append(a.notes, func() { a.note(w.ctx, text) })
}
