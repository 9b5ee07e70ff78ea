package provider

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// statesFile has the state of each read below of the documents in catalogue.json: every attribute set, every one missing
// or null, and values that the interface leaves open.
const statesFile = "testdata/states.json"

// TestStates compares whole states, through the provider's own server and through the framework's. With -update it
// writes them again.
func TestStates(t *testing.T) {
	t.Parallel()
	const file = "testdata/catalogue.json"
	base := sandboxtest.Start(t, sandbox.New(withExamples(t, file, 1)))
	owner, other := newEngine(t, northwind(base)), newEngine(t, credentialsOf("contoso-trading", base))
	const odd = "a b/ü\"'\\<&>;:@+$,=~.."
	satisfied := where("enabled", true, "archived", false, "tags", []any{"a"}, "run_mode", "WEEKLY", "min_age", "1h")
	latest := arguments{"model_group_id": odd, "where": satisfied, "accept_withdrawn": true}
	second := arguments{"model_group_id": odd, "revision": 2, "accept_withdrawn": true}
	got, filled := map[string]any{}, map[string]bool{}
	for title, test := range map[string]struct {
		e *engine
		reading
	}{
		"all groups":                      {owner, reading{"model_groups", nil}},
		"groups of a horizon":             {owner, reading{"model_groups", arguments{"time_horizon": "day_ahead"}}},
		"a group by its id":               {owner, reading{"model_group", arguments{"id": odd}}},
		"a group by its name":             {owner, reading{"model_group", arguments{"name": "Odd"}}},
		"a group of another organisation": {other, reading{"model_group", arguments{"id": odd}}},
		"the latest model":                {owner, reading{"latest_model", latest}},
		"the latest, nearly empty":        {owner, reading{"latest_model", arguments{"model_group_id": "bare"}}},
		"a pin":                           {owner, reading{"model", second}},
		"a pin of an older revision":      {owner, reading{"model", second.merge(arguments{"revision": 1, "accept_withdrawn": nil})}},
		"a pin and its image":             {owner, reading{"model", second.with("docker_image", "registry/odd:1")}},
		"a pin of another organisation":   {other, reading{"model", second}},
		"the models of a group":           {owner, reading{"model_group_models", arguments{"model_group_id": odd}}},
		"metadata of any type": {other, reading{"model_group_models", arguments{
			"model_group_id": "metadata",
			"attributes":     []any{"model_metadata"},
		}}},
		"the latest models": {owner, reading{"latest_models", arguments{
			"attributes": []any{"id", "model_group_id", "tags"},
		}}},
		"the latest that satisfies": {owner, reading{"latest_models", arguments{
			"model_group_ids": []any{odd, odd},
			"where":           satisfied,
			"attributes":      []any{"id"},
		}}},
		"pins":                      {owner, reading{"pinned_models", arguments{"revisions": map[string]any{"bare": 5, odd: 1}}}},
		"no pins and no attributes": {owner, reading{"pinned_models", arguments{"revisions": map[string]any{}, "attributes": []any{}}}},
		"pins with their images": {owner, reading{"pinned_models", arguments{
			"revisions":        map[string]any{odd: 2},
			"docker_images":    map[string]any{odd: "registry/odd:1"},
			"accept_withdrawn": false,
			"attributes":       []any{"is_latest", "latest_revision", "docker_image"},
		}}},
	} {
		state := test.e.readBothWays(t, test.name, test.config)
		noteFilled(test.name, state, filled)
		got[title] = state
	}
	text := indented(t, got) + "\n"
	if *update {
		if err := os.WriteFile(statesFile, []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	want, err := os.ReadFile(statesFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text {
		t.Errorf("%s -, states +:\n%s\n%s", statesFile, difference(string(want), text), writtenBy(t))
	}
	expectFilled(t, file, filled) // a mapper could drop an attribute that is null in every state
}

// expectFilled expects a value at each place of a record read from a file, but for some attributes.
func expectFilled(t *testing.T, file string, filled map[string]bool, but ...string) {
	t.Helper()
	for _, name := range []string{"model_group", "latest_model", "model"} {
		walk(name, schemas.DataSourceSchemas[typeName+"_"+name].Block.Attributes, func(field described) {
			if _, attribute, _ := strings.Cut(field.place, "."); !filled[field.place] && !slices.Contains(but, attribute) {
				t.Errorf("%s is null in every state: its mapper leaves it out, or its field has neither an example in "+
					"internal/contract/openapi.json nor a value in %s", field.place, file)
			}
		})
	}
}

// readBothWays reads from the provider's own server and from the framework's in it, compares the two, and returns the
// state. It is nil if the read fails.
func (e *engine) readBothWays(t *testing.T, name string, config arguments) map[string]any {
	t.Helper()
	ours, problems := readFrom(t.Context(), t, e.server, name, config)
	theirs, theirProblems := readFrom(t.Context(), t, e.server.ProviderServer, name, config)
	if len(problems) != len(theirProblems) {
		t.Errorf("%s %v: %v\n%v", name, config, problems, theirProblems)
	}
	if !reflect.DeepEqual(ours, theirs) {
		t.Errorf("%s %v differs:\n%v\n%v", name, config, ours, theirs)
	}
	return ours
}

// Groups are sorted by name, models by revision with the newest first, and both by id.
func TestRecordsAreSorted(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, state := range sortedGroupStates([]*catalogue.ModelGroup{
		{ID: new("4"), Name: new("b")},
		{ID: new("3"), Name: new("b")},
		{ID: new("5"), Name: new("a")},
		{ID: new("2"), Name: nil},
		{ID: new("1"), Name: new("B")},
		{ID: new("6"), Name: new("e\u0301")}, // shown as é, which comes after f
		{ID: new("7"), Name: new("f")},
	}, nil) {
		ids = append(ids, *state.ID)
	}
	expectSame(t, ids, []string{"2", "1", "5", "3", "4", "7", "6"})

	one, ten := new(catalogue.Integer(1)), new(catalogue.Integer(10))
	ids = nil
	for _, state := range sortedModelStates([]*catalogue.Model{
		{ID: new("none")},
		{ID: new("c"), Revision: one},
		{ID: new("ten"), Revision: ten},
		{ID: new("b"), Revision: one},
	}, nil) {
		ids = append(ids, *state.ID)
	}
	for _, state := range sortedSummaryStates([]*catalogue.ModelSummary{
		{ID: new("e\u0301"), Revision: one},
		{ID: new("f"), Revision: one},
		{ID: new("ten"), Revision: ten},
	}) {
		ids = append(ids, *state.ID)
	}
	expectSame(t, ids, []string{"ten", "b", "c", "none", "ten", "f", "e\u0301"})
	expectSame(t, sortedGroupStates(nil, nil), []*groupState{})
	expectSame(t, sortedModelStates(nil, nil), []*modelState{})
}

// noteFilled notes the places of a state that have a value.
func noteFilled(place string, value any, filled map[string]bool) {
	switch value := value.(type) {
	case nil:
	case []any:
		for _, element := range value {
			noteFilled(place, element, filled)
		}
	case map[string]any:
		filled[place] = true
		for name, attribute := range value {
			noteFilled(place+"."+name, attribute, filled)
		}
	default:
		filled[place] = true
	}
}
