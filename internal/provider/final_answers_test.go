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
	for client, want := range map[string]outcome{
		"adventure-works": {"", explain.SummaryForbidden, []string{"not permitted", "Status 403 Forbidden, code FORBIDDEN"}},
		"tailspin": {"", explain.SummaryOrganisationDisabled, []string{
			"The contract of Tailspin Power ended on 31 March 2026.", "Status 403 Forbidden, code ORGANISATION_DISABLED",
		}},
	} {
		t.Run(client, func(t *testing.T) {
			expectFinal(t, sandbox.Fault{Route: sandbox.RouteToken}, credentialsOf(client, "http://localhost"), oneGroup, want)
		})
	}
}

func TestOtherAnswersThatAreFinal(t *testing.T) {
	t.Parallel()
	unexpected := func(says ...string) outcome { return outcome{"", explain.SummaryUnexpected, says} }
	const noRecord = "id: it is missing or null, and no record is without it."
	issues := `{"code":"VALIDATION_FAILED","message":"2 fields are not valid.","data":{"issues":[
		{"field":"id","messages":["is too long","is no UUID"]},{"field":"query.page.size","messages":["must be positive"]}]}}`
	for name, test := range map[string]struct {
		route  sandbox.Route
		status int
		header [2]string
		body   string
		want   outcome
	}{
		"400, issues": {sandbox.RouteGroup, 400, [2]string{}, issues, outcome{"id", "Invalid model group id", []string{
			"2 fields are not valid.", "id: is too long; is no UUID", "query.page.size: must be positive",
			"Status 400 Bad Request, code VALIDATION_FAILED",
		}}},
		"404 of the list": {sandbox.RouteGroups, 404, [2]string{}, "<html>Not here</html>", outcome{"", explain.SummaryNotAnswered, []string{
			"Check base_url", "Status 404 Not Found, for GET http://localhost/v1/model-group",
		}}},
		"405": {sandbox.RouteGroup, 405, [2]string{}, "", outcome{"", explain.SummaryNotAnswered, []string{
			"Status 405 Method Not Allowed, for GET",
		}}},
		"204": {sandbox.RouteGroup, 204, [2]string{}, "", unexpected("Status 204 No Content")},
		"redirect": {
			sandbox.RouteGroup, 307,
			[2]string{"Location", "https://elsewhere.example/x"},
			"",
			outcome{"", explain.SummaryRedirect, []string{"a redirect to https://elsewhere.example/x.", "Status 307 Temporary Redirect"}},
		},
		"200 with HTML": {sandbox.RouteGroup, 200, [2]string{"Content-Type", "text/html"}, "<html>Sign in</html>", unexpected(
			"The body is a page of HTML.", `content type "text/html"`, "for GET http://localhost"+mainPath,
		)},
		"200, empty": {sandbox.RouteGroup, 200, [2]string{}, "", unexpected("The body is empty.")},
		"200, another shape": {sandbox.RouteGroup, 200, [2]string{}, `{"models":[{"revision":1},{"revision":"two"}]}`, unexpected(
			"models[1].revision: a whole number is expected, the service sent a string",
		)},
		"200, no record": {sandbox.RouteGroup, 200, [2]string{}, `{"items":[]}`, unexpected(noRecord)},
		"200, an error document": {
			sandbox.RouteLatest, 200, [2]string{}, `{"code":"NOT_FOUND","message":"No such group.","statusCode":404}`, unexpected(noRecord),
		},
		"200, larger than a provider can pass on": {
			sandbox.RouteGroup, 200,
			[2]string{"Content-Length", "300000000"},
			"{",
			outcome{"", explain.SummaryTooLarge, []string{"300000000 bytes (286 MiB)", "268435456 bytes (256 MiB)", "time_horizon"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			fault := sandbox.Fault{Route: test.route, Status: test.status, Body: test.body}
			if test.header[0] != "" {
				fault.Header = http.Header{test.header[0]: {test.header[1]}}
			}
			expectFinal(t, fault, nil, readingOf[test.route], test.want)
		})
	}
}

func TestTheStatusSurvivesAnyBody(t *testing.T) {
	t.Parallel()
	bodies := map[string]struct {
		contentType, body string
		says              string
	}{
		"empty": {contentType: "application/json", body: ""},
		"HTML": {
			contentType: "text/html", body: "<html><head><title>Sorry,\nwe are closed</title></head><body>" + strings.Repeat("x", 5000),
			says: "a page of HTML titled Sorry, we are closed",
		},
		"not UTF-8": {contentType: "text/plain", body: "broken \xff\xfe\x1b[31m here", says: "broken [31m here"},
		"huge": {
			contentType: "application/json", body: `{"code":"HUGE","message":"` + strings.Repeat("x", 2<<20) + `"}`, says: strings.Repeat("x", 100),
		},
		"huge, no JSON": {contentType: "text/plain", body: strings.Repeat("y", 2<<20), says: strings.Repeat("y", 100)},
		"deeply nested": {contentType: "application/json", body: strings.Repeat(`{"data":`, 100000) + "1" + strings.Repeat("}", 100000)},
		"without a code": {
			contentType: "application/json", body: `{"message":"Just words.","statusCode":200}`, says: "The service said: Just words.",
		},
		"a code that is no string": {
			contentType: "application/json", body: `{"code":{"a":1},"message":["Two","words"],"data":{"issues":[{"field":["f"],"messages":[1]},7]}}`,
			says: `["Two","words"]`,
		},
		"null":   {contentType: "application/json", body: "null"},
		"a list": {contentType: "application/json", body: `["a"]`, says: `["a"]`},
		"cut":    {contentType: "application/json", body: `{"code":"NOT_FO`, says: `{"code":"NOT_FO`},
	}
	for _, expected := range []struct {
		status  int
		want    outcome
		request int
	}{
		{status: 503, want: outcome{summary: explain.SummaryUnavailable, says: []string{"Status 503 Service Unavailable"}}, request: 2},
		{status: 404, want: outcome{argument: "id", summary: explain.SummaryGroupNotFound, says: []string{"Status 404 Not Found"}}, request: 1},
		{status: 403, want: outcome{summary: explain.SummaryForbidden, says: []string{"Status 403 Forbidden"}}, request: 1},
	} {
		for name, test := range bodies {
			t.Run(fmt.Sprintf("%d %s", expected.status, name), func(t *testing.T) {
				onFakeClock(t, func(t *testing.T) {
					service := sandbox.New(sandbox.Default())
					service.Inject(sandbox.Fault{
						Route: sandbox.RouteGroup, Status: expected.status, Header: http.Header{"Content-Type": {test.contentType}}, Body: test.body,
					})
					e := inMemory(t, service, arguments{argMaxRetries: 1})
					state, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
					expected.want.expect(t, state, diagnostics)
					detail := diagnostics[0].Detail
					if !strings.Contains(detail, test.says) {
						t.Errorf("the detail lacks %q:\n%s", test.says, detail)
					}
					if len(detail) > 4000 || strings.ContainsFunc(detail, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
						t.Errorf("%d bytes, or not printable: %q", len(detail), detail)
					}
					expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: expected.request})
				})
			})
		}
	}
}
