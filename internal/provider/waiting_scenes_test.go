package provider

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// handMade is a scene of an error that no service of these scenes leads to.
func handMade(title string, err error) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		var told diag.Diagnostic
		synctest.Test(t, func(*testing.T) { told = diagnose(err, subject{}) })
		return []*tfprotov6.Diagnostic{{Summary: told.Summary(), Detail: told.Detail()}}
	}}
}

// waitingScenes are reads that ended while they waited.
func waitingScenes() []scene {
	unnamed := sandbox.Refuse(sandbox.RouteGroup, "RATE_LIMITED", "Too many requests.")
	return []scene{
		played("a wait without an end named, and little time left", faulty(unnamed), arguments{argReadTimeout: "900ms"}, oneGroup),
		handMade("waits without an end named, after some attempts (by hand)", &catalogue.WaitTooLongError{
			Remaining: 846 * time.Millisecond, Attempts: 3, Elapsed: 3200 * time.Millisecond, Err: answered(429, "RATE_LIMITED", ""),
		}),
		handMade("a wait until another day (by hand)", &catalogue.WaitTooLongError{
			Asked: 90 * 24 * time.Hour, Remaining: 5 * time.Minute, Attempts: 1, Err: answered(429, "RATE_LIMITED", ""),
		}),
		handMade("an allowance that left no turn (by hand)", &catalogue.GaveUpError{
			Attempts: 9, Elapsed: 5 * time.Minute, Timeout: true, Err: answered(429, "RATE_LIMITED", ""),
		}),
		handMade("a service that says when to come back (by hand)", &catalogue.GaveUpError{
			Attempts: 5, Elapsed: 16 * time.Second, Err: &catalogue.APIError{
				Endpoint: getting("/v1/model-group/g"), Status: 503, Message: "Closed for maintenance.", RetryAfter: time.Hour,
			},
		}),
		handMade("an interrupted pause (by hand)", &catalogue.InterruptedError{
			Attempts: 1, Last: answered(429, "RATE_LIMITED", "Too many requests."), WaitingFor: "the pause that the service asked for",
			Remaining: 30 * time.Second, Err: context.Canceled,
		}),
		handMade("an interrupted back-off (by hand)", &catalogue.InterruptedError{
			Attempts: 3, Last: answered(503, "DOWN", "Going down."), WaitingFor: "its back-off", Remaining: 3200 * time.Millisecond,
			Err: context.Canceled,
		}),
		handMade("an interrupted request (by hand)", &catalogue.InterruptedError{Attempts: 1, Err: context.Canceled}),
	}
}
