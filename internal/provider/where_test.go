package provider

import (
	"bytes"
	"encoding/json"
	"errors"
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

// conditionCase is a row about a model: how it stands to the conditions, and the clauses that say why.
type conditionCase struct {
	where *whereState
	model catalogue.Model
	how   standing
	why   string
}

func (c conditionCase) expect(t *testing.T, name string, now time.Time) {
	t.Helper()
	got := c.where.judge(&c.model, now)
	if said := got.words(); got.standing() != c.how || said != c.why {
		t.Errorf("%s: %d, %q, want %d, %q", name, got.standing(), said, c.how, c.why)
	}
}

// tagged returns a model with those tags.
func tagged(names ...string) (model catalogue.Model) {
	for _, name := range names {
		model.Tags = append(model.Tags, &name)
	}
	return model
}

// How a model stands to each condition. TestAgesOfModels has min_age.
func TestConditions(t *testing.T) {
	t.Parallel()
	yes, no := new(true), new(false)
	enabled := func(is bool) *whereState { return &whereState{Enabled: &is} }
	archived := func(is bool) *whereState { return &whereState{Archived: &is} }
	tags := func(names ...string) *whereState { return &whereState{Tags: names} }
	mode := func(name string) *whereState { return &whereState{RunMode: &name} }
	inMode := func(name string) catalogue.Model { return catalogue.Model{RunMode: &name} }
	const says = "the service does not say "
	for name, test := range map[string]conditionCase{
		"no argument":            {nil, catalogue.Model{Archived: yes}, met, ""},
		"nothing can be read":    {enabled(true), catalogue.Model{Err: errors.New("wrong")}, met, ""},
		"no tags":                {&whereState{Tags: []string{}}, catalogue.Model{}, met, ""},
		"enabled":                {enabled(true), catalogue.Model{Enabled: yes}, met, ""},
		"enabled is left out":    {enabled(false), catalogue.Model{}, undecided, says + "whether it is enabled"},
		"not archived":           {archived(true), catalogue.Model{Archived: no}, unmet, "it is not archived"},
		"archived is left out":   {archived(false), catalogue.Model{}, undecided, says + "whether it is archived"},
		"all tags":               {tags("b", "a", "b"), tagged("a", "b", "c"), met, ""},
		"a tag in another form":  {tags("été"), tagged(norm.NFD.String("été")), met, ""},
		"a tag and one like it":  {tags("a"), tagged("A", "a"), met, ""},
		"tags are left out":      {tags("a"), catalogue.Model{}, undecided, says + "its tags"},
		"an empty list of tags":  {tags("a"), catalogue.Model{Tags: []*string{}}, unmet, `it lacks the tag "a"`},
		"a tag without a name":   {tags("a"), tagged("b", " "), undecided, `it has the tag " ", not "a"`},
		"a tag that is null":     {tags("a"), catalogue.Model{Tags: []*string{nil}}, undecided, `it has the tag "", not "a"`},
		"run mode":               {mode("AUTO"), inMode("AUTO"), met, ""},
		"another run mode":       {mode("AUTO"), inMode("DEMAND"), unmet, `its run_mode is "DEMAND"`},
		"run mode in lower case": {mode("AUTO"), inMode("auto"), undecided, `its run_mode is "auto", not "AUTO"`},
		"run mode and a space":   {mode("AUTO"), inMode("AUTO\u00a0"), undecided, `its run_mode is "AUTO\u00a0", not "AUTO"`},
		"run mode, invisibly":    {mode("AUTO"), inMode("AUTO\u200b"), undecided, `its run_mode is "AUTO\u200b", not "AUTO"`},
		"a variation of letters": {mode("AUTO"), inMode("AUTO\ufe0f"), undecided, "its run_mode is \"AUTO\ufe0f\", not \"AUTO\""},
		"an empty run mode":      {mode("AUTO"), inMode("\u200b"), undecided, says + "its run_mode"},
		"run mode is left out":   {mode("AUTO"), catalogue.Model{}, undecided, says + "its run_mode"},
	} {
		test.expect(t, name, time.Now())
	}
	several := conditionCase{
		where: &whereState{
			Enabled:  yes,
			Archived: no,
			Tags:     strings.Fields("a POWER c d e f g h i j k l"),
		},
		model: tagged("power "),
		how:   unmet,
		why: `it is disabled; ` + says + `whether it is archived; it lacks the tag "a"; it has the tag "power ", not "POWER"; ` +
			`it lacks the tag "c"; it lacks the tag "d"; it lacks the tag "e"; it lacks the tag "f"; it lacks the tag "g"; ` +
			`it lacks the tag "h"; and 4 more`,
	}
	several.model.Enabled = no
	several.expect(t, "several", time.Now())
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, service := sandboxEngine(t)
			config := arguments{"where": test.where, "accept_withdrawn": true}
			state := e.mustRead(t, "latest_model", ofMain(config))
			if state["revision"] != test.revision {
				t.Errorf("revision %v, want %d", state["revision"], test.revision)
			}
			several := e.mustRead(t, "latest_models", config.with("model_group_ids", []any{mainGroup}))
			delete(state, "where") // an argument of the block
			delete(state, argAcceptWithdrawn)
			expectSame(t, modelsOf(t, several)[mainGroup], any(state))
			expectRequests(t, service, counts{
				sandbox.RouteToken:  1,
				sandbox.RouteLatest: 1,
				sandbox.RouteModels: test.lists,
			})
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
		return conditions.noneSatisfies(withLatest(models, latest), time.Now(), "g", "Do this.")
	}
	problem := problemIf(nil)
	const first = "where (enabled = true):\n  - revision 11: it is disabled\n  - revision 10: it is disabled"
	if !problem.nothing || !strings.Contains(problem.detail, first) ||
		!strings.HasSuffix(problem.detail, "\n  - and 2 more\n\nArchived revisions may be missing here, because the service may leave "+
			"them out.\n\nDo this.") || problem.phrase != "revision 11: it is disabled; older ones fail too: 11" {
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

func TestAFleetOfTheNewestThatSatisfy(t *testing.T) {
	t.Parallel()
	const groups = 12
	service := sandbox.New(manyGroups(t, groups))
	// Nine have a latest revision that is enabled, the tenth an older one, and two have none.
	for i := range groups {
		for revision, isEnabled := range map[int64]bool{1: i == 9, 2: i < 9} {
			changes := fmt.Appendf(nil, `{"enabled": %t}`, isEnabled)
			if _, err := service.Republish(groupID(i), revision, changes); err != nil {
				t.Fatal(err)
			}
		}
	}
	e := newEngine(t, northwind(sandboxtest.Start(t, service)))
	// Groups that are named and have none are all in one error.
	diagnostics := e.reports(t, "latest_models", arguments{
		"model_group_ids": append(idsOf(groups), "nowhere"),
		"where":           where("enabled", true),
	})
	expectOutcomes(t, diagnostics,
		outcome{"model_group_ids[10]", explain.SummaryNoneSatisfies, []string{"1 more of 13 groups", `"group-011"`}},
		outcome{"model_group_ids[12]", explain.SummaryGroupOrModels, nil},
	)
	expectRequests(t, service, counts{
		sandbox.RouteToken:  1,
		sandbox.RouteLatest: 13,
		sandbox.RouteModels: 3,
	})
	// Groups that were only listed are left out.
	models := modelsOf(t, e.mustRead(t, "latest_models", arguments{"where": where("enabled", true)}))
	latest := asObject(t, models[groupID(0)])["revision"]
	older := asObject(t, models[groupID(9)])["revision"]
	if latest != int64(2) || older != int64(1) || len(models) != 10 {
		t.Errorf("models of %q", slices.Sorted(maps.Keys(models)))
	}
}

// TestAChangeBetweenTheTwoRequests: the latest model is disabled, and changes before the list is read.
func TestAChangeBetweenTheTwoRequests(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change   func(*sandbox.Sandbox) ([]byte, error)
		revision int64
	}{
		"a newer one": {func(s *sandbox.Sandbox) ([]byte, error) { return s.Publish(mainGroup, []byte(`{"enabled": true}`)) }, 4},
		"it is archived, and listed no more": {
			func(s *sandbox.Sandbox) ([]byte, error) {
				return s.Republish(mainGroup, 3, []byte(`{"archived": true}`))
			}, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, service := sandboxEngine(t)
			_, disabled := service.Republish(mainGroup, 3, []byte(`{"enabled": false}`))
			var changed error
			service.Inject(sandbox.Fault{
				Route:     sandbox.RouteModels,
				OnRequest: func(*http.Request) { _, changed = test.change(service) },
				Mutate:    leaveOutArchived,
			})
			state := e.mustRead(t, "latest_model", arguments{"model_group_id": mainGroup, "where": where("enabled", true)})
			if err := errors.Join(disabled, changed); err != nil || state["revision"] != test.revision {
				t.Errorf("revision %v, want %d; %v", state["revision"], test.revision, err)
			}
			expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteLatest: 1, sandbox.RouteModels: 1})
		})
	}
}

// leaveOutArchived makes a list of models one without archived revisions, unlike the interface.
func leaveOutArchived(status int, header http.Header, body []byte) (int, http.Header, []byte) {
	var list []json.RawMessage
	if err := json.Unmarshal(body, &list); err != nil {
		panic(err)
	}
	isArchived := func(model json.RawMessage) bool { return bytes.Contains(model, []byte(`"archived":true`)) }
	body, _ = json.Marshal(slices.DeleteFunc(list, isArchived)) // it was JSON
	return status, header, body
}

// The latest model is archived, so the list of all models lacks it. It is among the reasons, too.
func TestTheLatestModelIsNotListed(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(sandbox.Fault{Route: sandbox.RouteModels, Mutate: leaveOutArchived})
	if _, err := service.Republish(mainGroup, 3, []byte(`{"archived": true}`)); err != nil {
		t.Fatal(err)
	}
	diagnostics := e.reports(t, "latest_model", arguments{
		"model_group_id": mainGroup,
		"where":          where("enabled", false),
	})
	expectError(t, diagnostics, "where", explain.SummaryNoneSatisfies, "revision 3: it is enabled", "revision 1: ")
}
