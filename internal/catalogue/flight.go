package catalogue

import (
	"slices"
	"time"
)

// flight is one question on its way, and all callers that wait for its answer. It waits for its turn, is sent, judged,
// and backs off, until it has ended. The request for a token is a flight without callers.
type flight struct {
	history
	order     int // the number of flights that had come by then, this one included
	asked     *question
	callers   []*caller
	sent      *attempt  // the attempt under way, or nil
	came      time.Time // when it began to wait to be sent
	waitedFor string    // what for since then, in words
	over      bool
}

// attempt is one request, for a read or for a token.
type attempt struct {
	of       *flight
	by       *question // in whose context it is sent: a request for a token has that of a read
	token    *token    // a read is sent with it, a request for a token fills it
	number   int       // of the request in the pace
	stage    Fault     // what it would have met if it ended now
	seen     Exchange  // as far as it is known when the request is sent
	failure  error     // its 429: the status and header, and all of it once its body is read
	patience time.Time // until when all reads wait for the body of the answer, if they do
	stopped  bool
}

func (a *attempt) to() Endpoint { return a.of.asked.to }

// caller is one call that waits for an answer.
type caller struct {
	began    time.Time
	deadline time.Time
	of       *flight // nil once it has been told
}

// ended is how a question ended for a caller.
type ended struct {
	value any
	err   error
}

// isReady reports whether a flight waits for its turn.
func (f *flight) isReady(now time.Time) bool {
	return f.sent == nil && !f.notBefore.After(now)
}

// hasUntil reports whether every caller of a flight has time until then.
func (f *flight) hasUntil(then time.Time) bool {
	return !slices.ContainsFunc(f.callers, func(c *caller) bool { return c.deadline.Before(then) })
}

// mayWait reports whether a caller of a flight has time until then.
func (f *flight) mayWait(then time.Time) bool {
	return slices.ContainsFunc(f.callers, func(c *caller) bool { return !c.deadline.Before(then) })
}
