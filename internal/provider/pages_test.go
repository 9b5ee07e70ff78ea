package provider

import (
	"reflect"
	"testing"

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
