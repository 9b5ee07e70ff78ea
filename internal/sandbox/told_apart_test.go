package sandbox_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// Nobody takes an answer of the sandbox for the service's, whatever becomes of
// it, nor its tokens for real ones.
func TestEveryAnswerNamesTheSandbox(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := start(t, s).as("northwind")
	if !strings.HasPrefix(c.token, "sandbox-") {
		t.Errorf("the token is %q", c.token)
	}
	named := func(what string, header http.Header) {
		t.Helper()
		if got := header.Get(sandbox.Header); got != "This is a sandbox, not the service." {
			t.Errorf("%s: the header is %q", what, got)
		}
	}
	for _, path := range []string{"/", "/v1/model-group", "/v1/nope", "/control/ready", "/control/nope"} {
		named(path, c.get(path).header)
	}
	s.Inject(sandbox.Fault{Times: 1, Status: 500, Header: http.Header{"X-Other": {"1"}}})
	named("a fault", c.get("/v1/model-group").header)
	s.Inject(sandbox.Fault{Times: 1, Mutate: func(int, http.Header, []byte) (int, http.Header, []byte) { return 200, nil, nil }})
	named("a changed answer", c.get("/v1/model-group").header)
	c.token = ""
	named("a refusal", c.get("/v1/model-group").header)

	page := c.get("/")
	if page.header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(page.body, "This is a sandbox") ||
		strings.Contains(page.body, "-sandbox-secret") {
		t.Errorf("the page is %v\n%s", page.header, page.body)
	}
}
