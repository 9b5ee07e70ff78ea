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

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// admission is the one queue in which every request of the process waits.
// decide looks at everything that can make a request wait at one instant, for
// the request at the head of the queue: whether somebody still wants it, whether
// any read can still succeed, the token, the pause and the pace. The request is
// then sent, or it keeps nothing and waits on. So nothing that was obtained
// before a wait is used after it.
type admission struct {
	maxRetries  int
	ceiling     pace.Limit
	credentials *credentials
	request     func(*grant) (*token, error) // sends one request for a token
	note        func(context.Context, string)
	jitter      func() float64

	mu         sync.Mutex
	limiter    *limiter
	allowance  string    // as it was logged last
	waiting    []*waiter // in the order in which they came, a token request before them
	arrived    int       // how many reads have come so far
	unanswered int       // how many requests are under way without the header of an answer
	end        error     // why no read can succeed any more: the answer to each of them, nil while one can
	rejection  error     // a 401 proved the credentials rejected; end is set once its body is read
	notes      []func()  // notes to give once mu is free

	pause struct {
		answer *APIError     // the last 429 that began or extended a pause
		asked  time.Duration // the wait that it named, 0 where it named none
		whole  bool          // its body has been read, so that answer has the service's words
	}
	tokens struct {
		current *token
		asked   int     // how many token requests were sent so far
		dropped bool    // the last token was answered with 401
		renewal *waiter // the request for a token, waiting or sent, nil where there is none
	}
	outage struct {
		on   bool
		well int // how many reads ended with a good answer, or with an error that stays
	}
}

// grant is the permission to send one request now.
type grant struct {
	admission *admission
	waiter    *waiter
	ctx       context.Context
	token     *token // to send with a read
	number    int    // of the token request, from 1
	sentAt    time.Time
	mark      time.Time // by which the limiter knows it
	waited    time.Duration
	why       string
	attempt   int
	answered  bool // its header has come
	condemned bool // its 401 proves that the credentials are rejected
	pauses    bool // its 429 began or extended a pause
}

func newAdmission(cfg Config, credentials *credentials, request func(*grant) (*token, error)) *admission {
	a := &admission{
		maxRetries: cfg.MaxRetries, ceiling: cfg.Ceiling, limiter: newLimiter(perSecond(cfg.Ceiling)),
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

// perSecond is the even pace of a ceiling, 0 for none.
func perSecond(ceiling pace.Limit) float64 {
	if ceiling.Requests == 0 {
		return 0
	}
	return float64(ceiling.Requests) / ceiling.Per.Seconds()
}

// ended returns why no read can succeed any more, and nil while one can.
func (a *admission) ended() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.end
}

// admit waits until w may be sent. After an error w has left the queue for good.
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

// ending tells whether the rejection is proven and its words are still on their way.
func (a *admission) ending() bool { return a.rejection != nil }

// decide says whether w may be sent now, which it may where why is "". Else why
// is what w waits for, and at is when to decide again; where at is the zero time,
// w waits until it is woken.
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
	case a.ending() || w != a.head(now):
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
		// No request is sent before at, so every caller whose time ends before that fails now.
		for _, other := range slices.Clone(a.waiting) {
			a.failBefore(other, at, func(c *caller) error {
				return a.gaveUp(other, c, &CeilingError{Ceiling: a.ceiling})
			})
		}
	}
	return at, reason.String(), w.ctx.Err()
}

// grant takes w out of the queue, to be sent now.
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

// sends records where the request goes, for notes and errors.
func (g *grant) sends(at Endpoint) {
	g.admission.mu.Lock()
	defer g.admission.mu.Unlock()
	g.waiter.endpoint = at
}

// heard acts on the header of an answer, before the body is read: from here on no
// request is sent during the pause that it asks for, or with the token that it
// rejects.
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
			a.pause.answer = &APIError{Endpoint: w.endpoint, Status: response.StatusCode} // until the body tells more
			a.pause.asked, a.pause.whole = asked, false
			a.say(w, "%s was answered with 429: every request waits %s.", w.endpoint, wait)
		}
		a.signalHead()
		return
	case status == http.StatusUnauthorized && g.token != nil:
		w.unauthorized++
		if w.unauthorized > 1 && g.token.condemns(w.unauthorizedWith, g.sentAt) {
			g.condemned = true // the body may tell more
			a.rejection = &RejectedError{Err: &APIError{Endpoint: w.endpoint, Status: response.StatusCode}}
		}
		w.unauthorizedWith = cmp.Or(w.unauthorizedWith, g.token.number)
		a.dropToken(w, g.token)
	case status >= 500 || status == http.StatusRequestTimeout:
		w.failing = true
	case g.token != nil:
		g.token.served = true
	}
	a.limiter.answered(g.mark)
	a.signalHead()
}

// settle decides what becomes of a read after an attempt: another attempt, or
// the end with the error that it returns.
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
		if w.unauthorized > maxRenewals && a.end == nil {
			return false, err
		}
	default:
		if api, ok := apiError(err); ok && api.Is(ErrOrganisationDisabled) {
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

// maxRenewals is how many 401s of one read are followed by another attempt with a
// new token.
const maxRenewals = 2

// landed records that a request is over, its body included.
func (a *admission) landed(g *grant, err error) {
	g.waiter.inFlight = false
	if !g.answered {
		g.answered = true
		a.unanswered--
		a.limiter.answered(g.mark)
		a.signalHead()
	}
	// The body of the 429 has the words that callers are told.
	if api, ok := apiError(err); ok && g.pauses {
		a.pause.answer, a.pause.whole = api, true
		a.signalAll()
	}
	if g.condemned {
		a.finish(&RejectedError{Err: err})
	}
}

// finish ends every read of the process with err, those that begin later too.
func (a *admission) finish(err error) {
	if a.end == nil {
		a.end = err
		a.signalAll()
	}
}

// unlock frees mu and then gives the notes, because Config.Note may take its time.
func (a *admission) unlock() {
	notes := a.notes
	a.notes = nil
	a.mu.Unlock()
	for _, note := range notes {
		note()
	}
}

// say adds a note about w, which is given once mu is free.
func (a *admission) say(w *waiter, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.notes = append(a.notes, func() { a.note(w.ctx, text) })
}
