package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// Answers that the interface allows, or that some services give, and that the sandbox does not give by itself.

// counts are the requests of each route.
type counts = map[sandbox.Route]int

// ofMain returns arguments about mainGroup.
func ofMain(more arguments) arguments { return arguments{"model_group_id": mainGroup}.merge(more) }

// pinned returns the arguments of a pin in mainGroup.
func pinned(revision int) arguments { return ofMain(arguments{"revision": revision}) }

// expectUnusable wants one error about an answer that is not what the interface promises.
func expectUnusable(t *testing.T, diagnostics []*tfprotov6.Diagnostic, says string) {
	t.Helper()
	expectError(t, diagnostics, "", explain.SummaryUnexpected, says)
}

// withStatus returns a fault that gives answers another status.
func withStatus(route sandbox.Route, status int) sandbox.Fault {
	return sandbox.Fault{
		Route: route,
		Mutate: func(_ int, header http.Header, body []byte) (int, http.Header, []byte) {
			return status, header, body
		},
	}
}

// revised returns a fault that changes a field of one revision in a list of models.
func revised(t *testing.T, revision int64, field string, value any) sandbox.Fault {
	t.Helper()
	change := func(body []byte) ([]byte, error) {
		var models []map[string]any
		err := json.Unmarshal(body, &models)
		for _, model := range models {
			if model["revision"] == float64(revision) {
				model[field] = value
			}
		}
		if err != nil {
			return nil, err
		}
		return json.Marshal(models)
	}
	return sandbox.Fault{
		Route: sandbox.RouteModels,
		Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
			changed, err := change(body)
			if err != nil {
				t.Error(err)
			}
			return status, header, changed
		},
	}
}

func TestATokenThatComesWith201(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(withStatus(sandbox.RouteToken, http.StatusCreated))
	service.Inject(withStatus(sandbox.RouteLatest, http.StatusCreated))
	e.mustRead(t, "model_group", arguments{"id": mainGroup})
	expectUnusable(t, e.reports(t, "latest_model", ofMain(nil)), "Status 201 Created")
	expectRequests(t, service, counts{
		sandbox.RouteToken:  1,
		sandbox.RouteGroup:  1,
		sandbox.RouteLatest: 1,
	})
}

// The data of a different group never pass under the id that is configured. TestArgumentsComeBackAsConfigured has an id
// in another case.
func TestAnAnswerAboutADifferentGroup(t *testing.T) {
	t.Parallel()
	const wrong = "it is a different group than the one asked for, \"8e1d1a52"
	e, service := sandboxEngine(t)
	service.Inject(respell(sandbox.RouteGroup, `"id":"`+mainGroup, `"id":"8e1d1a52`))
	service.Inject(respell(sandbox.RouteLatest, `"modelGroupId":"`+mainGroup, `"modelGroupId":"8e1d1a52`))
	expectUnusable(t, e.reports(t, "model_group", arguments{"id": mainGroup}), wrong)
	expectUnusable(t, e.reports(t, "latest_model", ofMain(nil)), wrong)
	diagnostics := e.reports(t, "latest_models", arguments{"model_group_ids": []any{mainGroup}})
	expectError(t, diagnostics, "model_group_ids[0]", explain.SummaryUnexpected, wrong)
	expectRequests(t, service, counts{
		sandbox.RouteToken:  1,
		sandbox.RouteGroup:  1,
		sandbox.RouteLatest: 1, // an error is not kept
	})
}

func TestMetadataOfAnyType(t *testing.T) {
	t.Parallel()
	for want, value := range map[string]any{
		`[1.5,"a",{"b":null}]`: []any{1.5, "a", map[string]any{"b": nil}},
		`"text"`:               "text",
		`7`:                    7,
		`false`:                false,
	} {
		e, service := sandboxEngine(t)
		service.Inject(revised(t, 1, "modelMetadata", value))
		state := e.mustRead(t, "model", pinned(1))
		if state["model_metadata"] != want {
			t.Errorf("%v, want %s", state["model_metadata"], want)
		}
		expectRequests(t, service, counts{sandbox.RouteToken: 1, sandbox.RouteModels: 1})
	}
}

// A record of the wrong shape is an error of what reads it, and of nothing else.
func TestAnOddRevisionStopsNoOther(t *testing.T) {
	t.Parallel()
	const wrong = "displayName: a string is expected, the service sent a number."
	e, service := sandboxEngine(t)
	service.Inject(revised(t, 3, "displayName", 7))
	state := e.mustRead(t, "model", pinned(1))
	if state["latest_revision"] != int64(3) || state["is_latest"] != false {
		t.Errorf("latest %v, %v", state["latest_revision"], state["is_latest"])
	}
	expectUnusable(t, e.reports(t, "model", pinned(3)), wrong)
	expectUnusable(t, e.reports(t, "model_group_models", ofMain(nil)), wrong)

	revisions := func(of int) arguments { return arguments{"revisions": map[string]any{mainGroup: of}} }
	e.mustRead(t, "pinned_models", revisions(1))
	diagnostics := e.reports(t, "pinned_models", revisions(3))
	expectError(t, diagnostics, `revisions["`+mainGroup+`"]`, explain.SummaryUnexpected, wrong)
	expectRequests(t, service, counts{sandbox.RouteToken: 1, sandbox.RouteModels: 1})

	e.mustRead(t, "latest_model", ofMain(nil))
	expectRequests(t, service, counts{
		sandbox.RouteToken:  1,
		sandbox.RouteModels: 1,
		sandbox.RouteLatest: 1,
	})
}

// A record without a revision may be the highest, or the pinned one if no other is.
func TestARecordWithoutARevision(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(revised(t, 2, "revision", "two"))
	for revision, isLatest := range map[int]any{1: false, 3: nil} {
		state := e.mustRead(t, "model", pinned(revision))
		if state["latest_revision"] != nil || state["is_latest"] != isLatest {
			t.Errorf("revision %d: latest %v, %v", revision, state["latest_revision"], state["is_latest"])
		}
	}
	expectUnusable(t, e.reports(t, "model", pinned(2)), "revision: a whole number is expected")
	expectRequests(t, service, counts{sandbox.RouteToken: 1, sandbox.RouteModels: 1})
}

// A list for a time horizon that has a group on another one was not filtered. Case does not matter.
func TestAListOfADifferentHorizon(t *testing.T) {
	t.Parallel()
	for key, right := range map[string]bool{"DAY_AHEAD": true, "intraday": false} {
		e, service := sandboxEngine(t)
		service.Inject(respell(sandbox.RouteGroups, `"key":"day_ahead"`, `"key":"`+key+`"`))
		onHorizon := arguments{"time_horizon": "day_ahead"}
		if right {
			e.mustRead(t, "model_groups", onHorizon)
			continue
		}
		for _, name := range []string{"model_groups", "latest_models"} {
			expectUnusable(t, e.reports(t, name, onHorizon), "timeHorizon.key: it is \"intraday\", and the groups on \"day_ahead\"")
		}
	}
}

// A revision of a different group does not belong to this one.
func TestARecordOfADifferentGroup(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(revised(t, 3, "modelGroupId", "8e1d1a52"))
	state := e.mustRead(t, "model", pinned(1))
	if state["latest_revision"] != nil || state["is_latest"] != false {
		t.Errorf("latest %v, %v", state["latest_revision"], state["is_latest"])
	}
	expectUnusable(t, e.reports(t, "model", pinned(3)), "it is a different group than the one asked for")
	expectRequests(t, service, counts{sandbox.RouteToken: 1, sandbox.RouteModels: 1})
}

// Revision 2 is the only archived one. An odd record is an error if it may be the one that satisfies.
func TestAnOddRevisionAndWhere(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		odd      sandbox.Fault
		revision any // nil for an error
	}{
		"older than what satisfies":         {revised(t, 0, "displayName", 7), int64(2)},
		"does not satisfy":                  {revised(t, 3, "displayName", 7), int64(2)},
		"satisfies":                         {revised(t, 2, "displayName", 7), nil},
		"no condition can be read":          {revised(t, 2, "archived", "yes"), nil},
		"no revision, and satisfies":        {revised(t, 2, "revision", "two"), nil},
		"no revision, and fails to satisfy": {revised(t, 1, "revision", "one"), int64(2)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, service := sandboxEngine(t)
			service.Inject(test.odd)
			config := ofMain(arguments{"where": where("archived", true)})
			state, diagnostics := e.read(t.Context(), t, "latest_model", config)
			if state["revision"] != test.revision || failed(diagnostics) != (test.revision == nil) {
				t.Errorf("revision %v, %v, want %v", state["revision"], diagnostics, test.revision)
			}
			expectRequests(t, service, counts{
				sandbox.RouteToken:  1,
				sandbox.RouteLatest: 1,
				sandbox.RouteModels: 1,
			})
		})
	}
}

// An odd latest model is an error unless it does not satisfy.
func TestAnOddLatestModel(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(respell(sandbox.RouteLatest, `"runMode":"AUTOMATIC"`, `"runMode":7`))
	for _, condition := range []any{nil, where("archived", false)} {
		config := ofMain(arguments{"where": condition})
		expectUnusable(t, e.reports(t, "latest_model", config), "At runMode: a string is expected")
	}
	expectRequests(t, service, counts{sandbox.RouteToken: 1, sandbox.RouteLatest: 1})
	state := e.mustRead(t, "latest_model", ofMain(arguments{"where": where("archived", true)}))
	if state["revision"] != int64(2) {
		t.Errorf("revision %v", state["revision"])
	}
	expectRequests(t, service, counts{
		sandbox.RouteToken:  1,
		sandbox.RouteLatest: 1,
		sandbox.RouteModels: 1,
	})
}

// listing returns an engine whose service spells something differently in a list of groups.
func listing(t *testing.T, pairs ...string) (*engine, *sandbox.Sandbox) {
	t.Helper()
	e, service := sandboxEngine(t)
	service.Inject(respell(sandbox.RouteGroups, pairs...))
	return e, service
}

// An odd group is an error of what reads it: a list of groups, and a lookup of its name.
func TestAnOddGroupStopsNoOther(t *testing.T) {
	t.Parallel()
	const odd, sound = "Imbalance volume TenneT", "EMEA power balance"
	const name = `"name":"` + odd + `"`
	e, _ := listing(t, name, name+`,"createdAt":7`)
	e.mustRead(t, "model_group", arguments{"name": sound})
	e.mustRead(t, "latest_models", arguments{"attributes": []any{"id"}})
	const wrong = "createdAt: a string is expected"
	expectUnusable(t, e.reports(t, "model_group", arguments{"name": odd}), wrong)
	expectUnusable(t, e.reports(t, "model_groups", nil), wrong)
}

// A group whose name is odd may be the one that is looked up.
func TestAnOddNameOfAGroup(t *testing.T) {
	t.Parallel()
	const odd, sound = "Imbalance volume TenneT", "EMEA power balance"
	e, _ := listing(t, `"name":"`+odd+`"`, `"name":7`)
	e.mustRead(t, "model_group", arguments{"name": sound})
	diagnostics := e.reports(t, "model_group", arguments{"name": odd})
	expectUnusable(t, diagnostics, "name: a string is expected")
}

// Nothing more is asked if the id of a listed group is odd.
func TestAnOddIDOfAGroup(t *testing.T) {
	t.Parallel()
	e, service := listing(t, `"id":"`+mainGroup+`"`, `"id":7`)
	diagnostics := e.reports(t, "latest_models", nil)
	expectUnusable(t, diagnostics, "id: a string is expected")
	expectRequests(t, service, counts{sandbox.RouteToken: 1, sandbox.RouteGroups: 1})
}

// The dates of a service are in any form of ISO 8601 that is read.
func TestAnAgeFromAnyDate(t *testing.T) {
	t.Parallel()
	aDay := ofMain(arguments{"where": where("min_age", "1d")})
	e, _ := sandboxEngine(t)
	sent := e.mustRead(t, "latest_model", aDay)
	created, updated := fmt.Sprint(sent["created_at"]), fmt.Sprint(sent["updated_at"])
	for _, date := range []string{
		"2026-01-02",
		"2026-01-02 03:04",
		"2026-01-02T03:04:05+0100",
		"2026-01-02T03:04:05.678",
	} {
		e, service := sandboxEngine(t)
		service.Inject(respell(sandbox.RouteLatest, created, date, updated, date))
		state := e.mustRead(t, "latest_model", aDay)
		if state["created_at"] != date || state["updated_at"] != date {
			t.Errorf("%s: created at %v, updated at %v", date, state["created_at"], state["updated_at"])
		}
		expectRequests(t, service, counts{sandbox.RouteToken: 1, sandbox.RouteLatest: 1})
	}
}

// Only a documented code, about a field that is an argument, tells a reader that his argument is wrong. Nothing is sent
// again.
func TestA400IsAboutAnArgumentOnlyIfItSaysSo(t *testing.T) {
	t.Parallel()
	const aboutAHeader = `{"code":"VALIDATION_FAILED","data":{"issues":[{"field":"X-Tenant","messages":["is missing"]}]}}`
	for body, want := range map[string]outcome{
		`{"code":"BAD_REQUEST","message":"No."}`:           {"id", explain.SummaryInvalidID, []string{"No."}},
		`{"code":"TENANT_MISSING","message":"Say which."}`: {"", explain.SummaryInvalidRequest, []string{"Say which."}},
		aboutAHeader: {"", explain.SummaryInvalidRequest, []string{"  - X-Tenant: is missing"}},
		`{"title":"Bad","detail":"Send X-Tenant."}`: {"", explain.SummaryInvalidRequest, []string{"Bad: Send X-Tenant."}},
	} {
		e, service := sandboxEngine(t)
		fault := status(http.StatusBadRequest, body, 0)
		fault.Header = http.Header{"Content-Type": {"application/problem+json"}}
		service.Inject(fault)
		expectOutcomes(t, e.reports(t, "model_group", arguments{"id": mainGroup}), want)
		expectRequests(t, service, counts{sandbox.RouteToken: 1, sandbox.RouteGroup: 1})
	}
}
