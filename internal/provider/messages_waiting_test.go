package provider

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// getting returns the endpoint of a read.
func getting(path string) catalogue.Endpoint {
	return catalogue.Endpoint{Method: http.MethodGet, Origin: "https://c.example", Path: path}
}

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
	endpoint := catalogue.Endpoint{Method: http.MethodPost, Origin: "https://c.example", Path: "/v1/auth/token"}
	return &catalogue.APIError{Endpoint: endpoint, Status: status, Code: code, ShownCode: code, Message: message}
}

// handMade returns a scene of an error that no service of these scenes causes.
func handMade(title string, err error) scene {
	return scene{title: title, play: func(*testing.T) []*tfprotov6.Diagnostic { return explained(err) }}
}

// explained returns the diagnostics of several blocks in one process.
func explained(errs ...error) []*tfprotov6.Diagnostic {
	var by explain.Explainer
	var shown []*tfprotov6.Diagnostic
	for i, err := range errs {
		problem := by.Explain(err, explain.Subject{})
		problem.Source = fmt.Sprintf("modelcatalogue_model_%d", i)
		shown = append(shown, protocol6(by.Tell(problem).Diagnostic())...)
	}
	return shown
}

// interrupted returns a scene of blocks that are read one after another, from a service that answers for six groups.
// The run is interrupted after ten seconds.
func interrupted(title string, more arguments, reads ...reading) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		var diagnostics []*tfprotov6.Diagnostic
		synctest.Test(t, func(t *testing.T) {
			service := sandbox.New(manyGroups(t, 10))
			for _, route := range []sandbox.Route{sandbox.RouteGroup, sandbox.RouteLatest} {
				service.Inject(sandbox.Fault{Route: route, Hang: true, Skip: 6})
			}
			e := inMemory(t, service, more)
			time.AfterFunc(10*time.Second, e.server.stop)
			for _, a := range e.readAll(t, 1, reads) {
				diagnostics = append(diagnostics, a.diagnostics...)
			}
		})
		return diagnostics
	}}
}

// limitedFleet returns a service whose limit makes the reads of a fleet wait.
func limitedFleet(t *testing.T) http.Handler {
	t.Helper()
	allowance := sandbox.Allowance{Kind: sandbox.FixedWindow, Requests: 60, Per: time.Minute}
	service := sandbox.New(manyGroups(t, 150), sandbox.WithAllowance(allowance))
	service.Inject(oneRequestID)
	return service
}

// waitingScenes returns scenes of reads that ended while they waited.
func waitingScenes() []scene {
	unnamed := sandbox.Refuse(sandbox.RouteGroup, "RATE_LIMITED", "Too many requests.")
	unnamed.Header.Del("Retry-After")
	return []scene{
		played(
			"a wait without an end named, and little time left",
			faulty(unnamed),
			arguments{argReadTimeout: "900ms"},
			oneGroup,
		),
		handMade("waits without an end named, after some attempts (by hand)", &catalogue.GaveUpError{
			Cause:     catalogue.WaitTooLong,
			Attempts:  3,
			Elapsed:   3200 * time.Millisecond,
			Remaining: 846 * time.Millisecond,
			Wait:      4 * sec,
			Err:       answered(429, "RATE_LIMITED", ""),
		}),
		handMade("a wait until another day (by hand)", &catalogue.GaveUpError{
			Cause:     catalogue.WaitTooLong,
			Wait:      90 * 24 * time.Hour,
			Remaining: 5 * time.Minute,
			Attempts:  1,
			Err:       &catalogue.APIError{Endpoint: getting("/v1/model-group/g"), Status: 429, RetryAfter: 90 * 24 * time.Hour},
		}),
		handMade("an allowance that left no turn (by hand)", &catalogue.GaveUpError{
			Cause:      catalogue.TimeOver,
			Attempts:   9,
			Elapsed:    5 * time.Minute,
			WaitingFor: "the pause that the service asked for",
			Err:        answered(429, "RATE_LIMITED", ""),
		}),
		handMade("a service that says when to come back (by hand)", &catalogue.GaveUpError{
			Cause:     catalogue.WaitTooLong,
			Attempts:  1,
			Elapsed:   200 * time.Millisecond,
			Remaining: 299800 * time.Millisecond,
			Wait:      11*time.Hour + 6*time.Minute + 39*sec,
			Err: &catalogue.APIError{
				Endpoint:   getting("/v1/model-group/g"),
				Status:     503,
				Message:    "Closed for maintenance.",
				RetryAfter: 11*time.Hour + 6*time.Minute + 39*sec,
			},
		}),
		handMade("a back-off that does not fit (by hand)", &catalogue.GaveUpError{
			Cause:     catalogue.WaitTooLong,
			Attempts:  4,
			Elapsed:   7300 * time.Millisecond,
			Remaining: 2700 * time.Millisecond,
			Wait:      8800 * time.Millisecond,
			Err:       answered(500, "", ""),
		}),
		handMade("a read that was never sent (by hand)", &catalogue.GaveUpError{
			Cause:      catalogue.TimeOver,
			Elapsed:    time.Minute,
			WaitingFor: "the requests before it",
		}),
		{title: "an outage that another read ran into (by hand)", play: func(*testing.T) []*tfprotov6.Diagnostic {
			down := answered(503, "DOWN", "Closed for the night.")
			return explained(
				&catalogue.GaveUpError{Cause: catalogue.ServiceDown, Attempts: 1, Err: down},
				&catalogue.GaveUpError{Cause: catalogue.RetriesUsedUp, Attempts: 5, Elapsed: 16 * sec, Err: down},
				&catalogue.GaveUpError{Cause: catalogue.ServiceDown, Attempts: 1, Err: down})
		}},
		interrupted("an interrupt of several blocks", nil, eachGroup(0, 8)...),
		interrupted("an interrupt of a read that max_requests holds back", arguments{argMaxRequests: "1/1m"}, oneGroup),
		played(
			"pauses that held a fleet back for minutes",
			limitedFleet,
			nil,
			reading{"latest_models", nil},
		),
		played(
			"pauses although max_requests is set",
			func(t *testing.T) http.Handler {
				t.Helper()
				return minute(t, 150)
			},
			arguments{argMaxRequests: "1000/1m"},
			reading{"latest_models", nil},
		),
		played(
			"pauses that held a fleet back, which then failed",
			limitedFleet,
			nil,
			reading{"latest_models", arguments{"model_group_ids": append(idsOf(150), "nowhere")}},
		),
		interrupted(
			"an interrupt of a fleet",
			nil,
			reading{"latest_models", arguments{"model_group_ids": idsOf(10)}},
		),
		handMade("an interrupted pause (by hand)", &catalogue.InterruptedError{
			Attempts:   1,
			Last:       answered(429, "RATE_LIMITED", "Too many requests."),
			WaitingFor: "the pause that the service asked for",
			Remaining:  30 * time.Second,
			Err:        context.Canceled,
		}),
		handMade("an interrupted back-off (by hand)", &catalogue.InterruptedError{
			Attempts:   3,
			Last:       answered(503, "DOWN", "Going down."),
			WaitingFor: "its back-off",
			Remaining:  3200 * time.Millisecond,
			Err:        context.Canceled,
		}),
		handMade("an interrupted request (by hand)", &catalogue.InterruptedError{Attempts: 1, Err: context.Canceled}),
	}
}
