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
	ours, ourDiagnostics := readFrom(t.Context(), t, e.server, name, config)
	theirs, theirDiagnostics := readFrom(t.Context(), t, e.server.ProviderServer, name, config)
	if failed(ourDiagnostics) != (ours == nil) || len(ourDiagnostics) != len(theirDiagnostics) || !reflect.DeepEqual(ours, theirs) {
		t.Errorf("%s %v differs:\n%v\n%v", name, config, ours, theirs)
	}
	return ours
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
	for range 3 {
		expectError(t, e.refused(t, "model_group", arguments{"id": mainGroup}), "", explain.SummaryInterrupted)
	}
	expectRequests(t, service, nil)
}
