package catalogue_test

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"
)

// simCheck checks one process of a simulation: what is sent and when, and what readers get. It knows
// what the service saw and what readers got, and nothing of how the client does it.
type simCheck struct {
	*simRun
	requests   []*request    // of this process, in the order in which they were sent
	tokens     []*request    // those of them that ask for one
	readings   []*simReading // in the order in which they began
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
	{name: "ceiling", hold: (*simCheck).neverAboveTheCeiling},
	{name: "one token request", hold: (*simCheck).oneTokenRequestAtATime},
	{name: "token current", hold: (*simCheck).noReadWithABadToken},
	{name: "time", hold: (*simCheck).inTime},
	{name: "nothing runs", hold: (*simCheck).nothingRuns},
	{name: "latch", hold: (*simCheck).silentOnceEnded},
	{name: "at once", hold: (*simCheck).atOnceIfAPauseDoesNotFit},
	{name: "order", hold: (*simCheck).inOrder},
	{name: "attempts", hold: (*simCheck).noMoreAttempts},
	{name: "held", hold: (*simCheck).noReadIsHeld},
	{name: "answer", hold: (*simCheck).answersAreTheRecords},
	{name: "secret", hold: (*simCheck).noCredentialShown},
	{name: "cause", hold: (*simCheck).causesAreTrue},
}

// check returns what is wrong with a run, nil if nothing is.
func (run *simRun) check() (violations []string) {
	slices.SortStableFunc(run.readings, func(a, b *simReading) int { return cmp.Compare(a.start, b.start) })
	for process := range run.plan.processes {
		c := &simCheck{simRun: run, requests: run.service.lines[process].sent}
		c.readings = filter(run.readings, func(r *simReading) bool { return r.process == process })
		c.tokens = filter(c.requests, func(x *request) bool { return x.token })
		for _, x := range c.tokens {
			if x.issued != nil && x.whole() {
				x.issued.known = x.endAt
			}
		}
		for _, rule := range simRules {
			if c.rule = rule.name; *simOnly == "" || *simOnly == rule.name || rule.name == "endless" {
				rule.hold(c)
			}
		}
		violations = append(violations, c.violations...)
	}
	return violations
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
		until, _ := pause.waits()
		for _, x := range c.requests {
			if pause.limited() && pause.headerAt < x.sentAt && x.sentAt < until {
				c.fail("request %d was sent at %s, in the pause from %s to %s that request %d announced",
					x.number, x.sentAt, pause.headerAt, until, pause.number)
			}
		}
	}
}

// neverAboveTheCeiling checks the other half: a request counts until that length after its answer began, or after 3 s.
func (c *simCheck) neverAboveTheCeiling() {
	for i, x := range c.requests {
		counted := 0
		for _, y := range c.requests[:i] {
			if began := y.began(); min(began, max(y.endAt, y.sentAt))+c.plan.ceiling.Per > x.sentAt {
				counted++
			}
		}
		if limit := c.plan.ceiling.Requests; limit > 0 && counted >= limit {
			c.fail("request %d was sent at %s, when %d counted, with a ceiling of %s", x.number, x.sentAt, counted, c.plan.ceiling)
		}
	}
}

// oneTokenRequestAtATime checks the first half of invariant 2. A request needs a reason: no
// token, a rejected one, or one that ends.
func (c *simCheck) oneTokenRequestAtATime() {
	for i, x := range c.tokens {
		if i > 0 && x.sentAt < c.tokens[i-1].endAt {
			c.fail("request %d was sent at %s, while request %d was under way", x.number, x.sentAt, c.tokens[i-1].number)
		}
		t := c.current(x.sentAt)
		if t == nil || c.rejectedAt(t) <= x.sentAt {
			continue
		}
		if c.unstated(t) || x.sentAt < t.requested+t.stated-min(10*time.Second, t.stated/10) {
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
			c.fail("request %d was sent with no token of the service", x.number)
		case c.rejectedAt(t) < x.sentAt:
			c.fail("request %d was sent at %s with token %d, which was rejected", x.number, x.sentAt, t.number)
		case x.sentAt >= t.requested+t.stated && !c.unstated(t):
			c.fail("request %d was sent at %s with token %d, requested at %s to live %s", x.number, x.sentAt, t.number, t.requested, t.stated)
		}
	}
}

// inTime checks invariant 3: a question ends within its read_timeout. An interrupt ends all at once, a cancellation only
// the one reader, and no other reader has an error of it.
func (c *simCheck) inTime() {
	for _, r := range c.readings {
		due := forever
		if r.cancelAt > 0 {
			due = r.start + r.cancelAt
		}
		if at := c.plan.interruptAt; at > 0 {
			due = min(due, max(at, r.start))
		}
		if r.end > min(due, r.deadline()) {
			c.fail("reader %d ended at %s, with time until %s and cancelled or interrupted at %s", r.index, r.end, r.deadline(), due)
		}
		if kindOf(r.err) == kindInterrupted && r.end < due {
			c.fail("reader %d has the error of an interrupt at %s, and there was none: %v", r.index, r.end, r.err)
		}
	}
}

// nothingRuns checks the end of invariant 3: a request goes on only as long as somebody waits
// for it. The end of the bubble shows that no goroutine is left.
func (c *simCheck) nothingRuns() {
	for _, x := range c.requests {
		waits := func(at time.Duration) bool {
			return slices.ContainsFunc(c.readings, func(r *simReading) bool { return (x.token || r.path == x.path) && r.during(at) })
		}
		if !waits(x.sentAt) || x.endAt == never || !waits(x.endAt) {
			c.fail("request %d was under way from %s to %s, and no reader waited for it", x.number, x.sentAt, x.endAt)
		}
	}
}

// silentOnceEnded: once the credentials are rejected, the organisation is disabled or no token can be had, nothing is
// sent, and all readers fail at once with the same error.
func (c *simCheck) silentOnceEnded() {
	var first *simReading
	for _, r := range c.readings {
		if endsProcess(r.err) && (first == nil || r.end < first.end) {
			first = r
		}
	}
	if first == nil {
		return
	}
	for _, x := range c.requests {
		if x.sentAt > first.end {
			c.fail("request %d was sent at %s, after the end of the process at %s: %v", x.number, x.sentAt, first.end, first.err)
			break
		}
	}
	for _, r := range c.readings {
		underWay := slices.ContainsFunc(c.of(r.path), func(x *request) bool { return x.sentAt <= first.end && x.endAt >= first.end })
		kept := r.start > first.end && r.err == nil && c.plan.snapshot
		if r.end <= first.end || underWay || kept {
			continue
		}
		if r.end > max(first.end, r.start) || cause(r.err) != cause(first.err) {
			c.fail("reader %d ended at %s with %v, though the process ended at %s: %v", r.index, r.end, r.err, first.end, first.err)
		}
	}
}

// atOnceIfAPauseDoesNotFit checks invariant 3, too. What the service says of a pause is in the
// body, which may come late, and so may the answer to a request under way.
func (c *simCheck) atOnceIfAPauseDoesNotFit() {
	for _, pause := range c.requests {
		until, named := pause.waits()
		if !pause.limited() || !named {
			continue
		}
		for _, r := range c.readings {
			if r.deadline() >= until || r.end <= pause.headerAt || r.start >= until {
				continue
			}
			latest := max(pause.endAt, r.start)
			for _, x := range c.requests {
				if (x.token || x.path == r.path) && x.sentAt <= pause.headerAt && x.endAt > pause.headerAt {
					latest = max(latest, x.endAt)
				}
			}
			if r.end > latest {
				c.fail("reader %d, with time until %s, ended at %s, though request %d announced a pause until %s at %s",
					r.index, r.deadline(), r.end, pause.number, until, pause.headerAt)
			}
		}
	}
}

// inOrder checks invariant 4, for readings that share nothing. Of what came later one request may hold the turn when a retry
// comes back.
func (c *simCheck) inOrder() {
	for i, r := range c.readings {
		if c.shares(i) {
			continue
		}
		ready, allowed := r.start, 0
		for _, x := range append(c.of(r.path), &request{sentAt: r.end}) {
			if x.sentAt < r.start || x.sentAt > r.end {
				continue
			}
			overtaking := filter(c.requests, func(y *request) bool {
				return !y.token && y.sentAt > ready && y.sentAt < x.sentAt && c.cameAfter(r, y)
			})
			if len(overtaking) > allowed {
				c.fail("reader %d, which came at %s, waited from %s to %s, and request %d for %s went before it",
					r.index, r.start, ready, x.sentAt, overtaking[allowed].number, overtaking[allowed].path)
			}
			ready, allowed = x.endAt, 1
			if until, named := x.waits(); named && x.limited() {
				ready = max(ready, until)
			} else if x.transient() || x.limited() {
				ready = max(ready+most, until)
			}
		}
	}
}

// noMoreAttempts: after a failure that may pass there are max_retries attempts more, none
// of them early; and a read has its token renewed four times.
func (c *simCheck) noMoreAttempts() {
	paths := map[string][]*request{}
	for _, x := range c.requests {
		paths[x.path] = append(paths[x.path], x)
	}
	for path, all := range paths {
		failures, renewals := 0, 0
		for i, x := range all[1:] {
			before := all[i]
			if slices.ContainsFunc(c.readings, func(r *simReading) bool {
				return (before.token || r.path == path) && r.end >= before.learned() && r.end <= x.sentAt
			}) || before.whole() {
				failures, renewals = 0, 0 // another read may ask now
				continue
			}
			wait := before.learned()
			if before.transient() {
				failures++
				until, _ := before.waits()
				wait = max(wait+time.Second, until)
			}
			if before.unauthorized() {
				renewals++
			}
			if failures > c.plan.maxRetries || renewals > 4 || x.sentAt < wait {
				c.fail("request %d for %s was sent at %s after %d failures and %d renewals, the last at %s", x.number, path, x.sentAt,
					failures, renewals, before.learned())
			}
		}
	}
}

// noReadIsHeld checks invariant 6: while a reader waits, and no pause, ceiling or request for a token is in its way, its
// request is sent: at once before the first 429, and later within 3 s for what is in flight and 8 s of a gap.
func (c *simCheck) noReadIsHeld() {
	type span struct{ from, to time.Duration }
	var excuses []span
	limited := forever
	for _, x := range c.requests {
		excuses = append(excuses, span{x.sentAt, x.sentAt})
		until, named := x.waits()
		if x.token && x.transient() || x.limited() && !named {
			until = max(x.endAt+most, until)
		}
		if x.token || x.limited() || x.unauthorized() { // its body may be on its way
			excuses = append(excuses, span{x.sentAt, max(x.endAt, until)})
		}
		if x.limited() && x.headerAt != never {
			limited = min(limited, x.headerAt)
		}
	}
	for i := c.plan.ceiling.Requests - 1; i >= 0 && i < len(c.requests); i++ {
		excuses = append(excuses, span{c.requests[i].sentAt, c.freed(c.requests[:i+1])})
	}
	slices.SortFunc(excuses, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i, r := range c.readings {
		if c.shares(i) {
			continue
		}
		until, free := r.end, r.start
		if sent := filter(c.of(r.path), func(x *request) bool { return r.during(x.sentAt) }); len(sent) > 0 {
			until = sent[0].sentAt
		}
		for _, s := range append(excuses, span{until, until}) {
			allowed := time.Duration(0)
			if s.from > limited {
				allowed = 3*time.Second + maxGap
			}
			if at := min(s.from, until); at-free > allowed {
				c.fail("reader %d waited from %s to %s, and nothing was in its way", r.index, free, at)
				break
			}
			free = max(free, s.to)
		}
	}
}

// answersAreTheRecords: what a reader has is what the service sent for it, in this run, or since
// it came without snapshot. Kept answers are not requested again, and prove no absence.
func (c *simCheck) answersAreTheRecords() {
	for _, r := range c.readings {
		if (r.answer == "") != (r.err != nil) {
			c.fail("reader %d has the answer %q and the error %v", r.index, r.answer, r.err)
		}
		if r.answer != "" && !slices.ContainsFunc(c.of(r.path), func(x *request) bool {
			fresh := c.plan.snapshot && !r.lacks(r.answer) || x.sentAt >= r.start
			return x.served() && x.headerAt <= r.end && x.answer == r.answer && fresh
		}) {
			c.fail("reader %d, which came at %s, has %q, and no answer that it may have says so", r.index, r.start, r.answer)
		}
		var known *request
		for _, x := range c.of(r.path) {
			switch {
			case !c.plan.snapshot:
			case known != nil && x.sentAt < known.endAt:
				c.fail("requests %d and %d for %s were under way at once", known.number, x.number, r.path)
			case known != nil && known.served() && !known.left && x.sentAt > known.endAt &&
				!slices.ContainsFunc(c.readings, func(q *simReading) bool { return q.path == r.path && q.during(x.sentAt) && q.lacks(known.answer) }):
				c.fail("request %d asks %s again, which request %d had answered", x.number, r.path, known.number)
			}
			known = x
		}
	}
}

// noCredentialShown looks for the secret and the tokens in all errors and logs.
func (c *simCheck) noCredentialShown() {
	all := c.logged.String()
	for _, r := range c.readings {
		all += "\n" + r.text()
	}
	for what, part := range map[string]string{"secret": c.service.secretPart, "token": c.service.tokenPart} {
		needles := []string{part}
		for shift := range 3 {
			encoded := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), part...))
			needles = append(needles, encoded[(shift*8+5)/6:(shift+len(part))*8/6])
		}
		for _, needle := range needles {
			if i := strings.Index(all, needle); i >= 0 {
				c.fail("the %s stands in …%s…", what, all[max(0, i-100):min(len(all), i+100)])
			}
		}
	}
}
