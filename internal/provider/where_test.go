package provider

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// TestConditions judges the records of testdata/conditions.txt, whose head describes the form.
func TestConditions(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/conditions.txt")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for line := range strings.Lines(string(text)) {
		if line == "\n" || line[0] == '#' {
			continue
		}
		fields := strings.Split(strings.TrimSpace(line), " | ")
		model := fromJSON[catalogue.Model](fields[1])
		got := fromJSON[*whereState](fields[0]).judge(&model, now)
		verdict := []string{"met", "undecided: ", "unmet: "}[got.standing()] + got.words()
		if verdict != fields[2] {
			t.Errorf("%s: %s", line, verdict)
		}
	}
	malformed := catalogue.Model{Err: errors.New("wrong")}
	if got := (&whereState{Enabled: new(true)}).judge(&malformed, now); len(got) > 0 {
		t.Errorf("of a malformed record: %+v", got)
	}
}

// where returns conditions as in a configuration.
func where(conditions ...any) map[string]any {
	object := map[string]any{}
	for i := 0; i < len(conditions); i += 2 {
		object[fmt.Sprint(conditions[i])] = conditions[i+1]
	}
	return object
}

// TestTheNewestThatSatisfies: the models of a group are only asked for if the latest of them does not satisfy.
func TestTheNewestThatSatisfies(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		where    any
		revision int64
		lists    int
	}{
		"no condition":      {where(), 3, 0},
		"the latest":        {where("enabled", true, "archived", false, "tags", []any{"power", "DE-LU"}), 3, 0},
		"null says nothing": {where("enabled", nil, "archived", true, "tags", nil), 2, 1},
	} {
		e, service := sandboxEngine(t)
		state := e.mustRead(t, "latest_model", ofMain(arguments{"where": test.where, "accept_withdrawn": true}))
		if state["revision"] != test.revision {
			t.Errorf("%s: revision %v, want %d", name, state["revision"], test.revision)
		}
		expectRequests(t, service, counts{
			sandbox.RouteToken:  1,
			sandbox.RouteLatest: 1,
			sandbox.RouteModels: test.lists,
		})
	}
}

// numbered returns a model of each revision, and nothing else about it.
func numbered(revisions ...int64) (models []*catalogue.Model) {
	for _, revision := range revisions {
		models = append(models, &catalogue.Model{Revision: new(catalogue.Integer(revision))})
	}
	return models
}

// TestWhyNoModelSatisfies: the reasons are the newest ten, the latest model among them even if the list lacks it.
func TestWhyNoModelSatisfies(t *testing.T) {
	t.Parallel()
	models := numbered(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	latest := numbered(11)[0]
	for _, model := range append(models, latest) {
		model.Enabled = new(false)
	}
	problemIf := func(archived *bool) *groupError {
		conditions := &whereState{Enabled: new(true), Archived: archived}
		return conditions.noneSatisfies(withLatest(models, latest), time.Now(), "g")
	}
	problem := problemIf(nil)
	const first = "where (enabled = true):\n  - revision 11: it is disabled\n  - revision 10: it is disabled"
	if !problem.nothing || !strings.Contains(problem.detail, first) ||
		!strings.Contains(problem.detail, "\n  - and 2 more\n\nArchived revisions may be missing here, because the service may leave "+
			"them out.\n\n") || problem.phrase != "revision 11: it is disabled; older ones fail too: 11" {
		t.Fatalf("%+v", problem)
	}
	for _, test := range []struct{ listed, wanted, missing bool }{{false, false, false}, {false, true, true}, {true, true, false}} {
		models[7].Archived = &test.listed
		if problem := problemIf(&test.wanted); strings.Contains(problem.detail, "may be missing") != test.missing {
			t.Errorf("%+v: %s", test, problem.detail)
		}
	}
}

// TestTheHighestThatSatisfies has the id and the revision of each model. One with ! does not satisfy, and the revision
// of one with ? cannot be read.
func TestTheHighestThatSatisfies(t *testing.T) {
	t.Parallel()
	maySatisfy := func(model *catalogue.Model) bool { return !strings.HasPrefix(*model.ID, "!") }
	for list, want := range map[string]string{
		"!a1":           "",
		"a1 !b1 !c2 d0": "a1",
		"a1 b2 c1":      "b2",
		"a2 c1 b2":      "a2 b2",
		"a2 c? b1":      "c?",
		"a2 !c?":        "a2",
	} {
		var models []*catalogue.Model
		for id := range strings.FieldsSeq(list) {
			model := &catalogue.Model{ID: &id}
			if revision, found := strings.CutSuffix(id, "?"); !found {
				model.Revision = new(catalogue.Integer(revision[len(revision)-1]))
			}
			models = append(models, model)
		}
		var got []string
		slices.SortStableFunc(models, newestFirst)
		for _, model := range highest(models, maySatisfy) {
			got = append(got, *model.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("of %s: %q, want %q", list, got, want)
		}
	}
}

// TestWhatAListMayNotLack: the latest model, unless it is archived, and what the list of groups has. A record whose
// revision cannot be read may be any.
func TestWhatAListMayNotLack(t *testing.T) {
	t.Parallel()
	summaries := func(revisions ...catalogue.Integer) (list []*catalogue.ModelSummary) {
		for _, revision := range revisions {
			list = append(list, &catalogue.ModelSummary{Revision: &revision})
		}
		return list
	}
	unread := []*catalogue.Model{{ID: new("a")}}
	for name, test := range map[string]struct {
		listed   []*catalogue.Model
		archived *bool // the latest, revision 3
		shown    []*catalogue.ModelSummary
		lacks    string
	}{
		"all":                    {numbered(1, 3), nil, summaries(3), ""},
		"an older one":           {numbered(3), nil, nil, ""},
		"the latest":             {numbered(1), nil, nil, "shows revision 3, which the list of its models lacks: it has 1"},
		"the latest, archived":   {numbered(1), new(true), nil, ""},
		"a listed one":           {numbered(2, 3), nil, summaries(3, 1), "shows revision 1, which the list of its models lacks: it has 3, 2"},
		"a listed one, of none":  {nil, new(true), summaries(1), "shows revision 1, which the list of its models lacks: it has no models"},
		"a revision is not read": {unread, nil, summaries(1), ""},
	} {
		latest := numbered(3)[0]
		latest.Archived = test.archived
		err := lacking(test.listed, latest, test.shown, "g")
		if (err == nil) != (test.lacks == "") || err != nil && !strings.Contains(err.Error(), test.lacks) {
			t.Errorf("%s: %v, want %q", name, err, test.lacks)
		}
	}
}

// TestDelayedRevisions has the days since each revision was published and changed, the newest first. Three days are the
// least, and one with ! is disabled.
func TestDelayedRevisions(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	conditions := &whereState{MinAge: new("3d"), Enabled: new(true)}
	for list, want := range map[string]string{
		"9,9":          "",
		"1,1 9,9":      "",
		"9,1 9,9":      `"g": revision 2: it will be old enough at 2026-03-12 12:00:00 UTC`,
		"1,1 9,2 9,9":  `"g": revision 2: it will be old enough at 2026-03-11 12:00:00 UTC`,
		"9,9 9,1":      "",
		"!9,1 9,9":     "",
		"9,1":          `"g": revision 1: it will be old enough at 2026-03-12 12:00:00 UTC`,
		"9,1 9,2 9,9":  `"g": revision 3: it will be old enough at 2026-03-12 12:00:00 UTC`,
		"9,-9 9,1 9,9": "", // undecided, so the read fails
	} {
		var models []*catalogue.Model
		fields := strings.Fields(list)
		for i, field := range fields {
			var created, updated int
			days, isDisabled := strings.CutPrefix(field, "!")
			if _, err := fmt.Sscanf(days, "%d,%d", &created, &updated); err != nil {
				t.Fatal(err)
			}
			before := func(days int) *string { return new(now.AddDate(0, 0, -days).Format(time.RFC3339)) }
			model := numbered(int64(len(fields) - i))[0]
			model.Enabled, model.CreatedAt, model.UpdatedAt = new(!isDisabled), before(created), before(updated)
			models = append(models, model)
		}
		if got := strings.Join(conditions.delayed(models, now, "g"), "; "); got != want {
			t.Errorf("%s: %s, want %s", list, got, want)
		}
	}
	if lines := (*whereState)(nil).delayed(numbered(1), now, "g"); lines != nil {
		t.Errorf("without conditions: %q", lines)
	}
}

// TestAFleetOfTheNewestThatSatisfy: a group that was only listed is silently left out if none of its models satisfies.
func TestAFleetOfTheNewestThatSatisfy(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	models := modelsOf(t, e.mustRead(t, "latest_models", arguments{"where": where("archived", true), "accept_withdrawn": true}))
	if len(models) != 1 || asObject(t, models[mainGroup])["revision"] != int64(2) {
		t.Errorf("models %v", models)
	}
	expectRequests(t, service, counts{
		sandbox.RouteToken:  1,
		sandbox.RouteGroups: 1,
		sandbox.RouteLatest: 8,
		sandbox.RouteModels: 7,
	})
}
