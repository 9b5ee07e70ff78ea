package catalogue_test

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// simCheck checks the requests of a run, their times and the readers' results. It knows what the service and the
// readers saw, and nothing of the client's insides.
type simCheck struct {
	*simRun
	requests   []*request  // in the order in which they were sent
	tokens     []*request  // those of them that ask for one
	limits     []*request  // those answered with 429, in the order of their answers
	known      []*simToken // those that the process has had, in order
	paced      []simPace
	rule       string
	violations []string
}

// simRules are the rules of a run. testdata/planted.txt has a fault for each.
var simRules = []struct {
	name  string
	check func(*simCheck)
}{
	{"endless", (*simCheck).notEndless},
	{"pause", (*simCheck).noRequestInAPause},
	{"ceiling", (*simCheck).neverAboveTheCeiling},
	{"pace", (*simCheck).asThePaceLets},
	{"one token request", (*simCheck).oneTokenRequestAtATime},
	{"token current", (*simCheck).noReadWithABadToken},
	{"proof", (*simCheck).nothingAfterAProof},
	{"attempts", (*simCheck).noMoreAttempts},
	{"time", (*simCheck).inTime},
	{"nothing runs", (*simCheck).nothingRuns},
	{"latch", (*simCheck).silentOnceEnded},
	{"at once", (*simCheck).atOnceIfAWaitDoesNotFit},
	{"order", (*simCheck).inOrder},
	{"held", (*simCheck).noReadIsHeld},
	{"answer", (*simCheck).answersAreTheRecords},
	{"snapshot", (*simCheck).eachIsAskedOnce},
	{"outage", (*simCheck).oneAttemptInAnOutage},
	{"told", (*simCheck).whatHeldItIsTold},
	{"cause", (*simCheck).causesAreTrue},
}

// check returns the violations of a run, or nil.
func (run *simRun) check() []string {
	slices.SortStableFunc(run.readings, func(a, b *simReading) int { // in the order of their beginning
		return cmp.Compare(a.start, b.start)
	})
	c := &simCheck{simRun: run, requests: run.service.sent}
	c.tokens = filter(c.requests, func(x *request) bool {
		return x.token
	})
	c.limits = filter(c.requests, (*request).limited)
	slices.SortStableFunc(c.limits, func(a, b *request) int {
		return cmp.Compare(a.headerAt, b.headerAt)
	})
	c.paced = c.paces(sec)
	for _, x := range c.tokens {
		if x.issued != nil && x.whole() {
			x.issued.known = x.endAt
			c.known = append(c.known, x.issued)
		}
	}
	for _, rule := range simRules {
		c.rule = rule.name
		if *simOnly == "" || *simOnly == rule.name || rule.name == "endless" {
			rule.check(c)
		}
	}
	return c.violations
}

// fail records a violation of the present rule, up to a hundred in all: one mistake can break rules very often.
func (c *simCheck) fail(format string, args ...any) {
	if len(c.violations) < 100 {
		c.violations = append(c.violations, c.rule+": "+fmt.Sprintf(format, args...))
	}
}

// notEndless: no plan takes so many requests.
func (c *simCheck) notEndless() {
	if len(c.requests) >= maxSimRequests {
		c.fail("%d requests were sent", len(c.requests))
		c.requests, c.tokens = c.requests[:100], nil // the other rules compare every pair
	}
}

// noRequestInAPause checks the first half of invariant 1, without package pace.
func (c *simCheck) noRequestInAPause() {
	for _, pause := range c.limits {
		until, _ := pause.waits()
		for _, x := range c.requests {
			if pause.headerAt < x.sentAt && x.sentAt < until {
				c.fail("request %d was sent at %s, in the pause from %s to %s that request %d announced",
					x.number, x.sentAt, pause.headerAt, until, pause.number)
			}
		}
	}
}

// neverAboveTheCeiling checks the other half: a request counts until the ceiling's length after its answer began.
func (c *simCheck) neverAboveTheCeiling() {
	limit := c.plan.ceiling
	for i, x := range c.requests {
		counted := filter(c.requests[:i], func(y *request) bool {
			return min(y.began(), y.endAt)+limit.Per > x.sentAt
		})
		if limit.Requests > 0 && len(counted) >= limit.Requests {
			c.fail("request %d was sent at %s, when %d counted, with a ceiling of %s", x.number, x.sentAt, len(counted), limit)
		}
	}
}

// oneTokenRequestAtATime checks the first half of invariant 2. A request needs a reason: no token, a rejected or an
// expiring one.
func (c *simCheck) oneTokenRequestAtATime() {
	for i, x := range c.tokens {
		if i > 0 && x.sentAt < c.tokens[i-1].endAt {
			c.fail("request %d was sent at %s, while request %d was under way", x.number, x.sentAt, c.tokens[i-1].number)
		}
		t := c.current(x.sentAt)
		if t == nil || c.rejectedAt(t) <= x.sentAt {
			continue
		}
		if c.unstated(t) || x.sentAt < t.renewedAt() {
			c.fail("request %d was sent at %s, though token %d, requested at %s to live %s, served",
				x.number, x.sentAt, t.number, t.requested, t.stated)
		}
	}
}

// noReadWithABadToken checks the other half of invariant 2.
func (c *simCheck) noReadWithABadToken() {
	for _, x := range c.requests {
		t := x.with
		switch {
		case x.token:
		case t == nil:
			c.fail("request %d was sent without a token of the service", x.number)
		case c.rejectedAt(t) < x.sentAt:
			c.fail("request %d was sent at %s with token %d, which was rejected", x.number, x.sentAt, t.number)
		case x.sentAt >= t.renewedAt() && !c.unstated(t):
			c.fail("request %d was sent at %s with token %d, requested at %s to live %s",
				x.number, x.sentAt, t.number, t.requested, t.stated)
		}
	}
}

// nothingAfterAProof: once a 401 proves a rejection of the credentials, nothing is sent.
func (c *simCheck) nothingAfterAProof() {
	for _, t := range filter(c.known, c.isProof) {
		at := c.rejectedAt(t)
		for _, x := range c.requests {
			if x.sentAt > at {
				c.fail("request %d was sent at %s, though token %d had proved a rejection at %s", x.number, x.sentAt, t.number, at)
			}
		}
	}
}

// noMoreAttempts: a transient failure is followed by at most max_retries attempts, none of them early, a lasting fault by
// one, and a 401 by four in all.
func (c *simCheck) noMoreAttempts() {
	paths := map[string][]*request{}
	for _, x := range c.requests {
		paths[x.path] = append(paths[x.path], x)
	}
	for _, all := range paths {
		t := simTries{}
		for i, x := range all[1:] {
			before := all[i]
			if before.whole() || c.oneEndsBetween(before, x) {
				t = simTries{} // another read may ask now
				continue
			}
			t.count(before)
			if t.failures > c.plan.maxRetries || t.rejections > maxRejections || t.stayed > 1 || x.sentAt < t.notBefore {
				c.fail("request %d for %s was sent at %s, not before %s, after %+v", x.number, x.path, x.sentAt, t.notBefore, t)
			}
		}
	}
}

// oneEndsBetween reports whether a reader that waits for a request ends after its failure and before the next is sent.
func (c *simCheck) oneEndsBetween(failed, next *request) bool {
	return slices.ContainsFunc(c.readings, func(r *simReading) bool {
		waits := failed.token || r.path == failed.path
		return waits && r.end >= failed.learned() && r.end <= next.sentAt
	})
}

// simTries counts the failures of one question.
type simTries struct {
	failures, rejections int
	stayed               int // in a row
	notBefore            time.Duration
}

func (t *simTries) count(x *request) {
	t.notBefore = x.learned()
	if x.stays() {
		t.stayed++
	} else {
		t.stayed = 0
	}
	if x.transient() {
		t.failures++
		until, _ := x.waits()
		t.notBefore = max(t.notBefore+sec, until)
	}
	if x.unauthorized() {
		t.rejections++
	}
}
