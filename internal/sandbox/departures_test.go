package sandbox_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// reads returns the paths of the four lookups.
func reads(id string) map[sandbox.Route]string {
	return map[sandbox.Route]string{
		sandbox.RouteGroups: "/v1/model-group", sandbox.RouteGroup: groupPath(id, ""),
		sandbox.RouteLatest: groupPath(id, "/latest-model"), sandbox.RouteModels: groupPath(id, "/models"),
	}
}

// expectNone fails if an answer departs from the interface.
func expectNone(t *testing.T, what string, route sandbox.Route, got reply) {
	t.Helper()
	if departures := sandbox.Departures(route, got.status, got.header, []byte(got.body)); len(departures) > 0 {
		t.Errorf("%s: %d departs from the interface: %q", what, got.status, departures)
	}
}

// TestDocumentsAreAsTheInterfaceHasThem for their owner and for others.
func TestDocumentsAreAsTheInterfaceHasThem(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := direct(t, s)
	expectNone(t, "the token", sandbox.RouteToken, c.form(credentials("northwind")))
	for _, who := range []string{"northwind", "contoso-trading", "fabrikam"} {
		c := c.as(who)
		for _, id := range c.get("/v1/model-group").ids(t) {
			for route, path := range reads(id) {
				got := c.get(path)
				expectNone(t, who+" "+path, route, got)
				if got.status != 200 && (id != emptyGroup || route != sandbox.RouteLatest) {
					t.Errorf("%s gets %d from %s", who, got.status, path)
				}
			}
		}
	}
	if _, err := s.Publish(mainGroup, nil); err != nil {
		t.Fatal(err)
	}
	expectNone(t, "what was published", sandbox.RouteLatest, c.as("northwind").get(groupPath(mainGroup, "/latest-model")))
}

func TestDepartures(t *testing.T) {
	const group = `{"id": "g", "name": "N", "latestRevision": 1, "public": true, "createdAt": "t",
		"timeHorizon": {"name": "n", "shortName": "s", "key": "k"}, "models": [], "axes": []}`
	replaced := func(was, is string) string { return strings.Replace(group, was, is, 1) }
	const aGroup, groups, token = sandbox.RouteGroup, sandbox.RouteGroups, sandbox.RouteToken
	tests := map[string]struct {
		route      sandbox.Route
		status     int
		body, want string
		header     string // its name and value
	}{
		"none":      {route: aGroup, status: 200, body: group},
		"not JSON":  {route: aGroup, status: 200, body: `<html>`, want: "the answer is not JSON"},
		"no object": {route: aGroup, status: 200, body: `[]`, want: "the answer: got array, want object"},
		"absent": {
			route: aGroup, status: 200, body: replaced(`"axes"`, `"axis"`),
			want: "axes: the field is missing|axis: there is no such field; did you mean axes?",
		},
		"another type": {route: aGroup, status: 200, body: replaced(`on": 1`, `on": "4711"`), want: "latestRevision: got string, want integer"},
		"reported once": {
			route: groups, status: 200, body: "[" + replaced(`"k"`, `2`) + "," + replaced(`"k"`, `1`) + "]",
			want: "[].timeHorizon.key: got number, want string",
		},
		"a terminal's escape": {
			route: aGroup, status: 200, body: replaced(`"id"`, `"\u001b[31m": 1, "id"`), want: `"\x1b[31m": there is no such field`,
		},
		"a message": {route: aGroup, status: 404, body: `{"code": "NOT_FOUND"}`, want: "message: the field is missing"},
		"no route":  {route: sandbox.RouteUnknown, status: 200, body: `{}`},
		"a next page": {
			route: groups, status: 200, body: "[]", header: `Link: </v1/model-group?page=2>; rel="next"`,
			want: `the answer: it is only a part of the list: its header Link is </v1/model-group?page=2>; rel="next", and it has 0 elements`,
		},
		"a count": {
			route: groups, status: 200, body: "[]", header: "X-Total-Count: 120",
			want: "the answer: it is only a part of the list: its header X-Total-Count is 120, and it has 0 elements",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			header := http.Header{}
			if name, value, ok := strings.Cut(test.header, ": "); ok {
				header.Set(name, value)
			}
			got := strings.Join(sandbox.Departures(test.route, test.status, header, []byte(test.body)), "|")
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
