package catalogue

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// What becomes of an attempt (INTERFACE.md, Client handling rules).
type outcome int

const (
	final        outcome = iota // a good answer, or a failure that no further attempt can change
	transient                   // a failure that may pass: another attempt after a back-off
	limited                     // a 429: another attempt after the wait that the service asks for
	unauthorized                // a 401 to a read: another attempt with a new token
)

// classify decides by status, so that an unknown code is treated as its status.
// The one code that says more is that of a token endpoint out of reach.
func classify(err error) outcome {
	if api, ok := apiError(err); ok {
		return outcomeOf(api.Status, api.Method == http.MethodPost, api.Code)
	}
	network, ok := errors.AsType[*NetworkError](err)
	switch {
	case !ok:
		return final
	case network.Permanent:
		return final
	}
	return transient
}

func outcomeOf(status int, token bool, code string) outcome {
	switch {
	case status == http.StatusTooManyRequests:
		return limited
	case status == http.StatusUnauthorized && !token:
		return unauthorized
	case status == http.StatusRequestTimeout, status >= 500, token && code == codeTemporarilyUnavailable:
		return transient
	}
	return final
}

const (
	firstBackOff = time.Second
	maxBackOff   = 30 * time.Second
	maxJitter    = 0.25
)

// backOff is the wait before the n-th further attempt, from 1: 1 s, 2 s, 4 s
// and so on up to 30 s, plus up to a quarter of it. jitter is in [0, 1). The
// jitter never shortens a wait, because INTERFACE.md asks for a second at least.
// The libraries for back-off shorten it, which is why none is used.
func backOff(n int, jitter float64) time.Duration {
	wait := maxBackOff
	if n < 6 {
		wait = min(firstBackOff<<(n-1), maxBackOff)
	}
	return wait + time.Duration(float64(wait)*maxJitter*jitter)
}

// retryAfter reads a Retry-After header (RFC 9110 §10.2.3): seconds, with a fraction
// or not, or an HTTP date, which counts from the answer's own Date where it has one, and else from
// now. ok is false where there is none to go by: absent, zero, negative, in the
// past, or neither form.
func retryAfter(header http.Header, now time.Time) (wait time.Duration, ok bool) {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if strings.Trim(text, "0123456789.") == "" {
		wait, err := time.ParseDuration(text + "s")
		if seconds, _ := strconv.ParseFloat(text, 64); seconds > maxRetryAfter.Seconds() {
			return maxRetryAfter, true
		}
		return wait, err == nil && wait > 0
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	return until.Sub(now), until.After(now)
}

// maxRetryAfter keeps a wait within what a time.Duration holds.
const maxRetryAfter = 100 * 365 * 24 * time.Hour

func round(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
