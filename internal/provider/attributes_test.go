package provider

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// many are arguments with which the data sources that return many read some,
// and the records of a state.
var many = map[string]struct {
	config  arguments
	records func(*testing.T, map[string]any) map[string]any
}{
	"model_groups":       {records: listedRecords("model_groups")},
	"model_group_models": {config: arguments{"model_group_id": mainGroup}, records: listedRecords("models")},
	"latest_models":      {records: modelsOf},
	"pinned_models": {
		config:  arguments{"revisions": map[string]any{mainGroup: 2, oddGroup: 7, sparseGroup: 1}, "accept_withdrawn": true},
		records: modelsOf,
	},
}

// listedRecords are the records of a list, by their place in it.
func listedRecords(name string) func(*testing.T, map[string]any) map[string]any {
	return func(t *testing.T, state map[string]any) map[string]any {
		t.Helper()
		records := map[string]any{}
		for i, record := range asList(t, state[name]) {
			records[strings.Repeat("|", i)] = record
		}
		return records
	}
}

// Each attribute by itself, two together, none: what is named equals what a
// whole read gives, and everything else is null, lists too.
func TestOnlyTheNamedAttributesAreFilled(t *testing.T) {
	t.Parallel()
	e, _ := sandboxEngine(t)
	for name, test := range many {
		whole := test.records(t, e.mustRead(t, name, test.config))
		if len(whole) < 3 {
			t.Fatalf("%s: %d records", name, len(whole))
		}
		all := allAttributes(e.types[name])
		selections := [][]any{{}, {all[0], all[len(all)-1]}, {all[1], all[0], all[1]}}
		for _, attribute := range all {
			selections = append(selections, []any{attribute})
		}
		for _, selected := range selections {
			state := e.mustRead(t, name, test.config.with("attributes", selected))
			if !reflect.DeepEqual(state["attributes"], any(selected)) {
				t.Errorf("%s: attributes came back as %v, configured as %v", name, state["attributes"], selected)
			}
			want := map[string]any{}
			for key, record := range whole {
				filled := map[string]any{}
				for attribute, value := range asObject(t, record) {
					filled[attribute] = nil
					if slices.Contains(selected, any(attribute)) {
						filled[attribute] = value
					}
				}
				want[key] = filled
			}
			if got := test.records(t, state); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %v:\n%v\nwant\n%v", name, selected, got, want)
			}
		}
	}
}

// What is left out is not even looked at.
func TestWhatIsLeftOutIsNotMapped(t *testing.T) {
	t.Parallel()
	model := &catalogue.Model{ID: new("m"), Tags: []*string{new("a")}, Inputs: []*catalogue.Input{{}}, Axes: []*catalogue.ModelAxis{{}}}
	expectSame(t, newModelState(model, selection{"id": true}), &modelState{ID: new("m")})
	expectSame(t, newModelState(model, selection{}), &modelState{})
	expectSame(
		t, newGroupState(&catalogue.ModelGroup{ID: new("g"), Name: new("n")}, selection{"name": true, "axes": true}),
		&groupState{Name: new("n"), Axes: []*groupAxisState{}},
	)
}

func TestAttributesKeepTheOrder(t *testing.T) {
	t.Parallel()
	e, _ := sandboxEngine(t)
	var revisions []any
	models := e.mustRead(t, "model_group_models", arguments{"model_group_id": mainGroup})
	for _, model := range asList(
		t, e.mustRead(t, "model_group_models", arguments{"model_group_id": mainGroup, "attributes": []any{"display_name"}})["models"],
	) {
		revisions = append(revisions, asObject(t, model)["display_name"])
	}
	for i, model := range asList(t, models["models"]) {
		if asObject(t, model)["display_name"] != revisions[i] {
			t.Errorf("models[%d] is another one", i)
		}
	}
	var names, want []any
	for _, group := range asList(t, e.mustRead(t, "model_groups", arguments{"attributes": []any{"id"}})["model_groups"]) {
		names = append(names, asObject(t, group)["id"])
	}
	for _, group := range asList(t, e.mustRead(t, "model_groups", nil)["model_groups"]) {
		want = append(want, asObject(t, group)["id"])
	}
	if !slices.Equal(names, want) {
		t.Errorf("groups %v, want %v", names, want)
	}
}

func TestNamesOfAttributesAreValidated(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	for name, suggestions := range map[string]map[string]string{
		"model_groups": {
			"modesl": "models", "axse": "axes", "pubilc": "public", "model_groups.name": "name", "name, id": "",
			"latestRevision": "latest_revision", "lates_revision": "latest_revision", "model": "models", "docker_image": "", "is_latest": "",
		},
		"model_group_models": {
			"docker_imag": "docker_image", "dockerImage": "docker_image", "image": "docker_image", "Revision": "revision", "horizon.key": "horizon",
			"is_latest": "", "*": "", "": "", "models.docker_image": "docker_image", "models": "", "model": "", "docker image": "docker_image",
			"models.docker_imgae": "docker_image", "docker": "docker_image",
		},
		"latest_models": {"display-name": "display_name", "owner": "is_owner", "latest_revision": "", "models[0]": ""},
		"pinned_models": {"is_lates": "is_latest", "last_revision": "latest_revision"},
	} {
		config := readable[name]
		if config == nil {
			config = arguments{}
		}
		for mistaken, suggestion := range suggestions {
			diagnostics := e.validate(t, name, config.with("attributes", []any{"id", mistaken}))
			expectError(t, diagnostics, "attributes[1]", summaryAttribute, "These can be named: ", "id, ")
			_, suggested, _ := strings.Cut(diagnostics[0].Detail, "Did you mean \"")
			if suggested, _, _ = strings.Cut(suggested, `"?`); suggested != suggestion {
				t.Errorf("%s: %q is taken for %q, want %q", name, mistaken, suggested, suggestion)
			}
		}
		expectError(t, e.validate(t, name, config.with("attributes", []any{nil})), "attributes[0]", summaryAttribute,
			"attributes[0] is null. Give a name")
		for _, good := range []any{nil, unknown, []any{}, []any{unknown, "id"}, []any{"id", "id"}, allAttributes(e.types[name])} {
			expectNone(t, e.validate(t, name, config.with("attributes", good)))
		}
		expectTold(t, e.validate(t, name, config.with("attributes", []any{"a", "id", "b"})),
			told{argument: "attributes[0]", summary: summaryAttribute, says: []string{`"a" and "b" are no attributes of an element of `}})
	}
	expectRequests(t, service, nil)
}

// Several mistakes are one error, and the list of names stands there once.
func TestSeveralNamesOfNoAttribute(t *testing.T) {
	t.Parallel()
	e := newEngine(t, northwind("http://localhost"))
	config := arguments{"model_group_id": "a"}
	for _, test := range []struct {
		names []any
		says  string
	}{
		{[]any{"id", "docker", "tag", "foo"}, `"docker" (did you mean "docker_image"?), "tag" (did you mean "tags"?) and "foo" ` +
			"are no attributes of an element of models.\n\nThese can be named: archived, "},
		{[]any{"id", "*"}, `"*" is no attribute of an element of models. Leave the argument out to fill all of them.`},
		{[]any{"id", "models"}, `"models" is no attribute of an element of models. Leave it out: the names are those inside of it, such as ` +
			`docker_image.`},
		{[]any{"id", "docker_image, revision"}, `Write each name as an element of its own.`},
		{[]any{"id", "*", "x"}, `"*" (leave the argument out to fill all of them) and "x" are no attributes`},
	} {
		diagnostics := e.validate(t, "model_group_models", config.with("attributes", test.names))
		expectError(t, diagnostics, "attributes[1]", summaryAttribute, test.says)
		if n := strings.Count(diagnostics[0].Detail, "has_performance_metrics"); n != 1 {
			t.Errorf("%v: the list stands there %d times", test.names, n)
		}
	}
}

// Engines drop a misspelt name in an object, so what is left of it may be nothing.
func TestNoConditionIsWarnedOf(t *testing.T) {
	t.Parallel()
	e := newEngine(t, northwind("http://localhost"))
	expectWarning(t, e.validate(t, "latest_model", arguments{"model_group_id": "a", "where": map[string]any{}}), "where", summaryNoCondition,
		"may be misspelt")
	expectWarning(t, e.validate(t, "latest_models", arguments{"where": map[string]any{"enabled": nil}}), "where", summaryNoCondition)
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		from, to string
		want     int
	}{
		{"", "", 0},
		{"name", "name", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"axes", "axse", 1},
		{"name", "nam", 1},
		{"name", "nane", 1},
		{"kitten", "sitting", 3},
		{"ca", "abc", 3},
		{"été", "ete", 2},
		{"abcd", "badc", 2},
	} {
		if got := distance(test.from, test.to); got != test.want {
			t.Errorf("%q, %q: %d, want %d", test.from, test.to, got, test.want)
		}
		if got := distance(test.to, test.from); got != test.want {
			t.Errorf("%q, %q: %d, want %d", test.to, test.from, got, test.want)
		}
	}
}

func TestArgumentsOfAFleetAreValidated(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	for name, test := range map[string]struct {
		dataSource                  string
		config                      arguments
		argument, summary, fragment string
	}{
		"ids and horizon": {
			dataSource: "latest_models", config: arguments{"model_group_ids": []any{"a"}, "time_horizon": "day_ahead"}, argument: "model_group_ids",
			summary: summaryIDsAndHorizon, fragment: "Leave out one of the two",
		},
		"no ids, and horizon": {
			dataSource: "latest_models", config: arguments{"model_group_ids": []any{}, "time_horizon": "day_ahead"}, argument: "model_group_ids",
			summary: summaryIDsAndHorizon, fragment: "Leave out one of the two",
		},
		"empty horizon": {
			dataSource: "latest_models", config: arguments{"time_horizon": ""}, argument: "time_horizon", summary: summaryInvalidHorizon,
			fragment: "The value is empty.",
		},
		"empty id": {
			dataSource: "latest_models", config: arguments{"model_group_ids": []any{"a", ""}}, argument: "model_group_ids[1]",
			summary: summaryInvalidID, fragment: "model_group_ids[1] cannot be the id of a model group: it is empty.",
		},
		"relative id": {
			dataSource: "latest_models", config: arguments{"model_group_ids": []any{"..", "a"}}, argument: "model_group_ids[0]",
			summary: summaryInvalidID, fragment: "relative path",
		},
		"null id": {
			dataSource: "latest_models", config: arguments{"model_group_ids": []any{"a", "b", nil}}, argument: "model_group_ids[2]",
			summary: summaryInvalidID, fragment: "model_group_ids[2] is null.",
		},
		"empty id of a pin": {
			dataSource: "pinned_models", config: arguments{"revisions": map[string]any{"": 1}}, argument: `revisions[""]`, summary: summaryInvalidID,
			fragment: "it is empty",
		},
		"odd id of a pin": {
			dataSource: "pinned_models", config: arguments{"revisions": map[string]any{"a\n": 1}}, argument: `revisions["a\n"]`,
			summary: summaryInvalidID, fragment: "control characters",
		},
		"negative revision": {
			dataSource: "pinned_models", config: arguments{"revisions": map[string]any{"a": 1, "b": -1}}, argument: `revisions["b"]`,
			summary: summaryInvalidRevision, fragment: `The revision of model group "b" must be at least 0, not -1.`,
		},
		"revision in between": {
			dataSource: "pinned_models", config: arguments{"revisions": map[string]any{"a": 1.5}}, argument: `revisions["a"]`,
			summary: summaryInvalidRevision, fragment: `The revision of model group "a" must be a whole number, not 1.5.`,
		},
		"revision beyond 2^63": {
			dataSource: "pinned_models", config: arguments{"revisions": map[string]any{"a": 1e30}}, argument: `revisions["a"]`,
			summary: summaryInvalidRevision, fragment: "must be at most 9223372036854775807, not 1000000000000000",
		},
		"image of no pin": {
			dataSource: "pinned_models",
			config:     arguments{"revisions": map[string]any{"a": 1}, "docker_images": map[string]any{"a": "i", "b": "i", "c": "i"}},
			argument:   `docker_images["b"]`, summary: summaryInvalidImage, fragment: `for model groups that revisions does not have: "b", "c".`,
		},
		"null image": {
			dataSource: "pinned_models", config: arguments{"revisions": map[string]any{"a": 1}, "docker_images": map[string]any{"a": nil}},
			argument: `docker_images["a"]`, summary: summaryInvalidImage, fragment: `The image of model group "a" is null. Give the image`,
		},
		"empty image": {
			dataSource: "pinned_models", config: arguments{"revisions": unknown, "docker_images": map[string]any{"a": "", "b": unknown}},
			argument: `docker_images["a"]`, summary: summaryInvalidImage, fragment: `The image of model group "a" is empty.`,
		},
		"one empty image": {
			dataSource: "model", config: arguments{"model_group_id": "a", "revision": 1, "docker_image": ""},
			argument: "docker_image", summary: summaryInvalidImage, fragment: "The value is empty.",
		},
		"an empty tag": {
			dataSource: "latest_model", config: arguments{"model_group_id": "a", "where": map[string]any{"tags": []any{unknown, ""}}},
			argument: "where.tags[1]", summary: summaryInvalidTag, fragment: "where.tags[1] is empty.",
		},
		"a null tag": {
			dataSource: "latest_models", config: arguments{"where": map[string]any{"tags": []any{"a", nil}}},
			argument: "where.tags[1]", summary: summaryInvalidTag, fragment: "where.tags[1] is null.",
		},
		"null revision": {
			dataSource: "pinned_models", config: arguments{"revisions": map[string]any{"a": nil}}, argument: `revisions["a"]`,
			summary: summaryInvalidRevision, fragment: `The revision of model group "a" is null. Give it`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			expectError(t, e.validate(t, test.dataSource, test.config), test.argument, test.summary, test.fragment)
		})
	}
	for _, good := range []reading{
		{"latest_models", nil},
		{"latest_models", arguments{"model_group_ids": []any{unknown, oddGroup}}},
		{"latest_models", arguments{"model_group_ids": unknown, "time_horizon": unknown}},
		{"latest_models", arguments{"model_group_ids": []any{"a", "a"}}},
		{"pinned_models", arguments{"revisions": map[string]any{"a": unknown, oddGroup: 0, "b": 3.0}}},
		{"pinned_models", arguments{"revisions": unknown}},
		{"pinned_models", arguments{"revisions": unknown, "docker_images": map[string]any{"a": "i"}}},
		{"pinned_models", arguments{"revisions": map[string]any{"a": unknown, "b": 1}, "docker_images": map[string]any{"a": "i", "b": unknown}}},
		{"pinned_models", arguments{"revisions": map[string]any{"a": 1}, "docker_images": unknown, "accept_withdrawn": unknown}},
		{"pinned_models", arguments{"revisions": map[string]any{}, "docker_images": map[string]any{}}},
		{"model", arguments{"model_group_id": "a", "revision": 1, "docker_image": unknown, "accept_withdrawn": unknown}},
		{"latest_model", arguments{"model_group_id": "a", "where": unknown}},
		{"latest_model", arguments{"model_group_id": "a", "where": map[string]any{"tags": []any{}}}},
		{"latest_models", arguments{"where": map[string]any{"enabled": unknown, "tags": []any{unknown}}}},
	} {
		expectNone(t, e.validate(t, good.name, good.config))
	}
	expectRequests(t, service, map[sandbox.Route]int{})
}
