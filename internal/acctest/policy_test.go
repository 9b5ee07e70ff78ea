//go:build !windows

package acctest_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

// conftestVariable names the conftest that `make policy` has built.
const conftestVariable = "MODELCATALOGUE_TEST_CONFTEST"

var updatePolicy = flag.Bool("update-refusals", false, "write what the policy says of the plans to testdata/plans/refused.txt")

const policyFolder = root + "/examples/guides/pin-docker-image/policy"

func conftest(t *testing.T) string {
	t.Helper()
	program := os.Getenv(conftestVariable)
	if program == "" {
		t.Skip(conftestVariable + " is not set: `make policy` runs this")
	}
	return program
}

// TestPolicyOfPlans holds plans of many providers to the policy of the guide about pins: it refuses none of the folder
// fit, and each of the folder refused for the reasons of refused.txt. A plan is as `show -json` prints it, made small.
func TestPolicyOfPlans(t *testing.T) {
	program := conftest(t)
	const folder, reasons = "testdata/plans/", "testdata/plans/refused.txt"
	cmd := engine.Command(t.Context(), program, "test", "--policy="+policyFolder, "--output=json", folder+"fit", folder+"refused")
	out, err := cmd.Output()
	if refused := (*exec.ExitError)(nil); !errors.As(err, &refused) {
		t.Fatalf("conftest: %v\n%s", err, out)
	}
	type result struct {
		Filename string
		Failures []struct{ Msg string }
	}
	var results []result
	if err := json.Unmarshal(out, &results); err != nil || len(results) < 80 {
		t.Fatalf("%d plans: %v", len(results), err)
	}
	slices.SortFunc(results, func(a, b result) int { return strings.Compare(a.Filename, b.Filename) })
	var said strings.Builder
	for _, result := range results {
		name := strings.TrimSuffix(strings.TrimPrefix(result.Filename, folder), ".json")
		var found []string
		for _, failure := range result.Failures {
			found = append(found, failure.Msg)
		}
		slices.Sort(found)
		if refused := strings.HasPrefix(name, "refused/"); refused != (found != nil) {
			t.Errorf("%s is refused: %t\n%s", name, found != nil, strings.Join(found, "\n"))
		} else if refused {
			said.WriteString(filepath.Base(name) + "\n  " + strings.Join(found, "\n  ") + "\n")
		}
	}
	if *updatePolicy {
		writeText(t, reasons, said.String())
	}
	if want := readText(t, reasons); said.String() != want {
		t.Errorf("the policy says\n%s\nwant\n%s\nmake policy ARGS=-update-refusals writes it anew", said.String(), want)
	}
}

// TestPolicyAsPrinted holds plans of an engine to the policy, by the commands that the guide prints.
func TestPolicyAsPrinted(t *testing.T) {
	program := conftest(t)
	needs(t, "terraform_data", "1.4.0", "1.6.0")
	for image, says := range map[string][]string{
		"data.modelcatalogue_model.other.docker_image": {"all fit"}, // it has a digest
		`data.modelcatalogue_pinned_models.deployed.models["` + mainGroup + `"].docker_image`: {
			"deploys " + reviewedImage + ", which has no digest.", "refused",
		},
		"terraform_data.later.id": {"the plan does not know image yet", "refused"},
	} {
		t.Run(image, func(t *testing.T) {
			w, _ := pinned(t, "pin-docker-image/pins/main.tf")
			writeText(t, filepath.Join(w.Dir, "deployment.tf"), `
data "modelcatalogue_model" "other" {
  model_group_id = "`+mainGroup+`"
  revision       = 3
}
resource "terraform_data" "later" {}
resource "terraform_data" "deployment" {
  input = [{ image = `+image+` }]
}
`)
			if err := os.CopyFS(filepath.Join(w.Dir, "policy"), os.DirFS(policyFolder)); err != nil {
				t.Fatal(err)
			}
			out := w.asPrinted(t, "pin-docker-image", "conftest", `conftest() { "`+program+`" "$@" && echo all fit || echo refused; }`)
			wantText(t, out, says...)
		})
	}
}

// TestPolicyOfDeployments holds the deployments of the guides to the policy: each fits by its digest, and is refused by
// its tag.
func TestPolicyOfDeployments(t *testing.T) {
	program := conftest(t)
	folders, err := filepath.Glob(root + "/examples/guides/deploy-a-model/*")
	if err != nil || len(folders) != 3 {
		t.Fatalf("%d deployments: %v", len(folders), err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			w := guide(t, owner, "deploy-a-model/"+filepath.Base(folder)+"/main.tf")
			if err := os.CopyFS(filepath.Join(w.Dir, "policy"), os.DirFS(policyFolder)); err != nil {
				t.Fatal(err)
			}
			judge := `conftest() { "` + program + `" "$@" && echo all fit || echo refused; }`
			wantText(t, w.asPrinted(t, "pin-docker-image", "conftest", judge), "all fit")
			rewrite(t, filepath.Join(w.Dir, "main.tf"), `@${data.docker_registry_image.price.sha256_digest}"`, `:1.0.3"`)
			wantText(t, w.asPrinted(t, "pin-docker-image", "conftest", judge), "which has no digest", "refused")
		})
	}
}
