//go:build !windows

package acctest_test

import (
	"os"
	"path/filepath"
	"testing"
)

// conftestVariable names the conftest that `make policy` has built.
const conftestVariable = "MODELCATALOGUE_TEST_CONFTEST"

// TestPolicy holds plans to the policy of the guide about pins, by the commands that it prints.
func TestPolicy(t *testing.T) {
	conftest := os.Getenv(conftestVariable)
	if conftest == "" {
		t.Skip(conftestVariable + " is not set: `make policy` runs this")
	}
	needs(t, "terraform_data", "1.4.0", "1.6.0")
	const (
		tagged = `data.modelcatalogue_pinned_models.deployed.models["` + mainGroup + `"].docker_image`
		digest = "@sha256:6d5e0178bd860172dfb9834d43bcd4e88f89ce4523df7b831877d244a7718f11"
	)
	for image, says := range map[string][]string{
		"data.modelcatalogue_model.other.docker_image": {"3 passed", "all fit"}, // it has a digest
		`"${` + tagged + `}` + digest + `"`:            {"3 passed", "all fit"},
		tagged:                                         {"deploys " + reviewedImage + ", which has no digest.", "refused"},
		`"registry.example/model` + digest + `"`: {
			"deploys registry.example/model" + digest + ", which is not a pin of the catalogue.", "refused",
		},
		"terraform_data.later.id": {"deploys an image that the plan does not know yet.", "refused"},
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
			if err := os.CopyFS(filepath.Join(w.Dir, "policy"), os.DirFS(root+"/examples/guides/pin-docker-image/policy")); err != nil {
				t.Fatal(err)
			}
			out := w.asPrinted(t, "pin-docker-image", "conftest", `conftest() { "`+conftest+`" "$@" && echo all fit || echo refused; }`)
			wantText(t, out, says...)
		})
	}
}
