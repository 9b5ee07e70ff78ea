package provider

import (
	"math/big"
	"net/http"
	"testing"

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
	pinned := func(id string, revision any) arguments { return arguments{"revisions": map[string]any{id: revision}} }
	for _, test := range []struct {
		name                        string
		config                      arguments
		argument, summary, fragment string
	}{
		{"model_group", arguments{"id": ".."}, "id", summaryInvalidID, `".." is not an id but a relative path`},
		{"latest_model", arguments{"model_group_id": "a\nb"}, "model_group_id", summaryInvalidID, "control characters"},
		{"model_group_models", arguments{"model_group_id": ""}, "model_group_id", summaryInvalidID, "it is empty"},
		{"model", arguments{"model_group_id": ".", "revision": 0}, "model_group_id", summaryInvalidID, "relative path"},
		{"model", arguments{"model_group_id": "a", "revision": 1.5}, "revision", "Invalid revision", "must be a whole number, not 1.5"},
		{"model", arguments{"model_group_id": "a", "revision": huge}, "revision", "Invalid revision", "not 99999999999999999999999."},
		{"latest_models", arguments{"model_group_ids": list("a"), "time_horizon": "b"}, "model_group_ids", summaryIDsAndHorizon, "Leave out one"},
		{"latest_models", arguments{"model_group_ids": list(), "time_horizon": "b"}, "model_group_ids", summaryIDsAndHorizon, "Leave out one"},
		{"latest_models", arguments{"time_horizon": ""}, "time_horizon", summaryInvalidHorizon, "The value is empty."},
		{"latest_models", arguments{"where": where("tags", list("a", nil))}, "where.tags[1]", summaryInvalidTag, "where.tags[1] is null."},
		{"latest_models", arguments{"where": where("enabled", nil)}, "where", summaryNoCondition, ""},
		{"latest_model", arguments{"model_group_id": "a", "where": where("tags", list(unknown, ""))}, "where.tags[1]", summaryInvalidTag, "is empty."},
		{"pinned_models", pinned("a\n", 1), `revisions["a\n"]`, summaryInvalidID, "control characters"},
		{"pinned_models", pinned("a", 1e30), `revisions["a"]`, summaryInvalidRevision, "must be at most 9223372036854775807, not 100000000"},
		{
			"pinned_models", arguments{"revisions": unknown, "docker_images": map[string]any{"a": "", "b": unknown}}, `docker_images["a"]`,
			summaryInvalidImage, `The image of model group "a" is empty.`,
		},
	} {
		diagnostics := e.validate(t, test.name, test.config)
		if test.summary == summaryNoCondition {
			expectWarning(t, diagnostics, test.argument, test.summary)
			continue
		}
		expectError(t, diagnostics, test.argument, test.summary, test.fragment)
	}
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

// TestAnIDNeverReadsAnotherPath: with a client that pasted it, ? and # would read
// another endpoint, and / another group. What cannot be escaped sends no request,
// even where no engine has validated it.
func TestAnIDNeverReadsAnotherPath(t *testing.T) {
	t.Parallel()
	service := sandbox.New(sandbox.Default())
	base := sandboxtest.Start(t, http.StripPrefix("/base/path", service))
	e := newEngine(t, northwind(base+"/base/path/"))
	blocks := map[string]struct{ argument, suffix string }{
		"model_group": {"id", ""}, "latest_model": {"model_group_id", "/latest-model"},
		"model_group_models": {"model_group_id", "/models"}, "model": {"model_group_id", "/models"},
	}
	for name, block := range blocks {
		for _, id := range []string{"", ".", "..", "a\nb"} {
			if !failed(e.refused(t, name, readable[name].with(block.argument, id))) {
				t.Errorf("%q is read", id)
			}
		}
	}
	expectRequests(t, service, nil)
	for id, path := range map[string]string{
		"a/b?c#d%2e":           "a%2Fb%3Fc%23d%252e",
		"a/../../auth/token":   "a%2F..%2F..%2Fauth%2Ftoken",
		"x/latest-model?a=b":   "x%2Flatest-model%3Fa=b",
		"..%2f..":              "..%252f..",
		"é ü+&;=@:$,":          "%C3%A9%20%C3%BC+&%3B=@:$%2C",
		"emea/power?v=1#β %41": "emea%2Fpower%3Fv=1%23%CE%B2%20%2541",
	} {
		for name, block := range blocks {
			e := newEngine(t, northwind(base+"/base/path/")) // one that keeps no answer of another block
			before := len(service.Requests())
			e.refused(t, name, readable[name].with(block.argument, id))
			requests := service.Requests()[before:]
			if want := "/v1/model-group/" + path + block.suffix; len(requests) != 2 || requests[1].Path != want || requests[1].Query != "" {
				t.Errorf("%s: asked for %+v, want %s", id, requests, want)
			}
		}
	}
}

// TestATimeHorizonThatTheServiceDoesNotKnow, which is escaped.
func TestATimeHorizonThatTheServiceDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"model_groups", "latest_models"} {
		e, service := sandboxEngine(t)
		expectError(t, e.refused(t, name, arguments{"time_horizon": "fort&night"}), "time_horizon", summaryInvalidHorizon, `"fort&night"`,
			"is not a known time horizon key", "400 Bad Request, code BAD_REQUEST", "/v1/model-group?timeHorizon=fort%26night")
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroups: 1})
	}
}

// TestAFieldOfTheWrongTypeIsNamed by its place, and by its attribute where that
// is spelled in another way.
func TestAFieldOfTheWrongTypeIsNamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		route    sandbox.Route
		old, new string
		fragment string
	}{
		{"model", sandbox.RouteModels, `"revision":1,`, `"revision":3.5,`, "models[1].revision: a whole number is expected, the service sent the number 3.5."},
		{"model_group", sandbox.RouteGroup, `"historical":true`, `"historical":"yes"`, "].historical: a boolean is expected, the service sent a string."},
		{
			"latest_model", sandbox.RouteLatest, `"shortName":"DA price"`, `"shortName":{}`,
			"forecastVariable.shortName (attribute forecast_variable.short_name): a string is expected, the service sent an object.",
		},
		{
			"model_groups", sandbox.RouteGroups, `"latestRevision":2`, `"latestRevision":true`,
			"model_groups[1].latestRevision (attribute model_groups[1].latest_revision): a whole number is expected, the service sent a boolean.",
		},
		{"latest_model", sandbox.RouteLatest, `"key":"carbon_price"`, `"key":["a"]`, "inputs[1].key: a string is expected, the service sent a list."},
	} {
		e, service := sandboxEngine(t)
		service.Inject(respell(test.route, test.old, test.new))
		expectError(t, e.refused(t, test.name, readable[test.name]), "", "Unexpected answer", test.fragment, "/v1/model-group", "report this")
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, test.route: 1})
	}
}
