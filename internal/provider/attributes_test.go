package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

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

// TestOnlyTheNamedAttributesAreFilled: each attribute by itself, two together,
// none. What is named equals what a whole read gives, in its order, and everything
// else is null, lists too.
func TestOnlyTheNamedAttributesAreFilled(t *testing.T) {
	t.Parallel()
	e, _ := sandboxEngine(t)
	for name, test := range many {
		all := allAttributes(name)
		selections := [][]any{{}, {all[0], all[len(all)-1]}, {all[1], all[0], all[1]}}
		for _, attribute := range all {
			selections = append(selections, []any{attribute})
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

// What is left out is not even looked at.
func TestWhatIsLeftOutIsNotMapped(t *testing.T) {
	t.Parallel()
	model := &catalogue.Model{ID: new("m"), Tags: []*string{new("a")}, Inputs: []*catalogue.Input{{}}, Axes: []*catalogue.ModelAxis{{}}}
	expectSame(t, newModelState(model, selection{"id": true}), &modelState{ID: new("m")})
	expectSame(t, newModelState(model, selection{}), &modelState{})
	group := &catalogue.ModelGroup{ID: new("g"), Name: new("n")}
	expectSame(t, newGroupState(group, selection{"name": true, "axes": true}), &groupState{Name: new("n"), Axes: []*groupAxisState{}})
}

// TestNamesOfNoAttribute: what each may be meant for. TestMessages shows the whole
// message.
func TestNamesOfNoAttribute(t *testing.T) {
	t.Parallel()
	e := newEngine(t, northwind("http://localhost"))
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
		config := arguments{}.merge(readable[name])
		for mistaken, suggestion := range suggestions {
			diagnostics := e.validate(t, name, config.with("attributes", []any{"id", mistaken}))
			expectError(t, diagnostics, "attributes[1]", summaryAttribute, "These can be named: ", "id, ")
			_, suggested, _ := strings.Cut(diagnostics[0].Detail, "Did you mean \"")
			if suggested, _, _ = strings.Cut(suggested, `"?`); suggested != suggestion {
				t.Errorf("%s: %q is taken for %q, want %q", name, mistaken, suggested, suggestion)
			}
		}
		for _, good := range []any{nil, unknown, []any{}, []any{unknown, "id"}, []any{"id", "id"}, allAttributes(name)} {
			expectNone(t, e.validate(t, name, config.with("attributes", good)))
		}
		expectError(t, e.validate(t, name, config.with("attributes", []any{"id", "*", "x"})), "attributes[1]", summaryAttribute,
			`"*" (leave the argument out to fill all of them) and "x" are no attributes of an element of `)
		expectError(t, e.validate(t, name, config.with("attributes", []any{"id", "docker_image, revision"})), "attributes[1]", summaryAttribute,
			"Write each name as an element of its own.")
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		from, to string
		want     int
	}{
		{"", "", 0}, {"name", "name", 0}, {"", "abc", 3}, {"axes", "axse", 1}, {"name", "nam", 1}, {"name", "nane", 1},
		{"kitten", "sitting", 3}, {"ca", "abc", 3}, {"été", "ete", 2}, {"abcd", "badc", 2},
	} {
		if got, back := distance(test.from, test.to), distance(test.to, test.from); got != test.want || back != test.want {
			t.Errorf("%q, %q: %d and %d, want %d", test.from, test.to, got, back, test.want)
		}
	}
}
