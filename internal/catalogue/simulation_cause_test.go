package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// simTold is what kind of failure a reader is told of.
type simTold string

const (
	toldNothing     simTold = ""
	toldInterrupted simTold = "an interrupt"
	toldRejected    simTold = "rejected credentials"
	toldNoToken     simTold = "no token"
	toldTokensOver  simTold = "tokens that are over when they come"
	toldDisabled    simTold = "a disabled organisation"
	toldLimited     simTold = "a pause"
	toldCeiling     simTold = "the ceiling"
	toldTimeout     simTold = "a time-out"
	toldNetwork     simTold = "a fault of the network"
	toldUnavailable simTold = "a failure of the service"
	toldUnusable    simTold = "an unusable answer"
	toldStatus      simTold = "another status"
	toldAllowance   simTold = "what he waited for"
	toldOther       simTold = "nothing that is known"
)

// kindOf is the kind of an error of the client.
func kindOf(err error) simTold {
	api, isAPI := errors.AsType[*catalogue.APIError](err)
	network, isNetwork := errors.AsType[*catalogue.NetworkError](err)
	switch {
	case err == nil:
		return toldNothing
	case errors.Is(err, context.Canceled) && !isAPI && !isNetwork:
		return toldInterrupted
	case is[*catalogue.InterruptedError](err):
		return toldInterrupted
	case is[*catalogue.RejectedError](err):
		// Only these two mean the credentials.
		if isAPI && (api.Method == http.MethodGet || api.Code == "invalid_client") {
			return toldRejected
		}
		return toldNoToken
	case is[*catalogue.CeilingError](err):
		return toldCeiling
	case is[*catalogue.TokenError](err):
		return toldTokensOver
	case is[*catalogue.WaitTooLongError](err), isAPI && api.Is(catalogue.ErrRateLimited):
		return toldLimited
	case isNetwork && network.TimedOut:
		return toldTimeout
	case isNetwork:
		return toldNetwork
	case isAPI && api.Is(catalogue.ErrOrganisationDisabled):
		return toldDisabled
	case isAPI && api.Is(catalogue.ErrUnavailable), isAPI && api.Method == http.MethodPost:
		return toldUnavailable
	case isAPI:
		return toldStatus
	case is[*catalogue.UnusableAnswerError](err):
		return toldUnusable
	}
	if gaveUp, ok := errors.AsType[*catalogue.GaveUpError](err); ok && gaveUp.WaitingFor != "" {
		return toldAllowance
	}
	return toldOther
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// processEnd tells whether an error ends the whole process.
func processEnd(err error) bool {
	kind := kindOf(err)
	return kind == toldRejected || kind == toldNoToken || kind == toldDisabled
}

// of is the request that an error tells of, by the id that its answer had; nil
// where it had none.
func (c *simCheck) of(err error) *simRequest {
	id := ""
	if api, ok := errors.AsType[*catalogue.APIError](err); ok {
		id = api.RequestID
	} else if unusable, ok := errors.AsType[*catalogue.UnusableAnswerError](err); ok {
		id = unusable.RequestID
	}
	id, _, _ = strings.Cut(strings.TrimPrefix(id, "request-"), " ")
	number, err := strconv.Atoi(id)
	if err != nil {
		return nil
	}
	i := slices.IndexFunc(c.requests, func(x *simRequest) bool { return x.number == number })
	if i < 0 {
		return nil
	}
	return c.requests[i]
}

// causesAreTrue is the second half of DESIGN.md, invariant 5: an error tells what the service
// did, to this reader, while he waited.
func (c *simCheck) causesAreTrue() {
	for _, r := range c.readings {
		if kind := kindOf(r.err); kind != toldNothing && !c.caused(r, kind) {
			c.fail("reader %d is told of %s at %s, and that was not his cause: %v", r.reader.index, kind, r.end, r.err)
		}
	}
}

func (c *simCheck) caused(r *simReading, kind simTold) bool {
	own := func(happened func(*simRequest) bool) bool {
		x := c.of(r.err)
		return slices.ContainsFunc(c.concerning(r), func(y *simRequest) bool {
			return (x == nil || x == y) && y.endAt >= r.start && happened(y)
		})
	}
	anywhere := func(happened func(*simRequest) bool) bool {
		return slices.ContainsFunc(c.requests, func(x *simRequest) bool {
			return x.headerAt != never && x.headerAt <= r.end && happened(x)
		})
	}
	switch kind {
	case toldInterrupted:
		return true // see endsWithItsOwnReader
	case toldLimited:
		return c.paused(r)
	case toldAllowance:
		// He is told that he waited for it, or for a token after one was refused.
		return anywhere(func(x *simRequest) bool { return x.limited() || x.unauthorized() })
	case toldCeiling:
		return c.plan.ceiling.Requests > 0
	case toldTimeout:
		at, _ := errors.AsType[*catalogue.NetworkError](r.err)
		return own(func(x *simRequest) bool {
			return strings.HasSuffix(at.Path, x.path) && (x.timedOut || x.sentAt <= r.end && x.endAt >= r.end)
		})
	case toldNetwork:
		return own(func(x *simRequest) bool {
			return x.status == 0 && !x.timedOut && !x.left || x.status == http.StatusOK && x.cut
		})
	case toldUnavailable:
		return own(func(x *simRequest) bool { return x.status != http.StatusOK && x.status != 0 && x.transient() })
	case toldRejected:
		return anywhere(func(x *simRequest) bool { return x.token && x.code == "invalid_client" || c.mayProve(x) })
	case toldNoToken:
		return anywhere(func(x *simRequest) bool { return c.final(x) })
	case toldTokensOver:
		all := slices.DeleteFunc(c.tokens(), func(t *simToken) bool { return t.known > r.end })
		if len(all) < 3 || all[len(all)-1].known < r.start {
			return false
		}
		return !anywhere(func(x *simRequest) bool { return slices.Contains(all[len(all)-3:], x.bearer) })
	case toldDisabled:
		return anywhere(func(x *simRequest) bool { return !x.token && x.code == "ORGANISATION_DISABLED" })
	case toldUnusable:
		return own(func(x *simRequest) bool {
			return x.status == http.StatusOK && slices.Contains(finalReadFaults, x.fault)
		})
	case toldStatus:
		api, _ := errors.AsType[*catalogue.APIError](r.err)
		return own(func(x *simRequest) bool {
			return !x.token && x.status == api.Status && (api.Code == "" || x.code == api.Code)
		})
	default:
		return false
	}
}

// paused tells whether a pause lasted while a reader waited, of the length that he
// is told.
func (c *simCheck) paused(r *simReading) bool {
	tooLong, isTooLong := errors.AsType[*catalogue.WaitTooLongError](r.err)
	return slices.ContainsFunc(c.requests, func(x *simRequest) bool {
		_, most := c.pauseEnds(x)
		if !x.limited() || x.headerAt == never || x.headerAt > r.end || most < r.start {
			return false
		}
		if !isTooLong || tooLong.RetryAfter == 0 {
			return true
		}
		lasts := most >= r.start+c.plan.readTimeout
		return lasts && (x.pauseFor == 0 || x.pauseFor == tooLong.RetryAfter)
	})
}

// wordsAreTheReadersOwn: how long an error says it took, and how many attempts, is
// what this reader saw.
func (c *simCheck) wordsAreTheReadersOwn() {
	for _, r := range c.readings {
		var attempts int
		var elapsed time.Duration
		if gaveUp, ok := errors.AsType[*catalogue.GaveUpError](r.err); ok {
			attempts, elapsed = gaveUp.Attempts, gaveUp.Elapsed
		} else if tooLong, ok := errors.AsType[*catalogue.WaitTooLongError](r.err); ok && tooLong.Elapsed > 0 {
			attempts, elapsed = tooLong.Attempts, tooLong.Elapsed
		} else {
			continue
		}
		if took := r.end - r.start; elapsed != took && !processEnd(r.err) {
			c.fail("reader %d took %s and is told %s: %v", r.reader.index, took, elapsed, r.err)
		}
		if most := len(c.concerning(r)); attempts > most {
			c.fail("reader %d is told of %d attempts, and there were %d: %v", r.reader.index, attempts, most, r.err)
		}
	}
}

// String names a request for violations.
func (x *simRequest) String() string {
	return fmt.Sprintf("request %d for %s, sent at %s: %d %s", x.number, x.path, x.sentAt, x.status, x.code)
}
