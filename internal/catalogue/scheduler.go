package catalogue

import (
	"fmt"
	"slices"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// scheduler decides when each request of the process is sent, and how each question ends. It is pure: it is told what
// happens and when, and says what it wants done. Goroutines, locks, channels, timers and clocks belong to the
// dispatcher.
//
// Five things happen: a caller asks, a caller leaves, the header of an answer comes, a request ends, and time passes.
// Each of the first four is a method here, and after each of the five next decides anew for all flights. So a waiting
// caller never has to be woken, and a result obtained before a wait is never used after it.
type scheduler struct {
	retries  retries
	arrived  int       // how many flights have come
	queue    []*flight // those that have not ended, in order of arrival: a retry keeps its place
	renewal  *flight   // the request for a token; its history is reset when a token has come, or no read waits for one
	answers  answers
	pace     pace.Pace
	pausedBy *attempt   // whose 429 asked for the pause in force
	awaited  []*attempt // all reads wait for the bodies of their answers
	noted    time.Time  // the end of the idle stretch that was last logged
	tokens   tokens
	run      run
	wanted   []action // since the last event
}

// action is something that the scheduler wants done. One of the first four fields is set.
type action struct {
	send *attempt  // begin this request
	stop *attempt  // end this request: the rest of its answer is not needed
	tell *caller   // tell this caller the answer or error
	note string    // write this line to the log
	end  ended     // of tell
	of   *question // whose context note is for
}

func newScheduler(cfg Config, forToken *question) scheduler {
	s := scheduler{
		retries:  retries{most: cfg.MaxRetries, jitter: cfg.Jitter},
		pace:     pace.Pace{Ceiling: cfg.Ceiling},
		pausedBy: &attempt{},
		renewal:  &flight{asked: forToken},
	}
	if cfg.AccessToken != "" {
		s.tokens.current = &token{bearer: cfg.AccessToken}
	} else {
		s.tokens.credentials = &credentials{id: cfg.ClientID, secret: cfg.ClientSecret}
	}
	if cfg.Snapshot {
		s.answers = answers{shared: map[Endpoint]*flight{}, kept: map[Endpoint]ended{}}
	}
	return s
}

// send sends the next request of a flight. A request for a token is sent for the flight that holds the turn.
func (s *scheduler) send(now time.Time, f, by *flight, with *token) {
	f.attempts++
	f.sent = &attempt{
		of:     f,
		by:     by.asked,
		token:  with,
		number: s.pace.Sent(now),
		seen:   Exchange{Attempt: f.attempts, SentAt: now, Waited: now.Sub(by.came), WaitedFor: by.waitedFor},
	}
	s.want(action{send: f.sent})
}

// ready returns the flights that wait for their turn.
func (s *scheduler) ready(now time.Time) (ready []*flight) {
	for _, f := range s.queue {
		if f.isReady(now) {
			ready = append(ready, f)
		}
	}
	return ready
}

// head returns the flight that holds the turn, or nil.
func (s *scheduler) head(now time.Time) *flight {
	for _, f := range s.queue {
		if f.isReady(now) {
			return f
		}
	}
	return nil
}

// ahead returns how many requests are sent before a flight's: those of the flights before it, and one for a token
// unless one is valid.
func (s *scheduler) ahead(now time.Time, f *flight) (n int) {
	if !s.tokens.valid(now) && s.renewal.sent == nil {
		n++
	}
	for _, other := range s.queue {
		if other.order < f.order && other.isReady(now) {
			n++
		}
	}
	return n
}

// endRun ends the run with the first error that does: every read that is not under way fails with it, and every later
// one. A read under way ends with its own answer, if it gets one.
func (s *scheduler) endRun(err error) {
	if s.run.over != nil {
		return
	}
	s.run.over = err
	for _, f := range slices.Clone(s.queue) {
		if f.sent == nil {
			s.end(f, ended{err: err})
		}
	}
}

func (s *scheduler) want(a action) { s.wanted = append(s.wanted, a) }

func (s *scheduler) note(of *question, format string, args ...any) {
	s.want(action{note: fmt.Sprintf(format, args...), of: of})
}

// tell ends the question of a caller.
func (s *scheduler) tell(c *caller, got ended) {
	c.of = nil
	s.want(action{tell: c, end: got})
}

// stop ends a request.
func (s *scheduler) stop(sent *attempt) {
	if !sent.stopped {
		sent.stopped = true
		s.want(action{stop: sent})
	}
}

// fail fails the callers of a flight for which why returns an error.
func (s *scheduler) fail(f *flight, why func(*caller) error) {
	for _, c := range slices.Clone(f.callers) {
		if err := why(c); err != nil {
			s.drop(f, c, err)
		}
	}
}

// drop ends a flight for one caller, with an error. The flight ends with the last of them.
func (s *scheduler) drop(f *flight, c *caller, err error) {
	f.callers = slices.DeleteFunc(f.callers, func(other *caller) bool { return other == c })
	s.tell(c, ended{err: err})
	if len(f.callers) == 0 {
		s.end(f, ended{})
	}
}

// end ends a flight. Its callers get an answer or an error.
func (s *scheduler) end(f *flight, got ended) {
	if f.over {
		return
	}
	f.over = true
	s.answers.unshare(f)
	s.queue = slices.DeleteFunc(s.queue, func(other *flight) bool { return other == f })
	if f.sent != nil {
		s.stop(f.sent)
	}
	for _, c := range f.callers {
		s.tell(c, got)
	}
	f.callers = nil
}

// dropToken ends the request for a token once no read waits for it, or forgets how the last one failed.
func (s *scheduler) dropToken() {
	if t := s.renewal; t.sent != nil {
		s.stop(t.sent)
	} else {
		t.history = history{}
	}
}
