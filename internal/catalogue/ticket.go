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
	ctx     context.Context // done once the ticket has ended
	cancel  context.CancelFunc
	send    func(*permit) error // makes one exchange
	end     func(error)         // told of its end, with mu held
	callers map[*caller]struct{}
	sent    *permit // of the request under way, nil where there is none
	tries   tries
}

// place is where a ticket stands in a queue.
type place struct {
	queue     *queue // nil where it is in none
	index     int
	order     int       // among reads, from 1; 0 for a request for a token
	since     time.Time // when it began to wait for this attempt
	notBefore time.Time // the end of its back-off
	why       string    // what it waits for
}

func (t *ticket) isToken() bool { return t.order == 0 }

func newTicket(ctx context.Context, send func(*permit) error, end func(error)) *ticket {
	t := &ticket{send: send, end: end, callers: map[*caller]struct{}{}}
	// The values of the first caller's context stay: loggers are among them.
	t.ctx, t.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return t
}

// newReadLocked makes a read, which comes behind all others.
func (s *schedule) newReadLocked(ctx context.Context, send func(*permit) error, end func(error)) *ticket {
	t := newTicket(ctx, send, end)
	s.waiting.arrived++
	t.order = s.waiting.arrived
	return t
}

// joinLocked adds a caller to a read, and puts the read into the queue where it is new.
// It fails where a wait that is known already does not fit into his time.
func (s *schedule) joinLocked(t *ticket, c *caller) error {
	c.oneAttempt, c.successes = s.outage.on, s.outage.successes
	c.missed = missed{
		attempts: t.tries.attempts, failures: t.tries.failures, refusals: len(t.tries.refusals.tokens),
		tokens: s.missedTokensLocked(c.began),
	}
	if t.sent != nil {
		c.missed.attempts-- // he waits for the one that is under way
	} else if err := s.unfitLocked(t, c, c.began); err != nil {
		if len(t.callers) == 0 {
			s.endLocked(t, err)
		}
		return err
	}
	t.callers[c] = struct{}{}
	s.waiting.until(c.deadline)
	if t.sent == nil && t.queue == nil {
		s.enqueueLocked(t)
	}
	return nil
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

// dismissLocked fails the callers of a ticket for whom why gives an error. The ticket
// ends with the last of them.
func (s *schedule) dismissLocked(t *ticket, why func(*caller) error) {
	for c := range t.callers {
		if err := why(c); err != nil {
			c.result <- err
			delete(t.callers, c)
		} else {
			s.waiting.until(c.deadline)
		}
	}
	if len(t.callers) == 0 && !t.isToken() {
		s.endLocked(t, context.Canceled)
	}
}

// enqueueLocked puts a ticket into the queue: a read that is tried again at its old
// place. Callers whom the wait does not fit fail.
func (s *schedule) enqueueLocked(t *ticket) {
	now := time.Now()
	s.dismissLocked(t, func(c *caller) error { return s.unfitLocked(t, c, now) })
	if t.ctx.Err() != nil {
		return
	}
	t.since = now
	if t.notBefore.After(now) {
		s.waiting.delayed.add(t)
		return
	}
	s.readyLocked(t)
}

// readyLocked makes a ticket one of those that may be sent. Only from here on do
// failures of a request for a token concern it.
func (s *schedule) readyLocked(t *ticket) {
	t.tries.tokens = s.missedTokensLocked(time.Now())
	s.waiting.ready.add(t)
}

// endLocked ends a ticket: all who wait for it get err, or its answer.
func (s *schedule) endLocked(t *ticket, err error) {
	if t.queue != nil {
		t.queue.remove(t)
	}
	t.cancel()
	t.end(err)
	for c := range t.callers {
		c.result <- err
	}
	clear(t.callers)
	// The request for a token ends with the last read that waits for it.
	if request := s.tokens.request; request != nil && s.readsWaitingLocked() == 0 {
		s.tokens.request = nil
		s.endLocked(request, context.Canceled)
	}
}

// endWaitingLocked ends every read that waits.
func (s *schedule) endWaitingLocked(err error) {
	for _, t := range s.waiting.all() {
		if !t.isToken() {
			s.endLocked(t, err)
		}
	}
}

// dismissWaitingLocked fails the callers of the reads that wait for whom why gives an
// error.
func (s *schedule) dismissWaitingLocked(why func(*ticket, *caller) error) {
	s.waiting.earliest = time.Time{}
	for _, t := range s.waiting.all() {
		if !t.isToken() {
			s.dismissLocked(t, func(c *caller) error { return why(t, c) })
		}
	}
}

// dismissBeforeLocked does so with those whose time ends before until. It looks at the
// queue only where there may be one.
func (s *schedule) dismissBeforeLocked(until time.Time, why func(*ticket, *caller) error) {
	if s.waiting.earliest.IsZero() || !s.waiting.earliest.Before(until) {
		return
	}
	s.dismissWaitingLocked(func(t *ticket, c *caller) error {
		if c.deadline.Before(until) {
			return why(t, c)
		}
		return nil
	})
}

// readsWaitingLocked is how many reads wait.
func (s *schedule) readsWaitingLocked() int {
	reads := s.waiting.ready.Len() + s.waiting.delayed.Len()
	if request := s.tokens.request; request != nil && request.queue != nil {
		reads--
	}
	return reads
}

func (w *waiting) all() []*ticket { return slices.Concat(w.ready.tickets, w.delayed.tickets) }
