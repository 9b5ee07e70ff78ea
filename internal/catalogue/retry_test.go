package catalogue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

func TestBackOffDoublesUpToHalfAMinuteAndIsNeverLess(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]time.Duration{
		1: time.Second, 2: 2 * time.Second, 3: 4 * time.Second, 4: 8 * time.Second, 5: 16 * time.Second, 6: 30 * time.Second, 7: 30 * time.Second,
		1000: 30 * time.Second,
	} {
		if got := backOff(n, 0); got != want {
			t.Errorf("%d without jitter: %s, want %s", n, got, want)
		}
		if got := backOff(n, 0.999999); got <= want || got > want+want/4 {
			t.Errorf("%d with the most jitter: %s, want at most a quarter over %s", n, got, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	// A date counts on the clock of the service, which may differ from ours.
	dated := http.Header{
		"Retry-After": {now.Add(time.Hour + 30*time.Second).Format(http.TimeFormat)},
		"Date":        {now.Add(time.Hour).Format(http.TimeFormat)},
	}
	if got, ok := retryAfter(dated, now); !ok || got != 30*time.Second {
		t.Errorf("30 s after the answer's own date: %s, %t", got, ok)
	}
	for header, want := range map[string]time.Duration{
		"1": time.Second, " 120 ": 2 * time.Minute,
		now.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second,
		"Sunday, 01-Mar-26 12:00:05 GMT":                  5 * time.Second,
		"99999999999999999999":                            maxRetryAfter * time.Second,
		"9223372036854775807":                             maxRetryAfter * time.Second,
		// None to go by.
		"": 0, "0": 0, "-1": 0, "-99999999999999999999": 0, "soon": 0, "1.5": 0,
		now.Add(-time.Hour).Format(http.TimeFormat): 0, now.Format(http.TimeFormat): 0,
	} {
		got, ok := retryAfter(http.Header{"Retry-After": {header}}, now)
		if ok != (want > 0) || ok && got != want {
			t.Errorf("%q: %s, %t; want %s", header, got, ok, want)
		}
	}
}

func TestClassify(t *testing.T) {
	t.Parallel()
	answer := func(status int, code string) error { return &APIError{Status: status, Code: code} }
	ofToken := func(status int, code string) error {
		return &APIError{Endpoint: Endpoint{Method: http.MethodPost}, Status: status, Code: code}
	}
	for _, test := range []struct {
		err  error
		want outcome
	}{
		{err: answer(400, "VALIDATION_FAILED"), want: final},
		// What a code of the token endpoint means, it means there only.
		{err: ofToken(400, "temporarily_unavailable"), want: transient},
		{err: answer(404, "temporarily_unavailable"), want: final},
		{err: ofToken(401, "invalid_client"), want: final},
		{err: ofToken(429, ""), want: limited},
		{err: ofToken(408, ""), want: transient},
		{err: answer(401, "UNAUTHORIZED"), want: unauthorized},
		{err: answer(401, "BRAND_NEW"), want: unauthorized},
		{err: answer(403, "FORBIDDEN"), want: final},
		{err: answer(404, "NOT_FOUND"), want: final},
		{err: answer(408, "REQUEST_TIMEOUT"), want: transient},
		{err: answer(409, "MODEL_RUN_OUTPUT_UNAVAILABLE"), want: final},
		{err: answer(418, "BRAND_NEW"), want: final},
		{err: answer(429, ""), want: limited},
		{err: answer(500, "INTERNAL_ERROR"), want: transient},
		{err: answer(503, "BRAND_NEW"), want: transient},
		{err: answer(599, ""), want: transient},
		{err: answer(302, ""), want: final},
		{err: answer(204, ""), want: final},
		{err: &NetworkError{Err: io.ErrUnexpectedEOF}, want: transient},
		{err: &NetworkError{Err: errors.New("x509"), Permanent: true}, want: final},
		{err: &UnusableAnswerError{}, want: final},
		{err: &TooLargeError{}, want: final},
		{err: &TokenError{}, want: final},
		{err: context.Canceled, want: final},
		{err: fmt.Errorf("wrapped: %w", answer(503, "")), want: transient},
	} {
		if got := classify(test.err); got != test.want {
			t.Errorf("%v: %d, want %d", test.err, got, test.want)
		}
	}
}
