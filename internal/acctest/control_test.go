//go:build !windows

package acctest_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// tell sends a request to a control route of the sandbox, as somebody does from
// outside.
func (w *workspace) tell(t *testing.T, path, body string) {
	t.Helper()
	response, err := http.Post(w.url+"/control/"+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s: %s %s %v", path, response.Status, text, err)
	}
}

var controlledModel = fmt.Sprintf(`
data "modelcatalogue_model" "this" {
  model_group_id = %q
  revision       = 1
}
data "modelcatalogue_model_group" "this" { id = %[1]q }
data "modelcatalogue_latest_model" "this" { model_group_id = %[1]q }
output "image" { value = data.modelcatalogue_model.this.docker_image }
output "is_latest" { value = data.modelcatalogue_model.this.is_latest }
output "archived" { value = data.modelcatalogue_model.this.archived }
output "enabled" { value = data.modelcatalogue_model.this.enabled }
output "updated_at" { value = data.modelcatalogue_model.this.updated_at }
output "latest_revision" { value = data.modelcatalogue_model.this.latest_revision }
output "listed" { value = data.modelcatalogue_model_group.this.models[*].revision }
output "latest" { value = "${data.modelcatalogue_latest_model.this.revision} ${data.modelcatalogue_latest_model.this.docker_image}" }
`, mainGroup)

// What is changed in the service, a plan shows, and a reset brings back what was.
func TestAccControlMovesAPlan(t *testing.T) {
	t.Parallel()
	w := reading(t, controlledModel)
	w.expect(t, 0, "apply", "-auto-approve")
	w.expect(t, 0, "plan", "-detailed-exitcode")
	first := w.expect(t, 0, "output", "-json")
	group := "model-groups/" + url.PathEscape(mainGroup)
	// Nothing else moves: what revision 1 says of itself stays.
	const moved = `Changes to Outputs: ~ latest = "3 ` + latestImage + `" -> "4 registry.example/model:2"
		~ latest_revision = 3 -> 4 ~ listed = [`
	for _, step := range []struct{ path, body, shows string }{
		{path: group + "/publish", body: `{"dockerImage": "registry.example/model:2"}`, shows: moved},
		{path: group + "/revisions/1/republish", body: `{"dockerImage": "registry.example/moved:1"}`, shows: `-> "registry.example/moved:1"`},
		{path: group + "/revisions/1/archive", shows: `archived = false -> true`},
		{path: group + "/revisions/1/unarchive", shows: `archived = true -> false`},
		{path: group + "/revisions/1/disable", shows: `enabled = true -> false`},
		{path: group + "/revisions/1/enable", shows: `enabled = false -> true`},
	} {
		w.tell(t, step.path, step.body)
		out := w.expect(t, 2, "plan", "-detailed-exitcode", "-out=next")
		wantText(t, out, step.shows)
		if strings.Contains(step.path, "/revisions/") {
			wantText(t, out, "updated_at")
		}
		w.expect(t, 0, "apply", "next")
	}
	w.tell(t, "tokens/revoke", "")
	w.expect(t, 0, "plan", "-detailed-exitcode")

	w.tell(t, "faults", `{"code": "ORGANISATION_DISABLED", "message": "The contract has ended."}`)
	wantText(t, w.expect(t, 1, "plan"), "The contract has ended.", "ORGANISATION_DISABLED")
	w.tell(t, group+"/publish", "")
	w.tell(t, "reset", "")
	w.expect(t, 0, "apply", "-auto-approve")
	if again := w.expect(t, 0, "output", "-json"); again != first {
		t.Errorf("after a reset there is\n%s\nfirst\n%s", again, first)
	}
}

// Each fault that can be ordered, and what the provider makes of it: it forgives
// it with so many requests for the groups, or says what it says.
func TestAccControlFaults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		order    string
		requests int
		says     string // where it is not forgiven
	}{
		"a status, twice":            {`{"route": "groups", "status": 503, "times": 2}`, 3, ""},
		"a code":                     {`{"route": "groups", "code": "REQUEST_TIMEOUT", "times": 1}`, 2, ""},
		"a limit with a wait":        {`{"route": "groups", "code": "RATE_LIMITED", "retryAfter": 1, "times": 1}`, 2, ""},
		"a limit without":            {`{"route": "groups", "code": "RATE_LIMITED", "times": 1}`, 2, ""},
		"a token refused":            {`{"route": "groups", "code": "UNAUTHORIZED", "times": 1}`, 2, ""},
		"a gateway's page":           {`{"route": "groups", "html": true, "times": 1}`, 2, ""},
		"a connection dropped":       {`{"route": "groups", "drop": true, "times": 1}`, 2, ""},
		"an answer short of length":  {`{"route": "groups", "cut": "length", "times": 1}`, 2, ""},
		"an answer that ends inside": {`{"route": "groups", "cut": "json", "times": 1}`, 2, ""},
		"a slow answer":              {`{"route": "groups", "delay": "300ms", "times": 1}`, 1, ""},
		"no answer":                  {`{"route": "groups", "hang": true, "times": 1}`, 2, ""},
		"the first passes":           {`{"route": "groups", "status": 400, "skip": 1}`, 1, ""},
		"another path":               {`{"path": "/v1/model-group/x", "status": 400}`, 1, ""},
		"the token endpoint":         {`{"route": "token", "code": "temporarily_unavailable", "times": 1}`, 1, ""},
		"a code of the future": {
			`{"route": "groups", "code": "QUOTA_FROZEN", "status": 403, "message": "Come back in spring."}`, 1, "Come back in spring.",
		},
		"a page instead of groups": {`{"route": "groups", "html": true, "status": 200}`, 1, "Error: "},
		"rejected credentials":     {`{"route": "token", "code": "invalid_client"}`, 0, "Error: Credentials rejected"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := reading(t, readsGroups)
			if name == "no answer" {
				w.Env = append(w.Env, "MODELCATALOGUE_REQUEST_TIMEOUT=1s")
			}
			w.tell(t, "faults", test.order)
			status, out := w.run(t, "plan")
			if wantText(t, out, test.says); (status != 0) != (test.says != "") {
				t.Errorf("status %d:\n%s", status, out)
			}
			w.sent(t, sandbox.RouteGroups, test.requests)
		})
	}
}

// A service whose token endpoint takes JSON only is read all the same, however
// it refuses the form.
func TestAccControlTokenFormats(t *testing.T) {
	t.Parallel()
	for _, refusal := range []string{"", "invalid_request", "unsupported_grant_type"} {
		t.Run(refusal, func(t *testing.T) {
			t.Parallel()
			w := reading(t, controlledModel, sandbox.WithTokenFormat(sandbox.TokenJSON))
			if refusal != "" { // in place of status 415
				w.tell(t, "faults", fmt.Sprintf(`{"route": "token", "code": %q, "times": 1}`, refusal))
			}
			w.expect(t, 0, "plan")
			w.sent(t, sandbox.RouteToken, 2) // the form and the JSON
		})
	}
}

// Where a list has no archived revisions, such a revision is told as not found.
func TestAccControlArchivedUnlisted(t *testing.T) {
	t.Parallel()
	w := reading(t, strings.ReplaceAll(controlledModel, "= 1\n", "= 2\n"), sandbox.WithArchivedUnlisted())
	wantText(t, w.expect(t, 1, "plan"), "Error: Revision not found")
}

// A container's name is no loopback host, so the sandbox serves https there.
func TestAccSandboxOverTLS(t *testing.T) {
	needEngine(t)
	t.Parallel()
	_, ready := startedSandbox(t, "-tls", "-host=localhost")
	if !strings.HasPrefix(ready.URL, "https://localhost:") {
		t.Fatalf("it serves at %s", ready.URL)
	}
	w := workspaceAt(t, fromEnvironment(controlledModel), ready.URL, owner)
	wantText(t, w.expect(t, 1, "plan"), "certificate")
	w.Env = append(w.Env, "MODELCATALOGUE_CA_CERTIFICATE_PEM="+ready.CACertificate)
	wantText(t, w.expect(t, 0, "plan"), "de-lu-day-ahead-price:1.0.3")
}

// TestAccInterruptingAPlan sends what Ctrl-C sends, to the engine and the
// provider alike, while the service hangs. The provider would go on waiting for
// a day, so that the plan ends at all shows that it does not.
func TestAccInterruptingAPlan(t *testing.T) {
	needEngine(t)
	t.Parallel()
	for name, test := range map[string]struct {
		route           sandbox.Route
		hanging, tokens int
	}{
		"a read hangs":         {sandbox.RouteModels, 3, 1},
		"the token call hangs": {sandbox.RouteToken, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, fromEnvironment(`
provider "modelcatalogue" {
  request_timeout = "24h"
  read_timeout    = "24h"
}
`+manyBlocks(3, 3, "group-%d")), sandbox.New(catalogueOf(t, 3)), owner)
			hanging, ended := make(chan struct{}, 10), make(chan struct{}, 10)
			w.service.Inject(sandbox.Fault{Route: test.route, Kind: sandbox.Hang, OnRequest: func(r *http.Request) {
				hanging <- struct{}{}
				go func() {
					<-r.Context().Done()
					ended <- struct{}{}
				}()
			}})
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
			for range test.hanging {
				select {
				case <-hanging:
				case err := <-gone:
					t.Fatalf("the plan ended by itself: %v\n%s", err, out.String())
				}
			}
			if err := syscall.Kill(group, syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			// No limit but that of the whole test run: a busy machine may be slow.
			for range test.hanging {
				<-ended
			}
			if err := <-gone; err == nil {
				t.Error("an interrupted plan ended well")
			}
			wantText(t, out.String(), "Interrupt received.", "Error: Read interrupted")
			w.sent(t, sandbox.RouteAny, test.tokens+test.hanging)
		})
	}
}
