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
			Allowance{Kind: SlidingWindow, Requests: 2, Per: 10 * time.Second},
			[]step{{1000 * ms, 0}, {4000 * ms, 0}, {4000 * ms, 7}, {10_999 * ms, 1}, {11_000 * ms, 0}, {11_000 * ms, 3}, {14_000 * ms, 0}},
		},
		"a fixed window frees all at once, on the clock": {
			Allowance{Kind: FixedWindow, Requests: 2, Per: 10 * time.Second},
			[]step{{9000 * ms, 0}, {9001 * ms, 0}, {9001 * ms, 1}, {10_000 * ms, 0}, {10_000 * ms, 0}, {10_000 * ms, 10}, {19_999 * ms, 1}, {20_000 * ms, 0}},
		},
		"a window without requests is no debt": {
			Allowance{Kind: FixedWindow, Requests: 1, Per: time.Second},
			[]step{{0, 0}, {5500 * ms, 0}, {5500 * ms, 1}, {6000 * ms, 0}},
		},
		"a bucket is full at first, and refilled evenly": {
			Allowance{Kind: Bucket, Requests: 3, Per: 30 * time.Second},
			[]step{{0, 0}, {0, 0}, {0, 0}, {0, 10}, {9999 * ms, 1}, {10_000 * ms, 0}, {10_000 * ms, 10}, {25_000 * ms, 0}, {25_000 * ms, 5}, {30_000 * ms, 0}},
		},
		"a bucket holds no more than its allowance": {
			Allowance{Kind: Bucket, Requests: 2, Per: 2 * time.Second},
			[]step{{time.Hour, 0}, {time.Hour, 0}, {time.Hour, 1}},
		},
		// In fractions, 49 times a forty-ninth is less than one.
		"a bucket admits whoever waited as told": {
			Allowance{Kind: Bucket, Requests: 1, Per: 49 * time.Second},
			[]step{{0, 0}, {0, 49}, {49 * time.Second, 0}, {49 * time.Second, 49}, {98 * time.Second, 0}},
		},
		"a bucket of an odd interval holds its allowance": {
			Allowance{Kind: Bucket, Requests: 7, Per: time.Second},
			[]step{{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 1}},
		},
	}
	midnight := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			counter := test.allowance.counter()
			for i, step := range test.steps {
				wait, ok := counter.admit(midnight.Add(step.at))
				got := 0
				if !ok {
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
		"":               {err: `"" is no number of requests`},
		"-1/1m":          {err: `"-1" is no number of requests`},
		"many":           {err: `"many" is no number of requests`},
		"60/m":           {err: `"m" is no time such as 1s`},
		"60/":            {err: `"" is no time`},
		"60/0s":          {err: `"0s" is no time`},
		"60/1m:":         {err: `"" is no kind of counting`},
		"60/1m:leaky":    {err: `"leaky" is no kind of counting`},
		"60:1m":          {err: `"1m" is no kind of counting`},
		"2000000000/1ms": {err: "more than one a nanosecond"},
	}
	for text, test := range tests {
		t.Run(text, func(t *testing.T) {
			got, err := ParseAllowance(text)
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) || got != test.want {
				t.Errorf("got %+v, %v; want %+v, %s", got, err, test.want, test.err)
			}
		})
	}
}
