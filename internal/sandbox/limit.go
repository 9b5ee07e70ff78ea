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

func (a Allowance) limited() bool { return a.Requests > 0 && a.Per > 0 }

// counter counts the requests of one client. It returns how long a request has
// to wait: 0 admits it, and one that has to wait is not counted. Time does not
// run backwards between two calls.
type counter func(now time.Time) (wait time.Duration)

// counter returns a counter that has counted nothing. The allowance must be a
// limited one.
func (a Allowance) counter() counter {
	switch a.Kind {
	case SlidingWindow:
		return slidingWindow(a.Requests, a.Per)
	case FixedWindow:
		return fixedWindow(a.Requests, a.Per)
	case Bucket:
		return bucket(a.Requests, a.Per)
	}
	panic(fmt.Sprintf("sandbox: there is no counting %d", a.Kind))
}

func slidingWindow(limit int, length time.Duration) counter {
	var passed []time.Time // oldest first, at most limit of them
	return func(now time.Time) time.Duration {
		if len(passed) == limit {
			if wait := passed[0].Add(length).Sub(now); wait > 0 {
				return wait
			}
			passed = passed[1:]
		}
		passed = append(passed, now)
		return 0
	}
}

func fixedWindow(limit int, length time.Duration) counter {
	var start time.Time
	passed := 0
	return func(now time.Time) time.Duration {
		if current := now.Truncate(length); !current.Equal(start) {
			start, passed = current, 0
		}
		if passed == limit {
			return start.Add(length).Sub(now)
		}
		passed++
		return 0
	}
}

// bucket is the generic cell rate algorithm: it keeps the time at which the
// bucket will be full again. It counts in whole nanoseconds, where
// [golang.org/x/time/rate] counts in fractions: whoever waits as long as it
// was told is not refused for the last digit of a float.
func bucket(requests int, per time.Duration) counter {
	interval := per / time.Duration(requests) // in which one request is refilled
	capacity := interval * time.Duration(requests)
	var full time.Time
	return func(now time.Time) time.Duration {
		if full.Before(now) {
			full = now
		}
		if wait := full.Add(interval).Sub(now) - capacity; wait > 0 {
			return wait
		}
		full = full.Add(interval)
		return 0
	}
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
	var isKnown bool
	if a.Kind, isKnown = countings[kind]; hasKind && !isKnown {
		return Allowance{}, fmt.Errorf("%q is no kind of counting: it must be fixed, sliding or bucket", kind)
	}
	return a, nil
}
