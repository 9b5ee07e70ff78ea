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
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// getting is where a read is sent to.
func getting(path string) catalogue.Endpoint {
	return catalogue.Endpoint{Method: http.MethodGet, Origin: "https://c.example", Path: path}
}

var tokenEndpoint = catalogue.Endpoint{Method: http.MethodPost, Origin: "https://c.example", Path: "/v1/auth/token"}

// answered is an answer of the service to a read.
func answered(status int, code, message string) *catalogue.APIError {
	return &catalogue.APIError{Endpoint: getting("/v1/model-group/g"), Status: status, Code: code, Message: message, RequestID: "r-1"}
}

// tokenAnswered is an answer of the token endpoint.
func tokenAnswered(status int, code, message string) *catalogue.APIError {
	return &catalogue.APIError{Endpoint: tokenEndpoint, Status: status, Code: code, Message: message}
}

const (
	checkID       = "Check the id, and that the credentials belong to an organisation that may see the group. The data source modelcatalogue_model_groups lists those it may see."
	checkSecret   = "Check client_id and client_secret, or MODELCATALOGUE_CLIENT_ID and MODELCATALOGUE_CLIENT_SECRET, and that they are meant for the service at base_url."
	tryLater      = "Try again later. If it lasts, show this to those who run the service; max_retries and read_timeout say how long the provider goes on asking."
	sendLess      = "Run again later, start fewer runs at once, or set max_requests_per_second to a share of the allowance. Where a plan has many blocks, a plural data source reads the same with fewer requests."
	checkNetwork  = "Check base_url and the network. HTTPS_PROXY and NO_PROXY are honoured."
	checkTrust    = "Check base_url. Where the service's certificate comes from a private authority, give that authority's certificate in ca_certificate_pem."
	notCatalogue  = "Check base_url: what answers there may not be the catalogue but a proxy or a login page."
	otherHorizon  = "lists every group, and the time_horizon.key of each is a key in use."
	leaveLogin    = "A redirect to a login page comes from a proxy or a gateway in between."
	slowService   = "If it answered faster before, try again later, or show this to those who run the service."
	refusedToken  = "Check base_url too: something else may answer there."
	askService    = "Act on what the service said, or show it to those who run the service."
	everyOtherRun = "Every other read fails too, with a short error that points to this one."
)

func TestDiagnose(t *testing.T) {
	t.Parallel()
	group := groupSubject(path.Root("model_group_id"), "g")
	horizon := horizonSubject(types.StringValue("h"))
	reset := &catalogue.NetworkError{Endpoint: getting("/v1/model-group"), Problem: "connection reset by peer", Err: io.ErrUnexpectedEOF}
	slow := &catalogue.NetworkError{Endpoint: getting("/v1/model-group"), Problem: "no whole answer within 30s", TimedOut: true, Limit: 30 * time.Second}
	untrusted := &catalogue.NetworkError{Endpoint: getting("/v1/model-group"), Problem: "unknown authority", Permanent: true}
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
			parts: []string{`The catalogue has no model group "g", or these credentials cannot see it`, "The service said: No such group.", "Status 404 Not Found, code NOT_FOUND, for GET https://c.example/v1/model-group/g", "Request id r-1"}, next: checkID,
		},
		"path not found": {
			err: answered(404, "", "a page of HTML"), summary: "Request refused",
			parts: []string{"The service knows no such path.", "The service said: a page of HTML", "Status 404 Not Found, for GET"}, next: checkBaseURL,
		},
		"argument rejected": {
			err: answered(400, "BAD_REQUEST", "No such key."), about: horizon, summary: "Invalid time horizon", argument: "time_horizon",
			parts: []string{`does not accept the time horizon "h"`, "The service said: No such key.", "Status 400 Bad Request, code BAD_REQUEST"}, next: otherHorizon,
		},
		"id rejected": {
			err: invalid, about: group, summary: "Invalid model group id", argument: "model_group_id",
			parts: []string{`model group id "g"`, "The service said: 2 fields.", "  - id: is too long; is odd\n  - a.b: is missing\n", "code VALIDATION_FAILED"}, next: "Change the id; asking again with the same one will not help.",
		},
		"422": {
			err: answered(422, "NEW_CODE", ""), about: horizon, summary: "Invalid time horizon", argument: "time_horizon",
			parts: []string{"422 Unprocessable Entity, code NEW_CODE"}, next: otherHorizon,
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
			parts: []string{"a redirect to https://login.example/.", "follows none", "Status 302 Found"}, next: leaveLogin,
		},
		"conflict": {
			err: answered(409, "CONFLICT", "In flight."), about: group, summary: "Request refused",
			parts: []string{"asking again will not help", "The service said: In flight.", "409 Conflict"}, next: askService,
		},
		"an unknown status": {err: answered(499, "", ""), about: group, summary: "Request refused", parts: []string{"Status 499, for GET"}, next: askService},

		"credentials refused": {
			err: &catalogue.RejectedError{Err: tokenAnswered(401, "invalid_client", "Revoked.")}, about: group, summary: "Credentials rejected",
			parts: []string{"gave no token for client_id and client_secret", everyOtherRun, "The service said: Revoked.", "Status 401 Unauthorized, code invalid_client, for POST https://c.example/v1/auth/token"}, next: checkSecret,
		},
		"token request refused": {
			err: &catalogue.RejectedError{Err: tokenAnswered(400, "invalid_request", "")}, summary: "No usable token",
			parts: []string{"does not say that the credentials are wrong", everyOtherRun, "code invalid_request"}, next: refusedToken,
		},
		"no token for a disabled organisation": {
			err: &catalogue.RejectedError{Err: tokenAnswered(403, "ORGANISATION_DISABLED", "The contract ended.")}, summary: "Organisation disabled",
			parts: []string{"is disabled", everyOtherRun, "The contract ended."}, next: "the service's message carries the reason.",
		},
		"fresh token refused": {
			err: &catalogue.RejectedError{Err: answered(401, "UNAUTHORIZED", "Expired.")}, about: group, summary: "Credentials rejected",
			parts: []string{"refused the fresh one", everyOtherRun, "Status 401 Unauthorized, code UNAUTHORIZED, for GET"}, next: checkSecret,
		},
		"no token endpoint": {
			err: &catalogue.RejectedError{Err: tokenAnswered(404, "", "")}, about: group, summary: "No usable token",
			parts: []string{"no token endpoint", everyOtherRun, "Status 404 Not Found, for POST"}, next: checkBaseURL,
		},
		"token endpoint elsewhere": {
			err: &catalogue.RejectedError{Err: tokenAnswered(301, "", "")}, summary: "Unexpected redirect",
			parts: []string{"a redirect that does not say where to.", "follows none", everyOtherRun, "Status 301"}, next: leaveLogin,
		},
		"token endpoint moved": {
			err: &catalogue.RejectedError{Err: &catalogue.APIError{
				Endpoint: tokenEndpoint, Status: 308, Location: "https://new.example/api/v1/auth/token",
			}}, summary: "Unexpected redirect",
			parts: []string{"a redirect to https://new.example/api/v1/auth/token."},
			next:  `If that is the catalogue's own address, set base_url to "https://new.example/api".`,
		},
		"token by another method": {err: &catalogue.RejectedError{Err: tokenAnswered(405, "", "")}, summary: "No usable token", parts: []string{"no token endpoint", "Status 405"}, next: checkBaseURL},
		"no usable token": {
			err: &catalogue.RejectedError{Err: &catalogue.TokenError{Endpoint: tokenEndpoint, Problem: "the answer holds no bearer token"}}, about: group, summary: "No usable token",
			parts: []string{everyOtherRun, "The fault: the answer holds no bearer token, for POST https://c.example/v1/auth/token"}, next: notCatalogue,
		},

		"too long a wait": {
			err: &catalogue.WaitTooLongError{Asked: 10 * time.Minute, Left: 90 * time.Second, Err: answered(429, "RATE_LIMITED", "Slow down.")}, about: group, summary: "Request allowance exceeded",
			parts: []string{"more requests than the service allows", "asked to wait 10m0s, and this read had 1m30s left", "The service said: Slow down.", "429 Too Many Requests, code RATE_LIMITED"}, next: sendLess,
		},
		"no wait named": {
			err: &catalogue.WaitTooLongError{Left: 90 * time.Second, Err: answered(429, "", "")}, about: group, summary: "Request allowance exceeded",
			parts: []string{"named no time to wait, and this read had 1m30s left"}, next: sendLess,
		},
		"limited to the end": {
			err: &catalogue.GaveUpError{Attempts: 9, Elapsed: 5 * time.Minute, Timeout: true, Err: answered(429, "RATE_LIMITED", "")}, about: group, summary: "Request allowance exceeded",
			parts: []string{"the time of this read was over", "gave up after 9 attempts in 5m0s: read_timeout leaves no time for more"}, next: sendLess,
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
			parts: []string{"could not be reached, or the connection broke", "gave up after 5 attempts in 16s", "The fault: connection reset by peer, for GET https://c.example/v1/model-group"}, next: checkNetwork,
		},
		"too slow": {
			err: &catalogue.GaveUpError{Attempts: 5, Elapsed: 3 * time.Minute, Err: slow}, summary: "Catalogue service too slow",
			parts: []string{"no whole answer within request_timeout, which is 30s.", "gave up after 5 attempts in 3m0s", "The fault: no whole answer within 30s", "Raise request_timeout (now 30s)"}, next: slowService,
		},
		"never asked": {
			err: &catalogue.GaveUpError{Timeout: true, Elapsed: time.Second, Err: context.DeadlineExceeded}, about: group, summary: "Catalogue service too slow",
			parts: []string{"time of this read was over before it was sent."}, next: "Raise read_timeout, or raise max_requests_per_second where it is set.",
		},
		"a network fault alone": {err: reset, summary: "Catalogue service not reached", parts: []string{"The fault: connection reset by peer"}, next: checkNetwork},
		"untrusted":             {err: untrusted, about: group, summary: "Secure connection failed", parts: []string{"No secure connection", "The fault: unknown authority"}, next: checkTrust},

		"unusable": {
			err: &catalogue.UnusableAnswerError{Endpoint: getting("/v1/model-group/g/models"), ContentType: "application/json", Place: "models[3].displayName", Problem: "a string is expected"}, about: group, summary: "Unexpected answer",
			parts: []string{"models[3].displayName (attribute models[3].display_name): a string is expected.", `Status 200 OK, content type "application/json", for GET https://c.example/v1/model-group/g/models`}, next: "and look for a newer version of the provider.",
		},
		"unusable as a whole": {
			err: &catalogue.UnusableAnswerError{Endpoint: getting("/p"), Problem: "the body is empty"}, summary: "Unexpected answer",
			parts: []string{"\nThe body is empty.", "GET https://c.example/p"}, next: "and look for a newer version of the provider.",
		},
		"too large": {
			err: &catalogue.TooLargeError{Endpoint: getting("/v1/model-group"), Size: 300 << 20, Limit: 256 << 20}, about: horizon, summary: "Answer too large",
			parts: []string{"GET https://c.example/v1/model-group takes", "314572800 bytes (300 MiB)", "at most 268435456 bytes (256 MiB)"}, next: "give modelcatalogue_model_groups a time_horizon, or read one group or its latest model only.",
		},
		"too large, size unknown": {
			err: &catalogue.TooLargeError{Endpoint: getting("/v1/model-group"), Limit: 256 << 20}, summary: "Answer too large",
			parts: []string{"more than 268435456 bytes"}, next: "or read one group or its latest model only.",
		},
		"too large in memory": {
			err: &catalogue.TooLargeError{Endpoint: getting("/v1/model-group"), Limit: 1 << 30, InMemory: true}, about: horizon, summary: "Answer too large",
			parts: []string{"The answer to GET https://c.example/v1/model-group would take more than 1073741824 bytes (1024 MiB) of memory, many times its text."},
			next:  "or read one group or its latest model only.",
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
