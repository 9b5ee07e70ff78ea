package catalogue_test

import (
	"net/http"
	"slices"
	"time"
)

// simCheck holds one process of a simulation to the rules of DESIGN.md, "What always holds":
// what is sent and when, and what readers are told. It knows what the service saw
// and what callers were told, and nothing of how the client does it.
type simCheck struct {
	*simRun
	requests   []*simRequest // of this process, in the order in which they were sent
	readings   []*simReading // likewise, in the order in which they began
	calls      []*simCall
	rule       string
	violations []simViolation
}

// What became of a request, in the words of the contract.

func (x *simRequest) limited() bool      { return x.status == http.StatusTooManyRequests }
func (x *simRequest) unauthorized() bool { return !x.token && x.status == http.StatusUnauthorized }
func (x *simRequest) redirected() bool   { return x.status >= 300 && x.status < 400 }

// whole tells whether the client has a 200 to its end.
func (x *simRequest) whole() bool { return x.status == http.StatusOK && x.delivered && !x.cut }

// transient tells whether the contract has the request tried again after a
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
	// A page in place of an answer says nothing of the service.
	page := x.status == http.StatusOK && slices.Contains(finalReadFaults, x.fault)
	return !x.token && !x.limited() && !x.unauthorized() && !x.transient() && x.status != 0 && !page
}

// served tells whether the token of a read was accepted for certain.
func (x *simRequest) served() bool { return x.well() && !x.redirected() }

// final tells whether an answer of the token endpoint ends all reads.
func (c *simCheck) final(x *simRequest) bool {
	if !x.token || x.status == 0 || x.limited() || x.transient() {
		return false
	}
	if x.status == http.StatusOK {
		return x.delivered && x.issued == nil
	}
	// Where the form is not understood, JSON is tried next.
	readable := x.delivered && !x.cut
	foreign := x.status == http.StatusUnsupportedMediaType ||
		readable && (x.code == "invalid_request" || x.code == "unsupported_grant_type")
	asked := slices.ContainsFunc(c.requests, func(y *simRequest) bool { return y.asJSON && y.number < x.number })
	return !foreign || x.asJSON || asked
}

// simCall are the requests for one question, with all their attempts. It belongs
// to the reader who asked first; others may share it.
type simCall struct {
	reading  *simReading
	path     string
	requests []*simRequest
}

// last is when the last of its requests ended.
func (c *simCall) last() time.Duration { return c.requests[len(c.requests)-1].endAt }

// callsOf groups requests by who asked.
func (c *simCheck) callsOf() []*simCall {
	type asked struct {
		reader int
		path   string
	}
	var all []*simCall
	by := map[asked]*simCall{}
	for _, x := range c.requests {
		if x.token || x.reader < 0 {
			continue
		}
		key := asked{x.reader, x.path}
		if by[key] == nil {
			by[key] = &simCall{reading: c.readingOf(x), path: x.path}
			all = append(all, by[key])
		}
		by[key].requests = append(by[key].requests, x)
	}
	return all
}

func (c *simCheck) readingOf(x *simRequest) *simReading {
	i := slices.IndexFunc(c.readings, func(r *simReading) bool { return r.reader.index == x.reader && r.path == x.path })
	if i < 0 {
		panic("request for " + x.path + " belongs to no reading")
	}
	return c.readings[i]
}

// joined is when a reader who shared the calls of others began to ask himself.
func (c *simCheck) joined(r *simReading, asked time.Duration) time.Duration {
	since := r.start
	if !c.plan.snapshot {
		return since
	}
	for _, other := range c.readings {
		if other != r && other.path == r.path && other.start <= r.start && other.end >= since && other.end <= asked {
			since = other.end
		}
	}
	for _, call := range c.calls {
		if call.path == r.path && call.reading != r && call.requests[0].sentAt <= asked {
			since = max(since, min(call.last(), asked))
		}
	}
	return since
}

// together is how far apart what happens at once may be: blocks that an engine
// starts together share the failure of a request for a token just before them.
const together = 100 * time.Millisecond

// own are the calls that a reader waited for: his, and those that he shared.
func (c *simCheck) own(r *simReading) []*simCall {
	var all []*simCall
	for _, call := range c.calls {
		shares := c.plan.snapshot && call.path == r.path && call.requests[0].sentAt <= r.end && call.last() >= r.start
		if call.reading == r || shares {
			all = append(all, call)
		}
	}
	return all
}

// concerning are the requests whose failures may be a reader's: those of the
// calls that he waited for, and those for tokens whose end came while he waited.
func (c *simCheck) concerning(r *simReading) []*simRequest {
	var all []*simRequest
	for _, call := range c.own(r) {
		for _, x := range call.requests {
			if x.sentAt <= r.end {
				all = append(all, x)
			}
		}
	}
	for _, x := range c.requests {
		if x.token && x.sentAt <= r.end && x.endAt >= r.start-together {
			all = append(all, x)
		}
	}
	return all
}

// simBackOff is the least wait after so many failures.
func simBackOff(failures int) time.Duration {
	return min(time.Second<<min(failures-1, 10), 30*time.Second)
}

// simMost is the longest: plus a quarter for the jitter.
func simMost(failures int) time.Duration { return simBackOff(failures) * 5 / 4 }

// pauseEnds is how long a 429 keeps every request back: at least, and at most.
func (c *simCheck) pauseEnds(x *simRequest) (least, most time.Duration) {
	if !x.limited() || x.headerAt == never {
		return never, never
	}
	if x.pauseFor > 0 && !x.unnamed {
		return x.pauseUntil, x.pauseUntil
	}
	least = x.pauseUntil
	if !x.unnamed {
		most = x.pauseUntil + 2*time.Second // a date has whole seconds, and so has that of the answer
		if x.pauseUntil > x.headerAt+time.Second {
			return least, most
		}
		// It may have been over when it came, and then it names no wait.
	}
	times := 0
	for _, y := range c.requests {
		if y.number <= x.number && y.unnamed == x.unnamed && y.limited() && y.token == x.token && (x.token || y.path == x.path) {
			times++
		}
	}
	return least, max(most, x.headerAt+simMost(times))
}

// bursts counts the refusals that were not sent together with the one before
// them: nothing is sent in a pause, so these belong to one burst.
func (c *simCheck) bursts(until time.Duration) (bursts int) {
	heard := never
	for _, x := range c.requests {
		if !x.limited() || x.headerAt == never || x.headerAt > until {
			continue
		}
		if heard == never || x.sentAt > heard {
			bursts, heard = bursts+1, x.headerAt
		} else {
			heard = min(heard, x.headerAt)
		}
	}
	return bursts
}
