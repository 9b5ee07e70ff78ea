package sandbox

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Counting is a way to count the requests of a client.
type Counting string

const (
	// SlidingWindow counts the requests of the last Per.
	SlidingWindow Counting = "sliding"
	// FixedWindow counts from zero at each multiple of Per on the clock.
	FixedWindow Counting = "fixed"
	// Bucket is full at first, holds Requests, and is refilled evenly within Per.
	Bucket Counting = "bucket"
)

// Allowance is the number of requests permitted to each client (INTERFACE.md, Limits, without figures).
type Allowance struct {
	Kind     Counting // SlidingWindow if it is ""
	Requests int      // 0 if unlimited
	Per      time.Duration
}

// String returns a text such as "60 requests in 1m (sliding)".
func (a Allowance) String() string {
	per := strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(a.Per.String())
	return fmt.Sprintf("%d requests in %s (%s)", a.Requests, per, cmp.Or(a.Kind, SlidingWindow))
}

// Counter counts the requests of one client. Time does not run backwards between two calls.
type Counter interface {
	// Take counts an admitted request and returns 0, or returns how long a refused one has to wait.
	Take(now time.Time) (wait time.Duration)
}

// Counter returns a new counter. The allowance must have a limit.
func (a Allowance) Counter() Counter {
	if a.Kind == Bucket {
		return &bucket{interval: a.Per / time.Duration(a.Requests), requests: a.Requests}
	}
	return &window{Allowance: a}
}

// window counts a fixed or a sliding window.
type window struct {
	Allowance

	passed []time.Time // the oldest first, at most Requests of them
}

// free returns when a request from that time stops counting.
func (w *window) free(passed time.Time) time.Time {
	if w.Kind == FixedWindow {
		passed = passed.Truncate(w.Per)
	}
	return passed.Add(w.Per)
}

func (w *window) Take(now time.Time) time.Duration {
	for len(w.passed) > 0 && !w.free(w.passed[0]).After(now) {
		w.passed = w.passed[1:]
	}
	if len(w.passed) == w.Requests {
		return w.free(w.passed[0]).Sub(now)
	}
	w.passed = append(w.passed, now)
	return 0
}

// bucket is the generic cell rate algorithm: it keeps the time when the bucket is full again. It counts in integers,
// unlike [golang.org/x/time/rate], so a client that waits as long as Take returned is never early.
type bucket struct {
	interval time.Duration // in which one request is refilled
	requests int
	full     time.Time
}

func (b *bucket) Take(now time.Time) time.Duration {
	if b.full.Before(now) {
		b.full = now
	}
	if wait := b.full.Sub(now) - b.interval*time.Duration(b.requests-1); wait > 0 {
		return wait
	}
	b.full = b.full.Add(b.interval)
	return 0
}

// retryAfter returns the wait in whole seconds, rounded up, and at least one.
func retryAfter(wait time.Duration) int {
	return max(1, int((wait+time.Second-1)/time.Second))
}

// ParseAllowance reads an allowance such as 60/1m:fixed. By default the time is a second, and the counting is sliding.
func ParseAllowance(text string) (Allowance, error) {
	rest, kind, _ := strings.Cut(text, ":")
	requests, per, hasPer := strings.Cut(rest, "/")
	a := Allowance{Kind: cmp.Or(Counting(kind), SlidingWindow), Per: time.Second}
	var err error
	if a.Requests, err = strconv.Atoi(requests); err != nil || a.Requests < 1 {
		return Allowance{}, fmt.Errorf("%q is not a number of requests: write one of 1 or more, such as 60/1m; "+
			"without this flag requests are not limited", requests)
	}
	if hasPer {
		if a.Per, err = time.ParseDuration(per); err != nil || a.Per <= 0 {
			return Allowance{}, fmt.Errorf("%q is not a time such as 1s, 1m or 1h", per)
		}
	}
	if !slices.Contains([]Counting{SlidingWindow, FixedWindow, Bucket}, a.Kind) {
		return Allowance{}, fmt.Errorf("%q is not a kind of counting: it must be fixed, sliding or bucket", a.Kind)
	}
	return a, nil
}
