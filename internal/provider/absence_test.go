package provider

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// sought is a thing that is looked for in an answer which may have been kept
// from before it was there.
type sought struct {
	route           sandbox.Route
	present, absent reading
	appear          func(*testing.T, *sandbox.Sandbox) // from here on the service has what absent names
	lacking         outcome
}

// publishThree publishes revision 3, since manyGroups has the revisions 1 and 2.
func publishThree(t *testing.T, service *sandbox.Sandbox) {
	t.Helper()
	if _, err := service.Publish(groupID(0), nil); err != nil {
		t.Fatal(err)
	}
}

var soughtInAnswers = map[string]sought{
	"a revision": {
		sandbox.RouteModels, pinning(1), pinning(3), publishThree,
		outcome{"revision", explain.SummaryRevisionNotFound, []string{"no revision 3"}},
	},
	"a revision of a fleet": {
		sandbox.RouteModels,
		reading{"pinned_models", arguments{"revisions": pins(1, 1)}},
		reading{"pinned_models", arguments{"revisions": pins(1, 3)}},
		publishThree,
		outcome{`revisions["group-000"]`, explain.SummaryRevisionNotFound, []string{"no revision 3"}},
	},
	"a name": {
		sandbox.RouteGroups,
		reading{"model_group", arguments{"name": "Group 0"}},
		reading{"model_group", arguments{"name": "Group 3"}},
		func(_ *testing.T, service *sandbox.Sandbox) {
			rename := respell(sandbox.RouteGroups, "Group 0", "Group 3")
			rename.Delay = sec / 10
			service.Inject(rename)
		},
		outcome{"name", explain.SummaryGroupNotFound, []string{`"Group 3"`}},
	},
}

// pinning reads one revision of the first group.
func pinning(revision int) reading {
	return reading{"model", arguments{"model_group_id": groupID(0), "revision": revision}}
}

// TestAKeptAnswerProvesNoAbsence: a block looks for what was published after
// the answer that is kept. One more request serves all who miss it, and a plan
// that misses nothing sends what it always sent.
func TestAKeptAnswerProvesNoAbsence(t *testing.T) {
	t.Parallel()
	const blocks = 200
	for what, thing := range soughtInAnswers {
		for _, snapshot := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, snapshot %t", what, snapshot), func(t *testing.T) {
				onFakeClock(t, func(t *testing.T) {
					service := sandbox.New(manyGroups(t, 1))
					e := inMemory(t, service, arguments{argSnapshot: snapshot})
					slow := sandbox.Fault{Route: thing.route, Delay: sec / 10} // so that blocks meet
					remove := service.Inject(slow)
					look := func(r reading, atOnce, requests int, want outcome) {
						t.Helper()
						time.Sleep(sec) // what is kept is from before
						before := service.Count(thing.route)
						for _, a := range e.readAll(t, atOnce, slices.Repeat([]reading{r}, blocks)) {
							want.expect(t, a.state, a.diagnostics)
						}
						if !snapshot {
							requests = blocks
						}
						if sent := service.Count(thing.route) - before; sent > requests || sent < min(1, requests) || !snapshot && sent != requests {
							t.Errorf("%v: %d more requests, want %d", r, sent, requests)
						}
					}
					look(thing.absent, blocks, 1, thing.lacking) // nothing is kept
					look(thing.absent, blocks, 1, thing.lacking)
					look(thing.absent, 10, blocks/10, thing.lacking)
					look(thing.present, 10, 0, outcome{})
					remove()
					thing.appear(t, service)
					service.Inject(slow)
					look(thing.absent, 10, 1, outcome{})
					look(thing.absent, blocks, 0, outcome{})
				})
			})
		}
	}
}

// TestAFailureToAskAgainIsTold: where the service fails when it is asked once
// more, the block fails with that, and not with an absence that nobody knows of.
func TestAFailureToAskAgainIsTold(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 1))
		e := inMemory(t, service, arguments{argMaxRetries: 0})
		e.mustRead(t, "model", pinning(1).config)
		time.Sleep(sec)
		remove := service.Inject(sandbox.Fault{Route: sandbox.RouteModels, Status: 503})
		expectError(t, e.refused(t, "model", pinning(3).config), "", explain.SummaryUnavailable)
		// What was kept still serves those who find in it what they look for.
		e.mustRead(t, "model", pinning(1).config)
		remove()
		publishThree(t, service)
		// Those who read the same afterwards see the newer answer, and agree.
		for _, revision := range []int{3, 1, 2, 3} {
			if got := e.mustRead(t, "model", pinning(revision).config)["latest_revision"]; got != int64(3) {
				t.Errorf("revision %d: the latest is %v, want 3", revision, got)
			}
		}
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: 3})
	})
}
