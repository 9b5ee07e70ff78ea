package provider

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// TestConditions: what each condition says of a model, at noon on 10 March 2026.
func TestConditions(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	yes, no := new(true), new(false)
	tags := func(names ...string) (list []*string) {
		for _, name := range names {
			list = append(list, &name)
		}
		return list
	}
	made := func(created, updated string) catalogue.Model {
		return catalogue.Model{CreatedAt: &created, UpdatedAt: &updated}
	}
	aged := func(least string) *whereState { return &whereState{MinAge: &least} }
	const unknownAge = "the service does not say when it was made"
	for name, test := range map[string]struct {
		where *whereState
		model catalogue.Model
		unmet string
	}{
		"no argument":          {model: catalogue.Model{Archived: yes}},
		"no condition":         {where: &whereState{}, model: catalogue.Model{Archived: yes}},
		"no tags":              {where: &whereState{Tags: []string{}}},
		"enabled":              {where: &whereState{Enabled: yes}, model: catalogue.Model{Enabled: yes}},
		"is disabled":          {where: &whereState{Enabled: yes}, model: catalogue.Model{Enabled: no}, unmet: "it is disabled"},
		"is enabled":           {where: &whereState{Enabled: no}, model: catalogue.Model{Enabled: yes}, unmet: "it is enabled"},
		"enabled is not told":  {where: &whereState{Enabled: no}, unmet: "the service does not say whether it is enabled"},
		"is archived":          {where: &whereState{Archived: no}, model: catalogue.Model{Archived: yes}, unmet: "it is archived"},
		"is not archived":      {where: &whereState{Archived: yes}, model: catalogue.Model{Archived: no}, unmet: "it is not archived"},
		"archived is not told": {where: &whereState{Archived: no}, unmet: "the service does not say whether it is archived"},
		"all tags":             {where: &whereState{Tags: []string{"b", "a", "b"}}, model: catalogue.Model{Tags: tags("a", "b", "c")}},
		"lacks one":            {where: &whereState{Tags: []string{"a", "c"}}, model: catalogue.Model{Tags: tags("a", "b")}, unmet: `it lacks the tag "c"`},
		"lacks two": {
			where: &whereState{Tags: []string{"a", "POWER"}}, model: catalogue.Model{Tags: append(tags("power "), nil)},
			unmet: `it lacks the tag "a"; it lacks the tag "POWER" (it has "power ")`,
		},
		"a tag in another form": {where: &whereState{Tags: []string{"été"}}, model: catalogue.Model{Tags: tags(norm.NFD.String("été"))}},
		"run mode":              {where: &whereState{RunMode: new("AUTOMATIC")}, model: catalogue.Model{RunMode: new("AUTOMATIC")}},
		"another run mode": {
			where: &whereState{RunMode: new("automatic")}, model: catalogue.Model{RunMode: new("AUTOMATIC")}, unmet: `its run mode is "AUTOMATIC"`,
		},
		"run mode is not told": {where: &whereState{RunMode: new("X")}, unmet: "the service does not say its run mode"},
		"old enough, just":     {where: aged("72h"), model: made("2026-03-07T12:00:00Z", "2026-03-07T12:00:00.000Z")},
		"a second too young": {
			where: aged("3d"), model: made("2026-03-07T12:00:01Z", "2026-03-07T12:00:00Z"), unmet: "it is old enough from 2026-03-10 12:00:01 UTC on",
		},
		"re-published": {
			where: aged("1d12h"), model: made("2026-01-01T00:00:00Z", "2026-03-10T01:00:00+02:00"),
			unmet: "it is old enough from 2026-03-11 11:00:00 UTC on",
		},
		"never re-published":      {where: aged("3d"), model: catalogue.Model{CreatedAt: new("2026-01-01T00:00:00Z")}},
		"made, nobody knows when": {where: aged("1ns"), unmet: unknownAge},
		"made on a day":           {where: aged("1ns"), model: made("2026-01-01", "2026-01-01T00:00:00Z"), unmet: unknownAge},
		"re-published some day":   {where: aged("1ns"), model: made("2026-01-01T00:00:00Z", "today"), unmet: unknownAge},
		"several": {
			where: &whereState{Enabled: yes, Archived: no, Tags: []string{"a"}, RunMode: new("X"), MinAge: new("1h")},
			model: catalogue.Model{Enabled: no, Archived: yes},
			unmet: `it is disabled; it is archived; it lacks the tag "a"; the service does not say its run mode; ` + unknownAge,
		},
	} {
		if got := strings.Join(test.where.unmet(&test.model, now), "; "); got != test.unmet {
			t.Errorf("%s: %q, want %q", name, got, test.unmet)
		}
	}
}

func TestAges(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"72h": 72 * time.Hour, "3d": 72 * time.Hour, "1d12h": 36 * time.Hour, "0d1s": time.Second, "90m": 90 * time.Minute,
	} {
		if got, err := parseAge(text); got != want || err != nil {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "3", "d", "0d", "-1d", "1.5d", "3 days", "1h1d", "3dd", "0s", "-72h", "99999999d"} {
		if got, err := parseAge(text); err == nil {
			t.Errorf("%q is %s", text, got)
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
		"no condition":      {where: where(), revision: 3},
		"the latest":        {where: where("enabled", true, "archived", false, "tags", []any{"power", "DE-LU"}), revision: 3},
		"archived":          {where: where("archived", true), revision: 2, lists: 1},
		"null says nothing": {where: where("enabled", nil, "archived", true, "tags", nil), revision: 2, lists: 1},
		"a run mode":        {where: where("run_mode", "ON_DEMAND"), revision: 0, lists: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, service := sandboxEngine(t)
			if _, err := service.Republish(mainGroup, 0, []byte(`{"tags": ["first"], "runMode": "ON_DEMAND"}`)); err != nil {
				t.Fatal(err)
			}
			config := arguments{"model_group_id": mainGroup, "where": test.where}
			state := e.mustRead(t, "latest_model", config)
			if state["revision"] != test.revision || state["model_group_id"] != mainGroup {
				t.Errorf("revision %v of %v", state["revision"], state["model_group_id"])
			}
			fleet := e.mustRead(t, "latest_models", arguments{"model_group_ids": []any{mainGroup}, "where": test.where})
			delete(state, "where") // an argument of the block
			expectSame(t, modelsOf(t, fleet)[mainGroup], any(state))
			expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteLatest: 1, sandbox.RouteModels: test.lists})
		})
	}
}

// What was looked at is bounded, newest first, and has the latest model even if
// the list lacks it.
func TestWhatWasLookedAt(t *testing.T) {
	t.Parallel()
	var models []*catalogue.Model
	for revision := range int64(25) {
		models = append(models, &catalogue.Model{Revision: new(catalogue.Integer(revision))})
	}
	latest := &catalogue.Model{Revision: new(catalogue.Integer(25)), Enabled: new(false)}
	conditions := &whereState{Enabled: new(true), RunMode: new("X"), MinAge: new("1h")}
	told := func() *groupError {
		return conditions.noneSatisfies(withLatest(models, latest), time.Now(), "g", "Do this.")
	}
	problem := told()
	if !problem.nothing || !strings.Contains(problem.detail, "satisfies where:\n  - revision 25: it is disabled; ") ||
		!strings.Contains(problem.detail, "\n  - revision 24: the service does not say whether it is enabled; ") ||
		!strings.HasSuffix(problem.detail, "\n  - and 16 more\n\nArchived revisions may be missing here, because the service may leave "+
			"them out.\n\nDo this.") {
		t.Fatalf("%+v", problem)
	}
	if !strings.HasSuffix(problem.short, "; older ones fail too: 25") {
		t.Errorf("%q", problem.short)
	}
	models[7].Archived = new(true)
	if problem := told(); strings.Contains(problem.detail, "may be missing") {
		t.Errorf("an archived revision is in the list: %s", problem.detail)
	}
}

// Two models of one revision name no single one, unless only one satisfies.
func TestTheHighestThatSatisfies(t *testing.T) {
	t.Parallel()
	model := func(id string, revision int64) *catalogue.Model {
		return &catalogue.Model{ID: &id, Revision: new(catalogue.Integer(revision))}
	}
	satisfies := func(model *catalogue.Model) bool { return !strings.Contains(*model.ID, "!") }
	for want, list := range map[string][]*catalogue.Model{
		"":    {model("a!", 1)},
		"a":   {model("a", 1), model("b!", 1), model("c!", 2), model("d", 0)},
		"b":   {model("a", 1), model("b", 2), model("c", 1)},
		"a b": {model("a", 2), model("c", 1), model("b", 2)},
	} {
		var got []string
		for _, model := range highest(list, satisfies) {
			got = append(got, *model.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q, want %q", got, want)
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
		outcome{argument: "model_group_ids[10]", summary: explain.SummaryNoneSatisfies, says: []string{"1 more of 13 groups", `"group-011"`}},
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

// A revision is published or archived after the latest model was
// read and before the list is.
func TestAChangeBetweenTheTwoRequests(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change   func(*sandbox.Sandbox) error
		options  []sandbox.Option
		revision int64
	}{
		"a newer one that satisfies": {revision: 4, change: func(s *sandbox.Sandbox) error {
			_, err := s.Publish(mainGroup, []byte(`{"enabled": true}`))
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

// A request that another one led to fails as any does.
func TestARequestOfALookupFails(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(sandbox.Refuse(sandbox.RouteModels, "FORBIDDEN", "No models."))
	service.Inject(sandbox.Refuse(sandbox.RouteGroups, "FORBIDDEN", "No groups."))
	expectError(t, e.refused(t, "latest_model", arguments{"model_group_id": mainGroup, "where": where("enabled", false)}),
		"", explain.SummaryForbidden, "No models.", mainPath+"/models")
	expectError(t, e.refused(t, "model_group", arguments{"name": "a"}), "", explain.SummaryForbidden, "No groups.")
}
