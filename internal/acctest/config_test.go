package acctest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

const readsGroups = "data \"modelcatalogue_model_groups\" \"all\" {}\n"

func TestAccSecretsComeFromFiles(t *testing.T) {
	t.Parallel()
	w := reading(t, readsGroups)
	w.without("CLIENT_ID", "CLIENT_SECRET")
	for argument, value := range map[string]string{"CLIENT_ID": owner.id, "CLIENT_SECRET": owner.secret} {
		name := filepath.Join(t.TempDir(), argument)
		writeText(t, name, value+"\n")
		w.Env = append(w.Env, "MODELCATALOGUE_"+argument+"_FILE="+name)
	}
	w.expect(t, 0, "plan")
	w.sent(t, sandbox.RouteToken, 1)
	w.sent(t, sandbox.RouteGroups, 1)
}

// TestAccValidateLooksAtTheBlockOnly: a file that is not there, and a variable
// beside it, are the environment's, of which `validate` says nothing.
func TestAccValidateLooksAtTheBlockOnly(t *testing.T) {
	t.Parallel()
	w := reading(t, readsGroups)
	w.Env = append(w.Env, "MODELCATALOGUE_CLIENT_SECRET_FILE=/nonexistent/secret", "MODELCATALOGUE_MAX_REQUESTS=60")
	w.expect(t, 0, "validate")
	wantText(t, w.expect(t, 1, "plan"), "Error: Invalid client_secret",
		"MODELCATALOGUE_CLIENT_SECRET and MODELCATALOGUE_CLIENT_SECRET_FILE are both set", `Error: Invalid max_requests`,
		`"60" is not a limit; write so many requests in such a time, such as "60/1m" or "1/2s".`)
	w.without("CLIENT_SECRET")
	wantText(t, w.expect(t, 1, "plan"),
		"the environment variable MODELCATALOGUE_CLIENT_SECRET_FILE names cannot be used: it does not exist.")
	w.sent(t, sandbox.RouteAny, 0)
}

// TestAccValidateNeedsNoService: what is wrong in the configuration itself is found
// without an address and credentials, on the argument that has it.
func TestAccValidateNeedsNoService(t *testing.T) {
	t.Parallel()
	provider := func(argument string) string {
		return readsGroups + "provider \"modelcatalogue\" {\n" + argument + "\n}\n"
	}
	for name, test := range map[string]struct {
		blocks string
		says   []string
	}{
		"both kinds of credentials": {provider("client_id = \"a\"\naccess_token = \"b\""), []string{
			"Error: Both access_token and client credentials given", `access_token = "b"`, "Leave out access_token, or the other two",
		}},
		"Bearer": {provider(`access_token = "Bearer abc"`), []string{
			"Error: Invalid access_token", "access_token =", "give only what follows.",
		}},
		"a ceiling as a number": {provider("max_requests = 5"), []string{
			"Error: Invalid max_requests", "max_requests = 5", `"5" is not a limit`,
		}},
		"the old name of the ceiling": {provider("max_requests_per_second = 5"), []string{
			"Error: Unsupported argument", "max_requests_per_second = 5", `"max_requests_per_second" is not expected here.`,
		}},
		"pins and where": {`
data "modelcatalogue_pinned_models" "this" {
  revisions     = { a = 1 }
  docker_images = { a = "", b = "app:1" }
  attributes    = ["revision", "docker_imag"]
}
data "modelcatalogue_latest_models" "this" {
  where = { tags = ["a", null] }
}
`, []string{
			"Error: Unknown attribute", `Did you mean "docker_image"?`, `The image of model group "a" is empty.`, "where.tags[1] is null.",
			`docker_images has an image for model groups that revisions does not have: "b".`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := reading(t, test.blocks)
			w.without("BASE_URL", "CLIENT_ID", "CLIENT_SECRET")
			wantText(t, w.expect(t, 1, "validate"), test.says...)
		})
	}
}

// TestAccOneTokenServesManyRuns: each run takes it from a file, and none asks for
// another, though the environment has an id and a secret as well.
func TestAccOneTokenServesManyRuns(t *testing.T) {
	t.Parallel()
	w := reading(t, readsGroups)
	w.expect(t, 0, "plan")
	requests := w.service.Requests()
	good := strings.TrimPrefix(requests[len(requests)-1].Header.Get("Authorization"), "Bearer ")

	file := filepath.Join(t.TempDir(), "token")
	w.Env = append(w.Env, "MODELCATALOGUE_ACCESS_TOKEN_FILE="+file)
	writeText(t, file, good+"\n")
	w.expect(t, 0, "plan")
	w.expect(t, 0, "plan")
	writeText(t, file, "not-a-token\n")
	for range 2 {
		out := w.expect(t, 1, "plan")
		wantText(t, out, "Error: Access token rejected", "MODELCATALOGUE_CLIENT_ID and MODELCATALOGUE_CLIENT_SECRET are set as well",
			"Check access_token, which comes from the file that MODELCATALOGUE_ACCESS_TOKEN_FILE names,")
		wantNone(t, out, "not-a-token")
	}
	w.sent(t, sandbox.RouteToken, 1)
	w.sent(t, sandbox.RouteGroups, 5)
}
