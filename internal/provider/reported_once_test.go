package provider

import (
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// TestACauseOfAllReadsIsToldInFullOnce: many blocks fail of one cause, thirty at
// a time. TestMessages has the words.
func TestACauseOfAllReadsIsToldInFullOnce(t *testing.T) {
	t.Parallel()
	for summary, fault := range map[string]sandbox.Fault{
		explain.SummaryRejected:             sandbox.RefuseToken("invalid_client", "Words."),
		explain.SummaryOrganisationDisabled: sandbox.Refuse(sandbox.RouteGroup, "ORGANISATION_DISABLED", "Words."),
		explain.SummaryUnavailable:          status(503, `{"code":"DOWN","message":"Words."}`, 0),
		explain.SummaryRateLimited:          limited(sandbox.RouteGroup, "600", 0),
	} {
		t.Run(summary, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, 60))
				service.Inject(fault)
				whole := 0
				for _, a := range inMemory(t, service, nil).readAll(t, 30, eachGroup(0, 60)) {
					expectError(t, a.diagnostics, "", summary)
					if !strings.HasPrefix(a.diagnostics[0].Detail, "The full message is in ") {
						whole++
					}
				}
				if whole != 1 {
					t.Errorf("%d of 60 are told in full", whole)
				}
			})
		})
	}
}

// TestAnotherCauseIsToldInFullAgain: a failure that concerns one group only is always told in full.
func TestAnotherCauseIsToldInFullAgain(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 3))
		for _, fault := range []sandbox.Fault{
			status(503, `{"code":"DOWN","message":"The first."}`, 1),
			status(503, `{"code":"DOWN","message":"The second."}`, 1),
			sandbox.Refuse(sandbox.RouteGroup, "FORBIDDEN", "The others."),
		} {
			service.Inject(fault)
		}
		answers := inMemory(t, service, arguments{argMaxRetries: 0, argSnapshot: false}).readAll(t, 1,
			append(eachGroup(0, 3), eachGroup(2, 3)...))
		for i, want := range []outcome{
			{summary: explain.SummaryUnavailable, says: []string{"The service said: The first."}},
			{summary: explain.SummaryUnavailable, says: []string{"The full message is in the error of\nmodelcatalogue_model_group \"group-000\"."}},
			{summary: explain.SummaryForbidden, says: []string{"The service said: The others."}},
			{summary: explain.SummaryForbidden, says: []string{"The service said: The others."}},
		} {
			expectTold(t, answers[i].diagnostics, want)
		}
	})
}
