package catalogue

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// schedule decides when each request of the process is sent. Whoever changes
// something (a caller who comes or leaves, a header, the end of a request, the
// timer) does so under mu and then calls dispatchLocked, the only place where a
// request is let go. So nobody has to know who waits for what.
//
// Methods whose name ends in Locked need mu.
type schedule struct {
	policy
	mu      sync.Mutex
	waiting waiting
	pace    *pace.Pace
	pause   pause
	tokens  tokens
	outage  outage
	run     run
	timer   *time.Timer
	notes   []func() // to give once mu is free, because a log may block
}

// policy is what a schedule is configured with.
type policy struct {
	maxRetries int
	ceiling    pace.Limit
	jitter     func() float64
	note       func(context.Context, string)
}

// pause is the last one that the service asked for.
type pause struct {
	permit     *permit // its 429 began or extended the pause
	until      time.Time
	retryAfter time.Duration // the wait that it named, 0 where it named none
	refusal    *APIError     // the 429, with the words of the service once its body is read
	reported   bool          // the body is read
}

// run tells whether reads can still succeed. It is running; ending, while the
// words of a proven rejection are on their way; and then ended.
type run struct {
	rejection error // the proof, without the words of the service
	end       error // the answer to every read
}

func (r run) running() bool { return r.rejection == nil && r.end == nil }

// permit is the permission to send one request now.
type permit struct {
	schedule *schedule
	ticket   *ticket
	ctx      context.Context
	token    *token // a read is sent with it, a request for a token fills it
	number   int    // by which the pace knows the request
	sentAt   time.Time
	endpoint Endpoint
	waited   time.Duration
	why      string // what it waited for last
	attempt  int
	answered bool // its header has come, or its end
	proves   bool // its 401 proves that the credentials are rejected
}

func newSchedule(cfg Config, source tokenSource) *schedule {
	s := &schedule{
		policy: policy{maxRetries: cfg.MaxRetries, ceiling: cfg.Ceiling, jitter: cfg.Jitter, note: cfg.Note},
		pace:   pace.New(cfg.Ceiling), waiting: waiting{ready: queue{before: cameFirst}, delayed: queue{before: endsFirst}},
		tokens: newTokens(cfg, source),
	}
	if s.jitter == nil {
		s.jitter = rand.Float64
	}
	if s.note == nil {
		s.note = func(context.Context, string) {}
	}
	return s
}

// dispatchLocked sends, from the head of the queue on, what may be sent at this
// instant. It sets the timer to the next instant at which time changes something.
func (s *schedule) dispatchLocked() {
	now := time.Now()
	s.dismissBeforeLocked(now.Add(1), func(t *ticket, c *caller) error { return s.expireLocked(t, c) })
	ready, delayed := &s.waiting.ready, &s.waiting.delayed
	for head := delayed.first(); head != nil && !head.notBefore.After(now); head = delayed.first() {
		delayed.remove(head)
		s.readyLocked(head)
	}
	var wake time.Time
	for head := s.headLocked(now); head != nil; head = s.headLocked(now) {
		at, why := s.pace.Next(now, head.isToken())
		if !at.After(now) {
			s.sendLocked(head, now)
			continue
		}
		head.why = why.String()
		if why == pace.Ceiling {
			s.dismissBeforeLocked(at, func(t *ticket, c *caller) error {
				return s.gaveUpLocked(t, c, &CeilingError{Ceiling: s.ceiling})
			})
		}
		if head == ready.first() {
			wake = at
			break
		}
	}
	if head := delayed.first(); head != nil && (wake.IsZero() || head.notBefore.Before(wake)) {
		wake = head.notBefore
	}
	s.setTimerLocked(wake)
}

// headLocked is the request that is sent next, nil where there is none. Where a
// read needs a token, the request for it goes first.
func (s *schedule) headLocked(now time.Time) *ticket {
	head := s.waiting.ready.first()
	if !s.run.running() {
		return nil
	}
	request := s.tokens.request
	if head == nil || head.isToken() || request == nil && s.tokens.serve(now) {
		return head
	}
	head.why = "a token"
	if request == nil {
		request = s.requestTokenLocked(head)
	}
	if request.queue == &s.waiting.ready {
		return request
	}
	return nil
}

// setTimerLocked makes the timer dispatch at wake, and stops it where wake is zero.
func (s *schedule) setTimerLocked(wake time.Time) {
	switch {
	case wake.IsZero() && s.timer == nil:
	case wake.IsZero():
		s.timer.Stop()
	case s.timer == nil:
		s.timer = time.AfterFunc(time.Until(wake), func() {
			s.mu.Lock()
			defer s.unlock()
			s.dispatchLocked()
		})
	default:
		s.timer.Reset(time.Until(wake))
	}
}

// sendLocked lets a request go, in a goroutine of its own.
func (s *schedule) sendLocked(t *ticket, now time.Time) {
	t.queue.remove(t)
	t.tries.attempts++
	p := &permit{
		schedule: s, ticket: t, ctx: t.ctx, number: s.pace.Sent(now), sentAt: now,
		waited: now.Sub(t.since), why: t.why, attempt: t.tries.attempts,
	}
	if t.isToken() {
		p.token = s.tokens.requested(now)
	} else {
		p.token = s.tokens.use()
	}
	t.sent, t.why = p, ""
	go func() { p.ended(t.send(p)) }()
}

// sends records where the request goes, for notes and errors.
func (p *permit) sends(to Endpoint) {
	p.schedule.mu.Lock()
	defer p.schedule.mu.Unlock()
	p.endpoint = to
}

// headerReceived acts on the header of an answer before its body is read: from
// here on nothing is sent during the pause that it asks for, or with the token
// that it refuses.
func (p *permit) headerReceived(response *http.Response) {
	s, now := p.schedule, time.Now()
	s.mu.Lock()
	defer s.unlock()
	p.answered = true
	switch status, isRead := response.StatusCode, !p.ticket.isToken(); {
	case status == http.StatusTooManyRequests:
		s.pauseLocked(p, response.Header, now)
	case isRead && status == http.StatusUnauthorized:
		s.pace.Answered(p.number, now)
		s.unauthorizedLocked(p, now)
	default:
		s.pace.Answered(p.number, now)
		if isRead && status < http.StatusInternalServerError && status != http.StatusRequestTimeout {
			s.tokens.letThrough(p.token)
		}
	}
	s.dispatchLocked()
}

// pauseLocked acts on a 429.
func (s *schedule) pauseLocked(p *permit, header http.Header, now time.Time) {
	named, ok := retryAfter(header, now)
	wait := named
	if !ok {
		p.ticket.tries.unnamed++
		named, wait = 0, backOff(p.ticket.tries.unnamed, s.jitter())
	}
	learned := s.pace.String()
	s.pace.Refused(p.number, now, wait, ok)
	if until := s.pace.PausedUntil(); until.After(s.pause.until) {
		if !s.pause.until.After(now) {
			why := "The service asked for a pause"
			if !ok {
				why = "The service limits requests and named no wait: a pause"
			}
			s.sayLocked(p.ticket, "%s of %s (429 for %s)", why, round(wait), p.endpoint.path())
		}
		refusal := &APIError{Endpoint: p.endpoint, Status: http.StatusTooManyRequests, RetryAfter: named}
		s.pause = pause{permit: p, until: until, retryAfter: named, refusal: refusal}
	}
	if now := s.pace.String(); now != learned {
		s.sayLocked(p.ticket, "The pace is now %s", now)
	}
}

// ended decides what becomes of a request after an attempt, whose body is read.
func (p *permit) ended(err error) {
	s, t := p.schedule, p.ticket
	s.mu.Lock()
	defer s.unlock()
	t.sent = nil
	if !p.answered {
		p.answered = true
		s.pace.Answered(p.number, time.Now())
	}
	if api, ok := apiError(err); ok && s.pause.permit == p {
		s.pause.refusal, s.pause.reported = api, true
		s.dismissBeforeLocked(s.pause.until, func(t *ticket, c *caller) error { return s.unfitLocked(t, c, time.Now()) })
	}
	if p.proves {
		s.finishLocked(p.rejection(err))
	}
	switch {
	case t.ctx.Err() != nil: // it has ended: nobody waits for it any more
	case t.isToken():
		s.settleTokenLocked(p, err)
	default:
		s.settleLocked(t, err)
	}
	s.dispatchLocked()
}

// settleLocked decides what becomes of a read after an attempt.
func (s *schedule) settleLocked(t *ticket, err error) {
	switch outcome := classify(err); {
	case outcome == final:
		s.answeredLocked(t, err)
		return
	case s.run.end != nil:
		s.endLocked(t, s.run.end)
		return
	case outcome == transient, outcome == closed && t.tries.reconnected:
		s.failedLocked(t, err)
		return
	case outcome == closed:
		t.tries.reconnected = true
	case outcome == limited:
		t.tries.last, t.tries.failedAt = err, time.Now()
	case outcome == unauthorized:
		s.dismissLocked(t, func(c *caller) error {
			if len(t.tries.refusals.tokens)-c.missed.refusals > maxRenewals {
				return err
			}
			return nil
		})
	}
	if t.ctx.Err() == nil {
		s.enqueueLocked(t)
	}
}

// answeredLocked ends a read with an answer, or with an error that stays.
func (s *schedule) answeredLocked(t *ticket, err error) {
	api, ok := apiError(err)
	if ok && api.Is(ErrOrganisationDisabled) {
		s.finishLocked(err)
		err = s.run.end
	} else if ok || err == nil {
		s.succeededLocked(t)
	}
	s.endLocked(t, err)
}

// finishLocked ends the run: every read that waits fails with err, and so does
// each that comes later. A read under way ends with its own answer, if it gets one.
func (s *schedule) finishLocked(err error) {
	if s.run.end == nil {
		s.run.end = err
	}
	s.endWaitingLocked(s.run.end)
}

// unlock frees mu and then gives the notes. A request that was let go does not
// wait for them.
func (s *schedule) unlock() {
	notes := s.notes
	s.notes = nil
	s.mu.Unlock()
	for _, note := range notes {
		note()
	}
}

// sayLocked adds a note about a ticket.
func (s *schedule) sayLocked(t *ticket, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.notes = append(s.notes, func() { s.note(t.ctx, text) })
}

func round(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
