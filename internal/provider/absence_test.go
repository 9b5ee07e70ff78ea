package provider

import (
	"bytes"
	"net/http"
	"slices"
	"testing"
	"time"

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
		route:   sandbox.RouteModels,
		present: reading{"model", arguments{"model_group_id": groupID(0), "revision": 1}},
		absent:  reading{"model", arguments{"model_group_id": groupID(0), "revision": 3}},
		appear:  publishThree,
		lacking: outcome{argument: "revision", summary: summaryRevisionNotFound, says: []string{"no revision 3"}},
	},
	"a revision of a fleet": {
		route:   sandbox.RouteModels,
		present: reading{"pinned_models", arguments{"revisions": map[string]any{groupID(0): 1}}},
		absent:  reading{"pinned_models", arguments{"revisions": map[string]any{groupID(0): 3}}},
		appear:  publishThree,
		lacking: outcome{
			argument: `revisions["` + groupID(0) + `"]`, summary: summaryRevisionNotFound, says: []string{"no revision 3"},
		},
	},
	"a name": {
		route:   sandbox.RouteGroups,
		present: reading{"model_group", arguments{"name": "Group 0"}},
		absent:  reading{"model_group", arguments{"name": "Group 3"}},
		appear: func(_ *testing.T, service *sandbox.Sandbox) {
			rename := func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
				return status, header, bytes.ReplaceAll(body, []byte("Group 0"), []byte("Group 3"))
			}
			service.Inject(sandbox.Fault{Route: sandbox.RouteGroups, Delay: sec / 10, Mutate: rename})
		},
		lacking: outcome{argument: "name", summary: summaryGroupNotFound, says: []string{`"Group 3"`}},
	},
}

// TestAKeptAnswerProvesNoAbsence: a block looks for what was published after
// the answer that is kept. One more request serves all who miss it, and a plan
// that misses nothing sends what it always sent.
func TestAKeptAnswerProvesNoAbsence(t *testing.T) {
	t.Parallel()
	const parallelism = 10 // an engine's own
	for name, test := range map[string]struct {
		fresh       bool // snapshot = false
		keptNothing bool
		missNothing bool
		appears     bool
		blocks      int
		atOnce      int
		least, most int // requests after the answer that is kept
	}{
		"one block":                  {appears: true, blocks: 1, least: 1, most: 1},
		"200 blocks":                 {appears: true, blocks: 200, least: 1, most: 1},
		"200 blocks at once":         {appears: true, blocks: 200, atOnce: 200, least: 1, most: 1},
		"one block, never there":     {blocks: 1, least: 1, most: 1},
		"200 at once, never there":   {blocks: 200, atOnce: 200, least: 1, most: 1},
		"200 blocks, never there":    {blocks: 200, least: 1, most: 200 / parallelism},
		"one block, nothing kept":    {keptNothing: true, blocks: 1, least: 1, most: 1},
		"200 at once, nothing kept":  {keptNothing: true, blocks: 200, atOnce: 200, least: 1, most: 1},
		"one block that misses none": {missNothing: true, appears: true, blocks: 1},
		"200 blocks that miss none":  {missNothing: true, appears: true, blocks: 200},
		"one block, no snapshot":     {fresh: true, appears: true, blocks: 1, least: 1, most: 1},
		"200 blocks, no snapshot":    {fresh: true, appears: true, blocks: 200, least: 200, most: 200},
		"no snapshot, never there":   {fresh: true, blocks: 200, least: 200, most: 200},
	} {
		for what, thing := range soughtInAnswers {
			t.Run(what+", "+name, func(t *testing.T) {
				onFakeClock(t, func(t *testing.T) {
					service := sandbox.New(manyGroups(t, 1))
					e := inMemory(t, service, arguments{argSnapshot: !test.fresh})
					if !test.keptNothing {
						e.mustRead(t, thing.present.name, thing.present.config)
					}
					// What is kept is from before the blocks below.
					time.Sleep(sec)
					if test.appears {
						thing.appear(t, service)
					}
					// An answer takes a while, so that blocks meet.
					service.Inject(sandbox.Fault{Route: thing.route, Delay: sec / 10})
					before := service.Count(thing.route)

					look, want := thing.absent, thing.lacking
					if test.missNothing {
						look = thing.present
					}
					if test.appears {
						want = outcome{}
					}
					for _, a := range e.readAll(t, max(parallelism, test.atOnce), slices.Repeat([]reading{look}, test.blocks)) {
						want.expect(t, a.state, a.diagnostics)
					}
					if sent := service.Count(thing.route) - before; sent < test.least || sent > test.most {
						t.Errorf("%d more requests, want %d to %d", sent, test.least, test.most)
					}
				})
			})
		}
	}
}

// TestWhatIsAskedAgainIsKept: blocks that read the same after the answer was
// asked for once more see the newer one, and agree.
func TestWhatIsAskedAgainIsKept(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 1))
		e := inMemory(t, service, nil)
		pin := func(revision int) arguments {
			return arguments{"model_group_id": groupID(0), "revision": revision}
		}
		e.mustRead(t, "model", pin(1))
		time.Sleep(sec)
		publishThree(t, service)
		for _, revision := range []int{3, 1, 2, 3} {
			if got := e.mustRead(t, "model", pin(revision))["latest_revision"]; got != int64(3) {
				t.Errorf("revision %d: the latest is %v, want 3", revision, got)
			}
		}
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: 2})
	})
}

// TestAFailureToAskAgainIsTold: where the service fails when it is asked once
// more, the block fails with that, and not with an absence that nobody knows of.
func TestAFailureToAskAgainIsTold(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 1))
		e := inMemory(t, service, arguments{argMaxRetries: 0})
		pin := arguments{"model_group_id": groupID(0), "revision": 1}
		e.mustRead(t, "model", pin)
		time.Sleep(sec)
		remove := service.Inject(sandbox.Fault{Route: sandbox.RouteModels, Status: 503})
		_, diagnostics := e.read(t.Context(), t, "model", pin.with("revision", 3))
		expectError(t, diagnostics, "", summaryUnavailable)
		// What was kept still serves those who find in it what they look for.
		e.mustRead(t, "model", pin)
		remove()
		publishThree(t, service)
		e.mustRead(t, "model", pin.with("revision", 3))
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: 3})
	})
}
