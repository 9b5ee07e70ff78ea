package catalogue_test

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// The rules of an outage: of the service, and of an allowance that is used up.

// simOutage is a time whose new reads make one attempt each.
type simOutage struct {
	simSpan
	usedUp bool // of the allowance: no read waits for a pause or a gap either
}

// outages returns the outages of the process. One begins if a read gives up after retries, or because of a 429, and no
// read was answered, or let through, since it began. It lasts until one is.
func (c *simCheck) outages() (all []simOutage) {
	for _, q := range c.readings {
		end, gaveUp := endOf(q.err)
		if !gaveUp {
			continue
		}
		ends := (*request).answered
		limited := kindOf(q.err) == kindLimited
		switch {
		case limited:
			ends = (*request).letThrough
		case c.plan.maxRetries == 0, end.Cause != catalogue.RetriesUsedUp && end.Cause != catalogue.FaultStays:
			continue
		}
		if c.first(ends, c.came(q)) > q.end {
			all = append(all, simOutage{simSpan{q.end, c.first(ends, q.end)}, limited})
		}
	}
	return all
}

// came returns when the first of the readings joined by a reading began.
func (c *simCheck) came(r *simReading) time.Duration {
	came := r.start
	for _, q := range slices.Backward(c.readings) {
		if q.path == r.path && q.start <= came && q.end >= came {
			came = q.start
		}
	}
	return came
}

// first returns when something first happened to a request, at or after a moment.
func (c *simCheck) first(happened func(*request) time.Duration, from time.Duration) time.Duration {
	first := never
	for _, x := range c.requests {
		if at := happened(x); at >= from {
			first = min(first, at)
		}
	}
	return first
}

// answered returns when a read got an answer or a final refusal, or never.
func (x *request) answered() time.Duration {
	refused := x.passed() && x.status != http.StatusOK
	if (x.served() || refused) && !x.left {
		return x.endAt
	}
	return never
}

// letThrough returns when the allowance let a read through, whatever happened to it then, or never.
func (x *request) letThrough() time.Duration {
	if x.token || x.limited() {
		return never
	}
	return x.headerAt
}

// oneAttemptInAnOutage: while an outage lasts, each of its new reads makes one attempt.
func (c *simCheck) oneAttemptInAnOutage() {
	all := c.outages()
	for i, r := range c.readings {
		sent := filter(c.of(r.path), func(x *request) bool { return r.during(x.sentAt) })
		for _, o := range all {
			if r.start <= o.from || c.shares(i) {
				continue
			}
			if len(sent) > 1 && max(sent[0].learned(), sent[0].endAt) < o.to && (o.usedUp || sent[0].transient()) {
				c.fail("reader %d, which came at %s, made %d attempts in the outage from %s to %s", r.index, r.start, len(sent), o.from, o.to)
			}
			if o.usedUp {
				c.waitsForNoPause(r, o)
			}
		}
	}
}

// waitsForNoPause: while the allowance is used up, a read in a pause fails as soon as the body of the 429 is there.
func (c *simCheck) waitsForNoPause(r *simReading, o simOutage) {
	for _, pause := range c.requests {
		until, _ := pause.waits()
		latest := c.latestEnd(r, pause)
		inForce := pause.limited() && pause.headerAt <= latest && until > latest && latest < o.to && pause.headerAt <= r.end
		unread := slices.ContainsFunc(c.requests, func(x *request) bool {
			return x.limited() && x.headerAt <= latest && x.endAt > latest
		})
		if inForce && !unread && r.end > latest {
			c.fail("reader %d, which came at %s, waited until %s, in the pause of request %d, though the allowance is used up from %s to %s",
				r.index, r.start, r.end, pause.number, o.from, o.to)
		}
	}
}

// whatHeldItIsTold: the error of a pause quotes the 429 of the pause in force. Readers wait for its body for at most
// three seconds, and not longer than its pause. Each error has the number of attempts.
func (c *simCheck) whatHeldItIsTold() {
	for _, x := range c.limits {
		until, named := x.waits()
		if patience := x.headerAt + 3*sec; x.endAt > patience || named && x.endAt > until {
			c.fail("the words of request %d, which was answered with 429 at %s, were waited for until %s", x.number, x.headerAt, x.endAt)
		}
	}
	for i, r := range c.readings {
		end, gaveUp := endOf(r.err)
		if !gaveUp {
			continue
		}
		told := c.answerOf(r.err)
		switch inPause := end.WaitingFor == "the pause that the service asked for"; {
		case inPause && told != nil && told.limited():
			c.pauseIsTold(r, end, told)
		case inPause:
			c.fail("reader %d waited for a pause, and is not told the 429: %v", r.index, r.err)
		}
		if !c.shares(i) && !c.counts(r, end) {
			c.fail("reader %d is told %d attempts: %v", r.index, end.Attempts, r.err)
		}
	}
}

// pauseIsTold: the error of a reader in a pause has the rest of it, and the body of its 429.
func (c *simCheck) pauseIsTold(r *simReading, end ending, told *request) {
	until, named := told.waits()
	if named && end.Wait != max(0, until-r.end) {
		c.fail("reader %d is told a wait of %s at %s, and request %d asked to wait until %s", r.index, end.Wait, r.end, told.number, until)
	}
	if end.Remaining > 0 && told.endAt > r.end {
		c.fail("reader %d gave up at %s for the 429 of request %d, whose words were on their way", r.index, r.end, told.number)
	}
}

// counts reports whether an error has the number of the reader's own attempts, or of those for a token if that failed.
func (c *simCheck) counts(r *simReading, end ending) bool {
	own := filter(c.of(r.path), func(x *request) bool {
		return r.during(x.sentAt)
	})
	api, _ := errors.AsType[*catalogue.APIError](end.Err)
	network, _ := errors.AsType[*catalogue.NetworkError](end.Err)
	if api != nil && api.Method == http.MethodPost || network != nil && network.Method == http.MethodPost {
		token := c.current(r.end) // since it came, the attempts are counted anew
		met := filter(c.tokens, func(x *request) bool {
			return r.during(x.sentAt) && (token == nil || x.sentAt > token.known)
		})
		return end.Attempts > 0 || len(met) == 0
	}
	before := filter(own, func(x *request) bool {
		return x.sentAt < r.end // one sent at this moment may count or not
	})
	return len(before) <= end.Attempts && end.Attempts <= len(own)
}

// pausesUntil returns when a 429, its pause and its gap are over, at the latest.
func (c *simCheck) pausesUntil(x *request) time.Duration {
	until, named := x.waits()
	if !named {
		until = x.headerAt + longestBackOff
	}
	return max(until, c.gapAfter(x.headerAt), x.endAt)
}
