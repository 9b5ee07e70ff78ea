package catalogue

import (
	"cmp"
	"slices"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
)

// asks adds a caller of a question, and joins it to the same question of others. The caller is answered at once if the
// answer is kept, the process has ended, or its own context has, with the error gone.
func (s *scheduler) asks(now time.Time, q *question, c *caller, gone error) {
	got, known := s.answers.kept[q.to]
	if err := cmp.Or(s.process.fatal, gone); err != nil {
		got, known = ended{err: err}, true
	}
	if known {
		s.tell(c, got)
		return
	}
	if shared := s.answers.shared[q.to]; shared != nil {
		q = shared
	} else {
		s.arrived++
		q.order, q.came = s.arrived, now
		s.queue = append(s.queue, q)
		s.answers.share(q)
	}
	c.of = q
	q.callers = append(q.callers, c)
}

// leaves drops a caller whose context has ended, with cause: its time is over, or it was interrupted.
func (s *scheduler) leaves(now time.Time, c *caller, cause error) {
	if q := c.of; q != nil {
		s.drop(q, c, s.leftErr(now, q, c, cause))
	}
}

// header takes the status of an answer before its body is read, so that nothing more is sent in the pause of a 429, or
// with the token of a 401. The status is 0 if the request ended without a header. failure is the error of a 429 so far.
func (s *scheduler) header(now time.Time, sent *attempt, status int, failure error) {
	ofToken := sent.to().OfToken()
	result := outcomeOf(status, ofToken, "")
	switch {
	case status == 0:
		s.pace.Ended(sent.number, now)
		return
	case result == limited:
		s.beginPause(now, sent, failure)
		return
	}
	s.pace.Answered(sent.number, now)
	if ofToken {
		return
	}
	if s.process.usedUp.end(s.arrived) {
		s.note(sent.onBehalfOf, "The service lets reads through again: they wait for its pauses")
	}
	switch result {
	case unauthorized:
		if !sent.token.rejected {
			s.note(sent.onBehalfOf, "%s answered 401; the token is discarded", sent.to())
		}
		if s.tokens.reject(sent.token, now) {
			s.process.proof = sent.token
			s.await(sent, now.Add(maxPatience))
		}
	case final:
		s.tokens.lastServed = now
	}
}

// maxPatience is the longest wait of all reads for the body of an answer that concerns them all.
const maxPatience = pace.Slow

// await makes all reads wait for the body of an answer.
func (s *scheduler) await(sent *attempt, patience time.Time) {
	sent.patience = patience
	s.awaited = append(s.awaited, sent)
}

// beginPause begins the pause of a 429, or prolongs the pause in force.
func (s *scheduler) beginPause(now time.Time, sent *attempt, failure error) {
	pause := backOff(sent.seen.Attempt, s.retries.jitter())
	if api, _ := apiError(failure); api.RetryAfter > 0 {
		pause = api.RetryAfter
	}
	sent.failure = failure
	s.await(sent, now.Add(min(pause, maxPatience)))
	if s.pace.Limited(sent.number, now, pause) {
		s.pausedBy = sent
	}
}

// ends takes the outcome of a request.
func (s *scheduler) ends(now time.Time, sent *attempt, got ended) {
	q := sent.of
	result := classify(got.err)
	q.sent, q.came = nil, now
	s.awaited = slices.DeleteFunc(s.awaited, func(other *attempt) bool { return other == sent })
	if result == limited {
		sent.failure = got.err
	}
	if result == unauthorized && sent.token == s.process.proof {
		s.endAll(&RejectedError{Given: s.tokens.given(), Issued: !s.tokens.given(), Err: got.err})
	}
	switch {
	case q.done: // all its callers have left
	case q == s.tokenRequest:
		s.tokenCame(now, sent, result, got.err)
	default:
		s.judge(now, q, result, got)
	}
}

// next decides what follows an event. It returns the actions, and when to decide again if nothing happens before:
// openEnd for never.
func (s *scheduler) next(now time.Time) (wanted []action, wake time.Time) {
	s.failLate(now)
	for s.admitsOne(now) {
		s.failLate(now)
	}
	s.endSlow(now)
	s.updateWaits(now)
	wanted, s.wanted = s.wanted, nil
	return wanted, s.wakesAt(now)
}

// admitsOne admits the request of the question that holds the turn, if it may be sent now. Unless a token is valid, a
// request for one goes first.
func (s *scheduler) admitsOne(now time.Time) bool {
	q := s.head(now)
	if q == nil || s.process.proof != nil {
		return false
	}
	switch longest := s.longestWait(now, q); {
	case !q.anyOutlasts(now): // the time of all callers is over at this moment
		s.fail(q, func(c *caller) error { return s.leftErr(now, q, c, nil) })
	case longest.until.After(now):
		s.noteWait(now, q, longest)
		return false
	case s.tokens.valid(now):
		s.tokens.current.unused = 0
		s.admit(now, q, q, s.tokens.current)
	default:
		got, why := s.tokens.next(now)
		s.note(q, "Requesting a token: %s", why)
		s.admit(now, s.tokenRequest, q, got)
		s.tokenRequest.sent.body = s.tokens.credentials.body()
	}
	return true
}

// endSlow ends the requests whose bodies all reads have awaited for too long.
func (s *scheduler) endSlow(now time.Time) {
	for _, sent := range s.awaited {
		if !sent.patience.After(now) {
			s.stop(sent)
		}
	}
}

// updateWaits updates the wait of each question, and logs a back-off at its beginning.
func (s *scheduler) updateWaits(now time.Time) {
	turn := s.head(now)
	for _, q := range s.queue {
		switch {
		case q.notBefore.After(now):
			if !q.wait.until.Equal(q.notBefore) {
				s.note(q, "Another attempt in %s: %s", rounded(q.notBefore.Sub(now)), q.last)
			}
			q.wait = exact(forBackOff, q.notBefore, q.last)
		case q.sent == nil && q != turn:
			q.wait = atMost(forItsTurn, openEnd, nil)
		default:
			q.wait = s.longestWait(now, q)
		}
	}
}

// wakesAt returns the earliest end of a wait, or of the patience for the body of an answer.
func (s *scheduler) wakesAt(now time.Time) time.Time {
	wake := openEnd
	for _, sent := range s.awaited {
		wake = sooner(now, wake, sent.patience)
	}
	for _, q := range s.queue {
		wake = sooner(now, wake, q.wait.until)
	}
	return wake
}

// sooner returns the earlier of wake and moment, or wake if moment has passed.
func sooner(now, wake, moment time.Time) time.Time {
	if moment.After(now) && moment.Before(wake) {
		return moment
	}
	return wake
}
