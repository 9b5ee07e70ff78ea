package catalogue

import (
	"errors"
	"net/http"
	"slices"
	"time"
)

const (
	// maxMargin is the longest time before its end that a token is renewed.
	maxMargin = 10 * time.Second
	// certainty is how long after the request for it a token of unknown life is
	// sure to be valid: the shortest life that a service can state.
	certainty = time.Second
	// atOnce is how long after a failure others come at once.
	atOnce = 100 * time.Millisecond
	// maxUnused is how many tokens in a row may be over when they come without one
	// read that was sent with them.
	maxUnused = 3
)

// token is a bearer token and its life.
type token struct {
	bearer      string
	given       bool // by the configuration, so there is no other
	requestedAt time.Time
	life        time.Duration // from requestedAt; 0: it serves until it is refused
	replacement bool          // it was asked for because the one before it was answered with 401
	served      bool          // a read with it was let through: its answer was no 401, 408, 429 or 5xx
	refused     bool          // it was answered with 401
	over        bool          // it was over when it came: it serves one read
}

// margin is how long before its end a token is renewed: 10 s, or a tenth of its
// life where that is less, so that a short life is not all margin.
func (t *token) margin() time.Duration { return min(maxMargin, t.life/10) }

// tokenSource asks for tokens.
type tokenSource struct {
	credentials *credentials
	request     func(*permit) error
}

// tokens is the one token that all reads share, the one request that renews it,
// and what is known of tokens.
type tokens struct {
	tokenSource
	current   *token
	request   *ticket   // for a token, waiting or sent; nil where there is none
	dropped   bool      // the last token was answered with 401
	served    bool      // a token has served a read in this process
	refused   int       // replacements in a row that were refused before they served a read
	refusedAt time.Time // when the last of them was
	unused    int       // tokens in a row that were over when they came and served no read
}

// refusals are the 401s of one read.
type refusals struct {
	tokens []*token  // that were refused
	first  time.Time // when the first of them came
}

func newTokens(cfg Config, source tokenSource) tokens {
	t := tokens{tokenSource: source}
	if cfg.AccessToken != "" {
		t.current = &token{bearer: cfg.AccessToken, given: true}
	}
	return t
}

// serve tells whether a read may be sent with the current token.
func (t *tokens) serve(now time.Time) bool {
	switch c := t.current; {
	case c == nil:
		return false
	case c.over || c.given:
		return true
	case c.life > 0:
		return now.Before(c.requestedAt.Add(c.life - c.margin()))
	}
	return true
}

// use is the token of a read that is sent now.
func (t *tokens) use() *token {
	used := t.current
	t.unused = 0
	if used.over {
		t.current = nil
	}
	return used
}

// requested is a token that is asked for now. One that is no replacement ends a row of them.
func (t *tokens) requested(now time.Time) *token {
	if !t.dropped {
		t.refused = 0
	}
	return &token{requestedAt: now, replacement: t.dropped}
}

// letThrough records that a read with a token was let through.
func (t *tokens) letThrough(by *token) {
	by.served, t.served, t.refused = true, true, 0
}

// drop forgets a token that was answered with 401.
func (t *tokens) drop(old *token, now time.Time) {
	if !old.refused && old.replacement && !old.served {
		t.refused, t.refusedAt = t.refused+1, now
	}
	old.refused = true
	if t.current != old {
		return
	}
	t.current, t.dropped = nil, true
}

// provesRejection tells whether a 401 proves that the credentials are rejected,
// after drop. last is the token of the read that was sent at sentAt.
//
// It does where that token was asked for after and because of the read's first
// refusal, served no read, and was valid for certain when the read was sent, which
// one that was over when it came is not. It does with the third refusal of a read,
// too, where none of its tokens served any read. Where tokens have served reads, a
// stray instance of the service is likelier, so that two replacements in a row have
// to be refused.
func (t *tokens) provesRejection(r refusals, last *token, sentAt time.Time) bool {
	if last.given {
		return true
	}
	after := last != r.tokens[0] && !last.requestedAt.Before(r.first)
	certain := last.replacement && after && !last.served && !last.over && last.sureAt(sentAt)
	if !certain && !r.proveByNumber() {
		return false
	}
	return !t.served || t.refused > 1
}

// sureAt tells whether the token was valid at that moment for certain.
func (t *token) sureAt(at time.Time) bool {
	life := certainty
	if t.life > 0 {
		life = t.life
	}
	return at.Before(t.requestedAt.Add(life))
}

// proveByNumber tells whether they are as many as a read may have, and none of their
// tokens served any read.
func (r refusals) proveByNumber() bool {
	return len(r.tokens) > maxRenewals && !slices.ContainsFunc(r.tokens, func(t *token) bool { return t.served })
}

// unauthorizedLocked acts on a 401 to a read.
func (s *schedule) unauthorizedLocked(p *permit, now time.Time) {
	refusals := &p.ticket.tries.refusals
	if len(refusals.tokens) == 0 {
		refusals.first = now
	}
	refusals.tokens = append(refusals.tokens, p.token)
	if s.tokens.current == p.token {
		s.sayLocked(p.ticket, "The token is not used again: 401 for %s", p.endpoint.path())
		if p.token.life == 0 && p.token.served {
			s.pace.TokenLife(now.Sub(p.token.requestedAt), false)
		}
	}
	s.tokens.drop(p.token, now)
	if p.proves = s.tokens.provesRejection(*refusals, p.token, p.sentAt); p.proves && s.run.running() {
		s.run.rejection = p.rejection(nil)
	}
}

// requestTokenLocked puts a request for a token into the queue, because reader
// needs one. After a replacement that was refused it waits for a back-off.
func (s *schedule) requestTokenLocked(reader *ticket) *ticket {
	reason := "there is none yet"
	switch {
	case s.tokens.dropped:
		reason = "the last one was refused"
	case s.tokens.current != nil:
		reason = "the last one ends"
	}
	s.sayLocked(reader, "A token is asked for: %s", reason)
	request := newTicket(reader.ctx, s.tokens.tokenSource.request, func(error) { s.tokens.request = nil })
	if s.tokens.refused > 0 {
		request.notBefore = s.tokens.refusedAt.Add(backOff(1, s.jitter()))
	}
	s.tokens.request = request
	s.enqueueLocked(request)
	return request
}

// settleTokenLocked decides what becomes of a request for a token after an attempt.
func (s *schedule) settleTokenLocked(p *permit, err error) {
	t := p.ticket
	switch outcome := classify(err); {
	case err == nil:
		s.endLocked(t, nil)
		s.receivedLocked(p)
	case s.tokens.credentials.switchToJSON(err):
		s.sayLocked(t, "The token endpoint does not understand a form, so the same is sent as JSON: %s", err)
		s.enqueueLocked(t)
	case outcome == limited: // again after the pause
		s.enqueueLocked(t)
	case outcome == closed && !t.tries.reconnected:
		t.tries.reconnected = true
		s.enqueueLocked(t)
	case outcome == final:
		s.endLocked(t, err)
		s.noTokenLocked(err)
	default:
		t.tries.failed(err)
		s.backOffLocked(t)
		s.dismissWaitingLocked(func(read *ticket, c *caller) error { return s.unfitWithoutTokenLocked(read, c, t) })
	}
}

// unfitWithoutTokenLocked is the error of a caller who has no attempt or no time left
// after a request for a token failed, nil where he has. Each that failed since he came,
// and since his read was ready, counts as one of its own.
func (s *schedule) unfitWithoutTokenLocked(t *ticket, c *caller, request *ticket) error {
	failures := request.tries.failures - max(t.tries.tokens.of(request).failures, c.missed.tokens.of(request).failures)
	if t.queue == &s.waiting.ready && failures > s.retriesLocked(c) {
		return s.giveUpLocked(t, c, request.tries.last)
	}
	return s.unfitLocked(t, c, request.tries.failedAt)
}

// receivedLocked keeps a token. One that is over when it comes may serve one read,
// at this instant.
func (s *schedule) receivedLocked(p *permit) {
	got := p.token
	s.tokens.current, s.tokens.dropped = got, false
	if got.life > 0 {
		s.pace.TokenLife(got.life-got.margin(), true)
	}
	s.tokens.unused++
	if s.tokens.serve(time.Now()) {
		return
	}
	got.over = true
	s.dispatchLocked()
	if s.tokens.current != got {
		return
	}
	s.tokens.current = nil
	if s.tokens.unused >= maxUnused {
		s.tokens.unused = 0
		s.endWaitingLocked(&TokenError{Endpoint: p.endpoint, Problem: overOnArrival})
	}
}

const overOnArrival = "each of the last 3 tokens was over before it came: it lives for less time than its request takes"

// noTokenLocked acts on a failure that no further request for a token can change.
// An answer of the service ends the run. A fault of the network, such as a
// certificate that is not trusted, ends the reads that wait.
func (s *schedule) noTokenLocked(err error) {
	err = s.tokens.credentials.finally(err)
	if _, ok := errors.AsType[*NetworkError](err); ok {
		s.endWaitingLocked(err)
		return
	}
	s.finishLocked(&RejectedError{Err: err})
}

// rejection is the error that ends the run, after a 401 proved it. err is how that
// request ended, nil while its body is on the way.
func (p *permit) rejection(err error) error {
	if _, ok := apiError(err); !ok {
		err = &APIError{Endpoint: p.endpoint, Status: http.StatusUnauthorized}
	}
	return &RejectedError{Given: p.token.given, Issued: !p.token.given, Err: err}
}
