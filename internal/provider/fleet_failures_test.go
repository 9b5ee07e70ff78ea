package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// told is a diagnostic that a fleet has to give.
type told struct {
	argument, summary string
	says              []string
}

// expectTold wants exactly these errors, in that order.
func expectTold(t *testing.T, diagnostics []*tfprotov6.Diagnostic, want ...told) {
	t.Helper()
	var got []string
	for _, d := range diagnostics {
		got = append(got, fmt.Sprintf("%s: %s\n%s", argumentOf(d), d.Summary, d.Detail))
	}
	if len(diagnostics) != len(want) {
		t.Fatalf("%d errors, want %d:\n%s", len(diagnostics), len(want), strings.Join(got, "\n\n"))
	}
	for i, w := range want {
		expectError(t, diagnostics[i:i+1], w.argument, w.summary, w.says...)
	}
}

// failing is a fault of one group of manyGroups.
func failing(route sandbox.Route, group int, status int, body string) sandbox.Fault {
	path := map[sandbox.Route]string{sandbox.RouteLatest: "/latest-model", sandbox.RouteModels: "/models"}
	return sandbox.Fault{Route: route, Path: "/v1/model-group/" + groupID(group) + path[route], Status: status, Body: body}
}

func TestSeveralCausesAreToldTogether(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 40))
		for _, fault := range []sandbox.Fault{
			failing(sandbox.RouteLatest, 3, 404, `{"code":"NOT_FOUND","message":"No group-003."}`),
			failing(sandbox.RouteLatest, 5, 500, `{"code":"INTERNAL_ERROR","message":"It broke."}`),
			failing(sandbox.RouteLatest, 7, 200, `{"id":"m","revision":"one"}`),
			failing(sandbox.RouteLatest, 9, 403, `{"code":"FORBIDDEN","message":"Not you."}`),
			failing(sandbox.RouteLatest, 11, 400, `{"code":"BAD_REQUEST","message":"Odd."}`),
			failing(sandbox.RouteLatest, 13, 404, `{"code":"NOT_FOUND","message":"No group-013."}`),
			failing(sandbox.RouteLatest, 15, 500, `{"code":"INTERNAL_ERROR","message":"It broke again."}`),
			failing(sandbox.RouteLatest, 17, 200, `{"id":"m","revision":"seventeen"}`),
		} {
			service.Inject(fault)
		}
		e := inMemory(t, service, nil)
		ids := append(idsOf(40), "nowhere")
		state, diagnostics := e.read(t.Context(), t, "latest_models", arguments{"model_group_ids": ids})
		if state != nil {
			t.Errorf("a state: %v", state)
		}
		const notFound = summaryGroupOrModels
		expectTold(t, diagnostics,
			told{
				argument: "model_group_ids[3]", summary: notFound,
				says: []string{
					`no model group "group-003"`, "No group-003.", "2 more of 41 groups failed the same way:\n  - \"group-013\"\n  - \"nowhere\"",
				},
			},
			told{
				argument: "model_group_ids[5]", summary: summaryUnavailable,
				says: []string{"It broke.", "gave up after 5 attempts", "1 more of 41 groups failed the same way:\n  - \"group-015\""},
			},
			told{
				argument: "model_group_ids[7]", summary: summaryUnexpected, says: []string{"revision: a whole number is expected", "  - \"group-017\""},
			},
			told{argument: "model_group_ids[9]", summary: summaryForbidden, says: []string{"Not you."}},
			told{argument: "model_group_ids[11]", summary: summaryInvalidID, says: []string{`"group-011"`, "Odd."}},
		)
		// Each was asked, those that failed for good once.
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteLatest: 41 + 2*4})
	})
}

func TestSeveralPinsThatFailAreToldTogether(t *testing.T) {
	t.Parallel()
	service := sandbox.New(manyGroups(t, 6))
	service.Inject(failing(sandbox.RouteModels, 5, 403, ""))
	e := newEngine(t, northwind(service.Start(t)))
	_, diagnostics := e.read(t.Context(), t, "pinned_models", arguments{"revisions": map[string]any{
		groupID(0): 1, groupID(1): 9, groupID(2): 2, groupID(3): 0, "nowhere": 1, groupID(4): 7, groupID(5): 1,
	}})
	expectTold(t, diagnostics,
		told{argument: `revisions["group-001"]`, summary: summaryRevisionNotFound, says: []string{
			`Model group "group-001" has no revision 9. It has: 2, 1.`,
			"2 more of 7 groups failed the same way:\n  - \"group-003\": no revision 0, but 2, 1\n  - \"group-004\": no revision 7, but 2, 1",
		}},
		told{argument: `revisions["group-005"]`, summary: summaryForbidden},
		told{argument: `revisions["nowhere"]`, summary: summaryGroupNotFound, says: []string{`no model group "nowhere"`}},
	)
}

func TestAtMostTenIDsAreNamed(t *testing.T) {
	t.Parallel()
	e, _ := sandboxEngine(t)
	var ids []any
	for i := range 10 + 13 {
		ids = append(ids, fmt.Sprintf("none-%02d", i))
	}
	for n, more := range map[int]string{10: "", 11: "  - and 1 other", 23: "  - and 13 others"} {
		_, diagnostics := e.read(t.Context(), t, "latest_models", arguments{"model_group_ids": ids[:n]})
		expectTold(
			t, diagnostics, told{argument: "model_group_ids[0]", summary: summaryGroupOrModels, says: []string{`"none-00"`, `"none-09"`, more}},
		)
		named := 0
		for i := range n {
			if strings.Contains(diagnostics[0].Detail, fmt.Sprintf(`"none-%02d"`, i)) {
				named++
			}
		}
		if named != 10 || !strings.HasSuffix(diagnostics[0].Detail, more) {
			t.Errorf("%d of %d ids are named:\n%s", named, n, diagnostics[0].Detail)
		}
	}
}

// Nobody wrote the id of a group that was found by listing, so its failure is on
// no argument and names the group.
func TestAListedGroupThatFails(t *testing.T) {
	t.Parallel()
	service := sandbox.New(manyGroups(t, 12))
	service.Inject(failing(sandbox.RouteLatest, 3, 403, ""))
	service.Inject(failing(sandbox.RouteLatest, 4, 403, ""))
	_, diagnostics := newEngine(t, northwind(service.Start(t))).read(t.Context(), t, "latest_models", nil)
	expectTold(
		t, diagnostics,
		told{
			summary: summaryForbidden,
			says:    []string{"/v1/model-group/group-003/latest-model", "1 more of 12 groups failed the same way:\n  - \"group-004\""},
		},
	)
}

func TestATimeHorizonThatTheServiceDoesNotKnow(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	_, diagnostics := e.read(t.Context(), t, "latest_models", arguments{"time_horizon": "fortnight"})
	expectError(t, diagnostics, "time_horizon", summaryInvalidHorizon, `"fortnight"`, "code BAD_REQUEST")
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroups: 1})
}

// TestWhatConcernsAllIsToldOnce: one diagnostic on no element, and no more
// requests than it takes.
func TestWhatConcernsAllIsToldOnce(t *testing.T) {
	t.Parallel()
	lasting := limited(sandbox.RouteLatest, "600", 0)
	lasting.Skip = 100
	for name, test := range map[string]struct {
		faults  []sandbox.Fault
		client  string
		more    arguments
		summary string
		says    []string
		tokens  int
		reads   int // at most
		within  time.Duration
	}{
		"credentials rejected": {
			faults:  []sandbox.Fault{sandbox.RefuseToken("invalid_client", "Revoked.")},
			summary: summaryRejected, says: []string{"Revoked."}, tokens: 1,
		},
		"tokens refused": {
			faults:  []sandbox.Fault{sandbox.Refuse(sandbox.RouteLatest, "UNAUTHORIZED", "No.")},
			summary: summaryRejected, says: []string{"refused the fresh one"}, tokens: 3, reads: 3 * fewAtOnce,
		},
		"organisation disabled": {
			client: "tailspin", summary: summaryOrganisationDisabled, tokens: 1, reads: fewAtOnce,
		},
		"outage": {
			faults:  []sandbox.Fault{closing, {Route: sandbox.RouteLatest, Status: 503}},
			summary: summaryUnavailable, says: []string{"gave up after 5 attempts", "\n\n10 groups were asked for, none was answered."},
			tokens: 1, reads: 5 * fewAtOnce, within: 19 * sec,
		},
		"outage, later": {
			faults: []sandbox.Fault{closing, {Route: sandbox.RouteLatest, Status: 503, Skip: 100}},
			// Those that began before the last good answer say nothing of the
			// service, so a few more are asked.
			summary: summaryUnavailable, says: []string{" groups were asked for, 100 were answered."},
			tokens: 1, reads: 100 + 2*5*manyAtOnce, within: 40 * sec,
		},
		"no network": {
			faults:  []sandbox.Fault{closing, {Route: sandbox.RouteLatest, Kind: sandbox.Reset}},
			summary: summaryUnreachable, tokens: 1, reads: 5 * fewAtOnce, within: 19 * sec,
		},
		"a wait that does not fit": {
			faults:  []sandbox.Fault{limited(sandbox.RouteLatest, "600", 0)},
			summary: summaryRateLimited, says: []string{"10m0s"}, tokens: 1, reads: fewAtOnce,
		},
		"a wait that does not fit, later": {
			faults:  []sandbox.Fault{lasting},
			summary: summaryRateLimited, tokens: 1, reads: 100 + manyAtOnce,
		},
		"a ceiling too low": {
			more:    arguments{argMaxRequestsPerSecond: 0.01},
			summary: summaryTimeout, says: []string{"max_requests_per_second"}, tokens: 1, reads: 3, within: 300 * sec,
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				catalogue, more := manyGroups(t, 300), test.more
				if test.client != "" {
					catalogue, more = sandbox.Default(), credentialsOf(test.client, "http://localhost")
				}
				service := sandbox.New(catalogue)
				for _, fault := range test.faults {
					service.Inject(fault)
				}
				e, began := inMemory(t, service, more), time.Now()
				_, diagnostics := e.read(t.Context(), t, "latest_models", arguments{"model_group_ids": idsOf(300)})
				expectTold(t, diagnostics, told{summary: test.summary, says: test.says})
				if took := time.Since(began); took > test.within {
					t.Errorf("it took %s", took)
				}
				if reads, tokens := service.Count(sandbox.RouteLatest), service.Count(sandbox.RouteToken); reads > test.reads || tokens > test.tokens {
					t.Errorf("%d reads, want at most %d; %d token requests, want at most %d", reads, test.reads, tokens, test.tokens)
				}
			})
		})
	}
}

// Where the service goes on answering, it is a group that fails.
func TestAGroupThatAlwaysFailsIsNoOutage(t *testing.T) {
	t.Parallel()
	for name, group := range map[string]int{"the first": 0, "one in between": 33, "the last": 59} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, 60))
				service.Inject(failing(sandbox.RouteLatest, group, 500, ""))
				service.Inject(failing(sandbox.RouteLatest, 45, 404, ""))
				service.Inject(sandbox.Fault{Route: sandbox.RouteLatest, Delay: sec})
				_, diagnostics := inMemory(t, service, arguments{argMaxRetries: 0}).
					read(t.Context(), t, "latest_models", arguments{"model_group_ids": idsOf(60)})
				want := []told{
					{argument: fmt.Sprintf("model_group_ids[%d]", group), summary: summaryUnavailable},
					{argument: "model_group_ids[45]", summary: summaryGroupOrModels},
				}
				if group > 45 {
					slices.Reverse(want)
				}
				expectTold(t, diagnostics, want...)
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteLatest: 60})
			})
		})
	}
}
