package sandbox

import (
	"strings"
	"testing"
	"time"
)

// Each step is one request, so long after midnight, and what comes of it: the
// seconds of Retry-After, or 0 where it is admitted.
func TestAllowance(t *testing.T) {
	type step struct {
		at         time.Duration
		retryAfter int
	}
	const ms = time.Millisecond
	tests := map[string]struct {
		allowance Allowance
		steps     []step
	}{
		"a sliding window frees what it let through first": {
			allowance: Allowance{Kind: SlidingWindow, Requests: 2, Per: 10 * time.Second},
			steps: []step{
				{at: 1000 * ms},
				{at: 4000 * ms},
				{at: 4000 * ms, retryAfter: 7},
				{at: 10_999 * ms, retryAfter: 1},
				{at: 11_000 * ms},
				{at: 11_000 * ms, retryAfter: 3},
				{at: 14_000 * ms},
			},
		},
		"a fixed window frees all at once, on the clock": {
			allowance: Allowance{Kind: FixedWindow, Requests: 2, Per: 10 * time.Second},
			steps: []step{
				{at: 9000 * ms},
				{at: 9001 * ms},
				{at: 9001 * ms, retryAfter: 1},
				{at: 10_000 * ms},
				{at: 10_000 * ms},
				{at: 10_000 * ms, retryAfter: 10},
				{at: 19_999 * ms, retryAfter: 1},
				{at: 20_000 * ms},
			},
		},
		"a window without requests is no debt": {
			allowance: Allowance{Kind: FixedWindow, Requests: 1, Per: time.Second},
			steps: []step{
				{at: 0},
				{at: 5500 * ms},
				{at: 5500 * ms, retryAfter: 1},
				{at: 6000 * ms},
			},
		},
		"a bucket is full at first, and refilled evenly": {
			allowance: Allowance{Kind: Bucket, Requests: 3, Per: 30 * time.Second},
			steps: []step{
				{at: 0},
				{at: 0},
				{at: 0},
				{at: 0, retryAfter: 10},
				{at: 9999 * ms, retryAfter: 1},
				{at: 10_000 * ms},
				{at: 10_000 * ms, retryAfter: 10},
				{at: 25_000 * ms},
				{at: 25_000 * ms, retryAfter: 5},
				{at: 30_000 * ms},
			},
		},
		"a bucket holds no more than its allowance": {
			allowance: Allowance{Kind: Bucket, Requests: 2, Per: 2 * time.Second},
			steps: []step{
				{at: time.Hour},
				{at: time.Hour},
				{at: time.Hour, retryAfter: 1},
			},
		},
		// In fractions, 49 times a forty-ninth is less than one.
		"a bucket admits whoever waited as told": {
			allowance: Allowance{Kind: Bucket, Requests: 1, Per: 49 * time.Second},
			steps: []step{
				{at: 0},
				{at: 0, retryAfter: 49},
				{at: 49 * time.Second},
				{at: 49 * time.Second, retryAfter: 49},
				{at: 98 * time.Second},
			},
		},
		"a bucket of an odd interval holds its allowance": {
			allowance: Allowance{Kind: Bucket, Requests: 7, Per: time.Second},
			steps: []step{
				{at: 0},
				{at: 0},
				{at: 0},
				{at: 0},
				{at: 0},
				{at: 0},
				{at: 0},
				{at: 0, retryAfter: 1},
			},
		},
	}
	midnight := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			counter := test.allowance.counter()
			for i, step := range test.steps {
				got := 0
				if wait := counter(midnight.Add(step.at)); wait > 0 {
					got = retryAfter(wait)
				}
				if got != step.retryAfter {
					t.Errorf("step %d, at %s: Retry-After %d, want %d", i, step.at, got, step.retryAfter)
				}
			}
		})
	}
}

func TestParseAllowance(t *testing.T) {
	tests := map[string]struct {
		want Allowance
		err  string
	}{
		"5":              {want: Allowance{Requests: 5, Per: time.Second}},
		"0":              {want: Allowance{Per: time.Second}},
		"60/1m":          {want: Allowance{Requests: 60, Per: time.Minute}},
		"60/1m:sliding":  {want: Allowance{Requests: 60, Per: time.Minute}},
		"600/1h:fixed":   {want: Allowance{Kind: FixedWindow, Requests: 600, Per: time.Hour}},
		"20/4s:bucket":   {want: Allowance{Kind: Bucket, Requests: 20, Per: 4 * time.Second}},
		"":               {err: `"" is not a number of requests`},
		"-1/1m":          {err: `"-1" is not a number of requests`},
		"many":           {err: `"many" is not a number of requests`},
		"60/m":           {err: `"m" is not a time such as 1s`},
		"60/":            {err: `"" is not a time`},
		"60/0s":          {err: `"0s" is not a time`},
		"60/1m:":         {err: `"" is no kind of counting`},
		"60/1m:leaky":    {err: `"leaky" is no kind of counting`},
		"60:1m":          {err: `"1m" is no kind of counting`},
		"2000000000/1ms": {err: "more than one a nanosecond"},
	}
	for text, test := range tests {
		t.Run(text, func(t *testing.T) {
			got, err := ParseAllowance(text)
			said := ""
			if err != nil {
				said = err.Error()
			}
			if (err != nil) != (test.err != "") || !strings.Contains(said, test.err) || got != test.want {
				t.Errorf("got %+v, %v; want %+v, %s", got, err, test.want, test.err)
			}
		})
	}
}
