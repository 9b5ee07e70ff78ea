package catalogue

import (
	"time"
)

const (
	maxMargin     = 10 * time.Second // how long before its end a token is renewed, at most
	minLife       = 10 * time.Second // a shorter life counts as not stated
	proofTime     = time.Minute      // how soon a new token has to be rejected to prove a rejection
	maxRejections = 4                // how many 401s of one read are followed by another attempt
	maxUnused     = 2                // how many unused tokens in a row make us ignore their stated life
)

// token is a bearer token and its life.
type token struct {
	bearer      string
	requestedAt time.Time
	life        time.Duration // from requestedAt; 0: it serves until it is rejected
	replaces    int           // consecutive rejected tokens before this one, 0 if its own rejection proves nothing
	unused      int           // consecutive tokens, this one included, that no read was sent with
	rejected    bool          // it was answered with 401
}

// tokens is the one token that all reads share, and the request that renews it.
type tokens struct {
	credentials *credentials // nil if the configuration gives the token, which cannot be renewed then
	current     *token
	lastServed  time.Time // when a read was last let through: its answer was not a 401, 408, 429 or 5xx
}

// valid reports whether a read may be sent with the current token. One with a stated life is renewed before its end, by
// the lesser of 10 s and a tenth of its life.
func (t *tokens) valid(now time.Time) bool {
	c := t.current
	if c == nil || c.rejected {
		return false
	}
	margin := min(maxMargin, c.life/10)
	return c.life == 0 || now.Before(c.requestedAt.Add(c.life-margin))
}

func (t *tokens) given() bool {
	return t.credentials == nil
}

// reject records that a read with a token was answered with 401. It reports whether that proves that the credentials
// are rejected: the token replaced one that was rejected, was requested less than a minute ago, and no read was let
// through since. Once any read has been let through, a stray instance of the service is likelier than a revocation: the
// proof is then two such tokens in a row.
func (t *tokens) reject(old *token, now time.Time) (proves bool) {
	if t.given() || old.rejected {
		return t.given()
	}
	old.rejected = true
	if t.lastServed.After(old.requestedAt) || now.Sub(old.requestedAt) >= proofTime {
		old.replaces = 0
	}
	return old.replaces > 1 || old.replaces == 1 && t.lastServed.IsZero()
}

// next returns the token that is requested in place of the current one, and says why.
func (t *tokens) next(now time.Time) (got *token, why string) {
	got = &token{requestedAt: now, unused: 1}
	switch last := t.current; {
	case last == nil:
		return got, "the first one"
	case last.rejected:
		got.replaces = last.replaces + 1
		return got, "the last one was rejected"
	default:
		got.unused = last.unused + 1
		return got, "the last one expires"
	}
}
