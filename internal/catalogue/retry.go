package catalogue

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// What becomes of a failed attempt (interface.md, Client handling rules).
type verdict int

const (
	final   verdict = iota // the failure stands
	again                  // it may pass: another attempt after a back-off
	limited                // the process sends too much: wait as the service says
	refused                // the token is not taken: another token, once
)

// judge decides by status, so that an unknown code is treated as its status;
// the one code that says more is that of a token endpoint out of reach.
func judge(err error) verdict {
	var (
		api      *APIError
		network  *NetworkError
		gaveUp   *GaveUpError
		tooLong  *WaitTooLongError
		rejected *RejectedError
	)
	switch {
	case errors.As(err, &gaveUp), errors.As(err, &tooLong), errors.As(err, &rejected):
		// The end of attempts already made, those for a token among them.
	case errors.As(err, &api):
		switch {
		case api.Status == http.StatusTooManyRequests:
			return limited
		case api.Status == http.StatusUnauthorized:
			return refused
		case api.Status == http.StatusRequestTimeout, api.Status >= 500, api.Code == codeTemporarilyUnavailable:
			return again
		}
	case errors.As(err, &network) && !network.Permanent:
		return again
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
// spread only ever adds, since less than a second is less than interface.md
// asks for; this is why the back-off of a library, which spreads both ways, is
// not used.
func backOff(n int, jitter float64) time.Duration {
	wait := maxBackOff
	if n < 6 {
		wait = min(firstBackOff<<(n-1), maxBackOff)
	}
	return wait + time.Duration(float64(wait)*maxJitter*jitter)
}

// retryAfter reads a Retry-After header (RFC 9110 §10.2.3): seconds or an HTTP
// date. ok is false where there is none to go by: absent, zero, negative, in
// the past, or neither form.
func retryAfter(header string, now time.Time) (wait time.Duration, ok bool) {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.ParseInt(header, 10, 64); err == nil {
		return time.Duration(min(seconds, maxRetryAfter)) * time.Second, seconds > 0
	} else if errors.Is(err, strconv.ErrRange) && !strings.HasPrefix(header, "-") {
		return maxRetryAfter * time.Second, true
	}
	date, err := http.ParseTime(header)
	if err != nil {
		return 0, false
	}
	return date.Sub(now), date.After(now)
}

// maxRetryAfter keeps a wait, in seconds, within what a time.Duration holds.
const maxRetryAfter = 100 * 365 * 24 * 3600
