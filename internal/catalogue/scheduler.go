package catalogue

import (
	"fmt"
	"slices"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// scheduler decides when each request of the process is sent, and how each question ends. It is pure: it receives
// events with their times, and returns actions. Goroutines, locks, channels, timers and clocks belong to the
// dispatcher.
//
// There are five events: a caller asks, a caller leaves, the header of an answer comes, a request ends, time passes.
// Each of the first four is a method, and after every event next decides anew for all questions. So a waiting caller
// needs no wake-up, and no result from before a wait is used after it.
type scheduler struct {
	retries retries
	arrived int         // how many questions have come
	queue   []*question // unfinished ones, in order of arrival: a retry keeps its place
	// tokenRequest gets a token. Its history begins anew with each token, and once no read waits for one.
	tokenRequest *question
	answers      answers
	pace         pace.Pace
	pausedBy     *attempt   // its 429 asked for the pause in force
	awaited      []*attempt // all reads wait for the bodies of their answers
	noted        time.Time  // the end of the last logged wait
	tokens       tokens
	process      process
	wanted       []action // since the last event
}

// action is one thing for the dispatcher to do. One of the first four fields is set.
type action struct {
	begin *attempt // begin this request
	stop  *attempt // end this request: the rest of its answer is not needed
	tell  *caller  // pass end to this caller
	note  string   // log this line, in the context of the question
	end   ended
	of    *question
}

func newScheduler(cfg Config, forToken *question) scheduler {
	s := scheduler{
		retries:      retries{most: cfg.MaxRetries, jitter: cfg.Jitter},
		pace:         pace.Pace{Ceiling: cfg.Ceiling},
		pausedBy:     &attempt{},
		tokenRequest: forToken,
	}
	if cfg.AccessToken != "" {
		s.tokens.current = &token{bearer: cfg.AccessToken}
	} else {
		s.tokens.credentials = &credentials{id: cfg.ClientID, secret: cfg.ClientSecret}
	}
	if cfg.Snapshot {
		s.answers = answers{shared: map[Endpoint]*question{}, kept: map[Endpoint]ended{}}
	}
	return s
}

// admit sends the next request of a question. A request for a token is sent on behalf of the read that holds the turn.
func (s *scheduler) admit(now time.Time, q, onBehalfOf *question, with *token) {
	q.attempts++
	q.sent = &attempt{
		of:         q,
		onBehalfOf: onBehalfOf,
		token:      with,
		number:     s.pace.Sent(now),
		seen: Exchange{
			Attempt:   q.attempts,
			SentAt:    now,
			Waited:    now.Sub(onBehalfOf.came),
			WaitedFor: onBehalfOf.wait.words,
		},
	}
	s.want(action{begin: q.sent})
}

// ready returns the questions waiting for their turn, in order.
func (s *scheduler) ready(now time.Time) (ready []*question) {
	for _, q := range s.queue {
		if q.isReady(now) {
			ready = append(ready, q)
		}
	}
	return ready
}

// head returns the first of them, which holds the turn, or nil.
func (s *scheduler) head(now time.Time) *question {
	for _, q := range s.queue {
		if q.isReady(now) {
			return q
		}
	}
	return nil
}

// ahead returns how many requests are sent before a question's: those of the questions before it, and one for a token
// unless one is valid.
func (s *scheduler) ahead(now time.Time, q *question) (n int) {
	if !s.tokens.valid(now) && s.tokenRequest.sent == nil {
		n++
	}
	for _, other := range s.queue {
		if other.order < q.order && other.isReady(now) {
			n++
		}
	}
	return n
}

// endAll ends the process with its first fatal error: the waiting reads now, and later ones as they come. A read under
// way ends with its own answer, if it gets one.
func (s *scheduler) endAll(err error) {
	if s.process.fatal != nil {
		return
	}
	s.process.fatal = err
	for _, q := range slices.Clone(s.queue) {
		if q.sent == nil {
			s.end(q, ended{err: err})
		}
	}
}

func (s *scheduler) want(a action) { s.wanted = append(s.wanted, a) }

func (s *scheduler) note(of *question, format string, args ...any) {
	s.want(action{note: fmt.Sprintf(format, args...), of: of})
}

// tell passes a caller the end of its question.
func (s *scheduler) tell(c *caller, got ended) {
	c.of = nil
	s.want(action{tell: c, end: got})
}

// stop ends a request, once.
func (s *scheduler) stop(sent *attempt) {
	if !sent.stopped {
		sent.stopped = true
		s.want(action{stop: sent})
	}
}

// fail drops each caller of a question for whom why returns an error.
func (s *scheduler) fail(q *question, why func(*caller) error) {
	for _, c := range slices.Clone(q.callers) {
		if err := why(c); err != nil {
			s.drop(q, c, err)
		}
	}
}

// drop ends a question for one caller, with an error. The question ends with its last caller.
func (s *scheduler) drop(q *question, c *caller, err error) {
	q.callers = slices.DeleteFunc(q.callers, func(other *caller) bool { return other == c })
	s.tell(c, ended{err: err})
	if len(q.callers) == 0 {
		s.end(q, ended{})
	}
}

// end ends a question, and its request, for all callers.
func (s *scheduler) end(q *question, got ended) {
	if q.done {
		return
	}
	q.done = true
	delete(s.answers.shared, q.to)
	s.queue = slices.DeleteFunc(s.queue, func(other *question) bool { return other == q })
	if q.sent != nil {
		s.stop(q.sent)
	}
	for _, c := range q.callers {
		s.tell(c, got)
	}
	q.callers = nil
}

// dropToken ends the request for a token once no read waits for it, or else forgets earlier failures.
func (s *scheduler) dropToken() {
	if t := s.tokenRequest; t.sent != nil {
		s.stop(t.sent)
	} else {
		t.history = history{}
	}
}
