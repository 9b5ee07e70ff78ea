package catalogue

import (
	"slices"
	"time"
)

// maxRenewals is how many 401s of one read are followed by another attempt with a
// new token.
const maxRenewals = 2

// tries are the attempts of a ticket and what came of them.
type tries struct {
	sent        *permit // of the attempt under way, nil where there is none
	attempts    int
	failures    int       // that may pass
	unnamed     int       // 429s that named no wait
	last        error     // the last failure that may pass, or 429
	failedAt    time.Time // when that was
	reconnected bool      // it was sent once more because its connection had been closed
	refusals    refusals
}

// outcomeOf is what an attempt came to. Only the first connection that was closed costs nothing.
func (t *tries) outcomeOf(err error) outcome {
	if outcome := classify(err); outcome != closed || !t.reconnected {
		return outcome
	}
	return transient
}

// record keeps what an attempt came to that another one follows.
func (t *ticket) record(outcome outcome, err error, now time.Time) {
	switch {
	case outcome == transient:
		t.failures++
		t.last, t.failedAt = err, now
	case outcome == limited && !t.isToken(): // the pause of a request for a token is a cause only while it lasts
		t.last, t.failedAt = err, now
	case outcome == closed:
		t.reconnected = true
	}
}

// outage is when the service went down: a read gave up after all its retries, and
// nothing had come back well since it began. Reads that begin then make one attempt.
type outage struct {
	since time.Time // zero where the service answers
	well  time.Time // when a read last ended with a good answer, or with an error that stays
}

// count counts an attempt that ended without an answer, of a read or of a request for a
// token, and tells whether it was the last: so many failures are followed by another.
func (c *caller) count(outcome outcome, token bool, retries int) (last bool) {
	c.attempts++
	switch {
	case outcome == unauthorized:
		c.refusals++
		return c.refusals > maxRenewals
	case outcome == transient && token:
		c.tokenFailures++
		return c.tokenFailures > retries
	case outcome == transient:
		c.failures++
		return c.failures > retries
	}
	return false
}

// concerns tells whether one who began then came in an outage.
func (o *outage) concerns(began time.Time) bool { return !o.since.IsZero() && !began.Before(o.since) }

// gaveUp records that one who began then has no attempt left, and tells whether an outage
// begins with it.
func (o *outage) gaveUp(began, now time.Time) (begins bool) {
	if begins = o.since.IsZero() && o.well.Before(began); begins {
		o.since = now
	}
	return begins
}

// succeeded records that the service answered, and tells whether an outage ends with it.
func (o *outage) succeeded(now time.Time) (ends bool) {
	ends = !o.since.IsZero()
	o.since, o.well = time.Time{}, now
	return ends
}

// countLocked counts an attempt of a ticket for those who wait for it: its callers, or
// those of every read that could be sent if there were a token. Who has none left fails.
func (s *schedule) countLocked(t *ticket, outcome outcome, err error) {
	concerned := []*ticket{t}
	if t.isToken() {
		concerned = slices.Clone(s.ready.reads)
	}
	s.dismissLocked(func(read *ticket, c *caller) error {
		retries, inOutage := s.cfg.MaxRetries, s.outage.concerns(c.began)
		if inOutage {
			retries = 0
		}
		switch last := c.count(outcome, t.isToken(), retries); {
		case !last:
			return nil
		case outcome == unauthorized:
			return err
		}
		gaveUp := s.gaveUpLocked(read, c, err)
		gaveUp.Timeout, gaveUp.Outage = false, inOutage
		if s.outage.gaveUp(c.began, time.Now()) {
			s.sayLocked(t, "The service is down: reads that begin now make one attempt each")
		}
		return gaveUp
	}, concerned...)
}

// backOffLocked decides how long a ticket waits, after a failure, before its next attempt.
// Callers who share a read wait as long as the last of them to come would by himself.
func (s *schedule) backOffLocked(t *ticket) {
	failures := t.failures
	for c := range t.callers {
		failures = min(failures, c.failures)
	}
	wait := backOff(failures, s.cfg.Jitter())
	t.notBefore, t.why = t.failedAt.Add(wait), "its back-off"
	request, came := inNote(t.last)
	s.sayLocked(t, "%s is tried again in %s: %s", request, round(wait), came)
}
