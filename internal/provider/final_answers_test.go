package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// readingOf is a read that sends a request of a route.
var readingOf = map[sandbox.Route]reading{
	sandbox.RouteGroups: {"model_groups", nil},
	sandbox.RouteGroup:  {"model_group", arguments{"id": mainGroup}},
	sandbox.RouteLatest: {"latest_model", arguments{"model_group_id": mainGroup}},
	sandbox.RouteModels: {"model", arguments{"model_group_id": mainGroup, "revision": 1}},
}

// expectFinal wants one request, one diagnostic, at once. more are arguments of the
// provider.
func expectFinal(t *testing.T, fault sandbox.Fault, more arguments, read reading, want outcome) {
	t.Helper()
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(fault)
		e := inMemory(t, service, more)
		began := time.Now()
		state, diagnostics := e.read(t.Context(), t, read.name, read.config)
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %s", took)
		}
		want.expect(t, state, diagnostics)
		if got := service.Count(sandbox.RouteAny); got != 2 || service.Count(sandbox.RouteToken) != 1 {
			t.Errorf("%d requests, want one for a token and one read", got)
		}
	})
}

func TestErrorDocumentsThatAreFinal(t *testing.T) {
	t.Parallel()
	paths := map[sandbox.Route]string{
		sandbox.RouteGroups: "/v1/model-group", sandbox.RouteGroup: mainPath,
		sandbox.RouteLatest: mainPath + "/latest-model", sandbox.RouteModels: mainPath + "/models",
	}
	for _, test := range []struct {
		status            int
		code              string
		route             sandbox.Route
		argument, summary string
	}{
		{400, "BAD_REQUEST", sandbox.RouteGroup, "id", "Invalid model group id"},
		{400, "BAD_REQUEST", sandbox.RouteGroups, "", explain.SummaryInvalidRequest},
		{400, "BRAND_NEW", sandbox.RouteGroup, "id", "Invalid model group id"},
		{403, "FORBIDDEN", sandbox.RouteGroup, "", explain.SummaryForbidden},
		{403, "BRAND_NEW", sandbox.RouteGroup, "", explain.SummaryForbidden},
		{404, "NOT_FOUND", sandbox.RouteGroup, "id", explain.SummaryGroupNotFound},
		{404, "NOT_FOUND", sandbox.RouteLatest, "model_group_id", explain.SummaryGroupNotFound + ", or without models"},
		{404, "NOT_FOUND", sandbox.RouteModels, "model_group_id", explain.SummaryGroupNotFound},
		{404, "BRAND_NEW", sandbox.RouteGroup, "id", explain.SummaryGroupNotFound},
		{409, "CONFLICT", sandbox.RouteGroup, "", explain.SummaryNotAnswered},
		{409, "MODEL_RUN_OUTPUT_UNAVAILABLE", sandbox.RouteGroup, "", explain.SummaryNotAnswered},
		{409, "BRAND_NEW", sandbox.RouteGroup, "", explain.SummaryNotAnswered},
		{418, "BRAND_NEW", sandbox.RouteGroup, "", explain.SummaryNotAnswered},
	} {
		t.Run(fmt.Sprint(test.status, " ", test.code, " ", test.route), func(t *testing.T) {
			fault := sandbox.Fault{Route: test.route, Status: test.status, Body: `{"code":"` + test.code + `","message":"The words."}`}
			status := fmt.Sprintf("Status %d %s, code %s, for GET http://localhost%s\n",
				test.status, http.StatusText(test.status), test.code, paths[test.route])
			expectFinal(t, fault, nil, readingOf[test.route],
				outcome{test.argument, test.summary, []string{"The service said: The words.", status}})
		})
	}
	// A success without content or with another shape, and a redirect, are final too.
	for _, status := range []int{200, 204, 307} {
		summary := map[bool]string{true: explain.SummaryRedirect, false: explain.SummaryUnexpected}[status == 307]
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			expectFinal(t, sandbox.Fault{Route: sandbox.RouteGroup, Status: status, Body: `{"items":[]}`}, nil,
				readingOf[sandbox.RouteGroup], outcome{"", summary, []string{fmt.Sprintf("Status %d ", status)}})
		})
	}
}

// TestTheStatusSurvivesAnyBody: what the service said is shown bounded and printable.
func TestTheStatusSurvivesAnyBody(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ contentType, body, says string }{
		"empty": {contentType: "application/json"},
		"HTML": {
			contentType: "text/html", body: "<html><head><title>Sorry,\nwe are closed</title></head><body>" + strings.Repeat("x", 5000),
			says: "a page of HTML titled Sorry, we are closed",
		},
		"not UTF-8": {contentType: "text/plain", body: "broken \xff\xfe\x1b[31m here", says: "broken [31m here"},
		"huge":      {contentType: "text/plain", body: strings.Repeat("y", 2<<20), says: strings.Repeat("y", 100)},
		"odd JSON":  {contentType: "application/json", body: `{"code":{"a":1},"message":["Two","words"]}`, says: `["Two","words"]`},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				service.Inject(sandbox.Fault{
					Route: sandbox.RouteGroup, Status: 503, Header: http.Header{"Content-Type": {test.contentType}}, Body: test.body,
				})
				diagnostics := inMemory(t, service, arguments{argMaxRetries: 1}).refused(t, oneGroup.name, oneGroup.config)
				expectError(t, diagnostics, "", explain.SummaryUnavailable, "Status 503 Service Unavailable", test.says)
				detail := diagnostics[0].Detail
				if len(detail) > 4000 || strings.ContainsFunc(detail, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
					t.Errorf("%d bytes, or not printable: %q", len(detail), detail)
				}
				expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 2})
			})
		})
	}
}
