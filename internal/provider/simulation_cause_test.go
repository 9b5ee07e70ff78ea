package provider

import (
	"net/http"
	"slices"
	"time"
)

// concerning are the requests whose failures a reader can be told: those for its
// questions, by whomever they are shared with, and those for tokens.
func (c *simCheck) concerning(r *simReading) []*simRequest {
	var all []*simRequest
	for _, x := range c.requests {
		switch {
		case x.sentAt > r.end:
		case x.token && x.endAt >= r.start-40*time.Second,
			slices.Contains(r.paths, x.path) && (x.endAt >= r.start || c.plan.snapshot):
			all = append(all, x)
		}
	}
	return all
}

// causesAreTrue: a diagnostic names what the service did.
func (c *simCheck) causesAreTrue() {
	for _, r := range c.readings {
		for _, summary := range r.summaries {
			if !c.caused(r, summary) {
				c.fail("reader %d is told %q at %s, and nothing of the kind happened:\n%s", r.reader.index, summary, r.end, r.details)
			}
		}
	}
}

func (c *simCheck) caused(r *simReading, summary string) bool {
	own := func(happened func(*simRequest) bool) bool {
		return slices.ContainsFunc(c.concerning(r), happened)
	}
	anywhere := func(happened func(*simRequest) bool) bool {
		return slices.ContainsFunc(c.requests, func(x *simRequest) bool {
			return x.headerAt != never && x.headerAt <= r.end && happened(x)
		})
	}
	code := func(codes ...string) func(*simRequest) bool {
		return func(x *simRequest) bool { return !x.token && slices.Contains(codes, x.code) }
	}
	switch summary {
	case summaryInterrupted:
		return true // see endsWithItsOwnReader
	case summaryRateLimited:
		return anywhere((*simRequest).limited)
	case summaryTimeout:
		if c.plan.ceiling > 0 {
			return true // its turn did not come
		}
		return own(func(x *simRequest) bool { return x.timedOut || x.sentAt <= r.end && x.endAt >= r.end })
	case summaryUnreachable:
		return own(func(x *simRequest) bool {
			return x.status == 0 && !x.timedOut && !x.left || x.status == http.StatusOK && x.cut
		})
	case summaryUnavailable:
		return own(func(x *simRequest) bool { return x.status != http.StatusOK && x.status != 0 && x.transient() })
	case summaryRejected:
		return anywhere(func(x *simRequest) bool {
			if x.token || x.bearer == nil {
				return x.code == "invalid_client"
			}
			// A token that runs out on its way was current when it was sent.
			return x.unauthorized() && (x.bearer.revoked || x.sentAt < x.bearer.ends)
		})
	case summaryNoToken:
		return anywhere(func(x *simRequest) bool {
			final := !x.transient() && !x.limited() && (x.status != http.StatusOK || slices.Contains(finalTokenFaults, x.fault))
			// Where only JSON is taken, the refusal of a form is none of it.
			return x.token && final && (c.plan.service.jsonOnly == "" || x.asJSON || x.fault != "")
		})
	case summaryOrganisationDisabled:
		return anywhere(code("ORGANISATION_DISABLED"))
	case summaryUnexpected:
		return own(func(x *simRequest) bool {
			return x.status == http.StatusOK && slices.Contains(finalReadFaults, x.fault)
		})
	case summaryGroupNotFound, summaryGroupOrModels:
		return own(code("NOT_FOUND", "temporarily_unavailable"))
	case summaryInvalidID, summaryInvalidRequest, summaryInvalidHorizon:
		return own(code("VALIDATION_FAILED"))
	case summaryForbidden:
		return own(code("FORBIDDEN"))
	case summaryRedirect:
		return own((*simRequest).redirected) || anywhere(func(x *simRequest) bool { return x.token && x.redirected() })
	case summaryNotAnswered:
		return own(code("CONFLICT", "TEAPOT", "UNAUTHORIZED", "NOT_FOUND", "temporarily_unavailable"))
	}
	return false
}

// noReadFailsWhoseFaultsAreForgiven is Admission 5, counted so that a doubt is
// the client's: a read whose faults are all of the passing kind, fewer than its
// attempts, has to succeed where even the longest of all waits fits in its time.
func (c *simCheck) noReadFailsWhoseFaultsAreForgiven() {
	for _, r := range c.readings {
		if r.answer == "" && !r.cancelled && c.forgiven(r) && c.longest(r) < c.plan.readTimeout {
			c.fail("reader %d is told %q at %s, though its faults are forgiven and all waits take %s at most:\n%s",
				r.reader.index, r.summaries, r.end, c.longest(r), r.details)
		}
	}
}

// forgiven tells whether no fault of a failed reading is final or one too many.
func (c *simCheck) forgiven(r *simReading) bool {
	if slices.ContainsFunc(c.readings, func(other *simReading) bool { return c.processEnd(other) != "" && other.end <= r.end }) {
		// Whether the process had to end is a question of the cause.
		return false
	}
	reads, tokens, refused, budget := 0, 0, 0, c.plan.maxRetries
	for _, x := range c.concerning(r) {
		if x.transient() && c.perhapsInAnOutage(r, x.endAt) {
			budget = 0
		}
		switch {
		case x.transient() && x.token:
			tokens++
		case x.transient():
			reads++
		case x.unauthorized():
			refused++
		case x.token && c.plan.service.jsonOnly != "" && !x.asJSON:
			// JSON is tried next.
		case x.status != 0 && x.status != http.StatusOK && !x.limited(),
			x.status == http.StatusOK && (slices.Contains(finalReadFaults, x.fault) || slices.Contains(finalTokenFaults, x.fault)):
			return false
		}
	}
	return reads <= budget && tokens <= budget && refused <= 2
}

// perhapsInAnOutage tells whether another reader had failed at that moment and
// nothing had come back well since.
func (c *simCheck) perhapsInAnOutage(r *simReading, at time.Duration) bool {
	return slices.ContainsFunc(c.readings, func(other *simReading) bool {
		return other != r && other.answer == "" && other.end <= at && !slices.ContainsFunc(c.requests, func(x *simRequest) bool {
			return !x.token && x.well() && x.headerAt > other.end && x.endAt < at
		})
	})
}

// longest is how long a reading takes where everything that can wait waits for
// everything else.
func (c *simCheck) longest(r *simReading) time.Duration {
	var sum time.Duration
	sent, refusals, accidents := 0, 0, 0
	reads, tokens := 0, 0
	for _, x := range c.requests {
		if x.sentAt > r.end {
			continue
		}
		if x.endAt >= r.start {
			sent++
		}
		if x.limited() && x.headerAt <= r.end {
			if refusals++; x.fault != "allowance" {
				accidents++
			}
			sum += max(0, x.pauseUntil-max(x.headerAt, r.start))
			if sum += time.Second; x.unnamed {
				sum += time.Minute // its back-off may be longer than the first
			}
		}
	}
	for _, x := range c.concerning(r) {
		sum += x.endAt - x.sentAt
		switch {
		case x.transient() && x.token:
			tokens++
			sum += simBackOff(tokens) * 5 / 4
		case x.transient():
			reads++
			sum += simBackOff(reads) * 5 / 4
		}
	}
	if refusals > 0 {
		// After a refusal few are under way at a time.
		for _, x := range c.requests {
			if x.sentAt <= r.end && x.endAt >= r.start {
				sum += x.endAt - x.sentAt
			}
		}
		if accidents > 0 && (refusals > 1 || len(c.requests) > 10) {
			return 24 * time.Hour // what is learned from accidents, or from one after ten requests, says nothing
		}
	}
	if allowance := c.plan.service.allowance; allowance.kind != "" {
		sum += 3*allowance.least(len(c.requests)+len(c.readings)) + 2*allowance.per
	}
	if c.plan.ceiling > 0 {
		sum += time.Duration(float64(sent+2+len(c.readings)) / c.plan.ceiling * float64(time.Second))
	}
	return sum + time.Second
}
