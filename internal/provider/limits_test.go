package provider

import (
	"fmt"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

func TestAResultTooLargeForOneMessageIsOurOwnError(t *testing.T) {
	t.Parallel()
	e, _ := sandboxEngine(t)
	e.server.maxState = 1000
	_, diagnostics := e.read(t.Context(), t, "model_group_models", arguments{"model_group_id": mainGroup})
	expectError(t, diagnostics, "", summaryTooLarge, "modelcatalogue_model_group_models takes", "at most 1000 bytes", "time_horizon")
}

func TestAnAnswerTooLargeNamesSizeLimitAndWayOut(t *testing.T) {
	t.Parallel()
	d := explain.Error(
		fmt.Errorf("reading: %w", &catalogue.TooLargeError{Endpoint: getting("/v1/model-group"), Limit: catalogue.MaxBody, Size: 300 << 20}),
		explain.Subject{},
	)
	const want = "The result of GET https://c.example/v1/model-group takes 314572800 bytes (300 MiB). " +
		"A provider can hand its engine at most 268435456 bytes (256 MiB) at once.\n\n" +
		"Read less at once: give modelcatalogue_model_groups a time_horizon, or read one group or its latest model only."
	if d.Summary() != summaryTooLarge || d.Detail() != want {
		t.Errorf("%s\n%s", d.Summary(), d.Detail())
	}
}
