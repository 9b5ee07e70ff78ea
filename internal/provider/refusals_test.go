package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// TestFailuresThatAreFinal: one request, one diagnostic, at once.
func TestFailuresThatAreFinal(t *testing.T) {
	t.Parallel()
	group := reading{"model_group", arguments{"id": mainGroup}}
	on := func(route sandbox.Route, code int, body string) sandbox.Fault {
		return sandbox.Fault{Route: route, Status: code, Body: body}
	}
	issues := `{"code":"VALIDATION_FAILED","message":"2 fields are not valid.","data":{"issues":[
		{"field":"id","messages":["is too long","is no UUID"]},{"field":"query.page.size","messages":["must be positive"]}]}}`
	for name, test := range map[string]struct {
		fault  sandbox.Fault
		client string // another organisation than northwind
		read   reading
		want   outcome
	}{
		"400 BAD_REQUEST": {
			sandbox.Refuse(sandbox.RouteGroup, "BAD_REQUEST", "No."), "", group,
			outcome{"id", "Invalid model group id", []string{"The service said: No.", "Status 400 Bad Request, code BAD_REQUEST, for GET http://localhost" + mainPath}},
		},
		"400 BAD_REQUEST of a list": {
			sandbox.Refuse(sandbox.RouteGroups, "BAD_REQUEST", "No."), "",
			reading{"model_groups", nil},
			outcome{"", summaryInvalidRequest, []string{"The service said: No.", "Status 400 Bad Request, code BAD_REQUEST, for GET http://localhost/v1/model-group"}},
		},
		"400 VALIDATION_FAILED": {
			on(sandbox.RouteGroup, 400, issues), "", group,
			outcome{"id", "Invalid model group id", []string{"2 fields are not valid.", "id: is too long; is no UUID", "query.page.size: must be positive", "Status 400 Bad Request, code VALIDATION_FAILED"}},
		},
		"400, a code nobody knows": {
			on(sandbox.RouteGroup, 400, `{"code":"BRAND_NEW","message":"New."}`), "", group,
			outcome{"id", "Invalid model group id", []string{"The service said: New.", "Status 400 Bad Request, code BRAND_NEW"}},
		},
		"403 FORBIDDEN": {
			sandbox.Refuse(sandbox.RouteGroup, "FORBIDDEN", "Not you."), "", group,
			outcome{"", summaryForbidden, []string{"The service said: Not you.", "Status 403 Forbidden, code FORBIDDEN"}},
		},
		"403 FORBIDDEN, the organisation": {
			sandbox.Fault{Route: sandbox.RouteToken},
			"adventure-works", group,
			outcome{"", summaryForbidden, []string{"not permitted", "Status 403 Forbidden, code FORBIDDEN"}},
		},
		"403 ORGANISATION_DISABLED": {
			sandbox.Fault{Route: sandbox.RouteToken},
			"tailspin", group,
			outcome{"", summaryOrganisationDisabled, []string{"The contract of Tailspin Power ended on 31 March 2026.", "Status 403 Forbidden, code ORGANISATION_DISABLED"}},
		},
		"403, a code nobody knows": {
			on(sandbox.RouteGroup, 403, `{"code":"BRAND_NEW","message":"New."}`), "", group,
			outcome{"", summaryForbidden, []string{"The service said: New.", "code BRAND_NEW"}},
		},
		"404 NOT_FOUND": {
			sandbox.Refuse(sandbox.RouteGroup, "NOT_FOUND", "None such."), "", group,
			outcome{"id", summaryGroupNotFound, []string{"The service said: None such.", "Status 404 Not Found, code NOT_FOUND"}},
		},
		"404 NOT_FOUND, latest model": {
			sandbox.Refuse(sandbox.RouteLatest, "NOT_FOUND", "None such."), "",
			reading{"latest_model", arguments{"model_group_id": mainGroup}},
			outcome{"model_group_id", summaryGroupNotFound + ", or without models", []string{"Status 404 Not Found, code NOT_FOUND"}},
		},
		"404 NOT_FOUND, models": {
			sandbox.Refuse(sandbox.RouteModels, "NOT_FOUND", "None such."), "",
			reading{"model", arguments{"model_group_id": mainGroup, "revision": 1}},
			outcome{"model_group_id", summaryGroupNotFound, []string{"Status 404 Not Found, code NOT_FOUND"}},
		},
		"404, a code nobody knows": {
			on(sandbox.RouteGroup, 404, `{"code":"BRAND_NEW","message":"New."}`), "", group,
			outcome{"id", summaryGroupNotFound, []string{"The service said: New.", "code BRAND_NEW"}},
		},
		"404 of the list": {
			on(sandbox.RouteGroups, 404, "<html>Not here</html>"), "",
			reading{"model_groups", nil},
			outcome{"", summaryNotAnswered, []string{"Check base_url", "Status 404 Not Found, for GET http://localhost/v1/model-group"}},
		},
		"409 CONFLICT": {
			sandbox.Refuse(sandbox.RouteGroup, "CONFLICT", "In flight."), "", group,
			outcome{"", summaryNotAnswered, []string{"The service said: In flight.", "Status 409 Conflict, code CONFLICT"}},
		},
		"409 MODEL_RUN_OUTPUT_UNAVAILABLE": {
			sandbox.Refuse(sandbox.RouteGroup, "MODEL_RUN_OUTPUT_UNAVAILABLE", "Gone."), "", group,
			outcome{"", summaryNotAnswered, []string{"Status 409 Conflict, code MODEL_RUN_OUTPUT_UNAVAILABLE"}},
		},
		"409, a code nobody knows": {
			on(sandbox.RouteGroup, 409, `{"code":"BRAND_NEW","message":"New."}`), "", group,
			outcome{"", summaryNotAnswered, []string{"Status 409 Conflict, code BRAND_NEW"}},
		},
		"418": {
			on(sandbox.RouteGroup, 418, `{"code":"BRAND_NEW","message":"New."}`), "", group,
			outcome{"", summaryNotAnswered, []string{"Status 418", "code BRAND_NEW"}},
		},
		"405": {
			on(sandbox.RouteGroup, 405, ""), "", group,
			outcome{"", summaryNotAnswered, []string{"Status 405 Method Not Allowed, for GET"}},
		},
		"204": {
			sandbox.Fault{Route: sandbox.RouteGroup, Status: 204},
			"", group,
			outcome{"", summaryNotAnswered, []string{"Status 204 No Content"}},
		},
		"redirect": {
			sandbox.Fault{Route: sandbox.RouteGroup, Status: 307, Header: http.Header{"Location": {"https://elsewhere.example/x"}}},
			"", group,
			outcome{"", summaryRedirect, []string{"a redirect to https://elsewhere.example/x.", "Status 307 Temporary Redirect"}},
		},
		"200 with HTML": {
			sandbox.Fault{Route: sandbox.RouteGroup, Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<html>Sign in</html>"},
			"", group,
			outcome{"", summaryUnexpected, []string{"The body is a page of HTML.", `content type "text/html"`, "for GET http://localhost" + mainPath}},
		},
		"200, empty": {
			on(sandbox.RouteGroup, 200, ""), "", group,
			outcome{"", summaryUnexpected, []string{"The body is empty."}},
		},
		"200, another shape": {
			on(sandbox.RouteGroup, 200, `{"models":[{"revision":1},{"revision":"two"}]}`), "", group,
			outcome{"", summaryUnexpected, []string{"models[1].revision: a whole number is expected, the service sent a string"}},
		},
		"200, no record": {
			on(sandbox.RouteGroup, 200, `{"items":[]}`), "", group,
			outcome{"", summaryUnexpected, []string{"id: it is missing or null, and no record is without it."}},
		},
		"200, an error document": {
			on(sandbox.RouteLatest, 200, `{"code":"NOT_FOUND","message":"No such group.","statusCode":404}`), "",
			reading{"latest_model", arguments{"model_group_id": mainGroup}},
			outcome{"", summaryUnexpected, []string{"id: it is missing or null, and no record is without it."}},
		},
		"200, larger than a provider can pass on": {
			sandbox.Fault{Route: sandbox.RouteGroup, Status: 200, Header: http.Header{"Content-Length": {"300000000"}}, Body: "{"},
			"", group,
			outcome{"", summaryTooLarge, []string{"300000000 bytes (286 MiB)", "268435456 bytes (256 MiB)", "time_horizon"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				service.Inject(test.fault)
				more := arguments{}
				if test.client != "" {
					more = arguments{argClientID: test.client, argClientSecret: test.client + "-sandbox-secret"}
				}
				e := inMemory(t, service, more)
				began := time.Now()
				state, diagnostics := e.read(t.Context(), t, test.read.name, test.read.config)
				if took := time.Since(began); took != 0 {
					t.Errorf("it took %s", took)
				}
				test.want.expect(t, state, diagnostics)
				if got := service.Count(sandbox.RouteAny); got != 2 || service.Count(sandbox.RouteToken) != 1 {
					t.Errorf("%d requests, want one for a token and one read", got)
				}
			})
		})
	}
}

func TestTheStatusSurvivesAnyBody(t *testing.T) {
	t.Parallel()
	bodies := map[string]struct {
		contentType, body string
		says              string
	}{
		"empty":          {"application/json", "", ""},
		"HTML":           {"text/html", "<html><head><title>Sorry,\nwe are closed</title></head><body>" + strings.Repeat("x", 5000), "a page of HTML titled Sorry, we are closed"},
		"not UTF-8":      {"text/plain", "broken \xff\xfe\x1b[31m here", "broken [31m here"},
		"huge":           {"application/json", `{"code":"HUGE","message":"` + strings.Repeat("x", 2<<20) + `"}`, strings.Repeat("x", 100)},
		"huge, no JSON":  {"text/plain", strings.Repeat("y", 2<<20), strings.Repeat("y", 100)},
		"deeply nested":  {"application/json", strings.Repeat(`{"data":`, 100000) + "1" + strings.Repeat("}", 100000), ""},
		"without a code": {"application/json", `{"message":"Just words.","statusCode":200}`, "The service said: Just words."},
		"a code that is no string": {
			"application/json", `{"code":{"a":1},"message":["Two","words"],"data":{"issues":[{"field":["f"],"messages":[1]},7]}}`,
			`["Two","words"]`,
		},
		"null":   {"application/json", "null", ""},
		"a list": {"application/json", `["a"]`, `["a"]`},
		"cut":    {"application/json", `{"code":"NOT_FO`, `{"code":"NOT_FO`},
	}
	for _, expected := range []struct {
		status  int
		want    outcome
		request int
	}{
		{503, outcome{"", summaryUnavailable, []string{"Status 503 Service Unavailable"}}, 2},
		{404, outcome{"id", summaryGroupNotFound, []string{"Status 404 Not Found"}}, 1},
		{403, outcome{"", summaryForbidden, []string{"Status 403 Forbidden"}}, 1},
	} {
		for name, test := range bodies {
			t.Run(fmt.Sprintf("%d %s", expected.status, name), func(t *testing.T) {
				onFakeClock(t, func(t *testing.T) {
					service := sandbox.New(sandbox.Default())
					service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Status: expected.status, Header: http.Header{"Content-Type": {test.contentType}}, Body: test.body})
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
