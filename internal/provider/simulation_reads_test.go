package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// What became of a request, in the words of the rules.
func (x *simRequest) limited() bool      { return x.status == http.StatusTooManyRequests }
func (x *simRequest) unauthorized() bool { return !x.token && x.status == http.StatusUnauthorized }

// whole tells whether the client has a 200 to its end.
func (x *simRequest) whole() bool { return x.status == http.StatusOK && x.delivered && !x.cut }

func (x *simRequest) redirected() bool { return x.status >= 300 && x.status < 400 }

// transient tells whether the rules have the request tried again after a
// back-off.
func (x *simRequest) transient() bool {
	switch {
	case x.left && x.status == 0, x.limited(), x.unauthorized():
		return false
	case x.status >= 500, x.status == http.StatusRequestTimeout, x.token && x.code == "temporarily_unavailable":
		return true
	case x.status == 0, x.status == http.StatusOK && (x.timedOut || x.delivered && x.cut):
		return true
	}
	return false
}

// learned is when the client knew of a failure, at the earliest.
func (x *simRequest) learned() time.Duration {
	if x.status != 0 && x.status != http.StatusOK {
		return x.headerAt
	}
	return x.endAt
}

// well tells whether the service answered a read as it should.
func (x *simRequest) well() bool {
	return !x.limited() && !x.unauthorized() && !x.transient() && x.status != 0
}

// simCall are the requests of one question of one reader, in their order.
type simCall struct {
	reading  *simReading
	path     string
	requests []*simRequest
}

// calls are those whose reader is known. A reading that shares the call of
// another, or whose answer was known, has none.
func (c *simCheck) calls() []*simCall {
	var all []*simCall
	by := map[string]*simCall{}
	for _, x := range c.requests {
		if x.token || x.reader < 0 {
			continue
		}
		key := fmt.Sprint(x.reader, x.path)
		if by[key] == nil {
			by[key] = &simCall{reading: c.readingOf(x), path: x.path}
			all = append(all, by[key])
		}
		by[key].requests = append(by[key].requests, x)
	}
	return all
}

func (c *simCheck) readingOf(x *simRequest) *simReading {
	for _, r := range c.readings {
		if r.reader.index == x.reader && slices.Contains(r.paths, x.path) {
			return r
		}
	}
	panic(fmt.Sprintf("request %d for %s belongs to no reading", x.number, x.path))
}

// inOrder is Admission 4.
func (c *simCheck) inOrder() {
	if c.plan.way == byNetwork {
		return
	}
	calls := c.calls()
	for _, q := range calls {
		ready, under := q.reading.start, 0 // since when it waits, and what was under way then
		failures := 0
		for _, x := range q.requests {
			for _, r := range calls {
				if r.reading.start <= q.reading.start || q == r {
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

// simBackOff is the least wait after so many failures.
func simBackOff(failures int) time.Duration {
	return min(time.Second<<min(failures-1, 10), 30*time.Second)
}

// noMoreAttempts counts attempts as max_retries does.
func (c *simCheck) noMoreAttempts() {
	for _, call := range c.calls() {
		attempts, renewals := 0, 0
		for _, x := range call.requests {
			switch {
			case x.unauthorized():
				renewals++
			case !x.limited() && !x.left:
				attempts++
			}
		}
		if attempts > c.plan.maxRetries+1 {
			c.fail("reader %d made %d attempts for %s, with a max_retries of %d",
				call.reading.reader.index, attempts, call.path, c.plan.maxRetries)
		}
		if renewals > 3 {
			c.fail("reader %d was refused %d times for %s", call.reading.reader.index, renewals, call.path)
		}
	}
}

// noEarlierAttempt wants 1 s, 2 s, 4 s and so on before a further attempt.
func (c *simCheck) noEarlierAttempt() {
	for _, call := range c.calls() {
		c.spaced(call.requests)
	}
	// Those who wait for a token share its attempts: a run of them is one that
	// the same reader began, who has one question.
	var run []*simRequest
	for _, x := range c.requests {
		if !x.token || c.plan.way == byNetwork || c.asksSeveral(x.reader) {
			continue
		}
		if len(run) > 0 {
			if last := run[len(run)-1]; last.reader != x.reader || last.issued != nil && !last.transient() || last.left {
				run = nil
			}
		}
		run = append(run, x)
		if len(run) > 1 {
			c.spaced(run)
		}
	}
}

// asksSeveral tells whether a reader has several questions, each a read of its own.
func (c *simCheck) asksSeveral(reader int) bool {
	return slices.ContainsFunc(c.plan.readers, func(r simReader) bool { return r.index == reader && len(r.groups) > 1 })
}

func (c *simCheck) spaced(requests []*simRequest) {
	failures, unnamed := 0, 0
	for i, x := range requests[:len(requests)-1] {
		var wait time.Duration
		if x.unnamed && x.limited() {
			unnamed++
			wait = simBackOff(unnamed)
		} else if unnamed = 0; x.transient() {
			failures++
			wait = simBackOff(failures)
		}
		if next := requests[i+1]; next.sentAt < x.learned()+wait {
			c.fail("request %d was sent at %s, and request %d had failed at %s: want %s between them",
				next.number, next.sentAt, x.number, x.learned(), wait)
		}
	}
}

// oneAttemptInAnOutage: after a read gave up, and nothing came back well since
// it began, later reads make one attempt, until one comes back well.
func (c *simCheck) oneAttemptInAnOutage() {
	wellBetween := func(from, to time.Duration) bool {
		return slices.ContainsFunc(c.requests, func(x *simRequest) bool {
			return x.headerAt != never && x.well() && x.endAt >= from && x.headerAt <= to
		})
	}
	for _, gaveUp := range c.calls() {
		r, failures := gaveUp.reading, 0
		for _, x := range gaveUp.requests {
			if x.transient() && !x.left && x.endAt <= r.end {
				failures++
			}
		}
		if failures <= c.plan.maxRetries || r.cancelled || r.answer != "" || wellBetween(r.start, r.end) {
			continue
		}
		for _, later := range c.calls() {
			if later.reading.start <= r.end {
				continue
			}
			for i, x := range later.requests[:len(later.requests)-1] {
				if x.transient() && !wellBetween(r.start, x.endAt) {
					c.fail("reader %d gave up at %s and nothing came back well since, "+
						"but reader %d, which came at %s, made request %d after request %d had failed",
						r.reader.index, r.end, later.reading.reader.index, later.reading.start, later.requests[i+1].number, x.number)
					break
				}
			}
		}
	}
}

// atOnceWhereAPauseDoesNotFit: a pause that outlasts a reader's time fails it
// at once, wherever it waits.
func (c *simCheck) atOnceWhereAPauseDoesNotFit() {
	for _, refusal := range c.requests {
		if refusal.pauseUntil == never || refusal.unnamed || refusal.headerAt == never {
			continue
		}
		for _, r := range c.readings {
			if r.start+c.plan.readTimeout >= refusal.pauseUntil || r.end <= refusal.headerAt || r.start >= refusal.pauseUntil {
				continue
			}
			latest := max(refusal.endAt, r.start)
			for _, x := range c.requests {
				// What the service says of a pause is in the body, which may come late.
				own, told := slices.Contains(r.paths, x.path), x.limited() && x.pauseUntil > r.start+c.plan.readTimeout
				if (own || told) && x.sentAt <= refusal.headerAt && x.endAt > refusal.headerAt {
					latest = max(latest, x.endAt)
				}
			}
			if r.end > latest {
				c.fail("reader %d, with time until %s, ended at %s, though request %d announced a pause until %s at %s",
					r.reader.index, r.start+c.plan.readTimeout, r.end, refusal.number, refusal.pauseUntil, refusal.headerAt)
			}
		}
	}
}

// answersAreTheRecords: what a reader has is what the service sent for it.
func (c *simCheck) answersAreTheRecords() {
	for _, r := range c.readings {
		if (r.answer == "") == (len(r.summaries) == 0) {
			c.fail("reader %d has the answer %q and the diagnostics %q", r.reader.index, r.answer, r.summaries)
			continue
		}
		if r.answer == "" {
			continue
		}
		parts := strings.Split(r.answer, "|")
		for i, path := range r.paths {
			sent := func(x *simRequest) bool {
				afresh := c.plan.snapshot || c.plan.way == byNetwork || x.reader == r.reader.index && x.sentAt >= r.start
				return x.path == path && x.whole() && x.headerAt <= r.end && afresh && x.answer == parts[i]
			}
			if len(parts) != len(r.paths) || !slices.ContainsFunc(c.requests, sent) {
				c.fail("reader %d has %q, which no answer for %s told it", r.reader.index, r.answer, path)
			}
		}
	}
}

// oneSnapshot: under snapshot two readers agree, and a question that was
// answered is not asked again, nor twice at once.
func (c *simCheck) oneSnapshot() {
	if !c.plan.snapshot {
		return
	}
	known := map[string]string{}
	for _, r := range c.readings {
		if parts := strings.Split(r.answer, "|"); len(parts) == len(r.paths) && r.answer != "" {
			for i, path := range r.paths {
				if other, ok := known[path]; ok && other != parts[i] {
					c.fail("reader %d has %q for %s, another %q", r.reader.index, parts[i], path, other)
				}
				known[path] = parts[i]
			}
		}
	}
	last := map[string]*simRequest{}
	for _, x := range c.requests {
		if x.token {
			continue
		}
		if before := last[x.path]; before != nil {
			if x.sentAt < before.endAt {
				c.fail("requests %d and %d for %s were under way at once", before.number, x.number, x.path)
			}
			if before.answer != "" && before.whole() && !before.left && x.sentAt > before.endAt {
				c.fail("request %d asks %s again, which request %d had answered", x.number, x.path, before.number)
			}
		}
		last[x.path] = x
	}
}
