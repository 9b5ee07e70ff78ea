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
	budget
	ctx     context.Context // done once the ticket has ended
	cancel  context.CancelFunc
	send    func(*permit) error // makes one exchange
	end     func(error)         // told of its end, with mu held
	callers int                 // how many wait for it
	done    chan struct{}       // closed at its end
	err     error               // set before that
	sent    *permit             // of the request under way, nil where there is none
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
	t := &ticket{send: send, end: end, done: make(chan struct{})}
	// The values of the first caller's context stay: loggers are among them.
	t.ctx, t.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return t
}

// arrival is a caller: his budget, and his place among all who came.
type arrival struct {
	budget
	order    int
	missed   int   // attempts of the read that he joins, before he came
	failures int   // attempts that failed since he came
	last     error // the last of them
}

// arriveLocked gives a caller his place and what he has.
func (s *schedule) arriveLocked(ctx context.Context, a *arrival) {
	s.waiting.arrived++
	a.order = s.waiting.arrived
	a.deadline, _ = ctx.Deadline()
	a.oneAttempt, a.successes = s.outage.on, s.outage.successes
}

// newReadLocked puts a read into the queue. It has the place, the time and the
// attempts of its first caller.
func (s *schedule) newReadLocked(ctx context.Context, first arrival, send func(*permit) error, end func(error)) *ticket {
	t := newTicket(ctx, send, end)
	t.order, t.budget = first.order, first.budget
	if first.failures == 0 {
		s.enqueueLocked(t)
		return t
	}
	t.tries.failures = first.failures - 1
	t.tries.failed(first.last)
	s.backOffLocked(t)
	return t
}

// leave removes a caller, who began at that instant, and whose context has ended
// with cause. It returns his error. What his read came to goes before that.
func (s *schedule) leave(t *ticket, began time.Time, cause error) error {
	s.mu.Lock()
	defer s.unlock()
	select {
	case <-t.done:
		return t.err
	default:
	}
	err := s.leavingLocked(t, began, cause)
	if t.callers--; t.callers == 0 {
		s.endLocked(t, err)
	}
	s.dispatchLocked()
	return err
}

// enqueueLocked puts a ticket into the queue: a read that is tried again at its old
// place. It ends where a wait that is known already does not fit into its time.
func (s *schedule) enqueueLocked(t *ticket) {
	now := time.Now()
	if !t.isToken() {
		if err := s.unfitLocked(t, now); err != nil {
			s.endLocked(t, err)
			return
		}
		s.waiting.until(t.deadline)
	}
	t.since = now
	if t.notBefore.After(now) {
		s.waiting.delayed.add(t)
		return
	}
	s.readyLocked(t)
}

// readyLocked makes a ticket one of those that may be sent. Only from here on do
// failures of a request for a token concern it. The last one does so, too, where the
// read comes at once after it, as the blocks do that an engine starts together.
func (s *schedule) readyLocked(t *ticket) {
	t.tries.missed = 0
	if request := s.tokens.request; request != nil && request != t {
		t.tries.missed = request.tries.failures
		if time.Since(request.tries.failedAt) < atOnce {
			t.tries.missed--
		}
	}
	s.waiting.ready.add(t)
}

// endLocked ends a ticket: all who wait for it get err, or its answer.
func (s *schedule) endLocked(t *ticket, err error) {
	select {
	case <-t.done:
		return
	default:
	}
	if t.queue != nil {
		t.queue.remove(t)
	}
	t.err = err
	t.end(err)
	t.cancel()
	close(t.done)
	// The request for a token ends with the last read that waits for it.
	if request := s.tokens.request; request != nil && s.readsWaitingLocked() == 0 {
		s.endLocked(request, context.Canceled)
	}
}

// endWaitingLocked ends the reads that wait and for which why gives an error.
func (s *schedule) endWaitingLocked(why func(*ticket) error) {
	s.waiting.earliest = time.Time{}
	for _, t := range slices.Concat(s.waiting.ready.tickets, s.waiting.delayed.tickets) {
		if t.isToken() {
			continue
		}
		if err := why(t); err != nil {
			s.endLocked(t, err)
		} else {
			s.waiting.until(t.deadline)
		}
	}
}

// endBeforeLocked does so with the reads whose time ends before until. It looks at
// the queue only where there may be one.
func (s *schedule) endBeforeLocked(until time.Time, why func(*ticket) error) {
	if s.waiting.earliest.IsZero() || !s.waiting.earliest.Before(until) {
		return
	}
	s.endWaitingLocked(func(t *ticket) error {
		if t.deadline.Before(until) {
			return why(t)
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
