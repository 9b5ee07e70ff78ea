package provider

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"
)

// simCheck holds a simulation to the rules: what is sent and when, and what
// readers are told. Each rule has a name, which begins its violations.
type simCheck struct {
	*simRun
	rule       string
	violations []string
}

// check returns what is wrong with a run, nil where nothing is.
func (run *simRun) check() []string {
	c := &simCheck{simRun: run}
	for _, rule := range []struct {
		name string
		hold func()
	}{
		{name: "endless", hold: c.notEndless},
		{name: "pause", hold: c.noRequestInAPause},
		{name: "ceiling", hold: c.neverAboveTheCeiling},
		{name: "one token request", hold: c.oneTokenRequestAtATime},
		{name: "token request needed", hold: c.noNeedlessTokenRequest},
		{name: "stall", hold: c.noTokensWithoutReads},
		{name: "token current", hold: c.noReadWithABadToken},
		{name: "time", hold: c.inTime},
		{name: "interrupt", hold: c.endsWithItsOwnReader},
		{name: "nothing runs", hold: c.nothingRuns},
		{name: "rejected", hold: c.silentOnceRejected},
		{name: "order", hold: c.inOrder},
		{name: "attempts", hold: c.noMoreAttempts},
		{name: "back-off", hold: c.noEarlierAttempt},
		{name: "outage", hold: c.oneAttemptInAnOutage},
		{name: "pause that does not fit", hold: c.atOnceWhereAPauseDoesNotFit},
		{name: "answer", hold: c.answersAreTheRecords},
		{name: "snapshot", hold: c.oneSnapshot},
		{name: "secret", hold: c.noCredentialTold},
		{name: "cause", hold: c.causesAreTrue},
		{name: "forgiven", hold: c.noReadFailsWhoseFaultsAreForgiven},
	} {
		c.rule = rule.name
		rule.hold()
	}
	return c.violations
}

func (c *simCheck) fail(format string, args ...any) {
	c.violations = append(c.violations, c.rule+": "+fmt.Sprintf(format, args...))
}

// noRequestInAPause is the first half of Admission 1.
func (c *simCheck) noRequestInAPause() {
	for _, x := range c.requests {
		for _, refusal := range c.requests {
			if refusal.headerAt != never && refusal.headerAt < x.sentAt && x.sentAt < refusal.pauseUntil {
				c.fail("request %d was sent at %s, in the pause that request %d announced at %s until %s",
					x.number, x.sentAt, refusal.number, refusal.headerAt, refusal.pauseUntil)
			}
		}
	}
}

// neverAboveTheCeiling is the other half. In any stretch no more than the
// ceiling allows and one more means that no two are closer than its gap.
func (c *simCheck) neverAboveTheCeiling() {
	if c.plan.ceiling == 0 {
		return
	}
	for i := 1; i < len(c.requests); i++ {
		a, b := c.requests[i-1], c.requests[i]
		if gap := b.sentAt - a.sentAt + time.Nanosecond; gap.Seconds()*c.plan.ceiling < 1 {
			c.fail("requests %d and %d were sent at %s and %s, with a ceiling of %g a second",
				a.number, b.number, a.sentAt, b.sentAt, c.plan.ceiling)
		}
	}
}

// oneTokenRequestAtATime is the first half of Admission 2.
func (c *simCheck) oneTokenRequestAtATime() {
	var last *simRequest
	for _, x := range c.requests {
		if !x.token {
			continue
		}
		if last != nil && x.sentAt < last.endAt {
			c.fail("request %d was sent at %s, while request %d was under way until %s", x.number, x.sentAt, last.number, last.endAt)
		}
		last = x
	}
}

// noNeedlessTokenRequest wants one token request for one refusal or end.
func (c *simCheck) noNeedlessTokenRequest() {
	for _, x := range c.requests {
		if !x.token {
			continue
		}
		var current *simToken
		for _, token := range c.service.issued {
			if token.known != never && token.known < x.sentAt {
				current = token
			}
		}
		if current == nil || current.refused != never && current.refused <= x.sentAt {
			continue
		}
		if renew := current.asked + current.stated - min(10*time.Second, current.stated/10); current.stated == 0 || x.sentAt < renew {
			c.fail("request %d was sent at %s, though token %d was known since %s, stated to live %s and not refused",
				x.number, x.sentAt, current.number, current.known, current.stated)
		}
	}
}

// noTokensWithoutReads: a token is asked for by a read, so four of them in a row
// without a read between them are a stall, unless a pause or the ceiling takes
// longer than the tokens live.
func (c *simCheck) noTokensWithoutReads() {
	allowance, life := c.plan.service.allowance, c.plan.service.tokenLife
	if allowance.requests == 1 && allowance.per > life/2 {
		return // nobody can read there
	}
	issued := 0
	for _, x := range c.requests {
		if issued++; !x.token || x.issued == nil || x.issued.known == never || x.issued.known-x.issued.asked > life/2 || x.left {
			issued = 0
		}
		if issued > 3 && (c.plan.ceiling == 0 || c.plan.ceiling*life.Seconds() > 4) && !c.interruptedNear(x) {
			c.fail("request %d is the fourth for a token in a row, and no read was sent with any of them", x.number)
			return
		}
	}
}

// interruptedNear tells whether readers left shortly before a request, who may
// have been those for whom a token was asked.
func (c *simCheck) interruptedNear(x *simRequest) bool {
	return slices.ContainsFunc(c.readings, func(r *simReading) bool { return r.answer == "" && r.end <= x.sentAt })
}

// noReadWithABadToken is the other half of Admission 2.
func (c *simCheck) noReadWithABadToken() {
	for _, x := range c.requests {
		switch {
		case x.token:
		case x.bearer == nil:
			c.fail("request %d was sent with no token of the service", x.number)
		case x.bearer.refused != never && x.bearer.refused < x.sentAt:
			c.fail("request %d was sent at %s with token %d, which was refused at %s", x.number, x.sentAt, x.bearer.number, x.bearer.refused)
		case x.bearer.stated > 0 && x.sentAt >= x.bearer.asked+x.bearer.stated:
			c.fail("request %d was sent at %s with token %d, asked for at %s to live %s",
				x.number, x.sentAt, x.bearer.number, x.bearer.asked, x.bearer.stated)
		}
	}
}

// inTime is Admission 3: a question ends within its read_timeout.
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
		told := slices.Contains(r.summaries, summaryInterrupted)
		switch {
		case least != never && r.end > least:
			c.fail("reader %d, cancelled or interrupted at %s, ended at %s", r.reader.index, least, r.end)
		case told && (least == never || r.end < least):
			c.fail("reader %d is told of an interrupt at %s, and there was none", r.reader.index, r.end)
		case least != never && r.end == least && r.start < least && r.answer == "" && !told &&
			r.end-r.start < c.plan.readTimeout && !c.somethingEnded(r.end) && c.processEnd(r) == "":
			c.fail("reader %d, cancelled or interrupted at %s, is told %q", r.reader.index, least, r.summaries)
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

// notEndless: no plan takes so many requests.
func (c *simCheck) notEndless() {
	if len(c.requests) >= mostSimRequests {
		c.fail("%d requests were sent", len(c.requests))
		// The other rules compare each with each.
		c.requests = c.requests[:100]
	}
}

// nothingRuns is the end of Admission 3. That no goroutine is left is what the
// end of the bubble shows.
func (c *simCheck) nothingRuns() {
	if c.left != 0 {
		c.fail("%d requests were under way when every reader had ended", c.left)
	}
	for _, x := range c.requests {
		if x.sentAt > c.over || x.endAt == never || x.endAt > c.over {
			c.fail("request %d went on from %s to %s, and every reader had ended at %s", x.number, x.sentAt, x.endAt, c.over)
		}
	}
}

// silentOnceRejected: once a reader was told what ends the process, nothing is
// sent, and everybody is told the same at once.
func (c *simCheck) silentOnceRejected() {
	var first *simReading
	for _, r := range c.readings {
		if c.processEnd(r) != "" && (first == nil || r.end < first.end) {
			first = r
		}
	}
	if first == nil {
		return
	}
	for _, x := range c.requests {
		if x.sentAt > first.end {
			c.fail("request %d was sent at %s, after reader %d was told %q at %s",
				x.number, x.sentAt, first.reader.index, c.processEnd(first), first.end)
		}
	}
	for _, r := range c.readings {
		if r.end <= first.end || r.cancelled {
			continue
		}
		latest := max(first.end, r.start)
		for _, x := range c.requests {
			if slices.Contains(r.paths, x.path) && x.sentAt <= first.end && x.endAt >= first.end {
				latest = max(latest, x.endAt)
			}
		}
		if r.end > latest {
			c.fail("reader %d ended at %s, though the process ended for all at %s", r.reader.index, r.end, first.end)
		}
		if r.start > first.end && r.answer == "" && c.processEnd(r) != c.processEnd(first) {
			c.fail("reader %d is told %q, and reader %d %q", r.reader.index, r.summaries, first.reader.index, first.summaries)
		}
	}
}

// processEnd is the summary that ends the whole process, or "".
func (c *simCheck) processEnd(r *simReading) string {
	redirected := slices.ContainsFunc(c.requests, func(x *simRequest) bool { return x.token && x.redirected() && x.headerAt <= r.end })
	for _, s := range r.summaries {
		if s == summaryRejected || s == summaryNoToken || s == summaryOrganisationDisabled || s == summaryRedirect && redirected {
			return s
		}
	}
	return ""
}

// noCredentialTold looks for the secret and the tokens in all that was told.
func (c *simCheck) noCredentialTold() {
	told := c.logged
	for _, r := range c.readings {
		told += "\n" + r.details
	}
	for what, part := range map[string]string{"secret": c.service.secretPart, "token": c.service.tokenPart} {
		needles := []string{part}
		for shift := range 3 {
			encoded := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), part...))
			needles = append(needles, encoded[(shift*8+5)/6:(shift+len(part))*8/6])
		}
		for _, needle := range needles {
			if i := strings.Index(told, needle); i >= 0 {
				c.fail("the %s stands in …%s…", what, told[max(0, i-100):min(len(told), i+100)])
			}
		}
	}
}
