package sandbox_test

import (
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
	if departures := sandbox.Departures(route, got.status, []byte(got.body), strings.Clone); len(departures) > 0 {
		t.Errorf("%s: %d departs from the interface: %q", what, got.status, departures)
	}
}

// expectInterface fails if an answer to a caller departs from the interface.
func expectInterface(t *testing.T, s *sandbox.Sandbox, callers []sandbox.Organisation) {
	t.Helper()
	for _, o := range callers {
		c := direct(t, s).asOrganisation(o)
		if o.Forbidden || o.Disabled != "" {
			expectNone(t, o.Name, sandbox.RouteGroups, c.get("/v1/model-group"))
			continue
		}
		for _, id := range c.get("/v1/model-group").ids(t) {
			isEmpty := c.get(groupPath(id, "/models")).body == "[]"
			for route, path := range reads(id) {
				got := c.get(path)
				expectNone(t, o.Name+" "+path, route, got)
				if isFound := !isEmpty || route != sandbox.RouteLatest; (got.status == 200) != isFound {
					t.Errorf("%s gets %d from %s", o.Name, got.status, path)
				}
			}
		}
	}
}

func TestDepartures(t *testing.T) {
	catalogue, err := sandbox.ReadCatalogue(strings.NewReader(group(`{"id": "g", "public": true,
		"name": "N", "createdAt": "2026-01-05T08:00:00Z", "timeHorizon": {"key": "k"}}`)))
	if err != nil {
		t.Fatal(err)
	}
	sound := direct(t, sandbox.New(catalogue)).asOrganisation(catalogue.Organisations()[0]).get(groupPath("g", "")).body
	const one, all = sandbox.RouteGroup, sandbox.RouteGroups
	hide := func(name string) string { return strings.ReplaceAll(name, "hide-me", "***") }
	replaced := func(was, is string) string { return strings.Replace(sound, was, is, 1) }
	for name, test := range map[string]struct {
		route      sandbox.Route
		body, want string
	}{
		"none":          {one, sound, ""},
		"not JSON":      {one, `<html>`, "the answer: must be JSON"},
		"not an object": {one, `[]`, "the answer: an object is expected"},
		"another type":  {one, replaced(`on":0`, `on":"4711"`), "latestRevision: an integer is expected"},
		"another time": {
			one, replaced("2026-01-05T", "on 5 January, "), "createdAt: an ISO 8601 time such as 2026-01-05T08:00:00Z is expected",
		},
		"reported once": {all, "[" + replaced(`"k"`, `2`) + "," + replaced(`"k"`, `1`) + "]", "[].timeHorizon.key: a string is expected"},
		"an escape":     {one, replaced(`"id"`, `"\u001b[31m": 1, "id"`), `"\x1b[31m": unknown field`},
		"another name": {
			one, replaced(`"axes"`, `"axis"`), "axis: unknown field; did you mean axes?",
		},
		"twice, twice": {
			all, "[" + replaced(`"N"`, `"N", "name": "M"`) + "," + replaced(`"k"`, `"k", "key": "\ud800"`) + "]",
			"[].name: duplicate member|[].timeHorizon.key: duplicate member|[].timeHorizon.key: the text is not UTF-8",
		},
		"a name to hide": {one, replaced(`"id"`, `"hide-me": 1, "hide-me": 1, "id"`), `"***": duplicate member|"***": unknown field`},
		"cut off":        {one, sound[:9], "the answer: must be JSON"},
		"empty":          {one, "", "the answer: must be JSON"},
	} {
		got := strings.Join(sandbox.Departures(test.route, 200, []byte(test.body), hide), "|")
		if got := strings.ReplaceAll(got, "GET "+test.route.Pattern()+": ", ""); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
	got := strings.Join(sandbox.Departures(one, 404, []byte(`{"code": "NOT_FOUND"}`), hide), "|")
	if got != "GET /v1/model-group/{id}: message: the field is missing" {
		t.Errorf("of an error: %s", got)
	}
}
