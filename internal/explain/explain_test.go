package explain_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// The last lines of messages.
const (
	checkBaseURL = "Check base_url: it is the part of the service's address that comes before /v1."
	reportIt     = "Please report this to the provider's developers."
)

// getting returns the endpoint of a read.
func getting(route string) catalogue.Endpoint {
	return catalogue.Endpoint{Method: http.MethodGet, Origin: "https://c.example", Path: route}
}

var tokenEndpoint = catalogue.Endpoint{Method: http.MethodPost, Origin: "https://c.example", Path: "/v1/auth/token"}

// answered returns an answer of the service to a read.
func answered(status int, code, message string) *catalogue.APIError {
	return &catalogue.APIError{
		Endpoint:  getting("/v1/model-group/g"),
		Status:    status,
		Code:      code,
		ShownCode: code,
		Message:   message,
		RequestID: "r-1",
	}
}

// tokenAnswered returns an answer of the token endpoint.
func tokenAnswered(status int, code, message string) *catalogue.APIError {
	return &catalogue.APIError{Endpoint: tokenEndpoint, Status: status, Code: code, ShownCode: code, Message: message}
}

// told returns the message about the only error of a process.
func told(err error, about explain.Subject) diag.Diagnostic {
	proxy := catalogue.NewProxy(&url.URL{Scheme: "http", Host: "p.example:8080"}, "HTTPS_PROXY")
	by := &explain.Explainer{Proxy: proxy}
	return by.Explain(err, about).Diagnostic()
}

// TestMessagesByHand explains errors that the provider's TestMessages cannot cause.
func TestMessagesByHand(t *testing.T) {
	t.Parallel()
	group := explain.Subject{Path: path.Root("model_group_id"), Value: "g"}
	for name, test := range map[string]struct {
		err     error
		about   explain.Subject
		summary string
		parts   []string // of the detail, in order
		next    string   // what it ends with
	}{
		"path not found": {
			err:     answered(404, "", "a page of HTML"),
			summary: explain.SummaryNotAnswered,
			parts: []string{
				"The answer is 404 without the catalogue's code NOT_FOUND", "The answer: a page of HTML",
				"Status 404 Not Found, for GET",
			},
			next: checkBaseURL,
		},
		"no token for a disabled organisation": {
			err:     &catalogue.RejectedError{Err: tokenAnswered(403, "ORGANISATION_DISABLED", "The contract ended.")},
			summary: explain.SummaryOrganisationDisabled,
			parts:   []string{"is disabled", "The contract ended."},
			next:    "The service's message gives the reason.",
		},
		"a token by another method": {
			err:     &catalogue.RejectedError{Err: tokenAnswered(405, "", "")},
			summary: explain.SummaryNoToken,
			parts:   []string{"not have a token endpoint", "Status 405"},
			next:    checkBaseURL,
		},
		"no token without a message": {
			err:     &catalogue.RejectedError{Err: tokenAnswered(403, "insufficient_scope", "")},
			summary: explain.SummaryNoToken,
			parts:   []string{"code insufficient_scope", "\n\nShow this to the service's operator. The provider sends"},
			next:    "give it in access_token.",
		},
		"no token from a server that speaks TLS": {
			err: &catalogue.RejectedError{Err: &catalogue.APIError{
				Endpoint: catalogue.Endpoint{Method: http.MethodPost, Origin: "http://localhost"},
				Status:   400,
			}},
			summary: explain.SummaryNoToken,
			parts:   []string{"\n\nIf the server speaks TLS, write https:// in base_url. If it needs"},
			next:    "allowed there.",
		},
		"no token for another reason": {
			err:     &catalogue.RejectedError{Err: errors.New("something odd")},
			summary: explain.SummaryNoToken,
			parts:   []string{"The fault: something odd"},
			next:    reportIt,
		},
		"failed in an outage": {
			err: &catalogue.GaveUpError{
				Cause:    catalogue.ServiceDown,
				Attempts: 1,
				Elapsed:  20 * time.Millisecond,
				Err:      tokenAnswered(400, "temporarily_unavailable", ""),
			},
			summary: explain.SummaryUnavailable,
			parts:   []string{"gave up after 1 attempt in 20ms: another read had used up its retries."},
			next:    "show this to the service's operator.",
		},
		"unreached while the allowance is used up": {
			err:     &catalogue.GaveUpError{Cause: catalogue.AllowanceUsedUp, Wait: time.Second, Err: &catalogue.NetworkError{}},
			summary: explain.SummaryUnreachable,
			parts:   []string{": another read had given up because the allowance is used up."},
			next:    "Check base_url and the network.",
		},
		"a stream that is refused": {
			err: &catalogue.NetworkError{
				Endpoint: tokenEndpoint,
				Fault:    catalogue.StreamRefused,
				Problem:  "refused",
			},
			summary: explain.SummaryUnreachable,
			parts:   []string{"The service refused to serve the request on its connection (HTTP/2)."},
			next:    "show this to the service's operator.",
		},
		"a gap after a pause": {
			err: &catalogue.GaveUpError{
				Cause:     catalogue.WaitTooLong,
				Remaining: 5 * time.Second,
				Wait:      8 * time.Second,
				Err:       &catalogue.APIError{Status: 429, RetryAfter: time.Second},
			},
			summary: explain.SummaryRateLimited,
			parts:   []string{"asks for a wait of 1s. The next wait is longer than the 5s left of read_timeout.", "Run again"},
			next:    "with max_requests.",
		},
		"a proxy that cannot be reached": {
			err: &catalogue.NetworkError{
				Endpoint: tokenEndpoint,
				Fault:    catalogue.ProxyFailed,
				Problem:  "refused",
				Err:      &net.OpError{Op: "proxyconnect"},
			},
			summary: explain.SummaryUnreachable,
			next:    "to go without it.",
			parts: []string{
				"The proxy http://p.example:8080, which HTTPS_PROXY names, could not be reached.\n\nThe fault: refused, for POST",
			},
		},
		"a proxy whose certificate is not accepted": {
			err:     &catalogue.NetworkError{Fault: catalogue.ProxyRefused},
			summary: explain.SummaryUnreachable,
			parts:   []string{"has a certificate that this machine does not accept."},
			next:    "in ca_certificate_pem.",
		},
		"a machine without root certificates": {
			err:     &catalogue.NetworkError{Fault: catalogue.NoAuthorities},
			summary: explain.SummaryUntrusted,
			parts:   []string{"This machine has no root certificates"},
			next:    "check that it names certificates.",
		},
		"an allowance that left no turn": {
			err: &catalogue.GaveUpError{
				Cause:   catalogue.TimeOver,
				Elapsed: 5 * time.Minute,
				Err:     answered(429, "RATE_LIMITED", ""),
			},
			summary: explain.SummaryRateLimited,
			parts:   []string{"does not say for how long. read_timeout, which is 5m, was over before one was let through.", "Run again later, or"},
			next:    "with max_requests.",
		},
		"a read that was never sent": {
			err:     &catalogue.GaveUpError{Cause: catalogue.TimeOver, Elapsed: time.Minute, WaitingFor: "the requests before it"},
			summary: explain.SummaryTimeout,
			parts:   []string{"was not answered within read_timeout, which is 1m. It was waiting for the requests before it."},
			next:    "or max_requests if it is set.",
		},
		"interrupted in a pause": {
			err: &catalogue.InterruptedError{
				Attempts:   1,
				Last:       answered(429, "RATE_LIMITED", "Too many requests."),
				WaitingFor: "the pause that the service asked for",
				Remaining:  30 * time.Second,
				Err:        context.Canceled,
			},
			summary: explain.SummaryInterrupted,
			parts:   []string{"waiting for the pause that the service asked for (30s to go).", "The service said: Too many requests."},
			next:    "read what is missing.",
		},
		"too large, size unknown": {
			err:     &catalogue.TooLargeError{Endpoint: getting("/v1/model-group"), Limit: 256 << 20},
			summary: explain.SummaryTooLarge,
			parts:   []string{"more than 268435456 bytes"},
			next:    "or read one group or its latest model only.",
		},
		"interrupted after a fault of the network": {
			err: &catalogue.InterruptedError{
				Attempts:   1,
				Last:       &catalogue.NetworkError{Endpoint: tokenEndpoint, Problem: "connection reset"},
				WaitingFor: "a token",
				Err:        context.Canceled,
			},
			summary: explain.SummaryInterrupted,
			parts: []string{
				"This read had made 1 attempt and was waiting for a token.",
				"The fault: connection reset, for POST https://c.example/v1/auth/token",
			},
			next: "read what is missing.",
		},
		"anything else": {
			err:     errors.New("something odd"),
			about:   group,
			summary: explain.SummaryNotRead,
			parts:   []string{"Reading: something odd."},
			next:    reportIt,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// As the client hands errors over: wrapped once.
			got := told(fmt.Errorf("reading: %w", test.err), test.about)
			if got.Severity() != diag.SeverityError || got.Summary() != test.summary {
				t.Errorf("%s %q, want the error %q", got.Severity(), got.Summary(), test.summary)
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
				t.Errorf("it does not end with %q:\n%s", test.next, got.Detail())
			}
		})
	}
}

// An answer to an invalid request is about the argument if its list of fields contains the argument. The provider's
// TestMessages has answers without fields, and codes unrelated to an argument.
func TestWhichArgumentAnInvalidRequestIsAbout(t *testing.T) {
	t.Parallel()
	id := explain.Subject{Path: path.Root("id"), Value: "g"}
	horizon := explain.Subject{Path: path.Root("time_horizon"), Value: "h", IsHorizon: true}
	for _, test := range []struct {
		about   explain.Subject
		code    string
		fields  []string
		summary string
	}{
		{id, "VALIDATION_FAILED", []string{"tenant", "params.id"}, explain.SummaryInvalidID},
		{id, "VALIDATION_FAILED", []string{"timeHorizon"}, explain.SummaryInvalidRequest},
		{id, "VALIDATION_FAILED", []string{""}, explain.SummaryInvalidRequest},
		{id, "BRAND_NEW", []string{"id"}, explain.SummaryInvalidRequest},
		{horizon, "VALIDATION_FAILED", []string{"timeHorizon"}, explain.SummaryInvalidHorizon},
		{horizon, "VALIDATION_FAILED", []string{"id"}, explain.SummaryInvalidRequest},
	} {
		api := answered(422, test.code, "")
		for _, field := range test.fields {
			api.Issues = append(api.Issues, catalogue.Issue{Field: field})
		}
		got := told(api, test.about)
		_, onArgument := got.(diag.DiagnosticWithPath)
		if got.Summary() != test.summary || onArgument != (test.summary != explain.SummaryInvalidRequest) {
			t.Errorf("%s %q: %s", test.code, test.fields, got.Summary())
		}
	}
}

// A service may give any number of reasons for rejecting a field, or none. TestMessages has many fields.
func TestReasonsOfARejectedField(t *testing.T) {
	t.Parallel()
	for line, issue := range map[string]catalogue.Issue{
		"only":                          {Field: "only"},
		"a; b":                          {Messages: []string{"a", "b"}},
		strings.Repeat("é", 1000) + "…": {Messages: []string{strings.Repeat("é", 5000)}},
		"f: " + strings.Repeat("no; ", 10) + "and 19990 more": {
			Field:    "f",
			Messages: slices.Repeat([]string{"no"}, 20_000),
		},
	} {
		api := answered(400, "VALIDATION_FAILED", "No.")
		api.Issues = []catalogue.Issue{issue}
		if detail := told(api, explain.Subject{}).Detail(); !strings.Contains(detail, "\n  - "+line+"\nStatus 400") {
			t.Errorf("no line %q in\n%s", line, detail)
		}
	}
}

// A rejection ends every read of the process, even with an answer that cannot be quoted.
func TestARejectionIsToldInFullOnce(t *testing.T) {
	t.Parallel()
	e := &explain.Explainer{}
	rejected := e.Explain(&catalogue.RejectedError{Err: &catalogue.TooLargeError{}}, explain.Subject{})
	first, again := e.Tell(rejected), e.Tell(rejected)
	if first.Detail != rejected.Detail || !strings.HasPrefix(again.Detail, "The full message is in ") {
		t.Errorf("%s\nand then\n%s", first.Detail, again.Detail)
	}
}
