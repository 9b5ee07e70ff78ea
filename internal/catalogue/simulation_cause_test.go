package catalogue_test

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// causesAreTrue checks invariant 5: a read fails only for an unforgiven cause, and its error has that cause and the
// reader's own times.
func (c *simCheck) causesAreTrue() {
	for _, r := range c.readings {
		end, gaveUp := endOf(r.err)
		took := r.end - r.start
		switch {
		case r.err == nil:
		case gaveUp && (end.Elapsed != took || end.Remaining != r.timeout-took):
			c.fail("reader %d had %s and took %s, and its error has other times: %+v", r.index, r.timeout, took, end)
		case !(blame{simCheck: c, r: r, about: c.answerOf(r.err), end: end}).isTrue():
			c.fail("reader %d had %s, took %s and ended at %s, and that was not its cause: %+v: %v",
				r.index, r.timeout, took, r.end, end, r.err)
		}
	}
}

// answerOf returns the request of the answer in an error, by its id, or nil.
func (c *simCheck) answerOf(err error) *request {
	id := ""
	if api, ok := errors.AsType[*catalogue.APIError](err); ok {
		id = api.RequestID
	} else if unusable, ok := errors.AsType[*catalogue.UnusableAnswerError](err); ok {
		id = unusable.RequestID
	}
	number, err := strconv.Atoi(strings.TrimPrefix(id, "request-"))
	if err != nil || number >= len(c.requests) {
		return nil
	}
	return c.requests[number]
}

// blame is a failed read, and the cause in its error.
type blame struct {
	*simCheck
	r     *simReading
	about *request // with the answer quoted in the error, or nil
	end   ending   // of a read that gave up
}

func (b blame) isTrue() bool {
	if b.about != nil && b.about.sentAt > b.r.end {
		return false
	}
	if _, gaveUp := endOf(b.r.err); gaveUp {
		strange := b.about != nil && b.about.path != b.r.path && !b.about.token && !b.about.limited()
		return !strange && endings[b.end.Cause](b)
	}
	isCause, known := causes[kindOf(b.r.err)]
	return known && isCause(b)
}

// anywhere reports whether something happened to a request of the process before the read ended, or to the one quoted in
// its error.
func (b blame) anywhere(happened func(*request) bool) bool {
	return slices.ContainsFunc(b.requests, func(x *request) bool {
		known := min(x.headerAt, x.endAt) <= b.r.end
		return known && (b.about == nil || b.about == x) && happened(x)
	})
}

// own does the same for the requests of the read's own question.
func (b blame) own(happened func(*request) bool) bool {
	return b.anywhere(func(x *request) bool {
		return x.path == b.r.path && happened(x)
	})
}

// causes are the conditions for each kind of error of a read that does not give up.
var causes = map[errorKind]func(blame) bool{
	kindInterrupted: func(blame) bool {
		return true // inTime checks the moment
	},
	kindRejected: func(b blame) bool {
		return b.anywhere(func(x *request) bool {
			return x.token && x.code == "invalid_client" || x.unauthorized() && b.isProof(x.with)
		})
	},
	kindRejections: func(b blame) bool {
		return len(filter(b.of(b.r.path), (*request).unauthorized)) > maxRejections
	},
	kindNoToken: func(b blame) bool {
		return b.anywhere(func(x *request) bool {
			return x.token && x.status != 0 && x.issued == nil && !x.transient() && !x.limited()
		})
	},
	kindDisabled: func(b blame) bool {
		return b.anywhere(func(x *request) bool {
			return !x.token && x.code == "ORGANISATION_DISABLED"
		})
	},
	kindUnusable: func(b blame) bool {
		return b.own(func(x *request) bool {
			return x.status == 200 && x.answer == ""
		})
	},
	kindStatus: func(b blame) bool {
		api, _ := errors.AsType[*catalogue.APIError](b.r.err)
		return b.own(func(x *request) bool {
			return x.passed() && x.status == api.Status && (api.Code == "" || x.code == api.Code)
		})
	},
}

// endings are the conditions for each cause of a read that gives up.
var endings = map[catalogue.Cause]func(blame) bool{
	catalogue.RetriesUsedUp: func(b blame) bool {
		return b.failedNow() && len(b.failures()) > b.plan.maxRetries
	},
	catalogue.FaultStays: func(b blame) bool {
		stayed := filter(b.failures(), (*request).stays)
		return b.failedNow() && len(stayed) > 1
	},
	catalogue.ServiceDown: func(b blame) bool {
		return b.failedNow() && b.inOutage(false)
	},
	catalogue.AllowanceUsedUp: func(b blame) bool {
		isHeld := b.failedNow() || b.anywhere(func(x *request) bool {
			return x.limited() && b.pausesUntil(x) >= b.r.end
		})
		return isHeld && b.inOutage(true)
	},
	catalogue.WaitTooLong: func(b blame) bool {
		backsOff := b.end.Wait <= longestBackOff && len(b.failures()) > 0
		inGap := b.r.end+b.end.Wait == b.gapAfter(b.r.end)
		return b.end.Wait >= b.end.Remaining && (backsOff || inGap || slices.ContainsFunc(b.requests, b.asksToWait))
	},
	catalogue.CeilingTooLow: func(b blame) bool {
		return b.end.Wait >= b.end.Remaining && b.ceilingIsFull()
	},
	catalogue.TimeOver: func(b blame) bool {
		return b.r.end == b.r.deadline() && b.waitIsTold()
	},
}

// failures returns the transient failures of the read's question, and of requests for a token since the last one came.
func (b blame) failures() []*request {
	current := b.current(b.r.end)
	return filter(b.requests, func(x *request) bool {
		past := x.token && current != nil && x.sentAt < current.known
		return !past && x.transient() && x.sentAt <= b.r.end && (x.path == b.r.path || x.token)
	})
}

// failedNow reports whether an attempt failed when the read ended, or the one quoted in its error did.
func (b blame) failedNow() bool {
	return slices.ContainsFunc(b.failures(), func(x *request) bool {
		quoted := b.about == nil || b.about == x
		return quoted && (x.learned() == b.r.end || x.endAt == b.r.end)
	})
}

// inOutage reports whether the read came and ended in an outage: of the allowance, or of the service.
func (b blame) inOutage(usedUp bool) bool {
	return slices.ContainsFunc(b.outages(), func(o simOutage) bool {
		return o.usedUp == usedUp && o.from <= b.r.start && o.to >= b.r.end
	})
}

// asksToWait reports whether an answer asks for the wait in the error.
func (b blame) asksToWait(x *request) bool {
	concerns := x.path == b.r.path || x.token || x.limited()
	if !concerns || x.headerAt > b.r.end {
		return false
	}
	until, named := x.waits()
	if !named && b.end.Wait <= longestBackOff {
		return true
	}
	return until >= b.r.end && b.end.Wait == until-b.r.end
}

// ceilingIsFull reports whether the ceiling is full of the counted requests and the reads before this one.
func (b blame) ceilingIsFull() bool {
	limit := b.plan.ceiling
	if limit.Requests == 0 {
		return false
	}
	end := b.r.end
	counts := filter(b.requests, func(x *request) bool {
		return x.sentAt <= end && x.began()+limit.Per > end
	})
	ahead := filter(b.readings, func(q *simReading) bool {
		return q.end >= end && slices.ContainsFunc(b.readings, func(first *simReading) bool {
			return first.path == q.path && first.start <= b.r.start && first.end >= q.start // it is q, or q has joined it
		})
	})
	itself := 1
	return len(counts)+len(ahead)+itself > limit.Requests
}

// waitIsTold reports whether the error of a read whose time is over names the awaited request, if there is one: its own,
// or else the one for a token. A 429 is named by its header alone.
func (b blame) waitIsTold() bool {
	underWay := func(x *request) bool {
		return x.sentAt < b.r.end && x.endAt >= b.r.end
	}
	waitsFor := filter(b.of(b.r.path), underWay)
	if len(waitsFor) == 0 {
		waitsFor = filter(b.tokens, underWay)
	}
	for _, x := range waitsFor {
		if x.limited() && x.headerAt < b.r.end {
			return b.about == x
		}
	}
	network, ok := errors.AsType[*catalogue.NetworkError](b.end.Err)
	timedOut := ok && network.TimedOut
	if len(waitsFor) == 0 {
		return !timedOut || b.anywhere(func(x *request) bool { return x.timedOut || x.endAt == b.r.end })
	}
	return timedOut && (network.Method == http.MethodPost) == waitsFor[0].token
}
