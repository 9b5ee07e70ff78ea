package provider

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestBlocksThatReadTheSameShareOneRequest(t *testing.T) {
	t.Parallel()
	for name, latency := range map[string]time.Duration{"together": sec, "one after another": 0} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				const groups = 50
				service := sandbox.New(manyGroups(t, groups))
				service.Inject(sandbox.Fault{Delay: latency})
				e := inMemory(t, service, nil)
				var readings []reading
				for range 2 {
					for i := range groups {
						readings = append(readings,
							reading{"model_group_models", arguments{"model_group_id": groupID(i)}},
							reading{"model", arguments{"model_group_id": groupID(i), "revision": 1}})
					}
				}
				if len(readings) != 200 {
					t.Fatalf("%d blocks", len(readings))
				}
				expectAllRead(t, e.readAll(t, 10, readings))
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: groups})
			})
		})
	}
}

// TestBlocksNeverDisagree: a revision is published between two blocks that
// read the same.
func TestBlocksNeverDisagree(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		route    sandbox.Route
		reading  reading
		revision func(state map[string]any) any
	}{
		"model_groups": {route: sandbox.RouteGroups, reading: reading{"model_groups", nil}, revision: func(state map[string]any) any {
			group, _ := state["model_groups"].([]any)[0].(map[string]any)
			return group["latest_revision"]
		}},
		"model_group": {
			route: sandbox.RouteGroup, reading: reading{"model_group", arguments{"id": groupID(0)}},
			revision: func(state map[string]any) any { return state["latest_revision"] },
		},
		"model_group by name": {
			route: sandbox.RouteGroups, reading: reading{"model_group", arguments{"name": "Group 0"}},
			revision: func(state map[string]any) any { return state["latest_revision"] },
		},
		"latest_model": {
			route: sandbox.RouteLatest, reading: reading{"latest_model", arguments{"model_group_id": groupID(0)}},
			revision: func(state map[string]any) any { return state["revision"] },
		},
		"model_group_models": {
			route: sandbox.RouteModels, reading: reading{"model_group_models", arguments{"model_group_id": groupID(0)}},
			revision: func(state map[string]any) any {
				model, _ := state["models"].([]any)[0].(map[string]any)
				return model["revision"]
			},
		},
		"model": {
			route: sandbox.RouteModels, reading: reading{"model", arguments{"model_group_id": groupID(0), "revision": 1}},
			revision: func(state map[string]any) any { return state["latest_revision"] },
		},
	} {
		for name2, snapshot := range map[string]bool{"one snapshot": true, "snapshot = false": false} {
			t.Run(name+", "+name2, func(t *testing.T) {
				onFakeClock(t, func(t *testing.T) {
					service := sandbox.New(manyGroups(t, 1))
					e := inMemory(t, service, arguments{argSnapshot: snapshot})
					before := e.mustRead(t, test.reading.name, test.reading.config)
					if _, err := service.Publish(groupID(0), json.RawMessage(`{"dockerImage":"image:3"}`)); err != nil {
						t.Fatal(err)
					}
					later := e.mustRead(t, test.reading.name, test.reading.config)
					if got := test.revision(before); got != int64(2) {
						t.Fatalf("revision %v at first, want 2", got)
					}
					if snapshot {
						expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, test.route: 1})
						if !reflect.DeepEqual(before, later) {
							t.Errorf("two blocks of one run differ:\n%v\n%v", before, later)
						}
						// The next run sees it.
						later = inMemory(t, service, nil).mustRead(t, test.reading.name, test.reading.config)
						expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 2, test.route: 2})
					} else {
						expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, test.route: 2})
					}
					if got := test.revision(later); got != int64(3) {
						t.Errorf("revision %v, want 3", got)
					}
				})
			})
		}
	}
}

// TestOtherQuestionsHaveOtherAnswers: what is kept is kept for one question.
func TestOtherQuestionsHaveOtherAnswers(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		e := inMemory(t, service, nil)
		all := e.mustRead(t, "model_groups", nil)
		some := e.mustRead(t, "model_groups", arguments{"time_horizon": "week_ahead"})
		if reflect.DeepEqual(all["model_groups"], some["model_groups"]) {
			t.Error("one horizon has as many groups as all of them")
		}
		e.mustRead(t, "model_groups", arguments{"time_horizon": "week_ahead"})
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroups: 2})
	})
}

func TestAFailureIsNotKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault    sandbox.Fault
		summary  string
		argument string
	}{
		"404": {
			fault: sandbox.Refuse(sandbox.RouteGroup, "NOT_FOUND", "Not yet."), summary: summaryGroupNotFound, argument: "id",
		},
		"503":                            {fault: status(503, "", 0), summary: summaryUnavailable},
		"a shape that is not understood": {fault: status(200, `[]`, 0), summary: summaryUnexpected},
		"a body that is cut":             {fault: sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.CutJSON}, summary: summaryUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				remove := service.Inject(test.fault)
				e := inMemory(t, service, arguments{argMaxRetries: 0})
				for range 2 {
					_, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
					expectError(t, diagnostics, test.argument, test.summary)
				}
				remove()
				e.mustRead(t, "model_group", arguments{"id": mainGroup})
				e.mustRead(t, "model_group", arguments{"id": mainGroup})
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 3})
			})
		})
	}
}
