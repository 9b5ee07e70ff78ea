package catalogue

import (
	"errors"
	"net/http"
	"time"
)

// The outcomes of an attempt (INTERFACE.md, Client handling rules).
type outcome int

const (
	final        outcome = iota // a good answer, or a lasting failure
	transient                   // a failure that may pass: another attempt after a back-off
	limited                     // a 429: another attempt after the requested wait
	unauthorized                // a 401 to a read: another attempt with a new token
)

// classify decides by status, so an unknown code is treated as its status. Only one code counts, and only from the
// token endpoint.
func classify(err error) outcome {
	if api, ok := apiError(err); ok {
		return outcomeOf(api.Status, api.OfToken(), api.Code)
	}
	if network, ok := errors.AsType[*NetworkError](err); ok && !network.Fault.Permanent() {
		return transient
	}
	return final
}

func outcomeOf(status int, ofToken bool, code string) outcome {
	switch {
	case status == http.StatusTooManyRequests:
		return limited
	case status == http.StatusUnauthorized && !ofToken:
		return unauthorized
	case status == http.StatusRequestTimeout, status >= 500, ofToken && code == "temporarily_unavailable":
		return transient
	}
	return final
}

// history sums up the attempts for a question.
type history struct {
	attempts   int
	failures   int // transient ones
	rejections int // 401s
	last       error
	notBefore  time.Time // the end of the back-off
}

// failed counts a transient failure, and sets the back-off.
func (h *history) failed(now time.Time, err error, jitter float64) {
	h.failures++
	pause := backOff(h.failures, jitter)
	if api, ok := apiError(err); ok {
		pause = max(pause, api.RetryAfter)
	}
	h.notBefore = now.Add(pause)
}

// retries is the policy for further attempts after transient failures.
type retries struct {
	most   int            // Config.MaxRetries
	jitter func() float64 // of back-offs, in [0, 1)
}

// exhausted reports whether no attempt follows a transient failure, and why. h is the history before it.
func (r retries) exhausted(h *history, err error) (cause Cause, exhausted bool) {
	switch {
	case h.failures >= r.most:
		return RetriesUsedUp, true
	case stays(h.last) && stays(err):
		return FaultStays, true
	}
	return 0, false
}

// stays reports whether an error is of a kind that lasts if two attempts in a row meet it: nothing listens at a port of
// this machine, or a host does not exist.
func stays(err error) bool {
	network, ok := errors.AsType[*NetworkError](err)
	return ok && (network.Fault == NobodyListens || network.Fault == UnknownHost)
}

const (
	firstBackOff = time.Second
	maxBackOff   = 30 * time.Second
	maxJitter    = 0.25
)

// backOff returns the wait before the n-th further attempt, from 1: 1 s, 2 s, 4 s and so on up to 30 s, plus up to a
// quarter of it by jitter, in [0, 1). Jitter never shortens a wait, because INTERFACE.md requires a second at least.
func backOff(n int, jitter float64) time.Duration {
	least := min(firstBackOff<<min(n-1, 5), maxBackOff)
	return least + time.Duration(float64(least)*maxJitter*jitter)
}
