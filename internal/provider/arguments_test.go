package provider

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// TestReadableArgumentsAreValid: also while all of them are unknown. The scenes of TestMessages have errors.
func TestReadableArgumentsAreValid(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
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

// TestAnIDNeverReadsAnotherPath: without escapes, ? and # would read a different endpoint, and / a different group. An
// id without a safe form is never sent, even if an engine has not validated it.
func TestAnIDNeverReadsAnotherPath(t *testing.T) {
	t.Parallel()
	service := sandbox.New(sandbox.Default())
	e := newEngine(t, northwind(sandboxtest.Start(t, http.StripPrefix("/base/path", service))+"/base/path/"))
	want := []string{"/v1/auth/token"}
	for name, block := range map[string]struct{ argument, suffix string }{
		"model_group":        {"id", ""},
		"latest_model":       {"model_group_id", "/latest-model"},
		"model_group_models": {"model_group_id", "/models"},
		"model":              {"model_group_id", "/models"},
	} {
		for _, id := range []string{"", ".", "..", "a\nb", "a/../b?c#d%2e é+&;=@:$,"} {
			if !failed(e.reports(t, name, readable[name].with(block.argument, id))) {
				t.Errorf("%s %q: no error", name, id)
			}
		}
		sent := "/v1/model-group/a%2F..%2Fb%3Fc%23d%252e%20%C3%A9+&%3B=@:$%2C" + block.suffix
		if !slices.Contains(want, sent) { // a refusal is kept
			want = append(want, sent)
		}
	}
	want = append(want, "/v1/model-group timeHorizon=fort%26night")
	for _, name := range []string{"model_groups", "latest_models"} {
		expectError(t, e.reports(t, name, arguments{"time_horizon": "fort&night"}), "time_horizon", explain.SummaryInvalidHorizon)
	}
	var got []string
	for _, request := range service.Requests() {
		got = append(got, strings.TrimSpace(request.Path+" "+request.Query))
	}
	expectSame(t, got, want)
}

// many has arguments for each data source that returns many records, and the name of the list or map of them.
var many = map[string]struct {
	config  arguments
	records string
}{
	"model_groups":       {nil, "model_groups"},
	"model_group_models": {arguments{"model_group_id": mainGroup}, "models"},
	"latest_models":      {arguments{"accept_withdrawn": true}, "models"},
	"pinned_models": {
		arguments{"revisions": map[string]any{mainGroup: 2, oddGroup: 7, sparseGroup: 1}, "accept_withdrawn": true},
		"models",
	},
}

// TestOnlyTheNamedAttributesAreFilled: a selected attribute is the same as in a whole read, and any other is null, a
// list too. Each attribute is selected once and left out once.
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

// allAttributes returns the valid names for the argument attributes, nil for a data source without it.
func allAttributes(name string) (names []any) {
	object, _ := typeOf(name).(tftypes.Object)
	if object.AttributeTypes[argAttributes] == nil {
		return nil
	}
	for _, typ := range object.AttributeTypes {
		for _, field := range slices.Sorted(maps.Keys(fieldsOf(typ))) {
			names = append(names, field)
		}
	}
	return names
}

// recordsOf returns the records of a list or of a map.
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
