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
	for n, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 3: 4 * time.Second, 4: 8 * time.Second, 5: 16 * time.Second, 6: 30 * time.Second, 7: 30 * time.Second, 1000: 30 * time.Second} {
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
		got, ok := retryAfter(header, now)
		if ok != (want > 0) || ok && got != want {
			t.Errorf("%q: %s, %t; want %s", header, got, ok, want)
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	answer := func(status int, code string) error { return &APIError{Status: status, Code: code} }
	for _, test := range []struct {
		err  error
		want verdict
	}{
		{answer(400, "VALIDATION_FAILED"), final},
		{answer(400, "temporarily_unavailable"), again},
		{answer(401, "UNAUTHORIZED"), refused},
		{answer(401, "BRAND_NEW"), refused},
		{answer(403, "FORBIDDEN"), final},
		{answer(404, "NOT_FOUND"), final},
		{answer(408, "REQUEST_TIMEOUT"), again},
		{answer(409, "MODEL_RUN_OUTPUT_UNAVAILABLE"), final},
		{answer(418, "BRAND_NEW"), final},
		{answer(429, ""), limited},
		{answer(500, "INTERNAL_ERROR"), again},
		{answer(503, "BRAND_NEW"), again},
		{answer(599, ""), again},
		{answer(302, ""), final},
		{answer(204, ""), final},
		{&NetworkError{Err: io.ErrUnexpectedEOF}, again},
		{&NetworkError{Err: errors.New("x509"), Permanent: true}, final},
		{&UnusableAnswerError{}, final},
		{&TooLargeError{}, final},
		{&TokenError{}, final},
		{context.Canceled, final},
		// The end of earlier attempts, whatever these met.
		{&GaveUpError{Err: answer(503, "")}, final},
		{&WaitTooLongError{Err: answer(429, "")}, final},
		{&RejectedError{Err: answer(401, "")}, final},
		{fmt.Errorf("wrapped: %w", answer(503, "")), again},
	} {
		if got := judge(test.err); got != test.want {
			t.Errorf("%v: %d, want %d", test.err, got, test.want)
		}
	}
}

func TestRenewAtNeverEatsTheToken(t *testing.T) {
	t.Parallel()
	asked := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for life, want := range map[time.Duration]time.Duration{
		time.Hour: time.Hour - 10*time.Second, 100 * time.Second: 90 * time.Second,
		12 * time.Second: 10800 * time.Millisecond, 8 * time.Second: 7200 * time.Millisecond, time.Second: 900 * time.Millisecond,
	} {
		if got := renewAt(asked, asked.Add(life)).Sub(asked); got != want {
			t.Errorf("a life of %s: renewed after %s, want %s", life, got, want)
		}
	}
	for _, end := range []time.Time{{}, asked, asked.Add(-time.Second)} {
		if got := renewAt(asked, end); !got.IsZero() {
			t.Errorf("ending %s: renewed at %s, want never", end, got)
		}
	}
}

func TestRateIsHalvedAndRaisedSlowly(t *testing.T) {
	t.Parallel()
	if got := lowered(newPace(0).limiter.Limit(), 20, time.Second); got != 10 {
		t.Errorf("20 in a second, refused: %v a second, want 10", got)
	}
	if got := lowered(4, 20, time.Second); got != 2 {
		t.Errorf("at 4 a second, refused: %v a second, want 2", got)
	}
	if got := lowered(slowest, 1, time.Hour); got != slowest {
		t.Errorf("refused at the slowest: %v, want %v", got, slowest)
	}
	rate := lowered(10, 10, time.Second)
	for range 50 { // ten seconds at 5 a second
		rate = raised(rate)
	}
	if rate < 8 || rate > 11 {
		t.Errorf("after 50 good answers from 5 a second: %v, want about 5 more", rate)
	}
}
