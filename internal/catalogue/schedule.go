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
	cfg     Config
	mu      sync.Mutex
	ready   queue // reads that may be sent as soon as pace and token allow, in the order in which they came
	delayed queue // reads in their back-off, in the order in which it ends
	arrived int   // how many reads have come
	pace    *pace.Pace
	pause   *permit // that was answered with the pause that ends last, nil where there was none
	tokens  tokens
	outage  outage
	run     run
	timer   *time.Timer
	notes   []func() // to give once mu is free, because a log may block
}

// run tells whether reads can still succeed. It is running; ending, while the
// words of a rejection are on their way; and then ended.
type run struct {
	proof *permit // that was answered with a 401 that proves that the credentials are rejected
	end   error   // the answer to every read
}

func (r *run) running() bool { return r.proof == nil && r.end == nil }

// finish ends the run with the first error that does. Every read that waits fails with it at
// the next dispatch, and so does each that comes later. A read under way ends with its own
// answer, if it gets one.
func (r *run) finish(err error) {
	if r.end == nil {
		r.end = err
	}
}

// permit is the permission to send one request now.
type permit struct {
	ticket   *ticket
	token    *token // a read is sent with it, a request for a token fills it
	number   int    // by which the pace knows the request
	sentAt   time.Time
	waited   time.Duration
	why      string // what it waited for last
	attempt  int
	answered bool      // its header has come, or its end
	refusal  *APIError // its 429, or the 401 that is a proof; with the words of the service once the body is read
}

func newSchedule(cfg Config, source tokenSource) *schedule {
	if cfg.Jitter == nil {
		cfg.Jitter = rand.Float64
	}
	if cfg.Note == nil {
		cfg.Note = func(context.Context, string) {}
	}
	return &schedule{
		cfg: cfg, pace: pace.New(cfg.Ceiling), tokens: newTokens(cfg, source),
		ready: queue{compare: cameFirst}, delayed: queue{compare: endsFirst},
	}
}

// dispatchLocked sends, from the head of the queue on, what may be sent at this
// instant. It sets the timer to the next instant at which time changes something.
func (s *schedule) dispatchLocked() {
	now := time.Now()
	if s.run.end != nil {
		s.endAllLocked(s.run.end)
	}
	var wake time.Time
	for read := s.delayed.first(); read != nil; read = s.delayed.first() {
		if wake = read.notBefore; wake.After(now) {
			break
		}
		s.delayed.remove(read)
		s.readyLocked(read)
		wake = time.Time{}
	}
	for read := s.ready.first(); read != nil && s.run.running(); read = s.ready.first() {
		until, waits := s.admitLocked(read, now)
		if !waits {
			continue
		}
		if wake.IsZero() || !until.IsZero() && until.Before(wake) {
			wake = until
		}
		break
	}
	s.setTimerLocked(wake)
}

// admitLocked sends the request that the read at the head needs, its own or the one for
// a token, or ends a read whose time does not suffice. Where neither is to be done yet,
// waits is true. until is when that changes by time, zero where only an event changes it.
func (s *schedule) admitLocked(read *ticket, now time.Time) (until time.Time, waits bool) {
	if s.dismissBeforeLocked(read, now.Add(1), s.expireLocked) {
		return now, false
	}
	head := s.headLocked(read, now)
	if head == nil {
		return time.Time{}, true
	}
	until, reason := head.notBefore, pace.Nothing
	if !head.notBefore.After(now) {
		until, reason = s.pace.Next(now, head.isToken())
	}
	if !until.After(now) {
		s.sendLocked(head, now)
		return now, false
	}
	if reason != pace.Nothing {
		head.why = reason.String()
	}
	ended := reason == pace.Ceiling && s.dismissBeforeLocked(read, until, s.afterCeilingLocked)
	return until, !ended
}

// headLocked is the request that is sent next, where read is the first that may be: the
// read, or the request for the token that it needs. It is nil while that is under way.
func (s *schedule) headLocked(read *ticket, now time.Time) *ticket {
	request := s.tokens.request
	if request == nil && s.tokens.serve(now) {
		return read
	}
	read.why = "a token"
	if request == nil {
		request = s.requestTokenLocked(read)
	}
	if request.sent != nil {
		return nil
	}
	return request
}

// setTimerLocked makes the timer dispatch at wake, and stops it where wake is zero.
func (s *schedule) setTimerLocked(wake time.Time) {
	if s.timer != nil {
		s.timer.Stop()
	}
	if wake.IsZero() {
		return
	}
	s.timer = time.AfterFunc(time.Until(wake), func() {
		s.mu.Lock()
		defer s.unlock()
		s.dispatchLocked()
	})
}

// sendLocked lets a request go, in a goroutine of its own.
func (s *schedule) sendLocked(t *ticket, now time.Time) {
	t.attempts++
	p := &permit{
		ticket: t, number: s.pace.Sent(now), sentAt: now, waited: now.Sub(t.since), why: t.why, attempt: t.attempts,
	}
	if t.isToken() {
		p.token = s.tokens.requested(now)
	} else {
		s.ready.remove(t)
		p.token = s.tokens.use()
	}
	t.sent, t.why = p, ""
	go func() { s.ended(p, t.send(p)) }()
}

// headerReceived acts on the header of an answer before its body is read: from
// here on nothing is sent during the pause that it asks for, or with the token
// that it refuses.
func (s *schedule) headerReceived(p *permit, response *http.Response) {
	s.mu.Lock()
	defer s.unlock()
	now, status := time.Now(), response.StatusCode
	p.answered = true
	if status == http.StatusTooManyRequests {
		s.pauseLocked(p, response.Header, now)
	} else {
		s.pace.Answered(p.number, now)
	}
	switch outcome := outcomeOf(status, p.ticket.isToken(), ""); {
	case outcome == unauthorized:
		s.unauthorizedLocked(p, now)
	case outcome == final && !p.ticket.isToken():
		s.tokens.letThrough(p.token)
	}
	s.dispatchLocked()
}

// pauseLocked acts on a 429.
func (s *schedule) pauseLocked(p *permit, header http.Header, now time.Time) {
	named, ok := retryAfter(header, now)
	wait := named
	if !ok {
		p.ticket.unnamed++
		named, wait = 0, backOff(p.ticket.unnamed, s.cfg.Jitter())
	}
	p.refusal = &APIError{Endpoint: p.ticket.endpoint, Status: http.StatusTooManyRequests, RetryAfter: named}
	last, learned := s.pace.PausedUntil(), s.pace.String()
	s.pace.Refused(p.number, now, wait, ok)
	if s.pace.PausedUntil().After(last) {
		if !last.After(now) {
			why := "The service asked for a pause"
			if !ok {
				why = "The service limits requests and named no wait: a pause"
			}
			s.sayLocked(p.ticket, "%s of %s (429 for %s)", why, round(wait), p.ticket.endpoint.path())
		}
		s.pause = p
	}
	if now := s.pace.String(); now != learned {
		s.sayLocked(p.ticket, "The pace is now %s", now)
	}
}

// ended decides what becomes of a request after an attempt, whose body is read.
func (s *schedule) ended(p *permit, err error) {
	s.mu.Lock()
	defer s.unlock()
	t := p.ticket
	t.sent = nil
	if !p.answered {
		p.answered = true
		s.pace.Answered(p.number, time.Now())
	}
	if api, ok := apiError(err); ok && p.refusal != nil {
		api.RetryAfter = p.refusal.RetryAfter
		p.refusal = api
	}
	if p.refusal != nil && p.refusal.Status == http.StatusUnauthorized {
		s.run.finish(p.rejection())
	}
	if t.ctx.Err() == nil { // somebody waits for it
		s.settleLocked(p, err)
	}
	if s.pause == p {
		s.dismissUnfitLocked(s.pace.PausedUntil())
	}
	s.dispatchLocked()
}

// settleLocked decides what becomes of a ticket after an attempt.
func (s *schedule) settleLocked(p *permit, err error) {
	t, outcome := p.ticket, p.ticket.outcomeOf(err)
	switch {
	case outcome == final && t.isToken():
		s.tokenAnsweredLocked(p, err)
		return
	case outcome == final:
		s.answeredLocked(t, err)
		return
	case s.run.end != nil:
		s.endLocked(t, s.run.end)
		return
	}
	s.countLocked(t, outcome, err)
	if t.ctx.Err() != nil {
		return // nobody has another attempt
	}
	t.record(outcome, err, time.Now())
	if outcome == transient {
		s.backOffLocked(t)
	}
	s.enqueueLocked(t)
}

// answeredLocked ends a read with an answer, or with an error that stays.
func (s *schedule) answeredLocked(t *ticket, err error) {
	api, ok := apiError(err)
	if ok && api.Is(ErrOrganisationDisabled) {
		s.run.finish(err)
		err = s.run.end
	} else if ok || err == nil {
		if s.outage.succeeded(time.Now()) {
			s.sayLocked(t, "The service answers again: reads have all their attempts")
		}
	}
	s.endLocked(t, err)
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
	s.notes = append(s.notes, func() { s.cfg.Note(t.ctx, text) })
}

func round(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
