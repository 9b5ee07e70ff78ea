package acctest_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/acctest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

const readsGroups = "data \"modelcatalogue_model_groups\" \"all\" {}\n"

// without removes variables of the provider from the environment of the engine.
func (w *workspace) without(arguments ...string) {
	var env []string
	for _, entry := range w.Env {
		name, _, _ := strings.Cut(entry, "=")
		kept := true
		for _, argument := range arguments {
			kept = kept && name != "MODELCATALOGUE_"+argument
		}
		if kept {
			env = append(env, entry)
		}
	}
	w.Env = env
}

func TestAccSecretsComeFromFiles(t *testing.T) {
	needEngine(t)
	t.Parallel()
	service := sandbox.New(sandbox.Default())
	w := newWorkspace(t, fromEnvironment(readsGroups), sandboxtest.Start(t, service), acctest.Owner)
	w.without("CLIENT_ID", "CLIENT_SECRET")
	for argument, value := range map[string]string{"CLIENT_ID": acctest.Owner.ID, "CLIENT_SECRET": acctest.Owner.Secret} {
		name := filepath.Join(t.TempDir(), argument)
		if err := os.WriteFile(name, []byte(value+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		w.Env = append(w.Env, "MODELCATALOGUE_"+argument+"_FILE="+name)
	}
	w.expect(t, 0, "plan")
	if tokens, lists := service.Count(sandbox.RouteToken), service.Count(sandbox.RouteGroups); tokens != 1 || lists != 1 {
		t.Errorf("%d token requests and %d reads", tokens, lists)
	}
}

// TestAccValidateLooksAtTheBlockOnly: a file that is not there, and a variable
// beside it, are the environment's, of which `validate` says nothing.
func TestAccValidateLooksAtTheBlockOnly(t *testing.T) {
	needEngine(t)
	t.Parallel()
	service := sandbox.New(sandbox.Default())
	w := newWorkspace(t, fromEnvironment(readsGroups), sandboxtest.Start(t, service), acctest.Owner)
	w.Env = append(w.Env, "MODELCATALOGUE_CLIENT_SECRET_FILE=/nonexistent/secret", "MODELCATALOGUE_MAX_REQUESTS=60")
	w.expect(t, 0, "validate")
	out := w.expect(t, 1, "plan")
	wantText(t, out, "Error: Invalid client_secret")
	wantText(t, out, "MODELCATALOGUE_CLIENT_SECRET and MODELCATALOGUE_CLIENT_SECRET_FILE are both set")
	wantText(t, out, `Error: Invalid max_requests`)
	wantText(t, out, `"60" is not a limit; write so many requests in such a time, such as "60/1m" or "1/2s".`)
	w.without("CLIENT_SECRET")
	wantText(t, w.expect(t, 1, "plan"),
		"the environment variable MODELCATALOGUE_CLIENT_SECRET_FILE names cannot be used: it does not exist.")
	if n := service.Count(sandbox.RouteAny); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// TestAccTheBlockIsValidated: what is wrong in the provider block itself is found
// without credentials, on the argument that has it.
func TestAccTheBlockIsValidated(t *testing.T) {
	needEngine(t)
	t.Parallel()
	for name, test := range map[string]struct{ block, summary, on, says string }{
		"both kinds of credentials": {
			`client_id = "a"` + "\n" + `access_token = "b"`, "Both access_token and client credentials given", `access_token = "b"`,
			"Leave out access_token, or the other two",
		},
		"Bearer": {`access_token = "Bearer abc"`, "Invalid access_token", "access_token =", "give only what follows."},
		"a ceiling as a number": {
			"max_requests = 5", "Invalid max_requests", "max_requests = 5", `"5" is not a limit`,
		},
		"the old name of the ceiling": {
			"max_requests_per_second = 5", "Unsupported argument", "max_requests_per_second = 5", `"max_requests_per_second" is not expected here.`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, fromEnvironment(readsGroups+"provider \"modelcatalogue\" {\n"+test.block+"\n}\n"),
				"https://catalogue.example", acctest.Credentials{})
			w.without("BASE_URL", "CLIENT_ID", "CLIENT_SECRET")
			out := w.expect(t, 1, "validate")
			for _, want := range []string{"Error: " + test.summary, test.on, test.says} {
				wantText(t, out, want)
			}
		})
	}
}

// TestAccArgumentsThatAreNotKnownYetAreNamed, both in one sentence.
func TestAccArgumentsThatAreNotKnownYetAreNamed(t *testing.T) {
	needEngine(t)
	underTest.needs(t, "terraform_data", "1.4.0", "1.6.0")
	t.Parallel()
	w := newWorkspace(t, fromEnvironment(readsGroups+`
resource "terraform_data" "later" { input = "https://catalogue.example" }

provider "modelcatalogue" {
  base_url      = terraform_data.later.output
  client_secret = terraform_data.later.output
}
`), "https://catalogue.example", acctest.Owner)
	out := w.expect(t, 1, "plan")
	wantText(t, out, "The provider arguments base_url and client_secret have values that are known only after other changes are applied")
}

// TestAccOneTokenServesManyRuns: each run takes it from a file, and none asks for
// another, though the environment has an id and a secret as well.
func TestAccOneTokenServesManyRuns(t *testing.T) {
	needEngine(t)
	t.Parallel()
	service := sandbox.New(sandbox.Default())
	base := sandboxtest.Start(t, service)
	resp, err := http.PostForm(base+"/v1/auth/token", url.Values{
		"grant_type": {"client_credentials"}, "client_id": {acctest.Owner.ID}, "client_secret": {acctest.Owner.Secret},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "token")
	w := newWorkspace(t, fromEnvironment(readsGroups), base, acctest.Owner)
	w.Env = append(w.Env, "MODELCATALOGUE_ACCESS_TOKEN_FILE="+file)
	for token, status := range map[string]int{answer.AccessToken: 0, "not-a-token": 1} {
		if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		out := w.expect(t, status, "plan") + w.expect(t, status, "plan")
		if status == 0 {
			continue
		}
		for _, want := range []string{
			"Error: Access token rejected",
			"MODELCATALOGUE_CLIENT_ID and MODELCATALOGUE_CLIENT_SECRET are set as well",
			"Check access_token, which comes from the file that MODELCATALOGUE_ACCESS_TOKEN_FILE names,",
		} {
			wantText(t, out, want)
		}
		if strings.Contains(out, token) {
			t.Errorf("the token is shown:\n%s", out)
		}
	}
	if tokens, lists := service.Count(sandbox.RouteToken), service.Count(sandbox.RouteGroups); tokens != 1 || lists != 4 {
		t.Errorf("%d token requests and %d reads, want 1 and 4", tokens, lists)
	}
}
