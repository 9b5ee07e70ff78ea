package catalogue

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
)

// A Retry-After is a number of seconds or a date. Anything else is ignored.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const inFiveSeconds = "Sat, 01 Jan 2000 00:00:05 GMT"
	now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		text string
		date string // of the answer
		want time.Duration
	}{
		{text: "3", want: 3 * time.Second},
		{text: "1.5", want: 1500 * time.Millisecond},
		{text: "0.25", want: 250 * time.Millisecond},
		{text: "99999999999999999999", want: 100 * 365 * 24 * time.Hour},
		{text: inFiveSeconds, want: 5 * time.Second},
		{text: inFiveSeconds, date: "Fri, 31 Dec 1999 23:59:58 GMT", want: 7 * time.Second},
		{text: "Fri, 01 Jan 1999 00:00:00 GMT"},
		{text: ""},
		{text: "0"},
		{text: "-3"},
		{text: "soon"},
	} {
		header := http.Header{"Retry-After": {test.text}, "Date": {test.date}}
		got, named := contract.RetryAfter(header, now)
		if got != test.want || named != (test.want > 0) {
			t.Errorf("%q, dated %q: %s, %t; want %s", test.text, test.date, got, named, test.want)
		}
	}
}

// Back-offs double up to half a minute. Jitter makes them longer by up to a quarter, and never shorter.
func TestBackOff(t *testing.T) {
	t.Parallel()
	for i, seconds := range []int{1, 2, 4, 8, 16, 30, 30, 30} {
		least := time.Duration(seconds) * time.Second
		most := backOff(i+1, 0.999999)
		if got := backOff(i+1, 0); got != least || most <= least || most > least+least/4 {
			t.Errorf("back-off %d is from %s to %s, want %s and up to a quarter more", i+1, got, most, least)
		}
	}
}

// The back-off after a failure is at least the Retry-After of the answer.
func TestABackOffAfterARetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for named, want := range map[time.Duration]time.Duration{
			0:                       time.Second,
			500 * time.Millisecond:  time.Second,
			1500 * time.Millisecond: 1500 * time.Millisecond,
		} {
			h := history{}
			h.failed(time.Now(), &APIError{Status: http.StatusServiceUnavailable, RetryAfter: named}, 0)
			if got := time.Until(h.notBefore); got != want {
				t.Errorf("after a Retry-After of %s: %s, want %s", named, got, want)
			}
		}
	})
}

// A status decides what follows, and of the codes only one, of the token endpoint.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for want, statuses := range map[outcome][]int{
		final:        {101, 103, 201, 204, 301, 304, 400, 403, 404, 405, 409, 418, 422, 451},
		transient:    {408, 500, 501, 502, 503, 504, 599},
		limited:      {429},
		unauthorized: {401},
	} {
		for _, status := range statuses {
			of := map[string]outcome{http.MethodGet: want, http.MethodPost: want}
			if want == unauthorized {
				of[http.MethodPost] = final
			}
			for method, want := range of {
				err := &APIError{Endpoint: Endpoint{Method: method}, Status: status, Code: "X"}
				if got := classify(err); got != want {
					t.Errorf("%s %d: outcome %d, want %d", method, status, got, want)
				}
			}
		}
	}
	const later = "temporarily_unavailable"
	for name, test := range map[string]struct {
		err  error
		want outcome
	}{
		"no error":                 {nil, final},
		"a fault of the network":   {&NetworkError{}, transient},
		"a permanent one":          {&NetworkError{Fault: NoTLS}, final},
		"an unusable answer":       {&UnusableAnswerError{}, final},
		"tokens come later":        {&APIError{Endpoint: Endpoint{Method: http.MethodPost}, Status: 400, Code: later}, transient},
		"the same code for a read": {&APIError{Status: 404, Code: later}, final},
	} {
		if got := classify(test.err); got != test.want {
			t.Errorf("%s: outcome %d, want %d", name, got, test.want)
		}
	}
}

// A fault that waiting does not mend has one attempt more, any other max_retries.
func TestWhenNoRetryIsLeft(t *testing.T) {
	t.Parallel()
	broken := &NetworkError{Fault: Broken}
	noHost := &NetworkError{Fault: UnknownHost}
	nobody := &NetworkError{Fault: NobodyListens}
	for i, test := range []struct {
		most     int
		failures []error // the last of them is judged
		want     Cause
		over     bool
	}{
		{most: 0, failures: []error{noHost}, want: RetriesUsedUp, over: true},
		{most: 1, failures: []error{noHost, noHost}, want: RetriesUsedUp, over: true},
		{most: 2, failures: []error{broken, broken}},
		{most: 2, failures: []error{broken, errors.New("any")}},
		{most: 2, failures: []error{noHost, noHost}, want: FaultStays, over: true},
		{most: 2, failures: []error{nobody, nobody}, want: FaultStays, over: true},
		{most: 2, failures: []error{broken, noHost}},
		{most: 2, failures: []error{noHost, broken}},
		{most: 4, failures: []error{noHost, broken, noHost}},
		{most: 4, failures: []error{broken, noHost, noHost}, want: FaultStays, over: true},
	} {
		before := len(test.failures) - 1
		h := history{failures: before}
		if before > 0 {
			h.last = test.failures[before-1]
		}
		cause, over := retries{most: test.most}.over(&h, test.failures[before])
		if cause != test.want || over != test.over {
			t.Errorf("row %d: cause %d, %t; want %d, %t", i, cause, over, test.want, test.over)
		}
	}
}

// A token is renewed before its end, by the lesser of 10 s and a tenth of its life.
func TestWhenATokenIsRenewed(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for life, want := range map[time.Duration]time.Duration{
		time.Hour:         time.Hour - 10*time.Second,
		100 * time.Second: 90 * time.Second,
		20 * time.Second:  18 * time.Second,
	} {
		given := tokens{current: &token{requestedAt: now, life: life}}
		renewed := now.Add(want)
		if !given.valid(renewed.Add(-1)) || given.valid(renewed) {
			t.Errorf("a token of %s is not renewed after %s", life, want)
		}
	}
}

// Times in the log are rounded as people read them.
func TestRounded(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		1234567 * time.Nanosecond: "1ms",
		12345 * time.Millisecond:  "12s",
	} {
		if got := rounded(d).String(); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}
