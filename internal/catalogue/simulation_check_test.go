package catalogue_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// simCheck checks a simulation: the requests, their times and the readers' results. It knows only what
// the service and the readers saw, not how the client works.
type simCheck struct {
	*simRun
	requests   []*request // in the order in which they were sent
	tokens     []*request // those of them that ask for one
	limits     []*request // those that were answered with 429, in the order of their answers
	paced      []simPace
	rule       string
	violations []string
}

// simRules are the rules of a run. testdata/planted.txt has a fault for each.
var simRules = []struct {
	name string
	hold func(*simCheck)
}{
	{name: "endless", hold: (*simCheck).notEndless},
	{name: "pause", hold: (*simCheck).noRequestInAPause},
	{name: "pace", hold: (*simCheck).asThePaceLets},
	{name: "ceiling", hold: (*simCheck).neverAboveTheCeiling},
	{name: "one token request", hold: (*simCheck).oneTokenRequestAtATime},
	{name: "token current", hold: (*simCheck).noReadWithABadToken},
	{name: "proof", hold: (*simCheck).nothingAfterAProof},
	{name: "attempts", hold: (*simCheck).noMoreAttempts},
	{name: "time", hold: (*simCheck).inTime},
	{name: "nothing runs", hold: (*simCheck).nothingRuns},
	{name: "latch", hold: (*simCheck).silentOnceEnded},
	{name: "at once", hold: (*simCheck).atOnceIfAWaitDoesNotFit},
	{name: "order", hold: (*simCheck).inOrder},
	{name: "held", hold: (*simCheck).noReadIsHeld},
	{name: "answer", hold: (*simCheck).answersAreTheRecords},
	{name: "snapshot", hold: (*simCheck).eachIsAskedOnce},
	{name: "outage", hold: (*simCheck).oneAttemptInAnOutage},
	{name: "told", hold: (*simCheck).whatHeldItIsTold},
	{name: "cause", hold: (*simCheck).causesAreTrue},
	{name: "secret", hold: (*simCheck).noCredentialShown},
}

// check returns the violations in a run, or nil.
func (run *simRun) check() []string {
	slices.SortStableFunc(run.readings, func(a, b *simReading) int { // in the order in which they began
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
		}
	}
	for _, rule := range simRules {
		c.rule = rule.name
		if *simOnly == "" || *simOnly == rule.name || rule.name == "endless" {
			rule.hold(c)
		}
	}
	return c.violations
}

// fail records that a rule is broken, up to a hundred times: one mistake can break it very often.
func (c *simCheck) fail(format string, args ...any) {
	if len(c.violations) < 100 {
		c.violations = append(c.violations, c.rule+": "+fmt.Sprintf(format, args...))
	}
}

// notEndless: no plan takes that many requests.
func (c *simCheck) notEndless() {
	if len(c.requests) >= maxSimRequests {
		c.fail("%d requests were sent", len(c.requests))
		c.requests, c.tokens = c.requests[:100], nil // the other rules compare each with each
	}
}

// noRequestInAPause checks the first half of invariant 1.
func (c *simCheck) noRequestInAPause() {
	for _, pause := range c.requests {
		if !pause.limited() {
			continue
		}
		until, _ := pause.waits()
		for _, x := range c.requests {
			if pause.headerAt < x.sentAt && x.sentAt < until {
				c.fail("request %d was sent at %s, in the pause from %s to %s that request %d announced",
					x.number, x.sentAt, pause.headerAt, until, pause.number)
			}
		}
	}
}

// neverAboveTheCeiling checks the other half: a request counts until that length after its answer began, or after 3 s.
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

// oneTokenRequestAtATime checks the first half of invariant 2. A request needs a reason: no token, a rejected one, or
// one that ends.
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

// nothingAfterAProof: once a 401 proves that the credentials are rejected, nothing is sent.
func (c *simCheck) nothingAfterAProof() {
	for _, t := range filter(c.known(), c.isProof) {
		at := c.rejectedAt(t)
		for _, x := range c.requests {
			if x.sentAt > at {
				c.fail("request %d was sent at %s, though token %d had proved a rejection at %s", x.number, x.sentAt, t.number, at)
			}
		}
	}
}

// noMoreAttempts: after a failure that may pass there are max_retries more attempts, and never an early one; a fault that
// stays has one more; and a read has its token renewed four times.
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
			if t.failures > c.plan.maxRetries || t.renewals > maxRenewals || t.stayed > 1 || x.sentAt < t.notBefore {
				c.fail("request %d for %s was sent at %s, not before %s, after %+v", x.number, x.path, x.sentAt, t.notBefore, t)
			}
		}
	}
}

// oneEndsBetween reports whether a reader ends that waits for a request, after it failed and before the next is sent.
func (c *simCheck) oneEndsBetween(failed, next *request) bool {
	return slices.ContainsFunc(c.readings, func(r *simReading) bool {
		waits := failed.token || r.path == failed.path
		return waits && r.end >= failed.learned() && r.end <= next.sentAt
	})
}

// simTries counts the failures of one question.
type simTries struct {
	failures, renewals int
	stayed             int // in a row
	notBefore          time.Duration
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
		t.renewals++
	}
}

// noCredentialShown looks for the secret and the tokens in all errors and logs.
func (c *simCheck) noCredentialShown() {
	all := c.logged.String()
	for _, r := range c.readings {
		all += "\n" + r.text()
	}
	for what, part := range map[string]string{"secret": secretPart, "token": tokenPart} {
		if i := strings.Index(all, part); i >= 0 {
			c.fail("the %s stands in …%s…", what, all[max(0, i-100):min(len(all), i+100)])
		}
	}
}
