package provider

import (
	"reflect"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// TestAListInPagesIsReadToItsEnd: the state is that of one answer, and each page costs a request.
func TestAListInPagesIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	for name, pages := range map[string]struct {
		route    sandbox.Route
		requests int // one for each of the elements in the sandbox's catalogue
	}{"model_group_models": {sandbox.RouteModels, 4}, "model_groups": {sandbox.RouteGroups, 8}} {
		whole, _ := sandboxEngine(t)
		paged, service := sandboxEngine(t, sandbox.WithPageSize(1))
		if want, got := whole.mustRead(t, name, readable[name]), paged.mustRead(t, name, readable[name]); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\nwant %v", name, got, want)
		}
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, pages.route: pages.requests})
	}
}

// TestWrongPagesAreNoAnswer: latest_revision and is_latest of a part of a list would be false.
func TestWrongPagesAreNoAnswer(t *testing.T) {
	t.Parallel()
	for how, says := range map[string]string{
		"origin":   "he next page is not below base_url, but at https://elsewhere.example",
		"loop":     "he next page is one that came before",
		"count":    "X-Total-Count is 5, 4 came",
		"envelope": " list is expected, the service sent an object",
	} {
		e, service := sandboxEngine(t)
		service.Inject(sandbox.Fault{Route: sandbox.RouteModels, Mutate: sandbox.WrongPage(how)})
		problems := e.refused(t, "model", arguments{"model_group_id": mainGroup, "revision": 3})
		expectError(t, problems, "", explain.SummaryUnexpected, says, "this version of the provider does not read such a list")
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: 1})
	}
}
