package sandbox_test

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestRequests(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	begun := time.Now()
	c := start(t, s).as("northwind")
	c.do(http.MethodGet, "/v1/model-group?timeHorizon=day_ahead", "", "User-Agent", "test/1")
	c.get(groupPath(oddGroup, ""))
	c.get(groupPath(mainGroup, "/latest-model"))
	c.get(groupPath("nope", "/models"))
	last := c.get("/v1/model")
	c.do(http.MethodPost, "/control/model-groups/"+mainGroup+"/publish", "")

	got := s.Requests()
	if got[1].Header.Get("User-Agent") != "test/1" || got[1].Header.Get("Authorization") != "Bearer "+c.token {
		t.Errorf("the header is %v", got[1].Header)
	}
	if id := last.header.Get("X-Request-Id"); id != "sandbox-000006" {
		t.Errorf("the last answer is named %q", id)
	}
	want := []sandbox.Request{
		{Route: sandbox.RouteToken, Method: "POST", Path: "/v1/auth/token", Client: "northwind", Status: 200},
		{Route: sandbox.RouteGroups, Method: "GET", Path: "/v1/model-group", Query: "timeHorizon=day_ahead", Client: "northwind", Status: 200},
		{Route: sandbox.RouteGroup, Method: "GET", Path: "/v1/model-group/emea%2Fpower%3Fv=1%23%CE%B2%20%2541", Client: "northwind", Status: 200},
		{Route: sandbox.RouteLatest, Method: "GET", Path: groupPath(mainGroup, "/latest-model"), Client: "northwind", Status: 200},
		{Route: sandbox.RouteModels, Method: "GET", Path: "/v1/model-group/nope/models", Client: "northwind", Status: 404},
		{Route: sandbox.RouteUnknown, Method: "GET", Path: "/v1/model", Client: "northwind", Status: 404},
	}
	if len(got) != len(want) {
		t.Fatalf("%d requests, want %d", len(got), len(want))
	}
	remote := got[0].Remote
	sorted := slices.IsSortedFunc(got, func(a, b sandbox.Request) int { return a.At.Compare(b.At) })
	if got[0].At.Before(begun) || !sorted {
		t.Errorf("after %s requests came in another order: %+v", begun, got)
	}
	for i := range got {
		got[i].At, got[i].Header = time.Time{}, nil
		want[i].ID, want[i].Remote = fmt.Sprintf("sandbox-%06d", i+1), remote
	}
	if !reflect.DeepEqual(got, want) || remote == "" {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := direct(t, s)
	for i := range 10_100 {
		c.get(fmt.Sprintf("/v1/model-group/%d", i))
	}
	kept := s.Requests()
	if n := s.Count(sandbox.RouteGroup); n != 10_100 || len(kept) != 10_000 || kept[9_999].Path != "/v1/model-group/10099" {
		t.Errorf("%d of %d requests are kept, the last is %+v", len(kept), n, kept[len(kept)-1])
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

// Each request has who sent it, and what answered in place of the service.
func TestRequestsHaveTheirCause(t *testing.T) {
	s := sandbox.New(sandbox.Default(), sandbox.WithAllowance(sandbox.Allowance{Requests: 2, Per: time.Hour}))
	c := direct(t, s).as("northwind")
	c.fault(`{"route": "latest", "status": 503}`)
	c.get("/v1/model-group")
	c.get(groupPath(mainGroup, "/latest-model"))
	c.get("/v1/model-group")
	var got []string
	for _, r := range s.Requests() {
		got = append(got, fmt.Sprint(r.Client, r.Status, r.Cause))
	}
	if want := []string{"northwind200", "northwind200", "northwind503fault 1", "northwind429allowance"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
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
