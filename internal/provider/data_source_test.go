package provider

import (
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// Engines validate a configuration again before each read. One that cannot be decoded
// nevertheless reads nothing.
func TestArgumentsThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	_, diagnostics := e.read(t.Context(), t, "model", arguments{"model_group_id": mainGroup, "revision": 1.5})
	if !failed(diagnostics) {
		t.Error("no error")
	}
	_, diagnostics = e.read(t.Context(), t, "model_group_models", nil)
	expectError(t, diagnostics, "", explain.SummaryNotRead, "it is empty")
	expectRequests(t, service, nil)
}
