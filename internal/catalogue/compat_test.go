package catalogue_test

import (
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"testing"
	"time"
)

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
