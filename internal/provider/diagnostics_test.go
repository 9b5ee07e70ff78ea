package provider

import (
	"context"
	"errors"
	"fmt"
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

// TestDiagnose has what TestMessages cannot lead to.
func TestDiagnose(t *testing.T) {
	t.Parallel()
	group := groupSubject(path.Root("model_group_id"), "g")
	for name, test := range map[string]struct {
		err      error
		about    subject
		summary  string
		argument string
		parts    []string // of the detail, in order
		next     string   // what it ends with
	}{
		"422": {
			err: answered(422, "NEW_CODE", ""), about: horizonSubject(types.StringValue("h")), summary: summaryInvalidHorizon,
			argument: "time_horizon",
			parts:    []string{"422 Unprocessable Entity, code NEW_CODE"}, next: "and the time_horizon.key of each is a key in use.",
		},
		"request rejected": {
			err: answered(400, "BAD_REQUEST", "Odd."), summary: summaryInvalidRequest,
			parts: []string{"rejected the request as invalid", "The service said: Odd."}, next: reportIt,
		},
		"path not found": {
			err: answered(404, "", "a page of HTML"), summary: summaryNotAnswered,
			parts: []string{"The service knows no such path.", "The service said: a page of HTML", "Status 404 Not Found, for GET"},
			next:  checkBaseURL,
		},
		"an unknown status": {
			err: answered(499, "", ""), about: group, summary: summaryNotAnswered,
			parts: []string{"Status 499, for GET https://c.example/v1/model-group/g"}, next: "or show it to those who run the service.",
		},
		"no token for a disabled organisation": {
			err:     &catalogue.RejectedError{Err: tokenAnswered(403, "ORGANISATION_DISABLED", "The contract ended.")},
			summary: summaryOrganisationDisabled,
			parts:   []string{"is disabled", askedNoMore, "The contract ended."}, next: "the service's message carries the reason.",
		},
		"a token by another method": {
			err: &catalogue.RejectedError{Err: tokenAnswered(405, "", "")}, summary: summaryNoToken,
			parts: []string{"no token endpoint", "Status 405"}, next: checkBaseURL,
		},
		"a redirect without a target": {
			err: &catalogue.RejectedError{Err: tokenAnswered(301, "", "")}, summary: summaryRedirect,
			parts: []string{"a redirect that does not say where to.", askedNoMore, "Status 301"},
			next:  "from a proxy or a gateway in between.",
		},
		"a token refused for another reason": {
			err: &catalogue.RejectedError{Err: errors.New("something odd")}, summary: summaryNoToken, parts: []string{"Something odd."},
			next: reportIt,
		},
		"limited to the end": {
			err:     &catalogue.GaveUpError{Attempts: 9, Elapsed: 5 * time.Minute, Timeout: true, Err: answered(429, "RATE_LIMITED", "")},
			summary: summaryRateLimited,
			parts: []string{
				"before a request was let through.",
				"gave up after 9 attempts in 5m0s: read_timeout leaves no time for more",
			},
			next: "a plural data source reads the same with fewer requests.",
		},
		"failed in an outage": {
			err:     &catalogue.GaveUpError{Attempts: 1, Elapsed: 20 * time.Millisecond, Outage: true, Err: answered(500, "", "")},
			summary: summaryUnavailable,
			parts:   []string{"gave up after 1 attempt in 20ms: other reads had used up theirs, so this one made no more."},
			next:    "say how long the provider goes on asking.",
		},
		"never asked": {
			err: &catalogue.GaveUpError{Timeout: true, Elapsed: time.Second, Err: context.DeadlineExceeded}, about: group,
			summary: summaryTimeout,
			parts:   []string{"The time of this read was over before it was sent."}, next: "raise max_requests where it is set.",
		},
		"another fault of TLS": {
			err:     &catalogue.NetworkError{Endpoint: tokenEndpoint, Permanent: true, Problem: "odd", Err: errors.New("odd")},
			summary: summaryUntrusted, parts: []string{"The fault: odd, for POST https://c.example/v1/auth/token"},
			next: "what answers there.",
		},
		"too large, size unknown": {
			err: &catalogue.TooLargeError{Endpoint: getting("/v1/model-group"), Limit: 256 << 20}, summary: summaryTooLarge,
			parts: []string{"more than 268435456 bytes"}, next: "or read one group or its latest model only.",
		},
		"too large in memory": {
			err: &catalogue.TooLargeError{Endpoint: getting("/v1/model-group"), Limit: 1 << 30, InMemory: true}, about: group,
			summary: summaryTooLarge,
			parts:   []string{"would take more than 1073741824 bytes (1024 MiB) of memory, many times its text."},
			next:    "or read one group or its latest model only.",
		},
		"interrupted": {
			err: context.Canceled, about: group, summary: summaryInterrupted, parts: []string{"was interrupted"},
			next: "read what is missing.",
		},
		"anything else": {
			err: errors.New("something odd"), about: group, summary: summaryNotRead,
			parts: []string{"Reading: something odd."}, next: reportIt,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// As the client hands errors over: wrapped once.
			got := diagnose(fmt.Errorf("reading: %w", test.err), test.about)
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
		"": "", "revision": "revision", "models[3].displayName": "models[3].display_name",
		"axes[0].values[1].historical": "axes[0].values[1].historical",
		"defaultComparisonModels[0]":   "default_comparison_models[0]",
	} {
		if got := snakeCase(place); got != want {
			t.Errorf("%q: %q, want %q", place, got, want)
		}
	}
}
