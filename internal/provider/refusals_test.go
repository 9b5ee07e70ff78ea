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
			fault: sandbox.Refuse(sandbox.RouteGroup, "BAD_REQUEST", "No."), read: group,
			want: outcome{
				argument: "id", summary: "Invalid model group id",
				says: []string{"The service said: No.", "Status 400 Bad Request, code BAD_REQUEST, for GET http://localhost" + mainPath},
			},
		},
		"400 BAD_REQUEST of a list": {
			fault: sandbox.Refuse(sandbox.RouteGroups, "BAD_REQUEST", "No."), read: reading{"model_groups", nil},
			want: outcome{
				summary: summaryInvalidRequest,
				says:    []string{"The service said: No.", "Status 400 Bad Request, code BAD_REQUEST, for GET http://localhost/v1/model-group"},
			},
		},
		"400 VALIDATION_FAILED": {
			fault: on(sandbox.RouteGroup, 400, issues), read: group,
			want: outcome{
				argument: "id", summary: "Invalid model group id",
				says: []string{
					"2 fields are not valid.", "id: is too long; is no UUID", "query.page.size: must be positive",
					"Status 400 Bad Request, code VALIDATION_FAILED",
				},
			},
		},
		"400, a code nobody knows": {
			fault: on(sandbox.RouteGroup, 400, `{"code":"BRAND_NEW","message":"New."}`), read: group,
			want: outcome{
				argument: "id", summary: "Invalid model group id", says: []string{"The service said: New.", "Status 400 Bad Request, code BRAND_NEW"},
			},
		},
		"403 FORBIDDEN": {
			fault: sandbox.Refuse(sandbox.RouteGroup, "FORBIDDEN", "Not you."), read: group,
			want: outcome{summary: summaryForbidden, says: []string{"The service said: Not you.", "Status 403 Forbidden, code FORBIDDEN"}},
		},
		"403 FORBIDDEN, the organisation": {
			fault:  sandbox.Fault{Route: sandbox.RouteToken},
			client: "adventure-works", read: group,
			want: outcome{summary: summaryForbidden, says: []string{"not permitted", "Status 403 Forbidden, code FORBIDDEN"}},
		},
		"403 ORGANISATION_DISABLED": {
			fault:  sandbox.Fault{Route: sandbox.RouteToken},
			client: "tailspin", read: group,
			want: outcome{
				summary: summaryOrganisationDisabled,
				says:    []string{"The contract of Tailspin Power ended on 31 March 2026.", "Status 403 Forbidden, code ORGANISATION_DISABLED"},
			},
		},
		"403, a code nobody knows": {
			fault: on(sandbox.RouteGroup, 403, `{"code":"BRAND_NEW","message":"New."}`), read: group,
			want: outcome{summary: summaryForbidden, says: []string{"The service said: New.", "code BRAND_NEW"}},
		},
		"404 NOT_FOUND": {
			fault: sandbox.Refuse(sandbox.RouteGroup, "NOT_FOUND", "None such."), read: group,
			want: outcome{
				argument: "id", summary: summaryGroupNotFound, says: []string{"The service said: None such.", "Status 404 Not Found, code NOT_FOUND"},
			},
		},
		"404 NOT_FOUND, latest model": {
			fault: sandbox.Refuse(sandbox.RouteLatest, "NOT_FOUND", "None such."),
			read:  reading{"latest_model", arguments{"model_group_id": mainGroup}},
			want: outcome{
				argument: "model_group_id", summary: summaryGroupNotFound + ", or without models",
				says: []string{"Status 404 Not Found, code NOT_FOUND"},
			},
		},
		"404 NOT_FOUND, models": {
			fault: sandbox.Refuse(sandbox.RouteModels, "NOT_FOUND", "None such."),
			read:  reading{"model", arguments{"model_group_id": mainGroup, "revision": 1}},
			want:  outcome{argument: "model_group_id", summary: summaryGroupNotFound, says: []string{"Status 404 Not Found, code NOT_FOUND"}},
		},
		"404, a code nobody knows": {
			fault: on(sandbox.RouteGroup, 404, `{"code":"BRAND_NEW","message":"New."}`), read: group,
			want: outcome{argument: "id", summary: summaryGroupNotFound, says: []string{"The service said: New.", "code BRAND_NEW"}},
		},
		"404 of the list": {
			fault: on(sandbox.RouteGroups, 404, "<html>Not here</html>"), read: reading{"model_groups", nil},
			want: outcome{
				summary: summaryNotAnswered, says: []string{"Check base_url", "Status 404 Not Found, for GET http://localhost/v1/model-group"},
			},
		},
		"409 CONFLICT": {
			fault: sandbox.Refuse(sandbox.RouteGroup, "CONFLICT", "In flight."), read: group,
			want: outcome{summary: summaryNotAnswered, says: []string{"The service said: In flight.", "Status 409 Conflict, code CONFLICT"}},
		},
		"409 MODEL_RUN_OUTPUT_UNAVAILABLE": {
			fault: sandbox.Refuse(sandbox.RouteGroup, "MODEL_RUN_OUTPUT_UNAVAILABLE", "Gone."), read: group,
			want: outcome{summary: summaryNotAnswered, says: []string{"Status 409 Conflict, code MODEL_RUN_OUTPUT_UNAVAILABLE"}},
		},
		"409, a code nobody knows": {
			fault: on(sandbox.RouteGroup, 409, `{"code":"BRAND_NEW","message":"New."}`), read: group,
			want: outcome{summary: summaryNotAnswered, says: []string{"Status 409 Conflict, code BRAND_NEW"}},
		},
		"418": {
			fault: on(sandbox.RouteGroup, 418, `{"code":"BRAND_NEW","message":"New."}`), read: group,
			want: outcome{summary: summaryNotAnswered, says: []string{"Status 418", "code BRAND_NEW"}},
		},
		"405": {
			fault: on(sandbox.RouteGroup, 405, ""), read: group,
			want: outcome{summary: summaryNotAnswered, says: []string{"Status 405 Method Not Allowed, for GET"}},
		},
		"204": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Status: 204},
			read:  group,
			want:  outcome{summary: summaryUnexpected, says: []string{"Status 204 No Content"}},
		},
		"redirect": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Status: 307, Header: http.Header{"Location": {"https://elsewhere.example/x"}}},
			read:  group,
			want:  outcome{summary: summaryRedirect, says: []string{"a redirect to https://elsewhere.example/x.", "Status 307 Temporary Redirect"}},
		},
		"200 with HTML": {
			fault: sandbox.Fault{
				Route: sandbox.RouteGroup, Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<html>Sign in</html>",
			},
			read: group,
			want: outcome{
				summary: summaryUnexpected,
				says:    []string{"The body is a page of HTML.", `content type "text/html"`, "for GET http://localhost" + mainPath},
			},
		},
		"200, empty": {
			fault: on(sandbox.RouteGroup, 200, ""), read: group,
			want: outcome{summary: summaryUnexpected, says: []string{"The body is empty."}},
		},
		"200, another shape": {
			fault: on(sandbox.RouteGroup, 200, `{"models":[{"revision":1},{"revision":"two"}]}`), read: group,
			want: outcome{summary: summaryUnexpected, says: []string{"models[1].revision: a whole number is expected, the service sent a string"}},
		},
		"200, no record": {
			fault: on(sandbox.RouteGroup, 200, `{"items":[]}`), read: group,
			want: outcome{summary: summaryUnexpected, says: []string{"id: it is missing or null, and no record is without it."}},
		},
		"200, an error document": {
			fault: on(sandbox.RouteLatest, 200, `{"code":"NOT_FOUND","message":"No such group.","statusCode":404}`),
			read:  reading{"latest_model", arguments{"model_group_id": mainGroup}},
			want:  outcome{summary: summaryUnexpected, says: []string{"id: it is missing or null, and no record is without it."}},
		},
		"200, larger than a provider can pass on": {
			fault: sandbox.Fault{Route: sandbox.RouteGroup, Status: 200, Header: http.Header{"Content-Length": {"300000000"}}, Body: "{"},
			read:  group,
			want:  outcome{summary: summaryTooLarge, says: []string{"300000000 bytes (286 MiB)", "268435456 bytes (256 MiB)", "time_horizon"}},
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
		{status: 503, want: outcome{summary: summaryUnavailable, says: []string{"Status 503 Service Unavailable"}}, request: 2},
		{status: 404, want: outcome{argument: "id", summary: summaryGroupNotFound, says: []string{"Status 404 Not Found"}}, request: 1},
		{status: 403, want: outcome{summary: summaryForbidden, says: []string{"Status 403 Forbidden"}}, request: 1},
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
