package provider

import (
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// TestACauseOfManyBlocksIsReportedOnce in full: sixty fail, thirty at a time. TestMessages has the words of each cause.
func TestACauseOfManyBlocksIsReportedOnce(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 60))
		service.Inject(status(503, `{"code":"DOWN","message":"Words."}`, 0))
		whole := 0
		for _, a := range inMemory(t, service, nil).readAll(t, 30, eachGroup(0, 60)) {
			expectError(t, a.diagnostics, "", explain.SummaryUnavailable)
			if !strings.HasPrefix(a.diagnostics[0].Detail, "The full message is in ") {
				whole++
			}
		}
		if whole != 1 {
			t.Errorf("%d of 60 are reported in full", whole)
		}
	})
}

func TestACauseOfOneGroupIsAlwaysReportedInFull(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(sandbox.Refuse(sandbox.RouteGroup, "CONFLICT", "Words."))
	for range 2 {
		expectError(t, e.reports(t, oneGroup.name, oneGroup.config), "", explain.SummaryNotAnswered, "The service said: Words.")
	}
}
