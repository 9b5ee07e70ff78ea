package provider

import (
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// TestArgumentsAreValidated has what TestMessages does not show word for word.
func TestArgumentsAreValidated(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	huge, _, err := big.ParseFloat("99999999999999999999999", 10, 512, big.ToNearestEven) // as engines have it
	if err != nil {
		t.Fatal(err)
	}
	list := func(elements ...any) []any { return elements }
	images := arguments{"revisions": unknown, "docker_images": map[string]any{"a": "", "b": unknown}}
	both := func(ids any) arguments { return arguments{"model_group_ids": ids, "time_horizon": "b"} }
	taggedBy := func(tags ...any) arguments { return arguments{"where": where("tags", list(tags...))} }
	pinned := func(id string, revision any) arguments { return arguments{"revisions": map[string]any{id: revision}} }
	for _, test := range []struct {
		name                        string
		config                      arguments
		argument, summary, fragment string
	}{
		{"model_group", arguments{"id": ".."}, "id", explain.SummaryInvalidID, `".." is not an id but a relative path`},
		{"latest_model", arguments{"model_group_id": "a\nb"}, "model_group_id", explain.SummaryInvalidID, "control characters"},
		{"model_group_models", arguments{"model_group_id": ""}, "model_group_id", explain.SummaryInvalidID, "it is empty"},
		{"model", arguments{"model_group_id": ".", "revision": 0}, "model_group_id", explain.SummaryInvalidID, "relative path"},
		{"model", arguments{"model_group_id": "a", "revision": 1.5}, "revision", "Invalid revision", "must be a whole number, not 1.5"},
		{"model", arguments{"model_group_id": "a", "revision": huge}, "revision", "Invalid revision", "not 1e+23."},
		{"latest_models", both(list("a")), "model_group_ids", explain.SummaryIDsAndHorizon, "Leave out"},
		{"latest_models", both(list()), "model_group_ids", explain.SummaryIDsAndHorizon, "Leave out one"},
		{"latest_models", arguments{"time_horizon": ""}, "time_horizon", explain.SummaryInvalidHorizon, "The value is empty; give"},
		{"latest_models", taggedBy("a", nil), "where.tags[1]", explain.SummaryInvalidTag, "where.tags[1] is null; give"},
		{"latest_models", arguments{"where": where("min_age", "1 week")}, "where.min_age", explain.SummaryInvalidAge, "not a duration"},
		{"latest_model", arguments{"model_group_id": "a", "where": where("run_mode", "")}, "where.run_mode", explain.SummaryInvalidRunMode, ""},
		{"latest_models", taggedBy(unknown, ""), "where.tags[1]", explain.SummaryInvalidTag, "where.tags[1] is empty; give"},
		{"pinned_models", pinned("a\n", 1), `revisions["a\n"]`, explain.SummaryInvalidID, "control characters"},
		{"pinned_models", pinned("a", 1e30), `revisions["a"]`, explain.SummaryInvalidRevision, "at most 9223372036854775807, not 1e+30."},
		{"pinned_models", images, `docker_images["a"]`, explain.SummaryInvalidImage, `docker_images["a"] is empty; give`},
	} {
		expectError(t, e.validate(t, test.name, test.config), test.argument, test.summary, test.fragment)
	}
	// A plan validates before it configures the provider, and again after it.
	noCondition, before := arguments{"where": where("enabled", nil)}, &engine{server: newServer(&catalogueProvider{version: "test"})}
	expectWarning(t, before.validate(t, "latest_models", noCondition), "where", explain.SummaryNoCondition)
	expectNone(t, e.validate(t, "latest_models", noCondition))
	for _, good := range []reading{
		{"model_group", arguments{"name": "a\tb"}},
		{"model_group", arguments{"id": unknown, "name": unknown}},
		{"model_group", arguments{"id": "..."}},
		{"latest_models", nil},
		{"latest_models", arguments{"model_group_ids": list(unknown, oddGroup)}},
		{"latest_models", arguments{"model_group_ids": unknown, "time_horizon": unknown}},
		{"latest_models", arguments{"model_group_ids": list("a", "a")}},
		{"latest_models", arguments{"where": where("enabled", unknown, "tags", list(unknown))}},
		{"latest_model", arguments{"model_group_id": "a", "where": unknown}},
		{"latest_model", arguments{"model_group_id": "a", "where": where("tags", list())}},
		{"model", arguments{"model_group_id": "a", "revision": 1, "docker_image": unknown, "accept_withdrawn": unknown}},
		{"pinned_models", arguments{"revisions": map[string]any{"a": unknown, oddGroup: 0, "b": 3.0}}},
		{"pinned_models", arguments{"revisions": unknown, "docker_images": map[string]any{"a": "i"}}},
		{"pinned_models", arguments{"revisions": map[string]any{"a": unknown, "b": 1}, "docker_images": map[string]any{"a": "i", "b": unknown}}},
		{"pinned_models", pinned("a", 1).merge(arguments{"docker_images": unknown, "accept_withdrawn": unknown})},
		{"pinned_models", arguments{"revisions": map[string]any{}, "docker_images": map[string]any{}}},
	} {
		expectNone(t, e.validate(t, good.name, good.config))
	}
	for name, config := range readable {
		late := arguments{}
		for argument := range config {
			late[argument] = unknown
		}
		expectNone(t, e.validate(t, name, config))
		expectNone(t, e.validate(t, name, late))
	}
	expectRequests(t, service, nil)
}

// TestAnIDNeverReadsAnotherPath: in a client that pasted it, ? and # would read
// another endpoint, and / another group. What cannot be escaped sends no request,
// even if no engine has validated it.
func TestAnIDNeverReadsAnotherPath(t *testing.T) {
	t.Parallel()
	service := sandbox.New(sandbox.Default())
	base := sandboxtest.Start(t, http.StripPrefix("/base/path", service))
	e := newEngine(t, northwind(base+"/base/path/").with(argSnapshot, false))
	asked := func(name string, config arguments) (what []string) {
		before := len(service.Requests())
		e.refused(t, name, config)
		for _, request := range service.Requests()[before:] {
			what = append(what, request.Path+request.Query)
		}
		return what
	}
	for name, block := range map[string]struct{ argument, suffix string }{
		"model_group": {"id", ""}, "latest_model": {"model_group_id", "/latest-model"},
		"model_group_models": {"model_group_id", "/models"}, "model": {"model_group_id", "/models"},
	} {
		for _, id := range []string{"", ".", "..", "a\nb"} {
			if got := asked(name, readable[name].with(block.argument, id)); got != nil {
				t.Errorf("%s %q: asked for %q", name, id, got)
			}
		}
		for id, path := range map[string]string{
			"a/../b?c#d%2e": "a%2F..%2Fb%3Fc%23d%252e", "é ü+&;=@:$,": "%C3%A9%20%C3%BC+&%3B=@:$%2C",
		} {
			got := asked(name, readable[name].with(block.argument, id))
			if want := "/v1/model-group/" + path + block.suffix; len(got) == 0 || got[len(got)-1] != want {
				t.Errorf("%s %q: asked for %q, want %s", name, id, got, want)
			}
		}
	}
	for _, name := range []string{"model_groups", "latest_models"} {
		expectError(t, e.refused(t, name, arguments{"time_horizon": "fort&night"}), "time_horizon", explain.SummaryInvalidHorizon,
			`"fort&night"`, "/v1/model-group?timeHorizon=fort%26night")
	}
}

// many are arguments with which the data sources that return many read some, and
// the name of the list or map of their records.
var many = map[string]struct {
	config  arguments
	records string
}{
	"model_groups":       {nil, "model_groups"},
	"model_group_models": {arguments{"model_group_id": mainGroup}, "models"},
	"latest_models":      {nil, "models"},
	"pinned_models": {
		arguments{"revisions": map[string]any{mainGroup: 2, oddGroup: 7, sparseGroup: 1}, "accept_withdrawn": true}, "models",
	},
}

// TestOnlyTheNamedAttributesAreFilled: what is named equals what a whole read gives, in its order, and
// everything else is null, lists too. Each attribute is named once and left out once.
func TestOnlyTheNamedAttributesAreFilled(t *testing.T) {
	t.Parallel()
	e, _ := sandboxEngine(t)
	for name, test := range many {
		selections := [][]any{{}, nil, nil}
		for i, attribute := range allAttributes(name) {
			selections[1+i%2] = append(selections[1+i%2], attribute)
		}
		for _, selected := range selections {
			want := e.mustRead(t, name, test.config) // read anew, because it is changed below
			want["attributes"] = selected
			records := recordsOf(t, want[test.records])
			if len(records) < 3 {
				t.Fatalf("%s: %d records", name, len(records))
			}
			for _, record := range records {
				for attribute := range record {
					if !slices.Contains(selected, any(attribute)) {
						record[attribute] = nil
					}
				}
			}
			expectSame(t, e.mustRead(t, name, test.config.with("attributes", selected)), want)
		}
	}
}

// allAttributes are the names that the argument attributes of a data source
// takes, nil where it has none.
func allAttributes(name string) (names []any) {
	attributes := schemas.DataSourceSchemas[typeName+"_"+name].Block.Attributes
	if !slices.ContainsFunc(attributes, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == "attributes" }) {
		return nil
	}
	for _, attribute := range attributes {
		if attribute.NestedType != nil && attribute.Computed {
			for _, nested := range attribute.NestedType.Attributes {
				names = append(names, nested.Name)
			}
		}
	}
	return names
}

// recordsOf are the records of a list or of a map.
func recordsOf(t *testing.T, listed any) (records []map[string]any) {
	t.Helper()
	if list, ok := listed.([]any); ok {
		for _, record := range list {
			records = append(records, asObject(t, record))
		}
		return records
	}
	for _, record := range asObject(t, listed) {
		records = append(records, asObject(t, record))
	}
	return records
}

// TestNamesOfNoAttribute: what each may be meant for. TestMessages shows the whole message.
func TestNamesOfNoAttribute(t *testing.T) {
	t.Parallel()
	e := newEngine(t, northwind("http://localhost"))
	for name, suggestions := range map[string]map[string]string{
		"model_groups": {
			"modesl": "models", "axse": "axes", "model_groups.name": "name", "latestRevision": "latest_revision", "model": "models",
			"docker_image": "",
		},
		"model_group_models": {
			"docker_imag": "docker_image", "dockerImage": "docker_image", "Revision": "revision", "horizon.key": "horizon",
			"is_latest": "", "*": "", "": "", "models.docker_image": "docker_image", "models": "", "model": "", "docker image": "docker_image",
			"models.docker_imgae": "docker_image",
		},
		"latest_models": {"display-name": "display_name", "latest_revision": "", "models[0]": ""},
		"pinned_models": {"is_lates": "is_latest", "last_revision": "latest_revision"},
	} {
		config := arguments{}.merge(readable[name])
		for mistaken, suggestion := range suggestions {
			diagnostics := e.validate(t, name, config.with("attributes", []any{"id", mistaken}))
			expectError(t, diagnostics, "attributes[1]", explain.SummaryAttribute, "These can be named: ", "id, ")
			if want := fmt.Sprintf("Did you mean %q?", suggestion); strings.Contains(diagnostics[0].Detail, "Did you mean") != (suggestion != "") ||
				suggestion != "" && !strings.Contains(diagnostics[0].Detail, want) {
				t.Errorf("%s: %q, want %s in\n%s", name, mistaken, want, diagnostics[0].Detail)
			}
		}
		for _, good := range []any{nil, unknown, []any{}, []any{unknown, "id"}, []any{"id", "id"}, allAttributes(name)} {
			expectNone(t, e.validate(t, name, config.with("attributes", good)))
		}
		expectTold(t, e.validate(t, name, config.with("attributes", []any{"id", "*", "x"})),
			outcome{argument: "attributes[1]", summary: explain.SummaryAttribute, says: []string{`"*" is no attribute of an element of `}},
			outcome{argument: "attributes[2]", summary: explain.SummaryAttribute, says: []string{`"x" is no attribute of an element of `}})
	}
}

// TestTheNearestNames: the search is bounded, so that names of any length and number cost little.
func TestTheNearestNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mistaken string
		known    []string
		perSlip  int
		want     []string
	}{
		{"namee", []string{"axes", "name"}, 4, []string{"name"}},
		{"nam", []string{"tags", "names", "name"}, 3, []string{"name"}},
		{"q3", []string{"q2", "q1", "week"}, 10, []string{"q1", "q2"}},
		{"name", []string{"horizon"}, 3, nil},
		{"ete", []string{"été"}, 3, []string{"été"}},
		{strings.Repeat("a", 99), []string{strings.Repeat("a", 100)}, 3, []string{strings.Repeat("a", 100)}},
		{strings.Repeat("a", 100), []string{strings.Repeat("a", 101)}, 3, nil},
	} {
		if got := nearest(test.mistaken, test.known, test.perSlip); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.mistaken, got, test.want)
		}
	}
}
