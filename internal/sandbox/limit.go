package sandbox

import "time"

// allowance is a sliding window: at most limit requests in any window.
type allowance struct {
	limit  int
	window time.Duration
	passed []time.Time // oldest first, at most limit of them
}

// admit counts a request, or tells how long it has to wait, in whole seconds
// and at least one, as Retry-After wants it. Refused requests do not count.
func (a *allowance) admit(now time.Time) (retryAfter int, ok bool) {
	if a == nil {
		return 0, true
	}
	if len(a.passed) < a.limit {
		a.passed = append(a.passed, now)
		return 0, true
	}
	wait := a.passed[0].Add(a.window).Sub(now)
	if wait <= 0 {
		a.passed = append(a.passed[1:], now)
		return 0, true
	}
	return int((wait + time.Second - 1) / time.Second), false
}
