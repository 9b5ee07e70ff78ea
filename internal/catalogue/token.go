package catalogue

import (
	"time"
)

const (
	maxMargin     = 10 * time.Second // a token is renewed at most that long before its end
	minLife       = 10 * time.Second // a shorter life counts as not stated
	proofTime     = time.Minute      // only a token rejected sooner proves a rejection
	maxRejections = 4                // of one read: another attempt follows each of these 401s
	maxUnused     = 2                // in a row: after more unused tokens a stated life is ignored
)

// token is a bearer token and its life.
type token struct {
	bearer      string
	requestedAt time.Time
	life        time.Duration // from requestedAt; 0: it serves until it is rejected
	replaces    int           // consecutive rejected tokens before this one, 0 if its own rejection proves nothing
	unused      int           // consecutive tokens without a read, this one included
	rejected    bool          // by a 401
}

// tokens is the one token of all reads, and the means to renew it.
type tokens struct {
	credentials *credentials // nil for a configured token, which is never renewed
	current     *token
	lastServed  time.Time // when a read was last let through: answered, but not with 401, 408, 429 or 5xx
}

// valid reports whether a read may be sent with the current token. A token with a stated life is renewed before its
// end, by the lesser of 10 s and a tenth of its life.
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

// reject records a 401 to a read with a token. It reports whether this proves that the credentials are rejected: the
// token replaced a rejected one, was requested less than a minute ago, and no read was let through since. If any read
// was let through before, a stray instance of the service is likelier than a revocation, and the proof is two such
// tokens in a row.
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

// next returns a token to request in place of the current one, and the reason.
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
