package catalogue

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
)

// A Retry-After is a number of seconds or a date, by the clock of the answer if it has one. Anything else is ignored.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"3":                    3 * time.Second,
		"1.5":                  1500 * time.Millisecond,
		"99999999999999999999": 100 * 365 * 24 * time.Hour,
		"Sat, 01 Jan 2000 00:00:05 GMT dated Fri, 31 Dec 1999 23:59:58 GMT": 7 * time.Second,
		"Sat, 01 Jan 2000 00:00:05 GMT":                                     5 * time.Second,
		"Fri, 01 Jan 1999 00:00:00 GMT":                                     0,
		"":                                                                  0,
		"0":                                                                 0,
		"-3":                                                                0,
		"soon":                                                              0,
	} {
		after, date, _ := strings.Cut(text, " dated ")
		got, named := contract.RetryAfter(http.Header{"Retry-After": {after}, "Date": {date}}, now)
		if got != want || named != (want > 0) {
			t.Errorf("%q: %s, %t; want %s", text, got, named, want)
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

// The status decides. Only one code counts, and only from the token endpoint.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	const later = "temporarily_unavailable"
	token := Endpoint{Method: http.MethodPost}
	for _, test := range []struct {
		err  error
		want outcome
	}{
		{nil, final},
		{&NetworkError{}, transient},
		{&NetworkError{Fault: NoTLS}, final},
		{&UnusableAnswerError{}, final},
		{&APIError{Endpoint: token, Status: 400, Code: later}, transient},
		{&APIError{Status: 404, Code: later}, final},
		{&APIError{Status: 101}, final},
		{&APIError{Status: 304}, final},
		{&APIError{Status: 422}, final},
		{&APIError{Status: 408}, transient},
		{&APIError{Status: 500}, transient},
		{&APIError{Status: 599}, transient},
		{&APIError{Status: 429}, limited},
		{&APIError{Endpoint: token, Status: 429}, limited},
		{&APIError{Status: 401}, unauthorized},
		{&APIError{Endpoint: token, Status: 401}, final},
	} {
		if got := classify(test.err); got != test.want {
			t.Errorf("%v: outcome %d, want %d", test.err, got, test.want)
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

// A second 401 of one token takes nothing back, though a read was let through after the first, and a minute has passed.
func TestASecond401OfOneToken(t *testing.T) {
	t.Parallel()
	now := time.Now()
	rejected := &token{requestedAt: now, replaces: 1}
	all := tokens{credentials: &credentials{}, current: rejected, lastServed: now}
	first := all.reject(rejected, now)
	all.lastServed = now.Add(1)
	second := all.reject(rejected, now.Add(proofTime))
	if next, _ := all.next(now); first || second || next.replaces != 2 {
		t.Errorf("%t, %t and %d rejected tokens, want no proof and 2", first, second, next.replaces)
	}
}

// Times in the log are rounded for people.
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
