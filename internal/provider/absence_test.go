package provider

import (
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
		sandbox.RouteModels, pinning(1), pinning(3), publishThree, outcome{"revision", summaryRevisionNotFound, []string{"no revision 3"}},
	},
	"a revision of a fleet": {
		sandbox.RouteModels, reading{"pinned_models", arguments{"revisions": pins(1, 1)}}, reading{"pinned_models", arguments{"revisions": pins(1, 3)}},
		publishThree, outcome{`revisions["group-000"]`, summaryRevisionNotFound, []string{"no revision 3"}},
	},
	"a name": {
		sandbox.RouteGroups, reading{"model_group", arguments{"name": "Group 0"}}, reading{"model_group", arguments{"name": "Group 3"}},
		func(_ *testing.T, service *sandbox.Sandbox) {
			rename := respell(sandbox.RouteGroups, "Group 0", "Group 3")
			rename.Delay = sec / 10
			service.Inject(rename)
		},
		outcome{"name", summaryGroupNotFound, []string{`"Group 3"`}},
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
	const parallelism = 10 // an engine's own
	for name, test := range map[string]struct {
		fresh, kept, misses, appears bool // fresh: snapshot = false
		blocks, atOnce               int
		most                         int // requests after the answer that is kept
	}{
		"200 blocks":                {kept: true, misses: true, appears: true, blocks: 200, most: 1},
		"200 blocks at once":        {kept: true, misses: true, appears: true, blocks: 200, atOnce: 200, most: 1},
		"200 at once, never there":  {kept: true, misses: true, blocks: 200, atOnce: 200, most: 1},
		"200 blocks, never there":   {kept: true, misses: true, blocks: 200, most: 200 / parallelism},
		"200 at once, nothing kept": {misses: true, blocks: 200, atOnce: 200, most: 1},
		"200 blocks that miss none": {kept: true, appears: true, blocks: 200},
		"200 blocks, no snapshot":   {fresh: true, kept: true, misses: true, appears: true, blocks: 200, most: 200},
		"no snapshot, never there":  {fresh: true, kept: true, misses: true, blocks: 200, most: 200},
		"one block":                 {kept: true, misses: true, appears: true, blocks: 1, most: 1},
		"one block, never there":    {kept: true, misses: true, blocks: 1, most: 1},
		"one block, nothing kept":   {misses: true, blocks: 1, most: 1},
	} {
		for what, thing := range soughtInAnswers {
			t.Run(what+", "+name, func(t *testing.T) {
				onFakeClock(t, func(t *testing.T) {
					service := sandbox.New(manyGroups(t, 1))
					e := inMemory(t, service, arguments{argSnapshot: !test.fresh})
					if test.kept {
						e.mustRead(t, thing.present.name, thing.present.config)
					}
					time.Sleep(sec) // what is kept is from before the blocks below
					if test.appears {
						thing.appear(t, service)
					}
					service.Inject(sandbox.Fault{Route: thing.route, Delay: sec / 10}) // so that blocks meet
					before := service.Count(thing.route)
					look, want := thing.present, outcome{}
					if test.misses {
						look = thing.absent
					}
					if !test.appears {
						want = thing.lacking
					}
					for _, a := range e.readAll(t, max(parallelism, test.atOnce), slices.Repeat([]reading{look}, test.blocks)) {
						want.expect(t, a.state, a.diagnostics)
					}
					least := min(1, test.most)
					if test.fresh {
						least = test.most
					}
					if sent := service.Count(thing.route) - before; sent < least || sent > test.most {
						t.Errorf("%d more requests, want %d to %d", sent, least, test.most)
					}
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
		expectError(t, e.refused(t, "model", pinning(3).config), "", summaryUnavailable)
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
