package sandboxtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// ManyGroups returns a catalogue of n groups of one organisation, northwind. Each group has an id of [GroupID] and the
// revisions 1 and 2.
func ManyGroups(tb testing.TB, n int) *sandbox.Catalogue {
	tb.Helper()
	groups := make([]string, 0, n)
	for i := range n {
		groups = append(groups, fmt.Sprintf(`{
			"owner": "Northwind",
			"group": {"id": %q, "name": "Group %d", "public": true},
			"models": [
				{"id": "%[2]d-1", "revision": 1, "dockerImage": "image:1", "enabled": true, "archived": false},
				{"id": "%[2]d-2", "revision": 2, "dockerImage": "image:2", "enabled": true, "archived": false}
			]}`, GroupID(i), i))
	}
	c, err := sandbox.ParseCatalogue(strings.NewReader(`{
		"organisations": [{"name": "Northwind", "clientId": "northwind", "clientSecret": "northwind-sandbox-secret"}],
		"modelGroups": [` + strings.Join(groups, ",") + `]}`))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// GroupID returns the id of a group, such as group-000.
func GroupID(i int) string { return fmt.Sprintf("group-%03d", i) }

// ExpectRequests fails unless the sandbox has seen that many requests of each route, 0 of a route that is left out.
func ExpectRequests(tb testing.TB, service *sandbox.Sandbox, want map[sandbox.Route]int) {
	tb.Helper()
	for _, route := range []sandbox.Route{
		sandbox.RouteToken,
		sandbox.RouteGroups,
		sandbox.RouteGroup,
		sandbox.RouteLatest,
		sandbox.RouteModels,
		sandbox.RouteUnknown,
	} {
		if got := service.Count(route); got != want[route] {
			tb.Errorf("%d requests of route %q, want %d", got, route, want[route])
		}
	}
}

// Limited returns a fault that answers 429 that many times, with that Retry-After.
func Limited(route sandbox.Route, retryAfter string, times int) sandbox.Fault {
	fault := sandbox.Refuse(route, "RATE_LIMITED", "Too many requests.")
	fault.Header.Set("Retry-After", retryAfter)
	fault.Times = times
	return fault
}
