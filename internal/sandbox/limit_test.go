package sandbox_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := direct{t: t, s: sandbox.New(sandbox.Default(), sandbox.WithAllowance(sandbox.Allowance{Requests: 3, Per: 10 * time.Second}))}
		const path = "/v1/model-group"
		token := c.token("northwind") // the first of three, at 0 s
		steps := []struct {
			after      time.Duration // since the step before
			token      string
			status     int
			retryAfter string
		}{
			{after: 4 * time.Second, token: token, status: 200},
			{after: 0, token: "unknown", status: 401}, // not authenticated: does not count
			{after: 0, token: token, status: 200},
			{after: 0, token: token, status: 429, retryAfter: "6"},
			{after: 5900 * time.Millisecond, token: token, status: 429, retryAfter: "1"}, // 0.1 s left
			{after: 100 * time.Millisecond, token: token, status: 200},                   // 10 s: the token request is out of the window
			{after: 0, token: token, status: 429, retryAfter: "4"},
		}
		for i, step := range steps {
			time.Sleep(step.after)
			got := c.get(path, step.token)
			if got.Code != step.status || got.Header().Get("Retry-After") != step.retryAfter {
				t.Errorf("step %d: %d, Retry-After %q; want %d, %q",
					i, got.Code, got.Header().Get("Retry-After"), step.status, step.retryAfter)
			}
		}
		if got := c.post("/v1/auth/token", credentials("northwind").Encode()); got.Code != 429 {
			t.Errorf("a token request over the limit: %d", got.Code)
		}
	})
}

func TestRateLimitBody(t *testing.T) {
	c := start(t, sandbox.New(sandbox.Default(), sandbox.WithAllowance(sandbox.Allowance{Requests: 1, Per: time.Hour}))).as("northwind")
	got := c.get("/v1/model-group")
	got.wants(t, 429, "RATE_LIMITED")
	if got.header.Get("Retry-After") != "3600" {
		t.Errorf("Retry-After is %q", got.header.Get("Retry-After"))
	}
}

// What one client has used up, another still has.
func TestRateLimitIsEachClients(t *testing.T) {
	for _, kind := range []sandbox.Counting{sandbox.FixedWindow, sandbox.SlidingWindow, sandbox.Bucket} {
		s := sandbox.New(sandbox.Default(), sandbox.WithAllowance(sandbox.Allowance{Kind: kind, Requests: 2, Per: 24 * 365 * time.Hour}))
		c := start(t, s)
		first := c.as("northwind")
		first.get("/v1/model-group").wants(t, 200, "")
		first.get("/v1/model-group").wants(t, 429, "RATE_LIMITED")
		c.form(credentials("northwind")).wants(t, 429, "RATE_LIMITED")
		c.as("fabrikam").get("/v1/model-group").wants(t, 200, "")
		for i, want := range []int{401, 401, 429} {
			if got := c.form(credentials([]string{"a", "b", "c"}[i])); got.status != want {
				t.Errorf("unknown client %d: %d, want %d", i, got.status, want)
			}
		}
	}
}
