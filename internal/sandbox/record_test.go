package sandbox_test

import (
	"net/http"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestRequests(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := start(t, s).as("northwind")
	c.do(http.MethodGet, "/v1/model-group?timeHorizon=day_ahead", "", "User-Agent", "test/1")
	c.get(groupPath(oddGroup, ""))
	c.get(groupPath(mainGroup, "/latest-model"))
	c.get(groupPath("nope", "/models"))
	last := c.get("/v1/model")
	c.do(http.MethodPost, "/control/model-groups/"+mainGroup+"/publish", "")

	want := []sandbox.Request{
		{Route: sandbox.RouteToken, Method: "POST", Path: "/v1/auth/token", Status: 200},
		{Route: sandbox.RouteGroups, Method: "GET", Path: "/v1/model-group", Query: "timeHorizon=day_ahead", Status: 200},
		{Route: sandbox.RouteGroup, Method: "GET", Path: "/v1/model-group/emea%2Fpower%3Fv=1%23%CE%B2%20%2541", Status: 200},
		{Route: sandbox.RouteLatest, Method: "GET", Path: groupPath(mainGroup, "/latest-model"), Status: 200},
		{Route: sandbox.RouteModels, Method: "GET", Path: "/v1/model-group/nope/models", Status: 404},
		{Route: sandbox.RouteUnknown, Method: "GET", Path: "/v1/model", Status: 404},
	}
	got := s.Requests()
	if len(got) != len(want) {
		t.Fatalf("%d requests, want %d", len(got), len(want))
	}
	for i, r := range got {
		w := want[i]
		if r.Route != w.Route || r.Method != w.Method || r.Path != w.Path || r.Query != w.Query || r.Status != w.Status {
			t.Errorf("request %d is %+v, want %+v", i, r, w)
		}
		if r.Remote == "" || r.Remote != got[0].Remote {
			t.Errorf("request %d came by the connection %q, the first by %q", i, r.Remote, got[0].Remote)
		}
		if r.At.IsZero() || i > 0 && r.At.Before(got[i-1].At) {
			t.Errorf("request %d came at %s", i, r.At)
		}
		if n := s.Count(w.Route); n != 1 {
			t.Errorf("%d requests of the route %s", n, w.Route)
		}
	}
	if got[0].Form.Get("client_id") != "northwind" || got[1].Form != nil {
		t.Errorf("the forms are %v and %v", got[0].Form, got[1].Form)
	}
	if got[1].Header.Get("User-Agent") != "test/1" || got[1].Header.Get("Authorization") != "Bearer "+c.token {
		t.Errorf("the header is %v", got[1].Header)
	}
	if id := last.header.Get("X-Request-Id"); id == "" || id != got[5].ID || id == got[4].ID {
		t.Errorf("the answer is named %q, the request %q", id, got[5].ID)
	}
	if n := s.Count(sandbox.RouteAny); n != 6 {
		t.Errorf("%d requests of any route", n)
	}
	s.ResetRequests()
	if n := s.Count(sandbox.RouteAny); n != 0 || len(s.Requests()) != 0 {
		t.Errorf("%d requests after forgetting them", n)
	}
}
