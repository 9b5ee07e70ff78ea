package provider

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

func TestConditions(t *testing.T) {
	t.Parallel()
	yes, no := new(true), new(false)
	tags := func(names ...string) (list []*string) {
		for _, name := range names {
			list = append(list, &name)
		}
		return list
	}
	for name, test := range map[string]struct {
		where *whereState
		model catalogue.Model
		unmet string
	}{
		"no argument":          {model: catalogue.Model{Archived: yes}},
		"no condition":         {where: &whereState{}, model: catalogue.Model{Archived: yes}},
		"no tags":              {where: &whereState{Tags: []string{}}},
		"enabled":              {where: &whereState{Enabled: yes}, model: catalogue.Model{Enabled: yes}},
		"is disabled":          {where: &whereState{Enabled: yes}, model: catalogue.Model{Enabled: no}, unmet: "is disabled"},
		"is enabled":           {where: &whereState{Enabled: no}, model: catalogue.Model{Enabled: yes}, unmet: "is enabled"},
		"disabled":             {where: &whereState{Enabled: no}, model: catalogue.Model{Enabled: no}},
		"enabled is not told":  {where: &whereState{Enabled: no}, unmet: "may be enabled or disabled, the service does not say"},
		"archived":             {where: &whereState{Archived: yes}, model: catalogue.Model{Archived: yes}},
		"is archived":          {where: &whereState{Archived: no}, model: catalogue.Model{Archived: yes}, unmet: "is archived"},
		"is not archived":      {where: &whereState{Archived: yes}, model: catalogue.Model{Archived: no}, unmet: "is not archived"},
		"archived is not told": {where: &whereState{Archived: no}, unmet: "may be archived or not archived, the service does not say"},
		"all tags":             {where: &whereState{Tags: []string{"b", "a", "b"}}, model: catalogue.Model{Tags: tags("a", "b", "c")}},
		"lacks one": {
			where: &whereState{Tags: []string{"a", "B"}}, model: catalogue.Model{Tags: tags("a", "b")}, unmet: `lacks the tag "B"`,
		},
		"lacks two": {
			where: &whereState{Tags: []string{"a", "b"}}, model: catalogue.Model{Tags: []*string{nil}}, unmet: `lacks the tags "a", "b"`,
		},
		"a tag in another form": {where: &whereState{Tags: []string{"été"}}, model: catalogue.Model{Tags: tags(norm.NFD.String("été"))}},
		"several": {
			where: &whereState{Enabled: yes, Archived: no, Tags: []string{"a"}}, model: catalogue.Model{Enabled: no, Archived: yes},
			unmet: `is disabled, is archived, lacks the tag "a"`,
		},
	} {
		if got := strings.Join(test.where.unmet(&test.model), ", "); got != test.unmet || test.where.satisfies(&test.model) != (got == "") {
			t.Errorf("%s: %q, want %q", name, got, test.unmet)
		}
	}
}

// where are conditions as a configuration has them.
func where(conditions ...any) map[string]any {
	object := map[string]any{}
	for i := 0; i < len(conditions); i += 2 {
		object[fmt.Sprint(conditions[i])] = conditions[i+1]
	}
	return object
}

// TestTheNewestThatSatisfies: the models of a group are only asked for where the
// latest of them does not satisfy.
func TestTheNewestThatSatisfies(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		where    any
		revision int64
		lists    int
	}{
		"no argument":        {revision: 3},
		"no condition":       {where: where(), revision: 3},
		"the latest":         {where: where("enabled", true, "archived", false, "tags", []any{"power", "DE-LU"}), revision: 3},
		"archived":           {where: where("archived", true), revision: 2, lists: 1},
		"disabled":           {where: where("enabled", false), revision: 2, lists: 1},
		"null says nothing":  {where: where("enabled", nil, "archived", true, "tags", nil), revision: 2, lists: 1},
		"the older of a tag": {where: where("tags", []any{"first"}), revision: 0, lists: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, service := sandboxEngine(t)
			if _, err := service.Republish(mainGroup, 0, []byte(`{"tags": ["first"]}`)); err != nil {
				t.Fatal(err)
			}
			config := arguments{"model_group_id": mainGroup, "where": test.where}
			state := e.mustRead(t, "latest_model", config)
			if state["revision"] != test.revision || state["model_group_id"] != mainGroup {
				t.Errorf("revision %v of %v", state["revision"], state["model_group_id"])
			}
			configured, _ := test.where.(map[string]any)
			for condition, value := range configured {
				if got := asObject(t, state["where"])[condition]; !reflect.DeepEqual(got, value) {
					t.Errorf("where.%s is %v, configured as %v", condition, got, value)
				}
			}
			expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteLatest: 1, sandbox.RouteModels: test.lists})
			fleet := e.mustRead(t, "latest_models", arguments{"model_group_ids": []any{mainGroup}, "where": test.where})
			if model := modelsOf(t, fleet)[mainGroup]; !reflect.DeepEqual(model, any(without(state, "where"))) {
				t.Errorf("in a fleet it is\n%v\n%v", model, state)
			}
			expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteLatest: 1, sandbox.RouteModels: test.lists})
		})
	}
}

func TestNoModelThatSatisfies(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	_, diagnostics := e.read(t.Context(), t, "latest_model", arguments{
		"model_group_id": mainGroup, "where": where("enabled", true, "archived", false, "tags", []any{"power", "gold"}),
	})
	expectError(t, diagnostics, "where", explain.SummaryNoneSatisfies,
		fmt.Sprintf("No revision of model group %q satisfies where = { enabled = true, archived = false, tags = [\"power\", \"gold\"] }:\n"+
			"  - revision 3 lacks the tag \"gold\"\n"+
			"  - revision 2 is disabled, is archived, lacks the tag \"gold\"\n"+
			"  - revision 1 lacks the tag \"gold\"\n"+
			"  - revision 0 lacks the tags \"power\", \"gold\"\n\n", mainGroup), "Ask for less in where, or wait")
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteLatest: 1, sandbox.RouteModels: 1})
	// Without a model there is nothing to look at, and no second request.
	_, diagnostics = e.read(t.Context(), t, "latest_model", arguments{"model_group_id": emptyGroup, "where": where("enabled", true)})
	expectError(t, diagnostics, "model_group_id", explain.SummaryGroupOrModels)
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteLatest: 2, sandbox.RouteModels: 1})
}

// What was looked at is bounded, newest first, and has the latest model also where
// the list lacks it.
func TestWhatWasLookedAt(t *testing.T) {
	t.Parallel()
	var models []*catalogue.Model
	for revision := range int64(25) {
		models = append(models, &catalogue.Model{Revision: new(catalogue.Integer(revision))})
	}
	latest := &catalogue.Model{Revision: new(catalogue.Integer(25)), Archived: new(true)}
	conditions := &whereState{Archived: new(true), Tags: []string{"a"}}
	_, problem := conditions.pick(models, latest, "g", "Do this.")
	if problem == nil || !problem.nothing || !strings.Contains(problem.detail, "satisfies where = { archived = true, tags = [\"a\"] }:\n"+
		"  - revision 25 lacks the tag \"a\"\n  - revision 24 may be archived") ||
		!strings.HasSuffix(problem.detail, "\n  - and 16 others\n\nArchived revisions may be missing here, because the service may leave "+
			"them out.\n\nDo this.") {
		t.Fatalf("%+v", problem)
	}
	if want := `revision 25 lacks the tag "a"; 25 older ones fail too`; problem.short != want {
		t.Errorf("%q, want %q", problem.short, want)
	}
	// Two models of one revision name no single one, unless only one satisfies.
	first, second := &catalogue.Model{Revision: models[3].Revision, Archived: new(true), Tags: []*string{new("a")}}, *models[3]
	if model, problem := conditions.pick([]*catalogue.Model{models[1], first, &second}, latest, "g", ""); problem != nil || model != first {
		t.Errorf("%v, %v", model, problem)
	}
	second = *first
	for _, list := range [][]*catalogue.Model{{models[1], first, &second}, {&second, first}} {
		if _, problem := conditions.pick(list, latest, "g", ""); problem == nil || problem.summary != explain.SummarySeveralModels {
			t.Errorf("%v", problem)
		}
	}
}

func TestAFleetOfTheNewestThatSatisfy(t *testing.T) {
	t.Parallel()
	const groups = 12
	service := sandbox.New(manyGroups(t, groups))
	for i := range groups {
		for revision := range int64(2) {
			if _, err := service.SetEnabled(groupID(i), revision+1, i < 9 && revision == 1 || i == 9 && revision == 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	e := newEngine(t, northwind(sandboxtest.Start(t, service)))
	// Groups that are named and have none are all told at once.
	_, diagnostics := e.read(t.Context(), t, "latest_models", arguments{
		"model_group_ids": append(idsOf(groups), "nowhere"), "where": where("enabled", true),
	})
	expectTold(t, diagnostics,
		outcome{argument: "model_group_ids[10]", summary: explain.SummaryNoneSatisfies, says: []string{
			`No revision of model group "group-010" satisfies where = { enabled = true }:`, "  - revision 1 is disabled", "take the group out",
			"1 more of 13 groups failed the same way:\n  - \"group-011\": revision 2 is disabled; the older one fails too",
		}},
		outcome{argument: "model_group_ids[12]", summary: explain.SummaryGroupOrModels},
	)
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteLatest: 13, sandbox.RouteModels: 3})
	// Groups that were only listed are left out.
	models := modelsOf(t, e.mustRead(t, "latest_models", arguments{"where": where("enabled", true)}))
	older, latest := asObject(t, models[groupID(9)])["revision"], asObject(t, models[groupID(0)])["revision"]
	if older != int64(1) || latest != int64(2) || len(models) != 10 {
		t.Errorf("models of %q", slices.Sorted(maps.Keys(models)))
	}
}

func TestAFleetWhoseLatestSatisfyCostsOneRequestEach(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 300))
		service.Inject(respell(sandbox.RouteLatest, `"revision":2`, `"revision":2,"enabled":true,"archived":false,"tags":["a","b"]`))
		state := inMemory(t, service, nil).mustRead(t, "latest_models", arguments{
			"model_group_ids": idsOf(300), "where": where("enabled", true, "archived", false, "tags", []any{"b", "a"}),
		})
		if n := len(modelsOf(t, state)); n != 300 {
			t.Errorf("%d models", n)
		}
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteLatest: 300})
	})
}

// A revision is published, archived or re-published after the latest model was
// read and before the list is.
func TestAChangeBetweenTheTwoRequests(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change   func(*sandbox.Sandbox) error
		options  []sandbox.Option
		revision int64
	}{
		"none": {change: func(*sandbox.Sandbox) error { return nil }, revision: 1},
		"a newer one that satisfies": {revision: 4, change: func(s *sandbox.Sandbox) error {
			_, err := s.Publish(mainGroup, []byte(`{"enabled": true}`))
			return err
		}},
		"a newer one that does not": {revision: 1, change: func(s *sandbox.Sandbox) error {
			_, err := s.Publish(mainGroup, []byte(`{"enabled": false}`))
			return err
		}},
		"the latest satisfies now": {revision: 3, change: func(s *sandbox.Sandbox) error {
			_, err := s.SetEnabled(mainGroup, 3, true)
			return err
		}},
		"the latest is archived and listed no more": {
			revision: 1, options: []sandbox.Option{sandbox.WithArchivedUnlisted()}, change: func(s *sandbox.Sandbox) error {
				_, err := s.SetArchived(mainGroup, 3, true)
				return err
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, service := sandboxEngine(t, test.options...)
			if _, err := service.SetEnabled(mainGroup, 3, false); err != nil {
				t.Fatal(err)
			}
			var failed error
			service.Inject(sandbox.Fault{Route: sandbox.RouteModels, Times: 1, OnRequest: func(*http.Request) { failed = test.change(service) }})
			state := e.mustRead(t, "latest_model", arguments{"model_group_id": mainGroup, "where": where("enabled", true)})
			if state["revision"] != test.revision || state["enabled"] != true || failed != nil {
				t.Errorf("revision %v, want %d; %v", state["revision"], test.revision, failed)
			}
			expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteLatest: 1, sandbox.RouteModels: 1})
		})
	}
}

// A list may be older than the latest model, where another block has read it
// before. It serves where it is as new.
func TestAListReachesTheLatestModel(t *testing.T) {
	t.Parallel()
	model := func(revision int64, archived *bool) *catalogue.Model {
		return &catalogue.Model{Revision: new(catalogue.Integer(revision)), Archived: archived}
	}
	list := []*catalogue.Model{model(1, nil), model(3, nil)}
	for _, test := range []struct {
		latest *catalogue.Model
		want   bool
	}{
		{model(3, nil), true},
		{model(2, new(false)), true},
		{model(4, nil), false},
		{model(4, new(false)), false},
		{model(4, new(true)), true}, // the service may leave it out
	} {
		if got := reaches(list, test.latest); got != test.want {
			t.Errorf("latest %d: %t, want %t", int64(*test.latest.Revision), got, test.want)
		}
	}
}

// A failure of the second request is told as that of any list of models.
func TestTheSecondRequestFails(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(sandbox.Refuse(sandbox.RouteModels, "FORBIDDEN", "Not you."))
	_, diagnostics := e.read(t.Context(), t, "latest_model", arguments{"model_group_id": mainGroup, "where": where("enabled", false)})
	expectError(t, diagnostics, "", explain.SummaryForbidden, "Not you.", mainPath+"/models")
}
