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
		1: time.Second, 2: 2 * time.Second, 3: 4 * time.Second, 4: 8 * time.Second, 5: 16 * time.Second,
		6: 30 * time.Second, 7: 30 * time.Second, 1000: 30 * time.Second,
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
	for _, test := range []struct {
		want   outcome
		method string
		status int
		code   string
	}{
		{final, "GET", 400, "VALIDATION_FAILED"},
		{final, "GET", 403, "FORBIDDEN"},
		{final, "GET", 404, "NOT_FOUND"},
		{final, "GET", 409, "MODEL_RUN_OUTPUT_UNAVAILABLE"},
		{final, "GET", 418, "BRAND_NEW"},
		{final, "GET", 302, ""},
		{final, "GET", 204, ""},
		{unauthorized, "GET", 401, "UNAUTHORIZED"},
		{unauthorized, "GET", 401, "BRAND_NEW"},
		{final, "POST", 401, "invalid_client"},
		{transient, "GET", 408, "REQUEST_TIMEOUT"},
		{transient, "POST", 408, ""},
		{transient, "GET", 500, "INTERNAL_ERROR"},
		{transient, "GET", 503, "BRAND_NEW"},
		{transient, "GET", 599, ""},
		{limited, "GET", 429, ""},
		{limited, "POST", 429, ""},
		// What a code of the token endpoint means, it means there only.
		{transient, "POST", 400, "temporarily_unavailable"},
		{final, "GET", 404, "temporarily_unavailable"},
	} {
		err := &APIError{Endpoint: Endpoint{Method: test.method}, Status: test.status, Code: test.code}
		if got := classify(fmt.Errorf("wrapped: %w", err)); got != test.want {
			t.Errorf("%v: %d, want %d", err, got, test.want)
		}
	}
	for err, want := range map[error]outcome{
		&NetworkError{Err: io.ErrUnexpectedEOF}: transient, &NetworkError{Err: errors.New("x509"), Permanent: true}: final,
		&UnusableAnswerError{}: final, &TooLargeError{}: final, &TokenError{}: final, context.Canceled: final,
	} {
		if got := classify(err); got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
}
