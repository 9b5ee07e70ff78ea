package sandbox_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// Each request has who sent it, and what answered in place of the service.
func TestRequests(t *testing.T) {
	s := sandbox.New(sandbox.Default(), sandbox.WithAllowance(sandbox.Allowance{Requests: 4, Per: time.Hour}))
	c := direct(t, s).as("northwind")
	c.fault(`{"route": "latest", "status": 503}`)
	c.do(http.MethodGet, "/v1/model-group?timeHorizon=day_ahead", "", "User-Agent", "test/1")
	c.get(groupPath(oddGroup, ""))
	c.get(groupPath(mainGroup, "/latest-model"))
	c.get(groupPath("nope", "/models"))
	c.get("/v1/model-group")
	c.get("/v1/model")
	var got []string
	for i, r := range s.Requests() {
		got = append(got, strings.Join(strings.Fields(fmt.Sprintln(r.Route, r.Method, r.Path, r.Query, r.Client, r.Status, r.Cause)), " "))
		if r.ID != fmt.Sprintf("sandbox-%06d", i+2) && i > 0 || r.At.IsZero() || r.Remote == "" {
			t.Errorf("%+v", r)
		}
	}
	want := []string{
		"token POST /v1/auth/token northwind 200",
		"groups GET /v1/model-group timeHorizon=day_ahead northwind 200",
		"group GET /v1/model-group/emea%2Fpower%3Fv=1%23%CE%B2%20%2541 northwind 200",
		"latest GET " + groupPath(mainGroup, "/latest-model") + " northwind 503 fault 1",
		"models GET /v1/model-group/nope/models northwind 404",
		"groups GET /v1/model-group northwind 429 allowance",
		"unknown GET /v1/model northwind 404",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if agent := s.Requests()[1].Header.Get("User-Agent"); agent != "test/1" {
		t.Errorf("the header has %q", agent)
	}
}

// The last requests are kept, and the page shows a hundred of them.
func TestMemoryIsBounded(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := direct(t, s)
	for i := range 10_100 {
		c.get(fmt.Sprintf("/v1/model-group/%d-asked", i))
	}
	kept := s.Requests()
	if n := s.Count(sandbox.RouteGroup); n != 10_100 || len(kept) != 10_000 || kept[9_999].Path != "/v1/model-group/10099-asked" {
		t.Errorf("%d of %d requests are kept, the last is %+v", len(kept), n, kept[len(kept)-1])
	}
	if page := c.get("/").body; strings.Count(page, "-asked") != 100 || !strings.Contains(page, "10100 so far, the last 100") {
		t.Errorf("the page has %d requests", strings.Count(page, "-asked"))
	}
}

// Any web page can send requests to a sandbox.
func TestBodiesAreNotKept(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := direct(t, s)
	c.form(url.Values{"grant_type": {"client_credentials"}, "client_id": {strings.Repeat("x", 60_000)}}).wants(t, 400, "invalid_request")
	c.form(url.Values{"client_id": {strings.Repeat("x", 65<<10)}}).wants(t, 413, "PAYLOAD_TOO_LARGE")
	if kept := s.Requests(); len(kept[0].Client) != 100 || kept[1].Client != "" {
		t.Errorf("it keeps %d and %d letters of a client id", len(kept[0].Client), len(kept[1].Client))
	}
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
