package catalogue_test

import (
	"errors"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

type ending struct {
	Cause                    int
	Attempts                 int
	Elapsed, Remaining, Wait time.Duration
	WaitingFor               string
	Err                      error
}

const (
	retriesUsedUp = iota
	serviceDown
	waitTooLong
	ceilingTooLow
	timeOver
)

func endOf(err error) (ending, bool) {
	if e, ok := errors.AsType[*catalogue.GaveUpError](err); ok {
		cause := retriesUsedUp
		if e.Timeout {
			cause = timeOver
		} else if e.Outage {
			cause = serviceDown
		}
		return ending{Cause: cause, Attempts: e.Attempts, Elapsed: e.Elapsed, WaitingFor: e.WaitingFor, Err: e.Err}, true
	}
	if e, ok := errors.AsType[*catalogue.WaitTooLongError](err); ok {
		return ending{Cause: waitTooLong, Attempts: e.Attempts, Elapsed: e.Elapsed, Remaining: e.Remaining, Wait: e.RetryAfter, Err: e.Err}, true
	}
	if is[*catalogue.CeilingError](err) {
		return ending{Cause: ceilingTooLow}, true
	}
	return ending{}, false
}

// arrivals are the times at which requests of the route came in.
func arrivals(service *sandbox.Sandbox, route sandbox.Route) (at []time.Time) {
	for _, r := range service.Requests() {
		if r.Route == route {
			at = append(at, r.At)
		}
	}
	return at
}

// wait is what may lie between two requests.
type wait struct{ least, most time.Duration }

func exactly(lengths ...time.Duration) (waits []wait) {
	for _, d := range lengths {
		waits = append(waits, wait{least: d, most: d})
	}
	return waits
}

func expectWaits(t *testing.T, at []time.Time, waits []wait) {
	t.Helper()
	if len(at) != len(waits)+1 {
		t.Errorf("%d requests, want %d", len(at), len(waits)+1)
		return
	}
	for i, want := range waits {
		if got := at[i+1].Sub(at[i]); got < want.least || got > want.most {
			t.Errorf("wait %d took %s, want %s to %s", i+1, got, want.least, want.most)
		}
	}
}

func paused(c *catalogue.Client) time.Duration { return 0 }
