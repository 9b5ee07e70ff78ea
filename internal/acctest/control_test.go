package acctest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/acctest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// controlled is a sandbox that is told what to do as somebody tells it from
// outside, and a workspace that reads it.
type controlled struct {
	*workspace
	service *sandbox.Sandbox
	url     string
}

func newControlled(t *testing.T, blocks string, options ...sandbox.Option) controlled {
	t.Helper()
	needEngine(t)
	t.Parallel()
	service := sandbox.New(sandbox.Default(), options...)
	url := sandboxtest.Start(t, service)
	return controlled{workspace: newWorkspace(t, fromEnvironment(blocks), url, acctest.Owner), service: service, url: url}
}

// tell sends a request to a control route.
func (c controlled) tell(t *testing.T, path, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url+"/control/"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
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
output "listed" { value = data.modelcatalogue_model_group.this.models[*].revision }
output "latest" { value = "${data.modelcatalogue_latest_model.this.revision} ${data.modelcatalogue_latest_model.this.docker_image}" }
`, acctest.MainGroup)

// What is changed in the service, a plan shows.
func TestAccControlMovesAPlan(t *testing.T) {
	c := newControlled(t, controlledModel)
	group := "model-groups/" + url.PathEscape(acctest.MainGroup)
	steps := []struct{ path, body, shows string }{
		{path: group + "/publish", body: `{"dockerImage": "registry.example/model:2"}`, shows: `-> "4 registry.example/model:2"`},
		{path: group + "/revisions/1/republish", body: `{"dockerImage": "registry.example/moved:1"}`, shows: `-> "registry.example/moved:1"`},
		{path: group + "/revisions/1/archive", shows: `archived = false -> true`},
		{path: group + "/revisions/1/unarchive", shows: `archived = true -> false`},
		{path: group + "/revisions/1/disable", shows: `enabled = true -> false`},
		{path: group + "/revisions/1/enable", shows: `enabled = false -> true`},
		{path: "tokens/revoke"},
	}
	c.expect(t, 0, "apply", "-auto-approve")
	c.expect(t, 0, "plan", "-detailed-exitcode")
	for _, step := range steps {
		c.tell(t, step.path, step.body)
		if step.shows == "" {
			c.expect(t, 0, "plan", "-detailed-exitcode")
			continue
		}
		out := c.expect(t, 2, "plan", "-detailed-exitcode", "-out=next")
		wantText(t, strings.Join(strings.Fields(out), " "), step.shows)
		if strings.Contains(step.path, "/revisions/") {
			wantText(t, out, "updated_at")
		}
		c.expect(t, 0, "apply", "next")
	}
}

func TestAccControlDisablesAnOrganisation(t *testing.T) {
	c := newControlled(t, controlledModel)
	c.tell(t, "organisations/northwind/disable", `{"reason": "The contract has ended."}`)
	out := c.expect(t, 1, "plan")
	wantText(t, out, "The contract has ended.")
	wantText(t, out, "ORGANISATION_DISABLED")
	c.tell(t, "organisations/northwind/enable", ``)
	c.expect(t, 0, "plan")
}

// Each fault that can be ordered, and what the provider makes of it: it forgives
// it with so many requests, or says what it says.
func TestAccControlFaults(t *testing.T) {
	tests := map[string]struct {
		order    string
		requests int    // for the list of groups, where it is forgiven
		says     string // where it is not
		env      []string
	}{
		"a status, twice":            {order: `{"route": "groups", "status": 503, "times": 2}`, requests: 3},
		"a code":                     {order: `{"route": "groups", "code": "REQUEST_TIMEOUT", "times": 1}`, requests: 2},
		"a limit with a wait":        {order: `{"route": "groups", "code": "RATE_LIMITED", "retryAfter": 1, "times": 1}`, requests: 2},
		"a limit without":            {order: `{"route": "groups", "code": "RATE_LIMITED", "times": 1}`, requests: 2},
		"a token refused":            {order: `{"route": "groups", "code": "UNAUTHORIZED", "times": 1}`, requests: 2},
		"a gateway's page":           {order: `{"route": "groups", "html": true, "times": 1}`, requests: 2},
		"a connection dropped":       {order: `{"route": "groups", "drop": true, "times": 1}`, requests: 2},
		"an answer short of length":  {order: `{"route": "groups", "cut": "length", "times": 1}`, requests: 2},
		"an answer that ends inside": {order: `{"route": "groups", "cut": "json", "times": 1}`, requests: 2},
		"a slow answer":              {order: `{"route": "groups", "delay": "300ms", "times": 1}`, requests: 1},
		"no answer": {
			order: `{"route": "groups", "hang": true, "times": 1}`, requests: 2, env: []string{"MODELCATALOGUE_REQUEST_TIMEOUT=1s"},
		},
		"the first passes":   {order: `{"route": "groups", "status": 400, "skip": 1}`, requests: 1},
		"another path":       {order: `{"path": "/v1/model-group/x", "status": 400}`, requests: 1},
		"the token endpoint": {order: `{"route": "token", "code": "temporarily_unavailable", "times": 1}`, requests: 1},
		"a code of the future": {
			order: `{"route": "groups", "code": "QUOTA_FROZEN", "status": 403, "message": "Come back in spring."}`,
			says:  "Come back in spring.",
		},
		"a page instead of groups": {order: `{"route": "groups", "html": true, "status": 200}`, says: "Error: "},
		"rejected credentials":     {order: `{"route": "token", "code": "invalid_client"}`, says: "Error: Credentials rejected"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := newControlled(t, `data "modelcatalogue_model_groups" "all" {}`)
			c.Env = append(c.Env, test.env...)
			c.tell(t, "faults", test.order)
			if test.says != "" {
				wantText(t, c.expect(t, 1, "plan"), test.says)
				return
			}
			c.expect(t, 0, "plan")
			if n := c.service.Count(sandbox.RouteGroups); n != test.requests {
				t.Errorf("%d requests for the groups, want %d", n, test.requests)
			}
		})
	}
}

// A service whose token endpoint takes JSON only is read all the same, however
// it refuses the form.
func TestAccControlTokenFormats(t *testing.T) {
	for _, refusal := range []string{"415", "invalid_request", "unsupported_grant_type"} {
		t.Run(refusal, func(t *testing.T) {
			c := newControlled(t, controlledModel, sandbox.WithTokenFormat(sandbox.TokenJSON))
			if refusal != "415" {
				c.tell(t, "faults", fmt.Sprintf(`{"route": "token", "code": %q, "times": 1}`, refusal))
			}
			c.expect(t, 0, "plan")
			if n := c.service.Count(sandbox.RouteToken); n != 2 {
				t.Errorf("%d token requests, want the form and the JSON", n)
			}
		})
	}
}

// Where a list has no archived revisions, such a revision is told as not found.
func TestAccControlArchivedUnlisted(t *testing.T) {
	c := newControlled(t, strings.ReplaceAll(controlledModel, "= 1\n", "= 2\n"), sandbox.WithArchivedUnlisted())
	wantText(t, c.expect(t, 1, "plan"), "Error: Revision not found")
}
