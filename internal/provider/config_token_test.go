package provider

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// tokenOf asks the service at base for a token, as a step of a pipeline does.
func tokenOf(t *testing.T, base string) string {
	t.Helper()
	resp, err := http.PostForm(base+"/v1/auth/token", url.Values{
		"grant_type": {"client_credentials"}, "client_id": {"northwind"}, "client_secret": {"northwind-sandbox-secret"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.AccessToken == "" {
		t.Fatalf("no token: %v", err)
	}
	return answer.AccessToken
}

// TestAGivenTokenNeedsNoTokenRequest, and it goes before the client id and secret
// of the environment.
func TestAGivenTokenNeedsNoTokenRequest(t *testing.T) {
	t.Parallel()
	service := sandbox.New(sandbox.Default())
	base := sandboxtest.Start(t, service)
	token := tokenOf(t, base)
	for name, given := range map[string]struct {
		config    arguments
		variables map[string]string
	}{
		"the block":       {config: arguments{argBaseURL: base, argAccessToken: token}},
		"the environment": {config: arguments{argBaseURL: base}, variables: map[string]string{"ACCESS_TOKEN": token}},
		"beside a pair": {
			config:    arguments{argBaseURL: base},
			variables: map[string]string{"ACCESS_TOKEN": token, "CLIENT_ID": "northwind", "CLIENT_SECRET": "not the secret"},
		},
	} {
		env := withVariables(given.variables)
		e, diagnostics := startEngine(t, &catalogueProvider{version: "test", environment: &env}, given.config)
		expectNone(t, diagnostics)
		for data, config := range readable {
			if _, diagnostics := e.read(t.Context(), t, data, config); failed(diagnostics) {
				t.Errorf("%s, %s: %+v", name, data, diagnostics)
			}
		}
	}
	if n := service.Count(sandbox.RouteToken); n != 1 {
		t.Errorf("%d token requests, want the test's own only", n)
	}
}

// TestARefusedTokenIsFinal: one request, and every further read is told the same
// without another.
func TestARefusedTokenIsFinal(t *testing.T) {
	t.Parallel()
	service := sandbox.New(manyGroups(t, 20))
	e := newEngine(t, arguments{argBaseURL: sandboxtest.Start(t, service), argAccessToken: "hunter2-is-refused"})
	answers := e.readAll(t, 1, eachGroup(0, 20))
	var whole int
	for _, a := range answers {
		if len(a.diagnostics) != 1 || a.diagnostics[0].Summary != summaryTokenRejected {
			t.Fatalf("%+v", a.diagnostics)
		}
		detail := a.diagnostics[0].Detail
		if strings.Contains(detail, "Check access_token, which the provider block sets, and that it is meant") {
			whole++
		}
		if strings.Contains(detail, "hunter2") {
			t.Errorf("the token is shown:\n%s", detail)
		}
	}
	if whole != 1 {
		t.Errorf("told in full %d times", whole)
	}
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteGroup: 1})
}
