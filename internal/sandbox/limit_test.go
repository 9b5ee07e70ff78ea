package sandbox_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := direct(t, sandbox.New(sandbox.Default(), sandbox.WithAllowance(sandbox.Allowance{Requests: 3, Per: 10 * time.Second})))
		known := c.as("northwind") // the first of three, at 0 s
		steps := []struct {
			after      time.Duration // since the step before
			caller     caller
			status     int
			code       string
			retryAfter string
		}{
			{4 * time.Second, known, 200, "", ""},
			{0, c, 401, "UNAUTHORIZED", ""}, // not authenticated: does not count
			{0, known, 200, "", ""},
			{0, known, 429, "RATE_LIMITED", "6"},
			{5900 * time.Millisecond, known, 429, "RATE_LIMITED", "1"}, // 0.1 s left
			{100 * time.Millisecond, known, 200, "", ""},               // 10 s: the token request is out of the window
			{0, known, 429, "RATE_LIMITED", "4"},
		}
		for i, step := range steps {
			time.Sleep(step.after)
			got := step.caller.get("/v1/model-group")
			if got.wants(t, step.status, step.code); got.header.Get("Retry-After") != step.retryAfter {
				t.Errorf("step %d: Retry-After %q, want %q", i, got.header.Get("Retry-After"), step.retryAfter)
			}
		}
	})
}

// What one client has used up, another still has.
func TestRateLimitIsEachClients(t *testing.T) {
	for _, kind := range []sandbox.Counting{sandbox.FixedWindow, sandbox.SlidingWindow, sandbox.Bucket} {
		twice := sandbox.Allowance{Kind: kind, Requests: 2, Per: 24 * 365 * time.Hour}
		c := direct(t, sandbox.New(sandbox.Default(), sandbox.WithAllowance(twice)))
		first := c.as("northwind")
		first.get("/v1/model-group").wants(t, 200, "")
		first.get("/v1/model-group").wants(t, 429, "RATE_LIMITED")
		c.form(credentials("northwind")).wants(t, 429, "RATE_LIMITED")
		c.as("fabrikam").get("/v1/model-group").wants(t, 200, "")
		c.form(credentials("a")).wants(t, 401, "invalid_client")
		c.form(credentials("b")).wants(t, 401, "invalid_client")
		c.form(credentials("c")).wants(t, 429, "RATE_LIMITED")
	}
}
