package sandbox

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

// Each step is the time of a request after midnight. The seconds of its Retry-After, if it is limited, follow a colon.
func TestAllowance(t *testing.T) {
	tests := map[string]struct {
		allowance Allowance
		steps     string
	}{
		"a sliding window frees what it let through first": {
			Allowance{Kind: SlidingWindow, Requests: 2, Per: 10 * time.Second}, "1s 4s 4s:7 4.5s:7 10.999s:1 11s 11s:3 14s",
		},
		"a fixed window frees all at once, on the clock": {
			Allowance{Kind: FixedWindow, Requests: 2, Per: 10 * time.Second}, "9s 9.001s 9.001s:1 10s 10s 10s:10 19.999s:1 20s",
		},
		"a bucket is full at first, and refilled evenly": {
			Allowance{Kind: Bucket, Requests: 3, Per: 30 * time.Second}, "0s 0s 0s 0s:10 9.999s:1 10s 10s:10 25s 25s:5 30s",
		},
		"a bucket never holds more than its allowance": {
			Allowance{Kind: Bucket, Requests: 2, Per: 2 * time.Second}, "1h 1h 1h:1",
		},
		// In fractions, 49 times a forty-ninth is less than one.
		"a bucket admits a request that waited as long as it says": {
			Allowance{Kind: Bucket, Requests: 1, Per: 49 * time.Second}, "0s 0s:49 49s 49s:49 98s",
		},
		"a bucket of an odd interval holds its allowance": {
			Allowance{Kind: Bucket, Requests: 7, Per: time.Second}, "0s 0s 0s 0s 0s 0s 0s 0s:1",
		},
	}
	midnight := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			counted := test.allowance.Counter()
			for step := range strings.FieldsSeq(test.steps) {
				at, want, _ := strings.Cut(step, ":")
				after, err := time.ParseDuration(at)
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				if wait := counted.Take(midnight.Add(after)); wait > 0 {
					got = strconv.Itoa(retryAfter(wait))
				}
				if got != want {
					t.Errorf("at %s: Retry-After %q, want %q", at, got, want)
				}
			}
		})
	}
}

func TestParseAllowance(t *testing.T) {
	for text, want := range map[string]Allowance{
		"5": {SlidingWindow, 5, time.Second}, "60/1m": {SlidingWindow, 60, time.Minute}, "60/1m:sliding": {SlidingWindow, 60, time.Minute},
		"600/1h:fixed": {FixedWindow, 600, time.Hour}, "20/4s:bucket": {Bucket, 20, 4 * time.Second},
	} {
		if got, err := ParseAllowance(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"0/1m": `"0" is not a number of requests`, "": `"" is not a number of requests`, "many": "not a number of requests",
		"60/m": `"m" is not a time such as 1s`, "60/0s": `"0s" is not a time`,
		"60:1m": `"1m" is not a kind of counting`,
	} {
		if _, err := ParseAllowance(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
