package provider

import (
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestArgumentsAreValidated(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	ids := map[string]string{ // to what the message says
		"": "it is empty", ".": `"." is not an id but a relative path`, "..": `".." is not an id but a relative path`,
		"a\nb": "control characters", "a\tb": "control characters", "\x00": "control characters", "a\x7f": "control characters",
		"a\u0085": "control characters",
	}
	for id, fragment := range ids {
		expectError(t, e.validate(t, "model_group", arguments{"id": id}), "id", "Invalid model group id", fragment)
		for _, name := range []string{"latest_model", "model_group_models", "model"} {
			config := arguments{"model_group_id": id}
			if name == "model" {
				config = config.with("revision", 0)
			}
			expectError(t, e.validate(t, name, config), "model_group_id", "Invalid model group id", fragment)
		}
	}
	beyond, _, err := big.ParseFloat("99999999999999999999999", 10, 512, big.ToNearestEven) // as engines have it
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		config                      arguments
		argument, summary, fragment string
	}{
		"model_group both": {
			config: arguments{"id": "a", "name": "b"}, argument: "id", summary: "Both id and name given", fragment: "Leave out one of them",
		},
		"model_group neither": {argument: "id", summary: "Missing id or name", fragment: "Give its id, or its exact name."},
		"model_group empty name": {
			config: arguments{"name": ""}, argument: "name", summary: "Invalid model group name",
			fragment: "The value is empty. Give one, or null to leave the argument out.",
		},
		"model negative": {
			config: arguments{"model_group_id": "a", "revision": -1}, argument: "revision", summary: "Invalid revision",
			fragment: "must be at least 0, not -1",
		},
		"model in between": {
			config: arguments{"model_group_id": "a", "revision": 1.5}, argument: "revision", summary: "Invalid revision",
			fragment: "must be a whole number, not 1.5",
		},
		"model beyond 64 bits": {
			config: arguments{"model_group_id": "a", "revision": beyond}, argument: "revision", summary: "Invalid revision",
			fragment: "must be at most 9223372036854775807, not 99999999999999999999999.",
		},
		"model_groups empty horizon": {
			config: arguments{"time_horizon": ""}, argument: "time_horizon", summary: "Invalid time horizon", fragment: "The value is empty.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dataSource, _, _ := strings.Cut(name, " ")
			expectError(t, e.validate(t, dataSource, test.config), test.argument, test.summary, test.fragment)
		})
	}
	expectRequests(t, service, nil)
}

func TestGoodArgumentsAndUnknownOnesPassValidation(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	for name, config := range readable {
		expectNone(t, e.validate(t, name, config))
		late := arguments{}
		for argument := range config {
			late[argument] = unknown
		}
		expectNone(t, e.validate(t, name, late))
	}
	expectNone(t, e.validate(t, "model_group", arguments{"name": "a\tb"}))
	expectNone(t, e.validate(t, "model_group", arguments{"id": unknown, "name": unknown}))
	expectNone(t, e.validate(t, "model_group", arguments{"id": oddGroup}))
	expectNone(t, e.validate(t, "model_group", arguments{"id": "..."}))
	expectRequests(t, service, nil)
}

// An engine validates first. Even past that no id may name another path.
func TestABadIDIsRefusedBeforeAnyRequest(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	for _, id := range []string{"", ".", "..", "a\nb"} {
		if _, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": id}); !failed(diagnostics) {
			t.Errorf("%q is read", id)
		}
		if _, diagnostics := e.read(t.Context(), t, "model_group_models", arguments{"model_group_id": id}); !failed(diagnostics) {
			t.Errorf("%q is read", id)
		}
	}
	expectRequests(t, service, nil)
}

func TestAnIDIsOnePathElement(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	for _, id := range []string{
		mainGroup + "/models", mainGroup + "?a=b", mainGroup + "#a", "../model-group", mainGroup + "%2Fmodels", "a;b", "a b",
	} {
		_, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": id})
		expectError(t, diagnostics, "id", "Model group not found", fmt.Sprintf("no model group %q", id))
	}
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 7})
}

func TestAnUnknownTimeHorizon(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	_, diagnostics := e.read(t.Context(), t, "model_groups", arguments{"time_horizon": "fort&night"})
	expectError(
		t, diagnostics, "time_horizon", "Invalid time horizon", `"fort&night"`, "is not a known time horizon key",
		"400 Bad Request, code BAD_REQUEST", "/v1/model-group?timeHorizon=fort%26night",
	)
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroups: 1})
}

func TestAnUnknownGroup(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	const private = "32411cc9-f7e2-4180-a875-cec7d0e36c14" // of another organisation
	for _, id := range []string{"none", private} {
		for name, argument := range map[string]string{
			"model_group": "id", "latest_model": "model_group_id", "model_group_models": "model_group_id", "model": "model_group_id",
		} {
			config := arguments{argument: id}
			summary := "Model group not found"
			switch name {
			case "model":
				config = config.with("revision", 0)
			case "latest_model":
				summary += ", or without models"
			}
			_, diagnostics := e.read(t.Context(), t, name, config)
			expectError(t, diagnostics, argument, summary, fmt.Sprintf("%q", id), "404 Not Found, code NOT_FOUND", "/v1/model-group/"+id)
		}
	}
	expectRequests(
		t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 2, sandbox.RouteLatest: 2, sandbox.RouteModels: 4},
	)
}

func TestAFieldOfTheWrongTypeIsNamed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		dataSource string
		route      sandbox.Route
		old, new   string
		fragments  []string
	}{
		"a revision": {
			dataSource: "model_group_models", route: sandbox.RouteModels, old: `"revision":3,`, new: `"revision":"three",`,
			fragments: []string{"models[3].revision: a whole number is expected, the service sent a string."},
		},
		"a fraction": {
			dataSource: "model", route: sandbox.RouteModels, old: `"revision":1,`, new: `"revision":3.5,`,
			fragments: []string{"models[1].revision: a whole number is expected, the service sent the number 3.5."},
		},
		"a long name": {
			dataSource: "model_group_models", route: sandbox.RouteModels, old: `"displayName":"Day-ahead power price DE-LU","notes":"Archived`,
			new:       `"displayName":7,"notes":"Archived`,
			fragments: []string{"models[2].displayName (attribute models[2].display_name): a string is expected, the service sent a number."},
		},
		"in a nested list": {
			dataSource: "model_group", route: sandbox.RouteGroup, old: `"historical":true`, new: `"historical":"yes"`,
			fragments: []string{"axes[0].values[", "].historical: a boolean is expected, the service sent a string."},
		},
		"in an object": {
			dataSource: "latest_model", route: sandbox.RouteLatest, old: `"shortName":"DA price"`, new: `"shortName":{}`,
			fragments: []string{
				"forecastVariable.shortName (attribute forecast_variable.short_name): a string is expected, the service sent an object.",
			},
		},
		"an open record": {
			dataSource: "latest_model", route: sandbox.RouteLatest, old: `"key":"carbon_price"`, new: `"key":["carbon_price"]`,
			fragments: []string{"inputs[1].key: a string is expected, the service sent a list."},
		},
		"no list": {
			dataSource: "latest_model", route: sandbox.RouteLatest, old: `"tags":[`, new: `"tags":"a","x":[`,
			fragments: []string{"tags: a list is expected, the service sent a string."},
		},
		"of a group": {
			dataSource: "model_groups", route: sandbox.RouteGroups, old: `"latestRevision":2`, new: `"latestRevision":true`,
			fragments: []string{
				"model_groups[1].latestRevision (attribute model_groups[1].latest_revision): a whole number is expected, the service sent a boolean.",
			},
		},
		"metadata": {
			dataSource: "latest_model", route: sandbox.RouteLatest, old: `"modelMetadata":{`, new: `"modelMetadata":"a","x":{`,
			fragments: []string{"modelMetadata (attribute model_metadata): an object is expected, the service sent a string."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, service := sandboxEngine(t)
			service.Inject(respell(test.route, test.old, test.new))
			_, diagnostics := e.read(t.Context(), t, test.dataSource, readable[test.dataSource])
			expectError(t, diagnostics, "", "Unexpected answer", append(test.fragments, "/v1/model-group", "report this")...)
			expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, test.route: 1})
		})
	}
}

func TestAPageOfHTMLIsNoAnswer(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(sandbox.Fault{
		Status: http.StatusOK, Route: sandbox.RouteGroup, Header: http.Header{"Content-Type": {"text/html"}},
		Body: "<html><title>Log in</title></html>",
	})
	_, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
	expectError(
		t, diagnostics, "", "Unexpected answer", "The body is a page of HTML titled Log in.", `content type "text/html"`, "Check base_url",
	)
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1})
}

func TestAHundredReadsSendOneTokenRequest(t *testing.T) {
	t.Parallel()
	const blocks = 100
	groups := make([]string, 0, blocks)
	for i := range blocks {
		groups = append(groups, fmt.Sprintf(`{"owner": "N", "group": {"id": "g%d"}, "models": [{"id": "m%d", "revision": %d}]}`, i, i, i))
	}
	service := sandbox.New(parse(
		t,
		`{"organisations": [{"name": "N", "clientId": "northwind", "clientSecret": "northwind-sandbox-secret"}], "modelGroups": [`+
			strings.Join(groups, ",")+`]}`,
	))
	e := newEngine(t, northwind(service.Start(t)))
	states := make([]map[string]any, blocks)
	diagnostics := make([][]*tfprotov6.Diagnostic, blocks)
	var reads sync.WaitGroup
	for i := range blocks {
		reads.Go(func() {
			states[i], diagnostics[i] = e.read(t.Context(), t, "latest_model", arguments{"model_group_id": fmt.Sprintf("g%d", i)})
		})
	}
	reads.Wait()
	for i, state := range states {
		expectNone(t, diagnostics[i])
		if state["id"] != fmt.Sprintf("m%d", i) || state["revision"] != int64(i) {
			t.Errorf("block %d read %v, revision %v", i, state["id"], state["revision"])
		}
	}
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteLatest: blocks})
}
