package catalogue_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestReadersOfTheSameShareOneRequest(t *testing.T) {
	t.Parallel()
	for name, latency := range map[string]time.Duration{"together": sec, "one after another": 0} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				const groups = 50
				service := sandbox.New(manyGroups(t, groups))
				service.Inject(sandbox.Fault{Delay: latency})
				c := connect(t, service)
				var readings []reading
				for range 4 {
					for i := range groups {
						readings = append(readings,
							models(groupID(i)))
					}
				}
				if len(readings) != 200 {
					t.Fatalf("%d blocks", len(readings))
				}
				expectAllRead(t, readAll(t, c, 10, readings))
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: groups})
			})
		})
	}
}

// as is what a reading returned.
func as[T any](t *testing.T, value any) T {
	t.Helper()
	answer, ok := value.(T)
	if !ok {
		t.Fatalf("%T is no %T", value, answer)
	}
	return answer
}

// Readers who ask the same are told the same, though a revision is published
// between them.
func TestReadersNeverDisagree(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		route    sandbox.Route
		reading  reading
		revision func(any) catalogue.Integer
	}{
		"groups": {
			route: sandbox.RouteGroups, reading: groups(""),
			revision: func(v any) catalogue.Integer { return *as[[]*catalogue.ModelGroup](t, v)[0].LatestRevision },
		},
		"a group": {
			route: sandbox.RouteGroup, reading: group(groupID(0)),
			revision: func(v any) catalogue.Integer { return *as[*catalogue.ModelGroup](t, v).LatestRevision },
		},
		"the latest model": {
			route: sandbox.RouteLatest, reading: latestModel(groupID(0)),
			revision: func(v any) catalogue.Integer { return *as[*catalogue.Model](t, v).Revision },
		},
		"models": {
			route: sandbox.RouteModels, reading: models(groupID(0)),
			revision: func(v any) (highest catalogue.Integer) {
				for _, m := range as[[]*catalogue.Model](t, v) {
					highest = max(highest, *m.Revision)
				}
				return highest
			},
		},
	} {
		for name2, settings := range map[string][]setting{"one snapshot": nil, "afresh": {afresh()}} {
			t.Run(name+", "+name2, func(t *testing.T) {
				onFakeClock(t, func(t *testing.T) {
					service := sandbox.New(manyGroups(t, 1))
					c := connect(t, service, settings...)
					before := test.reading.mustRead(t, c)
					if _, err := service.Publish(groupID(0), json.RawMessage(`{"dockerImage":"image:3"}`)); err != nil {
						t.Fatal(err)
					}
					later := test.reading.mustRead(t, c)
					if got := test.revision(before); got != 2 {
						t.Fatalf("revision %d at first, want 2", got)
					}
					if settings == nil {
						expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, test.route: 1})
						if !reflect.DeepEqual(before, later) {
							t.Errorf("two readers of one run differ:\n%v\n%v", before, later)
						}
						// The next run sees it.
						later = test.reading.mustRead(t, connect(t, service))
						expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 2, test.route: 2})
					} else {
						expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, test.route: 2})
					}
					if got := test.revision(later); got != 3 {
						t.Errorf("revision %d, want 3", got)
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
		c := connect(t, service)
		all := groups("").mustRead(t, c)
		some := groups("week_ahead").mustRead(t, c)
		if reflect.DeepEqual(all, some) {
			t.Error("one horizon has as many groups as all of them")
		}
		groups("week_ahead").mustRead(t, c)
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroups: 2})
	})
}

func TestAFailureIsNotKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault    sandbox.Fault
		kind     simTold
		argument string
	}{
		"404": {
			fault: sandbox.Refuse(sandbox.RouteGroup, "NOT_FOUND", "Not yet."), kind: toldStatus, argument: "id",
		},
		"503":                            {fault: status(503, "", 0), kind: toldUnavailable},
		"a shape that is not understood": {fault: status(200, `[]`, 0), kind: toldUnusable},
		"a body that is cut":             {fault: sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.CutJSON}, kind: toldNetwork},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				remove := service.Inject(test.fault)
				c := connect(t, service, maxRetries(0))
				for range 2 {
					err := group(mainGroup).read(t, c).err
					expectError(t, err, test.kind)
				}
				remove()
				group(mainGroup).mustRead(t, c)
				group(mainGroup).mustRead(t, c)
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 3})
			})
		})
	}
}
