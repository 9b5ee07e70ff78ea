package sandbox_test

import (
	"sync"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// For the race detector, and for revisions that must not be published twice.
func TestConcurrentUse(t *testing.T) {
	s := sandbox.New(sandbox.Default(), sandbox.WithAllowance(sandbox.Allowance{Requests: 1000, Per: time.Second}))
	c := start(t, s).as("northwind")
	const callers = 8
	var wait sync.WaitGroup
	for range callers {
		wait.Go(func() {
			remove := s.Inject(sandbox.Fault{Route: sandbox.RouteUnknown, Delay: time.Millisecond})
			defer remove()
			for path, method := range map[string]string{
				"/v1/model-group": "GET", groupPath(mainGroup, "/models"): "GET", "/nope": "GET", "/control/organisations/fabrikam/disable": "POST",
			} {
				if _, err := c.try(method, path, ""); err != nil {
					t.Error(err)
				}
			}
			if _, err := s.Publish(mainGroup, nil); err != nil {
				t.Error(err)
			}
			s.Requests()
			s.Count(sandbox.RouteAny)
		})
	}
	wait.Wait()
	var group struct{ LatestRevision int }
	c.get(groupPath(mainGroup, "")).decode(t, &group)
	if want := 3 + callers; group.LatestRevision != want {
		t.Errorf("the latest revision is %d, want %d", group.LatestRevision, want)
	}
}
