package catalogue

import (
	"context"
	"slices"
	"time"
)

// ticket is a request on its way, with all its attempts: a question and all who
// ask it, or the request for a token. Its fields belong to schedule.mu.
type ticket struct {
	ctx    context.Context // done once nobody waits for it
	cancel context.CancelFunc
	send   func(*permit) error // makes one exchange
	done   func(error)         // told of its end, with mu held; more than once does no harm
	place
	callers     map[*caller]struct{}
	count       counts
	sent        *permit   // of the request under way, nil where there is none
	last        error     // the last failure that was worth another attempt
	failedAt    time.Time // when that was
	reconnected bool      // it was sent once more because its connection had been closed
	refusals    refusals
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

// counts are what happened to a ticket, and to requests for tokens.
type counts struct {
	attempts, failures, unauthorized int
	unnamed                          int // 429s that named no wait
	tokenAttempts, tokenFailures     int
}

// caller is one who waits for an answer. What happened before he came does not
// count against him.
type caller struct {
	began, deadline time.Time
	since           counts
	oneAttempt      bool // he came in an outage
	successes       int  // outage.successes when he came
	result          chan error
}

// newCaller takes the deadline of ctx, which has one.
func newCaller(ctx context.Context) *caller {
	deadline, _ := ctx.Deadline()
	return &caller{began: time.Now(), deadline: deadline, result: make(chan error, 1)}
}

func (t *ticket) isToken() bool { return t.order == 0 }

// failEach fails each caller for whom why gives an error.
func (t *ticket) failEach(why func(*caller) error) {
	for c := range t.callers {
		if err := why(c); err != nil {
			c.result <- err
			delete(t.callers, c)
		}
	}
}

// newReadLocked makes a read that comes behind all others.
func (s *schedule) newReadLocked(ctx context.Context, send func(*permit) error, done func(error)) *ticket {
	s.waiting.arrived++
	t := &ticket{send: send, done: done, callers: map[*caller]struct{}{}, place: place{order: s.waiting.arrived}}
	// The values of the first caller's context stay: loggers are among them.
	t.ctx, t.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return t
}

// joinLocked adds a caller to a read, and puts the read into the queue where it
// is new. It fails where a wait that is known already does not fit into his time.
func (s *schedule) joinLocked(t *ticket, c *caller) error {
	c.since = t.count
	c.since.tokenAttempts, c.since.tokenFailures = s.tokens.before(c.began)
	c.oneAttempt, c.successes = s.outage.on, s.outage.successes
	if t.sent == nil {
		if err := s.unfitLocked(t, c, c.began); err != nil {
			return err
		}
		s.waitingUntilLocked(c.deadline)
	}
	t.callers[c] = struct{}{}
	if t.sent == nil && t.queue == nil {
		s.enqueueLocked(t)
	}
	return nil
}

// leave removes a caller whose context has ended with cause, and returns his
// error. What his call came to at the same instant goes before that.
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

// enqueueLocked puts a ticket into the queue: a read that is tried again at its
// old place. Callers whom the wait does not fit fail.
func (s *schedule) enqueueLocked(t *ticket) {
	now := time.Now()
	t.failEach(func(c *caller) error { return s.unfitLocked(t, c, now) })
	if len(t.callers) == 0 && !t.isToken() {
		s.endLocked(t, context.Canceled)
		return
	}
	for c := range t.callers {
		s.waitingUntilLocked(c.deadline)
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
	if !t.isToken() {
		t.count.tokenAttempts, t.count.tokenFailures = s.tokens.before(time.Now())
	}
	s.waiting.ready.add(t)
}

// endLocked ends a ticket: all who wait for it are told err.
func (s *schedule) endLocked(t *ticket, err error) {
	if t.queue != nil {
		t.queue.remove(t)
	}
	for c := range t.callers {
		c.result <- err
	}
	clear(t.callers)
	t.cancel()
	t.done(err)
	// The request for a token ends with the last read that waits for it.
	if request := s.tokens.request; request != nil && request != t && s.readsWaitingLocked() == 0 {
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

// failBeforeLocked fails the callers who wait and whose time ends before until,
// where why gives an error for them. It looks at the queue only where there may
// be one.
func (s *schedule) failBeforeLocked(until time.Time, why func(*ticket, *caller, time.Time) error) {
	now, earliest := time.Now(), s.waiting.earliest
	if earliest.IsZero() || !earliest.Before(until) {
		return
	}
	s.waiting.earliest = time.Time{}
	for _, t := range s.waiting.all() {
		if t.isToken() {
			continue
		}
		t.failEach(func(c *caller) error {
			if c.deadline.Before(until) {
				return why(t, c, now)
			}
			return nil
		})
		for c := range t.callers {
			s.waitingUntilLocked(c.deadline)
		}
		if len(t.callers) == 0 {
			s.endLocked(t, context.Canceled)
		}
	}
}

// waitingUntilLocked records the deadline of a caller who waits.
func (s *schedule) waitingUntilLocked(deadline time.Time) {
	if s.waiting.earliest.IsZero() || deadline.Before(s.waiting.earliest) {
		s.waiting.earliest = deadline
	}
}

func (w *waiting) all() []*ticket { return slices.Concat(w.ready.tickets, w.delayed.tickets) }

// readsWaitingLocked is how many reads wait.
func (s *schedule) readsWaitingLocked() int {
	reads := s.waiting.ready.Len() + s.waiting.delayed.Len()
	if request := s.tokens.request; request != nil && request.queue != nil {
		reads--
	}
	return reads
}
