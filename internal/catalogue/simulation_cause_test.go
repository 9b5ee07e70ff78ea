package catalogue_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// endsProcess reports whether an error ends the whole process.
func endsProcess(err error) bool {
	kind := kindOf(err)
	return kind == kindRejected || kind == kindNoToken || kind == kindDisabled
}

// cause returns the part of an error that all readers have in common.
func cause(err error) string {
	if rejected, ok := errors.AsType[*catalogue.RejectedError](err); ok {
		return rejected.Error()
	}
	if api, ok := errors.AsType[*catalogue.APIError](err); ok {
		return api.Error()
	}
	return ""
}

// answerOf returns the request that an error is about, by the id that its answer had; nil if it had none.
func (c *simCheck) answerOf(err error) *request {
	id := ""
	if api, ok := errors.AsType[*catalogue.APIError](err); ok {
		id = api.RequestID
	} else if unusable, ok := errors.AsType[*catalogue.UnusableAnswerError](err); ok {
		id = unusable.RequestID
	}
	id, _, _ = strings.Cut(strings.TrimPrefix(id, "request-"), " ")
	number, err := strconv.Atoi(id)
	if err != nil || number >= len(c.requests) {
		return nil
	}
	return c.requests[number]
}

// causesAreTrue checks invariant 5: a read fails only for a cause that the rules do not forgive, and its error has that cause
// and the reader's own times.
func (c *simCheck) causesAreTrue() {
	for _, r := range c.readings {
		end, gaveUp := endOf(r.err)
		took := r.end - r.start
		if r.err != nil && !c.caused(r) || gaveUp && (end.Elapsed != took || end.Remaining != r.timeout-took) {
			c.fail("reader %d had %s, took %s and ended at %s, and that was not its cause: %+v: %v", r.index, r.timeout, took, r.end, end, r.err)
		}
	}
}

func (c *simCheck) caused(r *simReading) bool {
	x := c.answerOf(r.err)
	if x != nil && x.sentAt > r.end {
		return false
	}
	anywhere := func(happened func(*request) bool) bool {
		return slices.ContainsFunc(c.requests, func(y *request) bool {
			return (x == nil || x == y) && y.sentAt <= r.end && (y.endAt == never || y.headerAt <= r.end) && happened(y)
		})
	}
	own := func(happened func(*request) bool) bool {
		return anywhere(func(y *request) bool { return y.path == r.path && happened(y) })
	}
	gaveUp, isGaveUp := endOf(r.err)
	api, isAPI := errors.AsType[*catalogue.APIError](r.err)
	switch kind := kindOf(r.err); {
	case kind == kindInterrupted:
		return true // see endsWithItsOwnReader
	case kind == kindRejected:
		return anywhere(func(y *request) bool { return y.token && y.code == "invalid_client" || c.provesRejection(y) })
	case kind == kindNoToken:
		return anywhere(func(y *request) bool {
			return y.token && y.status != 0 && y.issued == nil && !y.transient() && !y.limited()
		})
	case kind == kindDisabled:
		return anywhere(func(y *request) bool { return !y.token && y.code == "ORGANISATION_DISABLED" })
	case isGaveUp:
		return c.gaveUp(r, gaveUp)
	case kind == kindUnusable:
		return own(func(y *request) bool { return y.status == 200 && y.answer == "" })
	case isAPI && api.Status == 401:
		return len(filter(c.of(r.path), (*request).unauthorized)) >= 5
	case isAPI:
		return own(func(y *request) bool {
			return y.status == api.Status && (api.Code == "" || y.code == api.Code) && !y.transient() && !y.limited()
		})
	}
	return false
}

// provesRejection reports whether the 401 to x can prove that the credentials are rejected: its token replaced one that
// was rejected, and was rejected itself within a minute, before it served a read. If any token has served, the one
// before has to be such a token too.
func (c *simCheck) provesRejection(x *request) bool {
	if !x.unauthorized() {
		return false
	}
	// unproven returns the token before t, if the rejection of t at that moment can be part of a proof.
	unproven := func(t *simToken, at time.Duration) *simToken {
		before := c.current(t.requested)
		served := slices.ContainsFunc(c.requests, func(y *request) bool { return y.with == t && y.served() && y.endAt < at })
		if before == nil || served || at > t.known+time.Minute || c.rejectedAt(before) > t.requested {
			return nil
		}
		return before
	}
	before := unproven(x.with, x.headerAt)
	anyServed := slices.ContainsFunc(c.requests, func(y *request) bool { return y.served() && y.endAt < x.headerAt })
	return before != nil && (!anyServed || unproven(before, c.rejectedAt(before)) != nil)
}

// gaveUp reports whether a read gave up for the cause that its error has.
func (c *simCheck) gaveUp(r *simReading, got ending) bool {
	failed := filter(c.requests, func(x *request) bool {
		return x.transient() && x.sentAt <= r.end && (x.path == r.path || x.token)
	})
	lastFailed := slices.ContainsFunc(failed, func(x *request) bool { return x.learned() == r.end || x.endAt == r.end })
	if x := c.answerOf(got.Err); x != nil && x.path != r.path && !x.token && !x.limited() {
		return false
	}
	switch got.Cause {
	case retriesUsedUp:
		return lastFailed && len(failed) > c.plan.maxRetries
	case serviceDown:
		return lastFailed && slices.ContainsFunc(c.readings, func(q *simReading) bool {
			end, _ := endOf(q.err)
			return q.err != nil && end.Cause == retriesUsedUp && q.end <= r.start && !slices.ContainsFunc(c.requests, func(x *request) bool {
				return x.served() && x.path != q.path && x.endAt > q.start && x.endAt < r.end // else q asks once more
			})
		})
	case waitTooLong:
		return got.Wait > got.Remaining && (got.Wait <= most && len(failed) > 0 || slices.ContainsFunc(c.requests, func(x *request) bool {
			until, named := x.waits()
			own := x.path == r.path || x.token || x.limited()
			exact := until >= r.end && got.Wait >= until-r.end && got.Wait <= until-r.end+maxGap
			return own && x.headerAt != never && x.headerAt <= r.end && (exact || !named && got.Wait <= most+maxGap)
		}))
	case ceilingTooLow:
		counted := filter(c.requests, func(x *request) bool { return x.sentAt <= r.end && x.began()+c.plan.ceiling.Per > r.end })
		ahead := filter(c.readings, func(q *simReading) bool { return q.start <= r.start && q.end >= r.end })
		return got.Wait > got.Remaining && len(counted)+len(ahead)+1 > c.plan.ceiling.Requests && c.plan.ceiling.Requests > 0
	}
	return r.end == r.deadline()
}
