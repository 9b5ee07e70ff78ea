package provider

import (
	"fmt"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// An answer that was kept from before cannot prove that something is absent, so
// the question is asked once more.
func TestWhatAKeptAnswerLacks(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	e.mustRead(t, "model", arguments{"model_group_id": mainGroup, "revision": 1})
	if _, err := service.Publish(mainGroup, []byte(`{"tags": ["gold"], "dockerImage": "app:4"}`)); err != nil {
		t.Fatal(err)
	}
	e.mustRead(t, "model", arguments{"model_group_id": mainGroup, "revision": 4, "docker_image": "app:4"})
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: 2})
	diagnostics := e.refused(t, "pinned_models", arguments{"revisions": map[string]any{mainGroup: 9}})
	expectError(t, diagnostics, fmt.Sprintf("revisions[%q]", mainGroup), explain.SummaryRevisionNotFound, "It has: 4, 3, 2, 1, 0.")
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: 3})
	// The newest that satisfies is of a list that is as new as the latest model.
	for range 2 { // revision 5 satisfies, revision 6 does not
		if _, err := service.Publish(mainGroup, []byte(`{"enabled": true}`)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := service.SetEnabled(mainGroup, 6, false); err != nil {
		t.Fatal(err)
	}
	state := e.mustRead(t, "latest_model", arguments{"model_group_id": mainGroup, "where": where("enabled", true)})
	if state["revision"] != int64(5) {
		t.Errorf("revision %v", state["revision"])
	}
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: 4, sandbox.RouteLatest: 1})
}

func TestANameThatAKeptListLacks(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	rename := service.Inject(respell(sandbox.RouteGroups, "EMEA power balance", "Another name"))
	e.mustRead(t, "model_groups", nil)
	_, diagnostics := e.read(t.Context(), t, "model_group", arguments{"name": "EMEA power balance"})
	expectError(t, diagnostics, "name", explain.SummaryGroupNotFound)
	rename()
	e.mustRead(t, "model_group", arguments{"name": "EMEA power balance"})
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroups: 3})
}
