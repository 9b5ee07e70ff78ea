package provider

import (
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// TestACauseOfAllReadsIsToldInFullOnce: many blocks fail of one cause, thirty at
// a time, and the service's words stand there once.
func TestACauseOfAllReadsIsToldInFullOnce(t *testing.T) {
	t.Parallel()
	const words = "What the service says of it."
	limited := limited(sandbox.RouteGroup, "600", 0)
	limited.Body = `{"code":"RATE_LIMITED","message":"` + words + `"}`
	for name, test := range map[string]struct {
		fault   sandbox.Fault
		blocks  int
		summary string
	}{
		"a wrong secret": {fault: sandbox.RefuseToken("invalid_client", words), blocks: 300, summary: explain.SummaryRejected},
		"a token that no read may use": {
			fault: sandbox.Refuse(sandbox.RouteGroup, "UNAUTHORIZED", words), blocks: 60, summary: explain.SummaryRejected,
		},
		"a disabled organisation": {
			fault: sandbox.Refuse(sandbox.RouteGroup, "ORGANISATION_DISABLED", words), blocks: 60, summary: explain.SummaryOrganisationDisabled,
		},
		"a service that is down": {
			fault: status(503, `{"code":"DOWN","message":"`+words+`"}`, 0), blocks: 60,
			summary: explain.SummaryUnavailable,
		},
		"a used-up allowance": {fault: limited, blocks: 60, summary: explain.SummaryRateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, test.blocks))
				service.Inject(test.fault)
				answers := inMemory(t, service, nil).readAll(t, 30, eachGroup(0, test.blocks))
				expectOneCause(t, answers, test.summary, "The service said: "+words, "Status ")
				said := 0
				for _, a := range answers {
					said += strings.Count(a.diagnostics[0].Detail, words)
				}
				if said != 1 {
					t.Errorf("the service's words stand there %d times", said)
				}
			})
		})
	}
}

// TestAnotherCauseIsToldInFullAgain: what is told in short is the same cause,
// and a failure that concerns one group only is always told in full.
func TestAnotherCauseIsToldInFullAgain(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 4))
		for _, fault := range []sandbox.Fault{
			status(503, `{"code":"DOWN","message":"The first."}`, 1),
			status(503, `{"code":"DOWN","message":"The second."}`, 1),
			status(500, `{"code":"INTERNAL_ERROR","message":"The third."}`, 1),
			sandbox.Refuse(sandbox.RouteGroup, "FORBIDDEN", "The others."),
		} {
			service.Inject(fault)
		}
		answers := inMemory(t, service, arguments{argMaxRetries: 0, argSnapshot: false}).readAll(t, 1,
			append(eachGroup(0, 4), eachGroup(0, 1)...))
		for i, want := range []outcome{
			{summary: explain.SummaryUnavailable, says: []string{"The service said: The first."}},
			{summary: explain.SummaryUnavailable, says: []string{
				"The full message is in the error of\nmodelcatalogue_model_group \"group-000\".",
			}},
			{summary: explain.SummaryUnavailable, says: []string{"The full message is in the error of\nthe read that used up its retries."}},
			{summary: explain.SummaryForbidden, says: []string{"The service said: The others."}},
			{summary: explain.SummaryForbidden, says: []string{"The service said: The others."}},
		} {
			want.expect(t, answers[i].state, answers[i].diagnostics)
		}
	})
}
