package catalogue

import (
	"context"
	"slices"
	"time"
)

// ticket is a request on its way, with all its attempts: a question and all who
// ask it, or the request for a token. Its fields belong to schedule.mu.
type ticket struct {
	place
	tries
	endpoint Endpoint
	ctx      context.Context // done once the ticket has ended
	cancel   context.CancelFunc
	send     func(*permit) error // makes one exchange
	end      func(error)         // told of its end, with mu held
	callers  map[*caller]struct{}
	earliest time.Time // no caller's deadline is before it
}

// place is where a ticket stands, and why it is not sent.
type place struct {
	order     int       // among reads, from 1; 0 for a request for a token
	since     time.Time // when it began to wait for this attempt
	notBefore time.Time // the end of its back-off
	why       string    // what it waits for
}

// caller is one who waits for an answer. What happened to his read before he came
// does not count against him.
type caller struct {
	began, deadline time.Time
	attempts        int // those for a token that brought none while he waited included
	failures        int // of his read
	tokenFailures   int // of the request for a token, since his read could be sent with one
	refusals        int // 401s to his read
	result          chan error
}

func (t *ticket) isToken() bool { return t.order == 0 }

// newTicket makes a request. The values of the first caller's context stay: loggers
// are among them.
func newTicket(ctx context.Context, to Endpoint, send func(*permit) error, end func(error)) *ticket {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	return &ticket{endpoint: to, ctx: ctx, cancel: cancel, send: send, end: end}
}

// newReadLocked makes a read, which comes behind all others.
func (s *schedule) newReadLocked(ctx context.Context, to Endpoint, send func(*permit) error, end func(error)) *ticket {
	t := newTicket(ctx, to, send, end)
	s.arrived++
	t.order, t.callers = s.arrived, map[*caller]struct{}{}
	return t
}

// newCaller takes the deadline of ctx, which has one.
func newCaller(ctx context.Context) *caller {
	deadline, _ := ctx.Deadline()
	return &caller{began: time.Now(), deadline: deadline, result: make(chan error, 1)}
}

// joinLocked adds a caller to a read, and puts the read into the queue where it is new.
// He fails where a wait that is known already does not fit into his time.
func (s *schedule) joinLocked(t *ticket, c *caller) {
	if t.callers[c] = struct{}{}; len(t.callers) == 1 {
		t.earliest = c.deadline
		s.enqueueLocked(t)
		return
	}
	if c.deadline.Before(t.earliest) {
		t.earliest = c.deadline
	}
	c.tokenFailures = s.tokens.justFailed(c.began)
	if t.sent == nil {
		if err := s.unfitLocked(t, c); err != nil {
			t.tell(c, err)
		}
	}
}

// leave removes a caller whose context has ended with cause, and returns his error.
// What his read came to at the same instant goes before that.
func (s *schedule) leave(t *ticket, c *caller, cause error) error {
	s.mu.Lock()
	defer s.unlock()
	select {
	case err := <-c.result:
		return err
	default:
	}
	err := s.leavingLocked(t, c, cause)
	delete(t.callers, c)
	if len(t.callers) == 0 {
		s.endLocked(t, cause)
	}
	s.dispatchLocked()
	return err
}

// tell ends a caller's wait, once.
func (t *ticket) tell(c *caller, err error) {
	if _, waits := t.callers[c]; waits {
		delete(t.callers, c)
		c.result <- err
	}
}

// dismissLocked fails the callers of reads for whom why gives an error. A read ends
// with the last of them.
func (s *schedule) dismissLocked(why func(*ticket, *caller) error, reads ...*ticket) {
	for _, t := range reads {
		t.earliest = time.Time{}
		for c := range t.callers {
			if err := why(t, c); err != nil {
				t.tell(c, err)
			} else if t.earliest.IsZero() || c.deadline.Before(t.earliest) {
				t.earliest = c.deadline
			}
		}
		if len(t.callers) == 0 {
			s.endLocked(t, context.Canceled)
		}
	}
}

// dismissBeforeLocked does so with those whose time ends before until, and tells whether
// the read ended.
func (s *schedule) dismissBeforeLocked(t *ticket, until time.Time, why func(*ticket, *caller) error) (ended bool) {
	if t.earliest.Before(until) {
		s.dismissLocked(func(t *ticket, c *caller) error {
			if c.deadline.Before(until) {
				return why(t, c)
			}
			return nil
		}, t)
	}
	return t.ctx.Err() != nil
}

// dismissUnfitLocked fails the callers of the reads that wait whom no wait until then fits.
func (s *schedule) dismissUnfitLocked(until time.Time) {
	var late []*ticket
	for _, reads := range [][]*ticket{s.ready.reads, s.delayed.reads} {
		for _, t := range reads {
			if t.earliest.Before(until) {
				late = append(late, t)
			}
		}
	}
	s.dismissLocked(s.unfitLocked, late...)
}

// enqueueLocked makes a ticket wait for its next attempt: a read that is tried again at
// its old place. Callers whom the wait does not fit fail.
func (s *schedule) enqueueLocked(t *ticket) {
	t.since = time.Now()
	if t.isToken() {
		s.dismissUnfitLocked(t.notBefore)
		return
	}
	s.dismissLocked(s.unfitLocked, t)
	switch {
	case t.ctx.Err() != nil:
	case t.notBefore.After(t.since):
		s.delayed.add(t)
	default:
		s.readyLocked(t)
	}
}

// readyLocked makes a read one of those that may be sent. Only from here on do failures
// of a request for a token concern it.
func (s *schedule) readyLocked(t *ticket) {
	for c := range t.callers {
		c.tokenFailures = s.tokens.justFailed(time.Now())
	}
	s.ready.add(t)
}

// endLocked ends a ticket: all who wait for it get err, or its answer.
func (s *schedule) endLocked(t *ticket, err error) {
	if t.ctx.Err() != nil {
		return
	}
	s.ready.remove(t)
	s.delayed.remove(t)
	t.cancel()
	t.end(err)
	for c := range t.callers {
		t.tell(c, err)
	}
	// The request for a token ends with the last read that waits for it.
	if request := s.tokens.request; request != nil && len(s.ready.reads)+len(s.delayed.reads) == 0 {
		s.endLocked(request, context.Canceled)
	}
}

// endAllLocked ends every read that waits.
func (s *schedule) endAllLocked(err error) {
	for _, t := range slices.Concat(s.ready.reads, s.delayed.reads) {
		s.endLocked(t, err)
	}
}
