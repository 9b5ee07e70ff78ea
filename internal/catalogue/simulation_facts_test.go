package catalogue_test

import (
	"net/http"
	"slices"
	"time"
)

// The outcomes of a request, in the words of the contract.

func (x *request) limited() bool {
	return x.status == http.StatusTooManyRequests
}

func (x *request) unauthorized() bool {
	return !x.token && x.status == http.StatusUnauthorized
}

// whole reports whether the client has a whole 200.
func (x *request) whole() bool {
	return x.status == http.StatusOK && x.delivered && !x.cut
}

// served reports whether the client has a record.
func (x *request) served() bool {
	return x.answer != "" && x.whole()
}

// passed reports whether the header of an answer shows that a read was let through.
func (x *request) passed() bool {
	unavailable := x.status >= 500 || x.status == http.StatusRequestTimeout
	return !x.token && x.headerAt != never && !x.limited() && !x.unauthorized() && !unavailable
}

// refused reports whether the client has a final refusal, or an unusable answer.
func (x *request) refused() bool {
	unusable := x.whole() && x.answer == ""
	return x.passed() && x.endAt != never && (x.status != http.StatusOK || unusable)
}

// transient reports whether a request failed in a way that calls for another attempt after a back-off.
func (x *request) transient() bool {
	switch {
	case x.left && x.status == 0, x.limited(), x.unauthorized():
		return false
	case x.status >= 500, x.status == http.StatusRequestTimeout, x.token && x.code == "temporarily_unavailable":
		return true
	}
	return x.status == 0 || x.status == http.StatusOK && (x.timedOut || x.delivered && x.cut)
}

// stays reports whether a request met a lasting fault.
func (x *request) stays() bool {
	return (x.fault == faultNoHost || x.fault == faultNobodyListens) && !x.timedOut
}

// learned returns when the client first knew of a failure.
func (x *request) learned() time.Duration {
	if x.status != 0 && x.status != http.StatusOK {
		return x.headerAt
	}
	return x.endAt
}

// waits returns the least end of the wait that an answer asks for. named is false if the client chooses the wait.
func (x *request) waits() (until time.Duration, named bool) {
	switch {
	case x.headerAt == never || !x.limited() && x.retryAfter == 0 && x.retryAt == 0:
		return 0, false
	case x.retryAfter > 0:
		return x.headerAt + x.retryAfter, true
	case x.retryAt > x.headerAt:
		return x.retryAt, true
	}
	return x.headerAt + sec, false
}

const (
	longestBackOff = 30 * sec * 5 / 4 // with its jitter
	maxRejections  = 4                // of one read, each followed by another attempt
)

// began returns when the answer began, or counts as begun for the ceiling.
func (x *request) began() time.Duration {
	return min(x.sentAt+3*sec, x.headerAt)
}

func (r *simReading) deadline() time.Duration {
	return r.start + r.timeout
}

// during reports whether a reading waits at a moment.
func (r *simReading) during(at time.Duration) bool {
	return r.start <= at && r.end >= at
}

func (c *simCheck) of(path string) []*request {
	return filter(c.requests, func(x *request) bool {
		return x.path == path
	})
}

// unstated reports whether a token's life counts as not stated: it is short, or no read was sent with the two tokens
// before it, because they always expired first.
func (c *simCheck) unstated(t *simToken) bool {
	if t.stated < 10*sec {
		return true
	}
	i := slices.Index(c.known, t)
	return i > 1 && !c.used(c.known[i-1]) && !c.used(c.known[i-2])
}

// renewedAt returns when a token is renewed: before its end, by the lesser of 10 s and a tenth of its life.
func (t *simToken) renewedAt() time.Duration {
	margin := min(10*sec, t.stated/10)
	return t.requested + t.stated - margin
}

// used reports whether a read was sent with a token.
func (c *simCheck) used(t *simToken) bool {
	return slices.ContainsFunc(c.requests, func(x *request) bool {
		return x.with == t
	})
}

// current returns the newest token of the process at a moment, or nil.
func (c *simCheck) current(at time.Duration) (current *simToken) {
	for _, t := range c.known {
		if t.known <= at {
			current = t
		}
	}
	return current
}

// rejectedAt returns when the first 401 to a read with a token came, or never.
func (c *simCheck) rejectedAt(t *simToken) time.Duration {
	at := never
	for _, x := range c.requests {
		if x.with == t && x.unauthorized() {
			at = min(at, x.headerAt)
		}
	}
	return at
}

// passedBetween reports whether a read was let through between two moments.
func (c *simCheck) passedBetween(from, to time.Duration) bool {
	return slices.ContainsFunc(c.requests, func(x *request) bool {
		return x.passed() && x.headerAt >= from && x.headerAt <= to
	})
}

// inARow counts the tokens rejected in a row, this one included: each was requested in place of a rejected one, and
// rejected itself within a minute, before any read was let through.
func (c *simCheck) inARow(t *simToken) int {
	before, at := c.current(t.requested), c.rejectedAt(t)
	isReplaced := before != nil && c.rejectedAt(before) <= t.requested
	if !isReplaced || at >= t.requested+time.Minute || c.passedBetween(t.requested+1, at-1) {
		return 0
	}
	return 1 + c.inARow(before)
}

// isProof reports whether the rejection of a token proves that of the credentials. If a read was let through before,
// only two in a row do.
func (c *simCheck) isProof(t *simToken) bool {
	inARow := c.inARow(t)
	return inARow > 1 || inARow == 1 && !c.passedBetween(0, c.rejectedAt(t)-1)
}

// shares reports whether the i-th reading joined an earlier one.
func (c *simCheck) shares(i int) bool {
	r := c.readings[i]
	return slices.ContainsFunc(c.readings[:i], func(q *simReading) bool {
		return q.path == r.path && q.end >= r.start
	})
}

// cameAfter reports whether all readers waiting for a request came after r.
func (c *simCheck) cameAfter(r *simReading, x *request) bool {
	return !slices.ContainsFunc(c.readings, func(q *simReading) bool {
		return q.path == x.path && q.start <= r.start && q.end >= r.start
	})
}
