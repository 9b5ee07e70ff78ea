package provider

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// failing returns a fault of the latest model of one group of manyGroups.
func failing(group int, status int, body string) sandbox.Fault {
	return sandbox.Fault{
		Route:  sandbox.RouteLatest,
		Path:   "/v1/model-group/" + groupID(group) + "/latest-model",
		Status: status,
		Header: http.Header{"X-Request-Id": {"any"}},
		Body:   body,
	}
}

// failingFleet returns a service that fails for some of its groups, with three causes.
func failingFleet(t *testing.T) http.Handler {
	t.Helper()
	service := sandbox.New(manyGroups(t, 16))
	for _, fault := range []sandbox.Fault{
		failing(3, 404, `{"code":"NOT_FOUND","message":"No group-003."}`),
		failing(5, 500, `{"code":"INTERNAL_ERROR","message":"It broke."}`),
		failing(9, 403, `{"code":"FORBIDDEN","message":"Not you."}`),
		failing(13, 404, `{"code":"NOT_FOUND","message":"No group-013."}`),
		failing(15, 500, `{"code":"INTERNAL_ERROR","message":"It broke.","data":7}`),
	} {
		service.Inject(fault)
	}
	return service
}

func TestFailuresOfOneCause(t *testing.T) {
	t.Parallel()
	at := func(place string) error { return &catalogue.UnusableAnswerError{Place: place} }
	for _, test := range []struct {
		one, other error
		alike      bool
	}{
		{at("inputs[3].id"), at("inputs[12].id"), true},
		{at("revision"), at("name"), false},
		{
			&catalogue.APIError{Status: 403, Code: "A"},
			&catalogue.APIError{Status: 403, Code: "B"},
			false,
		},
		{
			&catalogue.NetworkError{Fault: catalogue.UnknownHost},
			&catalogue.NetworkError{Fault: catalogue.Broken},
			false,
		},
	} {
		var by explain.Explainer
		one, other := by.Explain(test.one, explain.Subject{}), by.Explain(test.other, explain.Subject{})
		if alike := causeOf(one) == causeOf(other); alike != test.alike {
			t.Errorf("%v and %v: %t", test.one, test.other, alike)
		}
	}
}

func TestFailuresThatEndAFleet(t *testing.T) {
	t.Parallel()
	gaveUp := func(status int) error { return &catalogue.GaveUpError{Err: &catalogue.APIError{Status: status}} }
	for want, errs := range map[bool][]error{
		false: {
			nil,
			&catalogue.APIError{Status: 404},
			&catalogue.APIError{Status: 403, Code: "FORBIDDEN"},
			&catalogue.RejectedError{Alone: true, Err: &catalogue.APIError{Status: 401}},
			&catalogue.NetworkError{},
			gaveUp(503),
		},
		true: {
			context.Canceled,
			&catalogue.RejectedError{Err: gaveUp(401)},
			&catalogue.APIError{Status: 403, Code: "ORGANISATION_DISABLED"},
			&catalogue.NetworkError{Fault: catalogue.Insecure},
			gaveUp(429),
			&catalogue.GaveUpError{},
			&catalogue.GaveUpError{Cause: catalogue.ServiceDown, Err: &catalogue.NetworkError{}},
		},
	} {
		for _, err := range errs {
			if got := endsFleet(err); got != want {
				t.Errorf("%#v ends it: %t", err, got)
			}
		}
	}
}

// A cause of all groups is reported once, without an element. No more requests are sent than are needed to notice it.
func TestACauseOfAllGroupsIsReportedOnce(t *testing.T) {
	t.Parallel()
	const latest = sandbox.RouteLatest
	for name, test := range map[string]struct {
		fault         sandbox.Fault
		ceiling       any
		tokens, reads int // at most
		within        time.Duration
		summary       string
		says          string
	}{
		"credentials rejected": {
			fault: sandbox.Fault{
				Route:  sandbox.RouteToken,
				Status: 401,
				Body:   `{"error": "invalid_client", "error_description": "Revoked."}`,
			},
			tokens:  1,
			summary: explain.SummaryRejected,
			says:    "\n\n0 of 300 groups were read.",
		},
		"tokens rejected": {
			fault:   sandbox.Refuse(latest, "UNAUTHORIZED", "No."),
			tokens:  3,
			reads:   3 * atOnce,
			summary: explain.SummaryRejected,
			says:    "including a new one.",
		},
		"an outage": {
			fault:   sandbox.Fault{Route: latest, Status: 503},
			tokens:  1,
			reads:   5 * atOnce,
			within:  19 * sec,
			summary: explain.SummaryUnavailable,
			says:    "\n\n0 of 300 groups were read.",
		},
		// A read that began before the last good answer is no evidence of an outage, so a few more are asked.
		"an outage, later": {
			fault:   sandbox.Fault{Route: latest, Status: 503, Skip: 100},
			tokens:  1,
			reads:   100 + 2*5*atOnce,
			within:  40 * sec,
			summary: explain.SummaryUnavailable,
			says:    "\n\n100 of 300 groups were read.",
		},
		"an outage whose Retry-After leaves time for two attempts": {
			fault:   sandbox.Fault{Route: latest, Status: 503, Header: http.Header{"Retry-After": {"200"}}},
			tokens:  1,
			reads:   3 * atOnce,
			within:  201 * sec,
			summary: explain.SummaryUnavailable,
			says:    "\n\n0 of 300 groups were read.",
		},
		"a ceiling too low": {
			fault:   sandbox.Fault{Route: latest},
			ceiling: "1/100s",
			tokens:  1,
			reads:   3,
			within:  300 * sec,
			summary: explain.SummaryTimeout,
			says:    "max_requests",
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := sandbox.New(manyGroups(t, 300))
				service.Inject(test.fault)
				service.Inject(closing)
				e, began := inMemory(t, service, arguments{argMaxRequests: test.ceiling}), time.Now()
				expectError(t, e.reports(t, "latest_models", arguments{"model_group_ids": idsOf(300)}), "", test.summary, test.says)
				took, reads, tokens := time.Since(began), service.Count(latest), service.Count(sandbox.RouteToken)
				if took > test.within || reads > test.reads || tokens > test.tokens {
					t.Errorf("%s, %d reads and %d token requests, want at most %+v", took, reads, tokens, test)
				}
			})
		})
	}
}
