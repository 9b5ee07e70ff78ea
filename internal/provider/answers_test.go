package provider

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// Odd answers, which the sandbox gives only by faults.

// counts are the requests of each route.
type counts = map[sandbox.Route]int

// ofMain returns arguments about mainGroup.
func ofMain(more arguments) arguments { return arguments{"model_group_id": mainGroup}.merge(more) }

// pinned returns the arguments of a pin in mainGroup.
func pinned(revision int) arguments { return ofMain(arguments{"revision": revision}) }

// expectUnusable expects one error about a malformed answer.
func expectUnusable(t *testing.T, diagnostics []*tfprotov6.Diagnostic, says string) {
	t.Helper()
	expectError(t, diagnostics, "", explain.SummaryUnexpected, says)
}

// revised returns a fault: it changes a field of one revision in lists of models.
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

// Data of a different group never pass under the configured id. TestEveryDataSource has an id in a different case.
func TestAnAnswerAboutADifferentGroup(t *testing.T) {
	t.Parallel()
	const wrong = "it is a different group than the one asked for, \"8e1d1a52"
	e, service := sandboxEngine(t)
	service.Inject(respell(sandbox.RouteGroup, `"id":"`+mainGroup, `"id":"8e1d1a52`))
	service.Inject(respell(sandbox.RouteLatest, `"modelGroupId":"`+mainGroup, `"modelGroupId":"8e1d1a52`))
	expectUnusable(t, e.reports(t, "model_group", arguments{"id": mainGroup}), wrong)
	expectUnusable(t, e.reports(t, "latest_model", ofMain(nil)), wrong)
	service.Inject(revised(t, 1, "modelGroupId", "8e1d1a52"))
	expectUnusable(t, e.reports(t, "model", pinned(3)), "At models[")
	diagnostics := e.reports(t, "latest_models", arguments{"model_group_ids": []any{mainGroup}})
	expectError(t, diagnostics, "model_group_ids[0]", explain.SummaryUnexpected, wrong)
	expectRequests(t, service, counts{
		sandbox.RouteToken:  1,
		sandbox.RouteGroup:  1,
		sandbox.RouteLatest: 1,
		sandbox.RouteModels: 1,
	})
}

// A malformed record is an error of the blocks that use it, and of no other.
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

// A record without a readable revision may be the highest, or the pinned one if no other matches.
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

// A malformed record is an error if it may satisfy where. Revision 2 is the only archived one.
func TestAnOddRevisionAndWhere(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		odd      sandbox.Fault
		revision any // nil for an error
	}{
		"older than what satisfies":         {revised(t, 0, "displayName", 7), int64(2)},
		"does not satisfy":                  {revised(t, 3, "displayName", 7), int64(2)},
		"satisfies":                         {revised(t, 2, "displayName", 7), nil},
		"may satisfy":                       {revised(t, 2, "archived", "yes"), nil},
		"ruled out by the latest model":     {revised(t, 3, "archived", "yes"), int64(2)},
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

// A malformed latest model is an error, except if it fails a condition.
func TestAnOddLatestModel(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(respell(sandbox.RouteLatest, `"runMode":"AUTOMATIC"`, `"runMode":7`))
	for _, condition := range []any{nil, where("archived", false)} {
		config := ofMain(arguments{"where": condition})
		expectUnusable(t, e.reports(t, "latest_model", config), "At runMode: a string is expected")
	}
	expectRequests(t, service, counts{sandbox.RouteToken: 1, sandbox.RouteLatest: 1})
	state := e.mustRead(t, "latest_model", ofMain(arguments{"where": where("archived", true, "enabled", false)}))
	if state["revision"] != int64(2) {
		t.Errorf("revision %v", state["revision"])
	}
	expectRequests(t, service, counts{
		sandbox.RouteToken:  1,
		sandbox.RouteLatest: 1,
		sandbox.RouteModels: 1,
	})
}

// A malformed group is an error of a list of groups and of a lookup of its name.
func TestAnOddGroupStopsNoOther(t *testing.T) {
	t.Parallel()
	const wrong = "createdAt: a string is expected"
	e, service := sandboxEngine(t)
	service.Inject(respell(sandbox.RouteGroups, `"name":"Imbalance volume TenneT"`, `"name":"Imbalance volume TenneT","createdAt":7`))
	e.mustRead(t, "model_group", arguments{"name": "EMEA power balance"})
	e.mustRead(t, "latest_models", arguments{"accept_withdrawn": true})
	expectUnusable(t, e.reports(t, "model_group", arguments{"name": "Imbalance volume TenneT"}), wrong)
	expectUnusable(t, e.reports(t, "model_groups", nil), wrong)
	expectError(t, e.reports(t, "model_group", arguments{"name": "Rainfall"}), "name", explain.SummaryGroupNotFound)
}

// A fleet cannot ask for a group without an id.
func TestAGroupWithoutAnID(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(respell(sandbox.RouteGroups, `"id":"`+mainGroup+`"`, `"id":7`))
	expectUnusable(t, e.reports(t, "latest_models", nil), "id: a string is expected")
	expectRequests(t, service, counts{sandbox.RouteToken: 1, sandbox.RouteGroups: 1})
}
