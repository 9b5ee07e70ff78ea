package sandbox_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// TestRequests lists the client of each request, and the cause of an answer in place of the service's.
func TestRequests(t *testing.T) {
	s := sandbox.New(sandbox.Default(), sandbox.WithAllowance(sandbox.Allowance{Requests: 4, Per: time.Hour}))
	c := direct(t, s).as("northwind")
	s.Inject(sandbox.Fault{Route: sandbox.RouteLatest, Status: 503})
	c.do(http.MethodGet, "/v1/model-group?timeHorizon=day_ahead", "", "User-Agent", "test/1")
	c.get(groupPath(oddGroup, ""))
	c.get(groupPath(mainGroup, "/latest-model"))
	c.get(groupPath("nope", "/models"))
	c.get("/v1/model-group")
	c.get("/v1/model")
	var got []string
	for i, r := range s.Requests() {
		line := fmt.Sprintln(r.Route, r.Method, r.Path, r.Query, r.Client, r.Status, r.Cause)
		got = append(got, strings.Join(strings.Fields(line), " "))
		if r.ID != fmt.Sprintf("sandbox-%06d", i+1) || r.At.IsZero() {
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

// Any client is listed, whatever bytes it sends.
func TestRequestsThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	c := direct(t, sandbox.New(sandbox.Default()))
	c.get("/v1/model-group?timeHorizon=%ff&a=\xff")
	c.form(url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {"\xff"},
		"client_secret": {"x"},
	}).wants(t, 401, "invalid_client")
	if got := c.get("/control/requests"); got.status != 200 || strings.Count(got.body, `"path"`) != 2 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// TestMemoryIsBounded: only the last requests are kept. The page shows a hundred of them, and finds the others.
func TestMemoryIsBounded(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := direct(t, s)
	for i := range 10_098 {
		c.get(fmt.Sprintf("/v1/model-group/%d-asked", i))
	}
	c.form(url.Values{
		"grant_type": {"client_credentials"},
		"client_id":  {strings.Repeat("x", 60_000)},
	}).wants(t, 400, "invalid_request")
	c.form(url.Values{
		"client_id": {strings.Repeat("x", 16<<20)},
	}).wants(t, 413, "PAYLOAD_TOO_LARGE")
	kept := s.Requests()
	if n := s.Count(sandbox.RouteAny); n != 10_100 || len(kept) != 10_000 {
		t.Fatalf("%d of %d requests are kept", len(kept), n)
	}
	if last := kept[9_997]; last.Path != "/v1/model-group/10097-asked" {
		t.Errorf("the last GET is %+v", last)
	}
	if len(kept[9_998].Client) != 100 || kept[9_999].Client != "" {
		t.Errorf("it keeps %d and %d letters of a client id", len(kept[9_998].Client), len(kept[9_999].Client))
	}
	page := c.get("/").body
	if rows := strings.Count(page, `<tr id="request-`); rows != 100 || !strings.Contains(page, "The newest 100 of 10000.") {
		t.Errorf("the page has %d requests", rows)
	}
	if page := c.get("/?until=5000").body; !strings.Contains(page, "The newest 100 of 4900.") {
		t.Error("a list that is paused has other requests")
	}
	page = c.get("/?status=4&text=GET+/v1/model-group/100-ASKED").body
	if !strings.Contains(page, "10100 so far, the last 10000 kept, 1 found") {
		t.Errorf("the oldest request is not found:\n%s", page)
	}
}

// TestConcurrentUse is for the race detector. It also notices a revision published twice.
func TestConcurrentUse(t *testing.T) {
	s := sandbox.New(sandbox.Default(), sandbox.WithAllowance(sandbox.Allowance{Requests: 1000, Per: time.Second}))
	c := start(t, s).as("northwind")
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			defer s.Inject(sandbox.Fault{Route: sandbox.RouteUnknown, Delay: time.Millisecond})()
			for _, path := range []string{"/v1/model-group", groupPath(mainGroup, "/models"), "/nope", "/", "/control/requests"} {
				if _, err := c.try("GET", path, ""); err != nil {
					t.Error(err)
				}
			}
			if _, err := s.Publish(mainGroup, nil); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got := c.get(groupPath(mainGroup, "")); !strings.Contains(got.body, `"latestRevision":11`) {
		t.Errorf("the group is %s", got.body)
	}
}
