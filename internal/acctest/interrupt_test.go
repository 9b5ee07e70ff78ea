//go:build !windows

package acctest_test

import (
	"bytes"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/acctest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// TestAccInterruptingAPlan sends what Ctrl-C sends, to the engine and the
// provider alike, while the service hangs. The provider would go on waiting for
// a day, so that the plan ends at all shows that it does not.
func TestAccInterruptingAPlan(t *testing.T) {
	needEngine(t)
	t.Parallel()
	for name, route := range map[string]sandbox.Route{"a read hangs": sandbox.RouteModels, "the token call hangs": sandbox.RouteToken} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandbox.New(catalogueOf(t, 3))
			hanging, ended := make(chan struct{}, 10), make(chan struct{}, 10)
			service.Inject(sandbox.Fault{Route: route, Kind: sandbox.Hang, OnRequest: func(r *http.Request) {
				hanging <- struct{}{}
				go func() {
					<-r.Context().Done()
					ended <- struct{}{}
				}()
			}})
			w := newWorkspace(t, fromEnvironment(`
provider "modelcatalogue" {
  request_timeout = "24h"
  read_timeout    = "24h"
}
`+manyBlocks(3, 3)), sandboxtest.Start(t, service), acctest.Owner)
			var out bytes.Buffer
			cmd := w.Command(t.Context(), "plan")
			cmd.Stdout, cmd.Stderr = &out, &out
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			gone := make(chan error, 1)
			go func() { gone <- cmd.Wait() }()
			group := -cmd.Process.Pid
			t.Cleanup(func() { _ = syscall.Kill(group, syscall.SIGKILL) }) // none is left unless this failed

			requests := 3
			if route == sandbox.RouteToken {
				requests = 1
			}
			for range requests {
				select {
				case <-hanging:
				case err := <-gone:
					t.Fatalf("the plan ended by itself: %v\n%s", err, out.String())
				}
			}
			interrupted := time.Now()
			if err := syscall.Kill(group, syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			// No limit but that of the whole test run: a busy machine may be slow.
			for range requests {
				<-ended
			}
			left := time.Since(interrupted)
			if err := <-gone; err == nil {
				t.Error("an interrupted plan ended well")
			}
			t.Logf("after the interrupt the requests ended in %s, the plan in %s", left, time.Since(interrupted))
			wantText(t, out.String(), "Interrupt received.")
			wantText(t, out.String(), "Error: Read interrupted")
			if n := service.Count(sandbox.RouteAny); n != map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: 4}[route] {
				t.Errorf("%d requests", n)
			}
		})
	}
}
