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
	maxRenewals = 2                // how many 401s of one read are followed by another attempt
)

// token is a bearer token and its life.
type token struct {
	bearer      string
	requestedAt time.Time
	life        time.Duration // from requestedAt; 0: it serves until it is rejected
	replaces    int           // how many rejected tokens in a row came before it, 0 once it can prove nothing
	served      bool          // a read with it was let through: its answer was no 401, 408, 429 or 5xx
	rejected    bool          // it was answered with 401
}

// tokens is the one token that all reads share, and the request that renews it.
type tokens struct {
	tries                    // of the request for a token, since a token came or no flight waited for one
	credentials *credentials // nil if the configuration gives the token, so that there is no other
	to          Endpoint
	request     func(context.Context, *attempt) error // makes one exchange
	current     *token
	stop        context.CancelFunc // ends the request that is under way, nil if there is none
	used        bool               // a token has served a read in this process
}

// serve reports whether a read may be sent with the current token. One with a stated life is renewed before its end,
// by the lesser of 10 s and a tenth of its life.
func (t *tokens) serve(now time.Time) bool {
	c := t.current
	if c == nil || c.rejected {
		return false
	}
	return c.life == 0 || now.Before(c.requestedAt.Add(c.life-min(maxMargin, c.life/10)))
}

func (t *tokens) given() bool { return t.credentials == nil }

// served records that a read with a token was let through.
func (t *tokens) served(by *token) { by.served, t.used = true, true }

// reject records that a read with a token was answered with 401. It reports whether that proves that the credentials
// are rejected: the token replaced one that was rejected, and served no read in the minute since it was requested.
// Once any token has served a read, a stray instance of the service is likelier than a revocation: the proof is then
// two such tokens in a row.
func (t *tokens) reject(by *token, now time.Time) (proves bool) {
	if t.given() || by.rejected {
		return t.given()
	}
	by.rejected = true
	if by.served || now.Sub(by.requestedAt) >= proofTime {
		by.replaces = 0
	}
	return by.replaces > 1 || by.replaces == 1 && !t.used
}

// requestTokenLocked requests a token, for the flight that holds the turn and all behind it. It unlocks mu meanwhile.
func (a *admission) requestTokenLocked(f *flight, came time.Time, waitedFor string) {
	t := &a.tokens
	got, why := &token{requestedAt: time.Now()}, "there is none"
	if last := t.current; last != nil && last.rejected {
		got.replaces, why = last.replaces+1, "the last one was rejected"
	} else if last != nil {
		why = "the last one ends"
	}
	a.noteLocked(f.ctx, "A token is asked for: %s", why)
	sent := a.sendLocked(got, &t.tries, came, waitedFor)
	ctx, stop := context.WithCancel(context.WithoutCancel(f.ctx)) // all flights behind f wait for it too
	t.stop = stop
	a.mu.Unlock()
	err := t.request(ctx, sent)
	a.mu.Lock()
	t.stop = nil
	if outcome := a.doneLocked(sent, err); ctx.Err() == nil {
		a.tokenAnsweredLocked(f, got, outcome, err)
	}
	stop()
	a.wakeLocked()
}

// tokenAnsweredLocked acts on what came of a request for a token. A final answer of the service ends the run; a final
// fault of the network, such as a certificate that is not trusted, ends the reads that wait.
func (a *admission) tokenAnsweredLocked(f *flight, got *token, outcome outcome, err error) {
	t := &a.tokens
	switch _, noAnswer := errors.AsType[*NetworkError](err); {
	case err == nil:
		t.current, t.tries, t.credentials.understood = got, tries{}, true
	case outcome == limited:
		t.last = err
	case outcome == transient:
		a.tokenFailedLocked(f, err)
	case t.credentials.switchToJSON(err):
		a.noteLocked(f.ctx, "The token endpoint does not understand a form, so the same is sent as JSON: %s", err)
	case noAnswer:
		for _, waiting := range slices.Clone(a.queue) {
			a.endLocked(waiting, err)
		}
	default:
		a.endRunLocked(&RejectedError{Err: t.credentials.finally(err)})
	}
}

// tokenFailedLocked makes the request for a token back off after a failure that may pass. The reads that wait and
// have no retry left fail with it.
func (a *admission) tokenFailedLocked(f *flight, err error) {
	t := &a.tokens
	t.failed(err, a.cfg.Jitter())
	for _, waiting := range slices.Clone(a.queue) {
		if !a.giveUpLocked(waiting, t.failures, err) {
			a.failLocked(waiting, a.deadlineExceededLocked)
		}
	}
	if len(a.queue) > 0 {
		a.noteLocked(f.ctx, "Another attempt in %s: %s", round(time.Until(t.notBefore)), err)
	}
}
