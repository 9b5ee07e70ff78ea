package sandboxtest

import (
	"fmt"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// Failer is what [ManyGroups] and [ExpectRequests] need of a test, which is a
// [testing.TB].
type Failer interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// ManyGroups is a catalogue of n groups of one organisation, northwind, whose
// ids [GroupID] makes. Each has the revisions 1 and 2.
func ManyGroups(tb Failer, n int) *sandbox.Catalogue {
	tb.Helper()
	groups := make([]string, 0, n)
	for i := range n {
		groups = append(groups, fmt.Sprintf(`{"owner": "Northwind", "group": {"id": %q, "name": "Group %d", "public": true},
			"models": [
				{"id": "%[2]d-1", "revision": 1, "dockerImage": "image:1"},
				{"id": "%[2]d-2", "revision": 2, "dockerImage": "image:2"}
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

// GroupID is the id of group i, which is group-000 for the first.
func GroupID(i int) string { return fmt.Sprintf("group-%03d", i) }

// ExpectRequests compares how many requests of each route a sandbox has seen. A
// route left out must have seen none.
func ExpectRequests(tb Failer, service *sandbox.Sandbox, want map[sandbox.Route]int) {
	tb.Helper()
	for _, route := range []sandbox.Route{
		sandbox.RouteToken, sandbox.RouteGroups, sandbox.RouteGroup, sandbox.RouteLatest, sandbox.RouteModels,
	} {
		if got := service.Count(route); got != want[route] {
			tb.Errorf("%d requests of route %q, want %d", got, route, want[route])
		}
	}
}

// Limited is a fault that answers that many requests of a route with 429 and that
// Retry-After, or "-" for none.
func Limited(route sandbox.Route, retryAfter string, times int) sandbox.Fault {
	fault := sandbox.Refuse(route, "RATE_LIMITED", "Too many requests.")
	if retryAfter != "-" {
		fault.Header.Set("Retry-After", retryAfter)
	}
	fault.Times = times
	return fault
}
