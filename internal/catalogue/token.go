package catalogue

import (
	"context"
	"errors"
	"slices"
	"time"
)

const (
	maxMargin   = 10 * time.Second // how long before its end a token is renewed, at most
	minLife     = 10 * time.Second // a shorter life counts as not stated
	proofTime   = time.Minute      // how soon a new token has to be rejected to prove a rejection
	maxRenewals = 4                // how many 401s of one read are followed by another attempt
	maxUnused   = 2                // tokens in a row that no read was sent with, after which a life does not count
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
	history                  // of the request for a token, since a token came or no flight waited for one
	credentials *credentials // nil if the configuration gives the token, so that there is no other
	to          Endpoint
	request     func(context.Context, *attempt) error // makes one exchange
	current     *token
	sent        *attempt           // under way, nil if there is none
	stop        context.CancelFunc // ends it
	lastServed  time.Time          // when a read was last let through: its answer was not a 401, 408, 429 or 5xx
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
func (t *tokens) reject(by *token, now time.Time) (proves bool) {
	if t.given() || by.rejected {
		return t.given()
	}
	by.rejected = true
	if t.lastServed.After(by.requestedAt) || now.Sub(by.requestedAt) >= proofTime {
		by.replaces = 0
	}
	return by.replaces > 1 || by.replaces == 1 && t.lastServed.IsZero()
}

// next returns the token that is requested in place of the current one, and says why.
func (t *tokens) next(now time.Time) (got *token, why string) {
	got = &token{requestedAt: now, unused: 1}
	switch last := t.current; {
	case last == nil:
		return got, "there is none"
	case last.rejected:
		got.replaces = last.replaces + 1
		return got, "the last one was rejected"
	default:
		got.unused = last.unused + 1
		return got, "the last one ends"
	}
}

// requestTokenLocked requests a token, for the flight that holds the turn and all behind it. It unlocks mu meanwhile.
func (a *admission) requestTokenLocked(f *flight, came time.Time, waitedFor string) {
	t := &a.tokens
	got, why := t.next(time.Now())
	a.noteLocked(f.ctx, "A token is asked for: %s", why)
	sent := a.sendLocked(got, &t.history, came, waitedFor)
	ctx, stop := context.WithCancel(context.WithoutCancel(f.ctx)) // all flights behind f wait for it too
	t.sent, t.stop = sent, stop
	a.mu.Unlock()
	err := t.request(ctx, sent)
	a.mu.Lock()
	t.sent = nil
	result := a.doneLocked(sent, err)
	if ctx.Err() == nil {
		a.tokenAnsweredLocked(f, got, result, err)
	}
	stop()
	a.wakeLocked()
}

// tokenAnsweredLocked acts on what came of a request for a token. A final answer of the service ends the run; a final
// fault of the network, such as a certificate that is not trusted, ends the reads that wait.
func (a *admission) tokenAnsweredLocked(f *flight, got *token, result outcome, err error) {
	t := &a.tokens
	switch _, noAnswer := errors.AsType[*NetworkError](err); {
	case err == nil:
		if got.unused > maxUnused {
			got.life = 0
		}
		t.current = got
		t.history = history{}
		t.credentials.understood = true
	case result == limited, result == transient:
		for _, waiting := range slices.Clone(a.queue) {
			waiting.failIfNoRetryLocked(&t.history, result, err)
		}
		t.last = err
		if result == transient {
			a.tokenFailedLocked(f, err)
		}
	case t.credentials.switchToJSON(err):
		a.noteLocked(f.ctx, "The token endpoint does not understand a form, so the same is sent as JSON: %s", err)
	case noAnswer:
		for _, waiting := range slices.Clone(a.queue) {
			waiting.endLocked(ended{err: err})
		}
	default:
		a.endRunLocked(&RejectedError{Err: t.credentials.finally(err)})
	}
}

// tokenFailedLocked makes the request for a token back off after a failure that may pass. The reads that have no time
// for that fail with it.
func (a *admission) tokenFailedLocked(f *flight, err error) {
	t := &a.tokens
	t.failed(err, a.retries.jitter())
	for _, waiting := range slices.Clone(a.queue) {
		waiting.failLocked(waiting.lateErrLocked) // the next request for a token is sent before it
	}
	a.failLateLocked(t.notBefore) // if one of them still waits for it
	if len(a.queue) == 0 {
		return
	}
	if t.notBefore.After(a.noted) {
		a.noted = t.notBefore
	}
	a.noteLocked(f.ctx, "Another attempt in %s: %s", round(time.Until(t.notBefore)), err)
}
