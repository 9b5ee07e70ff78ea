package provider

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// readBothWays reads from the provider's own server and from the framework's in
// it, which have to agree, and returns the state, or nil where the read fails.
func (e *engine) readBothWays(t *testing.T, name string, config arguments) map[string]any {
	t.Helper()
	ours, ourDiagnostics := e.readFrom(t.Context(), t, e.server, name, config)
	theirs, theirDiagnostics := e.readFrom(t.Context(), t, e.server.ProviderServer, name, config)
	if failed(ourDiagnostics) != (ours == nil) || len(ourDiagnostics) != len(theirDiagnostics) || !reflect.DeepEqual(ours, theirs) {
		t.Errorf("%s %v differs:\n%v\n%v", name, config, ours, theirs)
	}
	return ours
}

// TestBothServersGiveTheSame has the arguments that compareAll does not try.
func TestBothServersGiveTheSame(t *testing.T) {
	t.Parallel()
	e, _ := sandboxEngine(t)
	for _, where := range []any{where(), where("archived", true), where("tags", []any{})} {
		e.readBothWays(t, "latest_model", arguments{"model_group_id": mainGroup, "where": where})
		e.readBothWays(t, "latest_models", arguments{"model_group_ids": []any{mainGroup}, "where": where})
		e.readBothWays(t, "latest_models", arguments{"where": where, "attributes": []any{"revision"}})
	}
	both := arguments{"revisions": map[string]any{mainGroup: 2, oddGroup: 7}}
	first := arguments{"model_group_id": mainGroup, "revision": 0, "docker_image": firstImage}
	for _, accepted := range []any{nil, true, false} {
		e.readBothWays(t, "model", arguments{"model_group_id": mainGroup, "revision": 2, "accept_withdrawn": accepted})
		e.readBothWays(t, "model", first.with("accept_withdrawn", accepted))
		for _, images := range []any{nil, map[string]any{}, map[string]any{oddGroup: oddImage}, map[string]any{oddGroup: "another"}} {
			e.readBothWays(t, "pinned_models", both.merge(arguments{"docker_images": images, "accept_withdrawn": accepted}))
		}
	}
	for _, some := range [][]any{{}, {"id", "docker_image", "tags", "model_group_id"}} {
		e.readBothWays(t, "model_group_models", arguments{"model_group_id": mainGroup, "attributes": some})
		e.readBothWays(t, "latest_models", arguments{"model_group_ids": []any{mainGroup, oddGroup, mainGroup}, "attributes": some})
		e.readBothWays(t, "latest_models", arguments{"model_group_ids": []any{}, "attributes": some})
		e.readBothWays(t, "pinned_models", both.with("attributes", some))
		e.readBothWays(t, "pinned_models", arguments{"revisions": map[string]any{}, "attributes": some})
	}
	e.readBothWays(t, "model_groups", arguments{"attributes": []any{}})
	e.readBothWays(t, "model_groups", arguments{"attributes": []any{"id", "models", "axes"}})
}

func TestAResultTooLargeForOneMessageIsOurOwnError(t *testing.T) {
	t.Parallel()
	e, _ := sandboxEngine(t)
	e.server.maxState = 1000
	expectError(t, e.refused(t, "model_group_models", arguments{"model_group_id": mainGroup}), "", explain.SummaryTooLarge,
		"modelcatalogue_model_group_models is", "at most 1000 bytes", "time_horizon")
}

func TestAReadThatArrivesAfterAnInterruptSendsNothing(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	if _, err := e.server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		expectError(t, e.refused(t, "model_group", arguments{"id": mainGroup}), "", explain.SummaryInterrupted)
	}
	expectRequests(t, service, nil)
}
