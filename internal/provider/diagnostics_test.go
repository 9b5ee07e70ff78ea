package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// answered is an answer of the service to a read.
func answered(status int, code, message string) *catalogue.APIError {
	return &catalogue.APIError{Endpoint: catalogue.Endpoint{Method: http.MethodGet, Path: "/v1/model-group/g"}, Status: status, Code: code, Message: message, RequestID: "r-1"}
}

// tokenAnswered is an answer of the token endpoint.
func tokenAnswered(status int, code, message string) *catalogue.APIError {
	return &catalogue.APIError{Endpoint: catalogue.Endpoint{Method: http.MethodPost, Path: "/v1/auth/token"}, Status: status, Code: code, Message: message}
}

const (
	checkID       = "Check the id, and that the credentials belong to an organisation that may see the group. The data source modelcatalogue_model_groups lists those it may see."
	checkBaseURL  = "Check base_url: it is the part of the service's address that comes before /v1."
	checkSecret   = "Check client_id and client_secret, or MODELCATALOGUE_CLIENT_ID and MODELCATALOGUE_CLIENT_SECRET, and that they are meant for the service at base_url."
	tryLater      = "Try again later. If it lasts, show this to those who run the service; max_retries and read_timeout say how long the provider goes on asking."
	sendLess      = "Run again later, start fewer runs at once, or set max_requests_per_second to a share of the allowance. Where a plan has many blocks, a plural data source reads the same with fewer requests."
	checkNetwork  = "Check base_url and the network. HTTPS_PROXY and NO_PROXY are honoured."
	checkTrust    = "Check base_url. Where the service's certificate comes from a private authority, give that authority's certificate in ca_certificate_pem."
	notCatalogue  = "Check base_url: what answers there may not be the catalogue but a proxy or a login page."
	askService    = "Act on what the service said, or show it to those who run the service."
	everyOtherRun = "every other read fails with these same words"
)

func TestDiagnose(t *testing.T) {
	t.Parallel()
	group := groupSubject(path.Root("model_group_id"), "g")
	horizon := subject{path: path.Root("time_horizon"), rejected: "Invalid time horizon", name: "time horizon", value: "h"}
	reset := &catalogue.NetworkError{Endpoint: catalogue.Endpoint{Method: http.MethodGet, Path: "/v1/model-group"}, Problem: "connection reset by peer", Err: io.ErrUnexpectedEOF}
	slow := &catalogue.NetworkError{Endpoint: catalogue.Endpoint{Method: http.MethodGet, Path: "/v1/model-group"}, Problem: "no whole answer within 30s", TimedOut: true}
	untrusted := &catalogue.NetworkError{Endpoint: catalogue.Endpoint{Method: http.MethodGet, Path: "/v1/model-group"}, Problem: "unknown authority", Permanent: true}
	redirect := answered(http.StatusFound, "", "")
	redirect.Location = "https://login.example/"
	invalid := answered(http.StatusBadRequest, "VALIDATION_FAILED", "2 fields.")
	invalid.Issues = []catalogue.Issue{{Field: "id", Messages: []string{"is too long", "is odd"}}, {Field: "a.b", Messages: []string{"is missing"}}}

	for name, test := range map[string]struct {
		err      error
		about    subject
		summary  string
		argument string
		parts    []string // of the detail, in order
		next     string   // what it ends with
	}{
		"not found": {
			err: answered(404, "NOT_FOUND", "No such group."), about: group, summary: "Model group not found", argument: "model_group_id",
			parts: []string{`The catalogue has no model group "g", or these credentials cannot see it`, "The service said: No such group.", "Status 404 Not Found, code NOT_FOUND, for GET /v1/model-group/g", "Request id r-1"}, next: checkID,
		},
		"path not found": {
			err: answered(404, "", "a page of HTML"), summary: "Request refused",
			parts: []string{"The service knows no such path.", "The service said: a page of HTML", "Status 404 Not Found, for GET"}, next: checkBaseURL,
		},
		"argument rejected": {
			err: answered(400, "BAD_REQUEST", "No such key."), about: horizon, summary: "Invalid time horizon", argument: "time_horizon",
			parts: []string{`does not accept the time horizon "h"`, "The service said: No such key.", "Status 400 Bad Request, code BAD_REQUEST"}, next: "Change the value; asking again with the same one will not help.",
		},
		"id rejected": {
			err: invalid, about: group, summary: "Invalid model group id", argument: "model_group_id",
			parts: []string{`model group id "g"`, "The service said: 2 fields.", "  - id: is too long; is odd\n  - a.b: is missing\n", "code VALIDATION_FAILED"}, next: "Change the value; asking again with the same one will not help.",
		},
		"422": {
			err: answered(422, "NEW_CODE", ""), about: horizon, summary: "Invalid time horizon", argument: "time_horizon",
			parts: []string{"422 Unprocessable Entity, code NEW_CODE"}, next: "Change the value; asking again with the same one will not help.",
		},
		"request rejected": {
			err: answered(400, "BAD_REQUEST", "Odd."), summary: "Request rejected",
			parts: []string{"rejected the request as invalid", "The service said: Odd."}, next: "If the configuration is right, please report this to the provider's developers.",
		},
		"organisation disabled": {
			err: answered(403, "ORGANISATION_DISABLED", "The contract ended."), about: group, summary: "Organisation disabled",
			parts: []string{"is disabled", "The service said: The contract ended.", "403 Forbidden, code ORGANISATION_DISABLED"}, next: "Have the organisation enabled again; the service's message carries the reason.",
		},
		"forbidden": {
			err: answered(403, "FORBIDDEN", ""), about: group, summary: "Access forbidden",
			parts: []string{"not permitted", "Status 403 Forbidden, code FORBIDDEN"}, next: "Use credentials of an organisation that is, or have it permitted.",
		},
		"forbidden by an unknown code": {
			err: answered(403, "NEW_CODE", ""), about: group, summary: "Access forbidden",
			parts: []string{"code NEW_CODE"}, next: "Use credentials of an organisation that is, or have it permitted.",
		},
		"redirect": {
			err: redirect, about: group, summary: "Unexpected redirect",
			parts: []string{"follows none", "leads to https://login.example/", "Status 302 Found"}, next: "Set base_url to the service's own address.",
		},
		"conflict": {
			err: answered(409, "CONFLICT", "In flight."), about: group, summary: "Request refused",
			parts: []string{"asking again will not help", "The service said: In flight.", "409 Conflict"}, next: askService,
		},
		"an unknown status": {err: answered(499, "", ""), about: group, summary: "Request refused", parts: []string{"Status 499, for GET"}, next: askService},

		"credentials refused": {
			err: &catalogue.RejectedError{Err: tokenAnswered(401, "invalid_client", "Revoked.")}, about: group, summary: "Credentials rejected",
			parts: []string{"gave no token for client_id and client_secret", everyOtherRun, "The service said: Revoked.", "Status 401 Unauthorized, code invalid_client, for POST /v1/auth/token"}, next: checkSecret,
		},
		"token request refused": {
			err: &catalogue.RejectedError{Err: tokenAnswered(400, "invalid_request", "")}, summary: "Credentials rejected",
			parts: []string{"gave no token", "code invalid_request"}, next: checkSecret,
		},
		"fresh token refused": {
			err: &catalogue.RejectedError{Err: answered(401, "UNAUTHORIZED", "Expired.")}, about: group, summary: "Credentials rejected",
			parts: []string{"refused the fresh one", everyOtherRun, "Status 401 Unauthorized, code UNAUTHORIZED, for GET"}, next: checkSecret,
		},
		"no token endpoint": {
			err: &catalogue.RejectedError{Err: tokenAnswered(404, "", "")}, about: group, summary: "No usable token",
			parts: []string{"no token endpoint", everyOtherRun, "Status 404 Not Found, for POST"}, next: checkBaseURL,
		},
		"token endpoint elsewhere": {err: &catalogue.RejectedError{Err: tokenAnswered(301, "", "")}, summary: "No usable token", parts: []string{"no token endpoint", "Status 301"}, next: checkBaseURL},
		"token by another method":  {err: &catalogue.RejectedError{Err: tokenAnswered(405, "", "")}, summary: "No usable token", parts: []string{"no token endpoint", "Status 405"}, next: checkBaseURL},
		"no usable token": {
			err: &catalogue.RejectedError{Err: &catalogue.TokenError{Endpoint: catalogue.Endpoint{Method: http.MethodPost, Path: "/v1/auth/token"}, Problem: "the answer holds no bearer token"}}, about: group, summary: "No usable token",
			parts: []string{"POST /v1/auth/token: the answer holds no bearer token.", everyOtherRun}, next: notCatalogue,
		},

		"too long a wait": {
			err: &catalogue.WaitTooLongError{Asked: 10 * time.Minute, Left: 90 * time.Second, Err: answered(429, "RATE_LIMITED", "Slow down.")}, about: group, summary: "Request allowance exceeded",
			parts: []string{"more requests than the service allows", "asked to wait 10m0s, and this read had 1m30s left", "The service said: Slow down.", "429 Too Many Requests, code RATE_LIMITED"}, next: sendLess,
		},
		"no wait named": {
			err: &catalogue.WaitTooLongError{Left: 90 * time.Second, Err: answered(429, "", "")}, about: group, summary: "Request allowance exceeded",
			parts: []string{"named no time to wait", "no more than 1m30s left"}, next: sendLess,
		},
		"limited to the end": {
			err: &catalogue.GaveUpError{Attempts: 9, Elapsed: 5 * time.Minute, Timeout: true, Err: answered(429, "RATE_LIMITED", "")}, about: group, summary: "Request allowance exceeded",
			parts: []string{"time was over", "gave up after 9 attempts in 5m0s: read_timeout leaves no time for more"}, next: sendLess,
		},

		"service failed": {
			err: &catalogue.GaveUpError{Attempts: 5, Elapsed: 17040 * time.Millisecond, Err: answered(503, "INTERNAL_ERROR", "Oops.")}, about: group, summary: "Catalogue service failed",
			parts: []string{"went on failing", "gave up after 5 attempts in 17s: max_retries allows no more", "The service said: Oops.", "503 Service Unavailable, code INTERNAL_ERROR"}, next: tryLater,
		},
		"service failed, one attempt": {
			err: &catalogue.GaveUpError{Attempts: 1, Elapsed: 20 * time.Millisecond, Err: answered(500, "", "")}, summary: "Catalogue service failed",
			parts: []string{"gave up after 1 attempt in 20ms"}, next: tryLater,
		},
		"service failed, no time": {
			err: &catalogue.GaveUpError{Attempts: 2, Elapsed: time.Second, Timeout: true, Err: answered(408, "REQUEST_TIMEOUT", "")}, summary: "Catalogue service failed",
			parts: []string{"gave up after 2 attempts in 1s: read_timeout leaves no time for more", "408 Request Timeout"}, next: tryLater,
		},
		"not reached": {
			err: &catalogue.GaveUpError{Attempts: 5, Elapsed: 16 * time.Second, Err: reset}, about: group, summary: "Catalogue service not reached",
			parts: []string{"could not be reached, or the connection broke", "gave up after 5 attempts in 16s", "The fault: connection reset by peer, for GET /v1/model-group"}, next: checkNetwork,
		},
		"too slow": {
			err: &catalogue.GaveUpError{Attempts: 5, Elapsed: 3 * time.Minute, Err: slow}, summary: "Catalogue service too slow",
			parts: []string{"request_timeout bounds one attempt, read_timeout the whole read", "gave up after 5 attempts in 3m0s", "The fault: no whole answer within 30s"}, next: tryLater,
		},
		"never asked": {
			err: &catalogue.GaveUpError{Timeout: true, Elapsed: time.Second, Err: context.DeadlineExceeded}, about: group, summary: "Catalogue service too slow",
			parts: []string{"time was over before the catalogue was asked"}, next: "Raise read_timeout, or raise max_requests_per_second where it is set.",
		},
		"a network fault alone": {err: reset, summary: "Catalogue service not reached", parts: []string{"The fault: connection reset by peer"}, next: checkNetwork},
		"untrusted":             {err: untrusted, about: group, summary: "Secure connection failed", parts: []string{"No secure connection", "The fault: unknown authority"}, next: checkTrust},

		"unusable": {
			err: &catalogue.UnusableAnswerError{Endpoint: catalogue.Endpoint{Method: http.MethodGet, Path: "/v1/model-group/g/models"}, ContentType: "application/json", Place: "models[3].displayName", Problem: "a string is expected"}, about: group, summary: "Unexpected answer",
			parts: []string{"models[3].displayName (attribute models[3].display_name): a string is expected.", `Status 200 OK, content type "application/json", for GET /v1/model-group/g/models`}, next: "and look for a newer version of the provider.",
		},
		"unusable as a whole": {
			err: &catalogue.UnusableAnswerError{Endpoint: catalogue.Endpoint{Method: http.MethodGet, Path: "/p"}, Problem: "the body is empty"}, summary: "Unexpected answer",
			parts: []string{"\nthe body is empty.", "GET /p"}, next: "and look for a newer version of the provider.",
		},
		"too large": {
			err: &catalogue.TooLargeError{Endpoint: catalogue.Endpoint{Method: http.MethodGet, Path: "/v1/model-group"}, Size: 300 << 20, Limit: 256 << 20}, about: horizon, summary: "Answer too large",
			parts: []string{"/v1/model-group", "314572800 bytes (300 MiB)", "at most 268435456 bytes (256 MiB)"}, next: "give modelcatalogue_model_groups a time_horizon, or read one group or its latest model alone.",
		},
		"too large, size unknown": {
			err: &catalogue.TooLargeError{Endpoint: catalogue.Endpoint{Path: "/v1/model-group"}, Limit: 256 << 20}, summary: "Answer too large",
			parts: []string{"more than 268435456 bytes"}, next: "or read one group or its latest model alone.",
		},
		"interrupted": {err: context.Canceled, about: group, summary: "Read interrupted", parts: []string{"was interrupted"}, next: "Run it again to read what is missing."},
		"anything else": {
			err: errors.New("something odd"), about: group, summary: "Catalogue not read",
			parts: []string{"something odd."}, next: "Please report this to the provider's developers.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// As the client hands errors over: wrapped once.
			got := diagnose(fmt.Errorf("reading something: %w", test.err), test.about)
			if got.Severity() != diag.SeverityError || got.Summary() != test.summary {
				t.Errorf("%s %q, want the error %q", got.Severity(), got.Summary(), test.summary)
			}
			argument := ""
			if located, ok := got.(diag.DiagnosticWithPath); ok {
				argument = located.Path().String()
			}
			if argument != test.argument {
				t.Errorf("on %q, want %q", argument, test.argument)
			}
			rest := got.Detail()
			for _, part := range test.parts {
				_, after, found := strings.Cut(rest, part)
				if !found {
					t.Fatalf("no %q, or not in that order, in\n%s", part, got.Detail())
				}
				rest = after
			}
			if test.next == "" || !strings.HasSuffix(got.Detail(), test.next) {
				t.Errorf("ends not with %q:\n%s", test.next, got.Detail())
			}
		})
	}
}

func TestSnakeCase(t *testing.T) {
	t.Parallel()
	for place, want := range map[string]string{
		"": "", "revision": "revision", "models[3].displayName": "models[3].display_name", "axes[0].values[1].historical": "axes[0].values[1].historical",
		"defaultComparisonModels[0]": "default_comparison_models[0]",
	} {
		if got := snakeCase(place); got != want {
			t.Errorf("%q: %q, want %q", place, got, want)
		}
	}
}
