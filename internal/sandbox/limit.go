package sandbox

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Counting is how a service counts the requests of a client.
type Counting int

const (
	// SlidingWindow counts what came in the last Per, at any moment. Services
	// that keep a log of requests count so.
	SlidingWindow Counting = iota
	// FixedWindow begins to count anew at each multiple of Per on the clock, so
	// that twice as many requests may come around such a moment. It is the
	// commonest, because one counter is all that it takes.
	FixedWindow
	// Bucket holds one request for each of Requests, is full at first and is
	// refilled evenly, all of it in Per. Gateways count so.
	Bucket
)

// Allowance is how many requests a service permits each client. The interface
// says that there is one, and gives no figures (INTERFACE.md, Limits 2).
type Allowance struct {
	Kind     Counting
	Requests int // none or less: there is no limit
	Per      time.Duration
}

// String says what a client may send, such as 60 requests in any minute.
func (a Allowance) String() string {
	per := map[time.Duration]string{time.Second: "second", time.Minute: "minute", time.Hour: "hour"}[a.Per]
	if per == "" {
		per = a.Per.String()
	}
	switch a.Kind {
	case FixedWindow:
		return fmt.Sprintf("%d requests from one full %s to the next", a.Requests, per)
	case Bucket:
		return fmt.Sprintf("%d requests at once, and as many more, evenly, in each %s", a.Requests, per)
	}
	return fmt.Sprintf("%d requests in any %s", a.Requests, per)
}

// counter counts the requests of one client. It tells how long a request has
// to wait where it is not admitted; that request is not counted. Time does not
// run backwards between two calls.
type counter interface {
	admit(now time.Time) (wait time.Duration, ok bool)
}

func (a Allowance) limited() bool { return a.Requests > 0 && a.Per > 0 }

// counter returns a counter that has counted nothing. The allowance must be a
// limited one.
func (a Allowance) counter() counter {
	switch a.Kind {
	case SlidingWindow:
		return &slidingWindow{limit: a.Requests, length: a.Per}
	case FixedWindow:
		return &fixedWindow{limit: a.Requests, length: a.Per}
	case Bucket:
		return newBucket(a.Requests, a.Per)
	}
	panic(fmt.Sprintf("sandbox: there is no counting %d", a.Kind))
}

type slidingWindow struct {
	limit  int
	length time.Duration
	passed []time.Time // oldest first, at most limit of them
}

func (w *slidingWindow) admit(now time.Time) (time.Duration, bool) {
	if len(w.passed) == w.limit {
		if wait := w.passed[0].Add(w.length).Sub(now); wait > 0 {
			return wait, false
		}
		w.passed = w.passed[1:]
	}
	w.passed = append(w.passed, now)
	return 0, true
}

type fixedWindow struct {
	limit  int
	length time.Duration
	start  time.Time
	passed int
}

func (w *fixedWindow) admit(now time.Time) (time.Duration, bool) {
	if start := now.Truncate(w.length); !start.Equal(w.start) {
		w.start, w.passed = start, 0
	}
	if w.passed == w.limit {
		return w.start.Add(w.length).Sub(now), false
	}
	w.passed++
	return 0, true
}

// bucket is the generic cell rate algorithm: it keeps the time at which the
// bucket will be full again. It counts in whole nanoseconds, where
// [golang.org/x/time/rate] counts in fractions: whoever waits as long as it
// was told is not refused for the last digit of a float.
type bucket struct {
	interval time.Duration // in which one request is refilled
	capacity time.Duration // in which an empty bucket is
	full     time.Time
}

func newBucket(requests int, per time.Duration) *bucket {
	interval := per / time.Duration(requests)
	return &bucket{interval: interval, capacity: interval * time.Duration(requests)}
}

func (b *bucket) admit(now time.Time) (time.Duration, bool) {
	full := b.full
	if full.Before(now) {
		full = now
	}
	full = full.Add(b.interval)
	if wait := full.Sub(now) - b.capacity; wait > 0 {
		return wait, false
	}
	b.full = full
	return 0, true
}

// retryAfter is the wait as the header of that name has it: in whole seconds,
// never less than the wait, and at least one.
func retryAfter(wait time.Duration) int {
	return max(1, int((wait+time.Second-1)/time.Second))
}

// countings are the names of the kinds of counting.
var countings = map[string]Counting{"sliding": SlidingWindow, "fixed": FixedWindow, "bucket": Bucket}

// ParseAllowance reads an allowance such as 60/1m:fixed: requests, the time
// they are counted in (a second where it is left out), and the kind of
// counting, which is fixed, sliding or bucket (sliding where it is left out).
// 0 is no limit.
func ParseAllowance(text string) (Allowance, error) {
	a := Allowance{Per: time.Second}
	rest, kind, hasKind := strings.Cut(text, ":")
	requests, per, hasPer := strings.Cut(rest, "/")
	var err error
	if a.Requests, err = strconv.Atoi(requests); err != nil || a.Requests < 0 {
		return Allowance{}, fmt.Errorf("%q is not a number of requests, 0 or more", requests)
	}
	if hasPer {
		if a.Per, err = time.ParseDuration(per); err != nil || a.Per <= 0 {
			return Allowance{}, fmt.Errorf("%q is not a time such as 1s, 1m or 1h", per)
		}
	}
	if int64(a.Requests) > int64(a.Per) {
		return Allowance{}, fmt.Errorf("%d requests are more than one a nanosecond", a.Requests)
	}
	if hasKind {
		var known bool
		if a.Kind, known = countings[kind]; !known {
			return Allowance{}, fmt.Errorf("%q is no kind of counting: it must be fixed, sliding or bucket", kind)
		}
	}
	return a, nil
}
