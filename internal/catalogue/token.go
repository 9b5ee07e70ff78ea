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
	// maxUnused is how many tokens in a row may be over before a read is sent with them.
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
	endpoint    Endpoint
	send        func(*permit) error
}

// tokens is the one token that all reads share, the one request that renews it,
// and what is known of tokens.
type tokens struct {
	tokenSource
	current   *token
	request   *ticket   // for a token, waiting or sent; nil where there is none
	served    bool      // a token has served a read in this process
	refused   int       // replacements in a row that were refused before they served a read
	refusedAt time.Time // when the last of them was
	unused    int       // tokens in a row that no read was sent with
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
	case c == nil || c.refused:
		return false
	case c.over || c.given:
		return true
	case c.life > 0:
		return now.Before(c.requestedAt.Add(c.life - c.margin()))
	}
	return true
}

// dropped tells whether the last token was answered with 401.
func (t *tokens) dropped() bool { return t.current != nil && t.current.refused }

// justFailed is how many failures of the request for a token count for a read from when
// it comes: the last one, because blocks that an engine starts together come at once.
func (t *tokens) justFailed(at time.Time) int {
	if r := t.request; r != nil && r.sent == nil && r.last != nil && at.Sub(r.failedAt) < atOnce {
		return 1
	}
	return 0
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
	if !t.dropped() {
		t.refused = 0
	}
	return &token{requestedAt: now, replacement: t.dropped()}
}

// letThrough records that a read with a token was let through.
func (t *tokens) letThrough(by *token) {
	by.served, t.served, t.refused = true, true, 0
}

// drop marks a token that was answered with 401.
func (t *tokens) drop(old *token, now time.Time) {
	if !old.refused && old.replacement && !old.served {
		t.refused, t.refusedAt = t.refused+1, now
	}
	old.refused = true
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
	refusals := &p.ticket.refusals
	if len(refusals.tokens) == 0 {
		refusals.first = now
	}
	refusals.tokens = append(refusals.tokens, p.token)
	if s.tokens.current == p.token && !p.token.refused {
		s.sayLocked(p.ticket, "The token is not used again: 401 for %s", p.ticket.endpoint.path())
		if p.token.life == 0 && p.token.served {
			s.pace.TokenLife(now.Sub(p.token.requestedAt), false)
		}
	}
	s.tokens.drop(p.token, now)
	if s.tokens.provesRejection(*refusals, p.token, p.sentAt) {
		p.refusal = &APIError{Endpoint: p.ticket.endpoint, Status: http.StatusUnauthorized}
		s.run.proof = p
	}
}

// requestTokenLocked asks for a token, because reader needs one. After a replacement
// that was refused it waits for a back-off.
func (s *schedule) requestTokenLocked(reader *ticket) *ticket {
	reason := "there is none"
	switch {
	case s.tokens.dropped():
		reason = "the last one was refused"
	case s.tokens.current != nil:
		reason = "the last one ends"
	}
	s.sayLocked(reader, "A token is asked for: %s", reason)
	request := newTicket(reader.ctx, s.tokens.endpoint, s.tokens.send, func(error) { s.tokens.request = nil })
	if s.tokens.refused > 0 {
		request.notBefore = s.tokens.refusedAt.Add(backOff(1, s.cfg.Jitter()))
	}
	for _, read := range s.ready.reads {
		for c := range read.callers {
			c.tokenFailures = 0
		}
	}
	s.tokens.request, request.since = request, time.Now()
	return request
}

// tokenAnsweredLocked acts on an answer of the token endpoint that stays.
func (s *schedule) tokenAnsweredLocked(p *permit, err error) {
	if s.tokens.credentials.switchToJSON(err) {
		s.sayLocked(p.ticket, "The token endpoint does not understand a form, so the same is sent as JSON: %s", err)
		s.countLocked(p.ticket, final, err)
		s.enqueueLocked(p.ticket)
		return
	}
	s.endLocked(p.ticket, err)
	if err == nil {
		s.receivedLocked(p)
	} else {
		s.noTokenLocked(err)
	}
}

// receivedLocked keeps a token. One that is over when it comes may serve one read,
// at this instant.
func (s *schedule) receivedLocked(p *permit) {
	got := p.token
	s.tokens.current = got
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
		s.endAllLocked(&TokenError{Endpoint: p.ticket.endpoint, Problem: overTooSoon})
	}
}

const overTooSoon = "none of the last 3 tokens served a read: each was over before it came, or before a read's turn came"

// noTokenLocked acts on a failure that no further request for a token can change.
// An answer of the service ends the run. A fault of the network, such as a
// certificate that is not trusted, ends the reads that wait.
func (s *schedule) noTokenLocked(err error) {
	err = s.tokens.credentials.finally(err)
	if _, ok := errors.AsType[*NetworkError](err); ok {
		s.endAllLocked(err)
		return
	}
	s.run.finish(&RejectedError{Err: err})
}

// rejection is the error that ends the run, after a 401 proved it.
func (p *permit) rejection() error {
	return &RejectedError{Given: p.token.given, Issued: !p.token.given, Err: p.refusal}
}
