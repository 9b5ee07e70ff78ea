package catalogue

import (
	"context"
	"slices"
	"time"
)

// question is one question to the service, and all callers waiting for its answer. It waits for its turn, is sent,
// judged, and backs off, until it is done. The request for a token is a question without callers.
type question struct {
	to Endpoint
	// The shell lends ctx and read, and the scheduler uses neither. ctx is the context of the first caller without its
	// end, for its loggers; read decodes the body of a success.
	ctx  context.Context
	read func(*incoming) (any, error)

	history
	order   int // of arrival, from 1
	callers []*caller
	sent    *attempt  // the attempt under way, or nil
	came    time.Time // when its wait to be sent began
	wait    wait      // what it waits for, since the last event
	done    bool
}

// attempt is one request, for a read or for a token.
type attempt struct {
	of         *question
	onBehalfOf *question // the read in whose context it is sent: of, or one waiting for the token
	token      *token    // a read is sent with it, a request for a token fills it
	body       tokenBody // of a request for a token
	number     int       // of the request in the pace
	stage      Fault     // the fault to report if it ended now
	seen       Exchange  // the part known when the request is sent
	failure    error     // its 429: at first the status and header, later with the body
	patience   time.Time // until when all reads wait for the body of the answer, if they do
	stopped    bool
	cancel     func() // ends the request; the shell lends it
}

func (a *attempt) to() Endpoint { return a.of.to }

// caller is one call waiting for an answer.
type caller struct {
	began    time.Time
	deadline time.Time
	tell     func(ended) // the shell lends it
	of       *question   // nil after its end
}

// ended is how a question ended for a caller.
type ended struct {
	value any
	err   error
}

// isReady reports whether a question waits for its turn.
func (q *question) isReady(now time.Time) bool {
	return q.sent == nil && !q.notBefore.After(now)
}

// outlasts reports whether a caller still has time for an answer at a moment.
func (c *caller) outlasts(moment time.Time) bool { return c.deadline.After(moment) }

// allOutlast reports whether every caller of a question does.
func (q *question) allOutlast(moment time.Time) bool {
	return !slices.ContainsFunc(q.callers, func(c *caller) bool { return !c.outlasts(moment) })
}

// anyOutlasts reports whether a caller of a question does.
func (q *question) anyOutlasts(moment time.Time) bool {
	return slices.ContainsFunc(q.callers, func(c *caller) bool { return c.outlasts(moment) })
}
