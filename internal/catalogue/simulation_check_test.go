package catalogue_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"
)

// simViolation is a rule that a run has broken, and how.
type simViolation struct{ rule, text string }

func (v simViolation) String() string { return v.rule + ": " + v.text }

// simRule is one rule, and hold looks for what breaks it.
type simRule struct {
	name string
	hold func(*simCheck)
}

// Each rule has planted faults that it must notice (planted_test.go).
var simRules = []simRule{
	{name: "endless", hold: (*simCheck).notEndless},
	{name: "pause", hold: (*simCheck).noRequestInAPause},
	{name: "ceiling", hold: (*simCheck).neverAboveTheCeiling},
	{name: "one token request", hold: (*simCheck).oneTokenRequestAtATime},
	{name: "token needed", hold: (*simCheck).noNeedlessTokenRequest},
	{name: "token current", hold: (*simCheck).noReadWithABadToken},
	{name: "tokens unused", hold: (*simCheck).noTokensWithoutReads},
	{name: "time", hold: (*simCheck).inTime},
	{name: "interrupt", hold: (*simCheck).endsWithItsOwnReader},
	{name: "nothing runs", hold: (*simCheck).nothingRuns},
	{name: "latch", hold: (*simCheck).silentOnceEnded},
	{name: "order", hold: (*simCheck).inOrder},
	{name: "attempts", hold: (*simCheck).noMoreAttempts},
	{name: "back-off", hold: (*simCheck).noEarlierAttempt},
	{name: "outage", hold: (*simCheck).oneAttemptInAnOutage},
	{name: "wait that does not fit", hold: (*simCheck).atOnceWhereAWaitDoesNotFit},
	{name: "held", hold: (*simCheck).nobodyIsHeld},
	{name: "answer", hold: (*simCheck).answersAreTheRecords},
	{name: "snapshot", hold: (*simCheck).oneSnapshot},
	{name: "absent", hold: (*simCheck).absenceIsAskedAgain},
	{name: "secret", hold: (*simCheck).noCredentialTold},
	{name: "cause", hold: (*simCheck).causesAreTrue},
	{name: "words", hold: (*simCheck).wordsAreTheReadersOwn},
	{name: "forgiven", hold: (*simCheck).noReadFailsWhoseFaultsAreForgiven},
}

// check returns what is wrong with a run, nil where nothing is.
func (run *simRun) check() (violations []simViolation) {
	for process := range run.plan.processes {
		c := &simCheck{simRun: run}
		for _, x := range run.requests {
			if x.process == process {
				c.requests = append(c.requests, x)
			}
		}
		for _, r := range run.readings {
			if r.reader.process == process {
				c.readings = append(c.readings, r)
			}
		}
		slices.SortStableFunc(c.readings, func(a, b *simReading) int { return int(a.start - b.start) })
		c.calls = c.callsOf()
		for _, rule := range simRules {
			if c.rule = rule.name; *simOnly == "" || *simOnly == rule.name || rule.name == "endless" {
				rule.hold(c)
			}
		}
		violations = append(violations, c.violations...)
	}
	return violations
}

// fail records that a rule is broken. One mistake can break it very often.
func (c *simCheck) fail(format string, args ...any) {
	if len(c.violations) >= 1000 {
		return
	}
	c.violations = append(c.violations, simViolation{c.rule, fmt.Sprintf(format, args...)})
}

// notEndless: no plan takes so many requests, and no read more than one in each
// second of its time.
func (c *simCheck) notEndless() {
	for _, call := range c.calls {
		if n := len(call.requests); n > int(c.plan.readTimeout/time.Second)+10+c.plan.maxRetries {
			c.fail("%d requests were sent for reader %d and %s", n, call.reading.reader.index, call.path)
		}
	}
	if len(c.requests) >= mostSimRequests {
		c.fail("%d requests were sent", len(c.requests))
		// The other rules compare each with each.
		c.requests, c.calls = c.requests[:100], nil
	}
}

// noRequestInAPause is the first half of DESIGN.md, invariant 1.
func (c *simCheck) noRequestInAPause() {
	for _, refusal := range c.requests {
		if refusal.pauseUntil == never || refusal.headerAt == never {
			continue
		}
		for _, x := range c.requests {
			if refusal.headerAt < x.sentAt && x.sentAt < refusal.pauseUntil {
				c.fail("request %d was sent at %s, in the pause that request %d announced at %s until %s",
					x.number, x.sentAt, refusal.number, refusal.headerAt, refusal.pauseUntil)
			}
		}
	}
}

// neverAboveTheCeiling is the other half: at most N requests in any stretch of
// that length, tokens and what the transport would send by itself included.
func (c *simCheck) neverAboveTheCeiling() {
	n := c.plan.ceiling.Requests
	if n == 0 {
		return
	}
	for i := n; i < len(c.requests); i++ {
		a, b := c.requests[i-n], c.requests[i]
		if b.sentAt-a.sentAt < c.plan.ceiling.Per {
			c.fail("requests %d to %d were sent from %s to %s, with a ceiling of %s",
				a.number, b.number, a.sentAt, b.sentAt, c.plan.ceiling)
		}
	}
}

// inTime is DESIGN.md, invariant 3: a question ends within its read_timeout.
func (c *simCheck) inTime() {
	for _, r := range c.readings {
		if took := r.end - r.start; took > c.plan.readTimeout {
			c.fail("reader %d took %s, with a read_timeout of %s", r.reader.index, took, c.plan.readTimeout)
		}
	}
}

// endsWithItsOwnReader: an interrupt ends everybody at once, a cancellation
// only the one reader, and nobody else is told of either.
func (c *simCheck) endsWithItsOwnReader() {
	for _, r := range c.readings {
		least := never // when it has to end
		if r.reader.cancelAt > 0 {
			least = r.start + r.reader.cancelAt
		}
		if at := c.plan.interruptAt; at > 0 && (least == never || at < least) {
			least = max(at, r.start)
		}
		told := kindOf(r.err) == toldInterrupted
		switch {
		case least != never && r.end > least:
			c.fail("reader %d, cancelled or interrupted at %s, ended at %s", r.reader.index, least, r.end)
		case told && (least == never || r.end < least):
			c.fail("reader %d is told of an interrupt at %s, and there was none", r.reader.index, r.end)
		case least != never && r.end == least && r.start < least && r.err != nil && !told &&
			r.end-r.start < c.plan.readTimeout && !c.somethingEnded(r.end) && !processEnd(r.err):
			c.fail("reader %d, cancelled or interrupted at %s, is told %v", r.reader.index, least, r.err)
		}
	}
	for _, x := range c.requests {
		if c.plan.interruptAt > 0 && x.sentAt > c.plan.interruptAt {
			c.fail("request %d was sent at %s, after the interrupt at %s", x.number, x.sentAt, c.plan.interruptAt)
		}
	}
}

// somethingEnded tells whether a request ended at that moment.
func (c *simCheck) somethingEnded(at time.Duration) bool {
	return slices.ContainsFunc(c.requests, func(x *simRequest) bool { return !x.left && (x.endAt == at || x.headerAt == at) })
}

// nothingRuns is the end of DESIGN.md, invariant 3: a request goes on only as long as
// somebody waits for it. That no goroutine is left is what the end of the bubble
// shows.
func (c *simCheck) nothingRuns() {
	if c.left != 0 {
		c.fail("%d requests were under way when every reader had ended", c.left)
	}
	for _, x := range c.requests {
		// A request ends with its last reader, and none is sent when nobody is left.
		waits := func(r *simReading) bool {
			concerns := x.token || r.path == x.path && (c.plan.snapshot || r.reader.index == x.reader)
			return concerns && r.start <= x.sentAt && r.end >= x.sentAt
		}
		if !slices.ContainsFunc(c.readings, waits) {
			c.fail("request %d was sent at %s, and no reader waited for it", x.number, x.sentAt)
		}
		if x.endAt == never || x.endAt > c.over {
			c.fail("request %d went on until %s, and every reader had ended at %s", x.number, x.endAt, c.over)
		}
		if x.token || x.endAt == never {
			continue
		}
		during := func(r *simReading) bool {
			return r.path == x.path && (c.plan.snapshot || r.reader.index == x.reader) && r.start <= x.endAt && r.end >= x.endAt
		}
		if !slices.ContainsFunc(c.readings, during) {
			c.fail("request %d for %s went on until %s, and nobody waited for it any more", x.number, x.path, x.endAt)
		}
	}
}

// inOrder is DESIGN.md, invariant 4.
func (c *simCheck) inOrder() {
	if c.plan.way != inMemory {
		return
	}
	for _, q := range c.calls {
		// Since when it waits, and what was under way then.
		ready, under := c.joined(q.reading, q.requests[0].sentAt), 0
		failures := 0
		for _, x := range q.requests {
			for _, r := range c.calls {
				if c.cameBefore(r, q) || q == r {
					continue
				}
				overtook := func(y *simRequest) bool { return y.sentAt > ready && y.sentAt < x.sentAt }
				if i := slices.IndexFunc(r.requests, overtook); i >= 0 {
					if under--; under < 0 {
						c.fail("request %d of reader %d, which came at %s, waited from %s to %s, overtaken by request %d of reader %d, which came at %s",
							x.number, q.reading.reader.index, q.reading.start, ready, x.sentAt,
							r.requests[i].number, r.reading.reader.index, r.reading.start)
					}
				}
			}
			if ready = x.endAt; x.transient() {
				failures++
				ready += time.Duration(float64(simBackOff(failures)) * (1 + 0.25*c.plan.jitter))
			}
			under = 0
			for _, y := range c.requests {
				if y.sentAt <= ready && y.endAt > ready {
					under++
				}
			}
		}
	}
}

// cameBefore tells whether one call came before another, by when its reader came
// or by when he began to ask himself.
func (c *simCheck) cameBefore(a, b *simCall) bool {
	return a.reading.start <= b.reading.start ||
		c.joined(a.reading, a.requests[0].sentAt) <= c.joined(b.reading, b.requests[0].sentAt)
}

// noCredentialTold looks for the secret and the tokens in all that was told.
func (c *simCheck) noCredentialTold() {
	var told strings.Builder
	told.WriteString(c.logged)
	for _, r := range c.readings {
		told.WriteString("\n" + r.told())
	}
	all := told.String()
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
