package acctest_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// The images of the sandbox's own catalogue.
const (
	mainImage     = "registry.northwind.example/forecasting/de-lu-day-ahead-price" // of the main group
	latestImage   = mainImage + "@sha256:e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479"
	reviewedImage = mainImage + ":1.0.3"                                          // of its revision 1
	escapedImage  = "registry.northwind.example/forecasting/emea-power-balance:7" // of escapedGroup, revision 7
)

// A revision that is re-published with another image stops the plan, on the line
// of the image that was reviewed.
func TestAccTheImageThatWasReviewed(t *testing.T) {
	t.Parallel()
	w := reading(t, fmt.Sprintf(`
data "modelcatalogue_model" "this" {
  model_group_id = %q
  revision       = 1
  docker_image   = %q
}
data "modelcatalogue_pinned_models" "this" {
  revisions = { %[1]q = 1, %[3]q = 7 }
  docker_images = {
    %[1]q = %[2]q
    %[3]q = %[4]q
  }
}
output "images" {
  value = concat([data.modelcatalogue_model.this.docker_image], values(data.modelcatalogue_pinned_models.this.models)[*].docker_image)
}
`, mainGroup, reviewedImage, escapedGroup, escapedImage))
	w.expect(t, 0, "apply", "-auto-approve")
	w.expect(t, 0, "plan", "-detailed-exitcode")
	w.republish(t, mainGroup, 1, `{"dockerImage": "registry.example/moved:1"}`)
	w.republish(t, escapedGroup, 7, `{"dockerImage": "registry.example/moved:1"}`)
	w.service.ResetRequests()
	out := w.expect(t, 1, "plan")
	for text, times := range map[string]int{
		"Error: Docker image differs":             2,
		"docker_image = ":                         1,
		`"registry.example/moved:1"`:              3, // the single block, the fleet's first, and the other one in its list
		"1 more of 2 groups failed the same way:": 1,
	} {
		if n := strings.Count(joined(out), text); n != times {
			t.Errorf("%q stands there %d times, want %d:\n%s", text, n, times, out)
		}
	}
	w.sent(t, sandbox.RouteToken, 1)
	w.sent(t, sandbox.RouteAny, 3) // and the models of two groups
}

// One warning for a block, however many pins, until the block accepts them. The
// plan goes on either way. Engines show the first of several warnings with one
// summary, so each block is planned by itself.
func TestAccAWithdrawnPin(t *testing.T) {
	t.Parallel()
	for says, block := range map[string]string{
		fmt.Sprintf("Revision 2 of model group %q is archived and disabled (the latest is 3).", mainGroup): fmt.Sprintf(
			"data \"modelcatalogue_model\" \"this\" {\n  model_group_id = %q\n  revision = 2\n", mainGroup),
		"Of 2 pinned revisions 2 may be withdrawn:": fmt.Sprintf(
			"data \"modelcatalogue_pinned_models\" \"this\" {\n  revisions = { %q = 2, %q = 7 }\n", mainGroup, escapedGroup),
	} {
		for _, accepted := range []string{"", "  accept_withdrawn = true\n"} {
			w := reading(t, block+accepted+"}\n")
			if _, err := w.service.SetEnabled(escapedGroup, 7, false); err != nil {
				t.Fatal(err)
			}
			out := w.expect(t, 0, "plan")
			if accepted != "" {
				wantNone(t, out, "withdrawn")
				continue
			}
			wantText(t, out, says)
			if n := strings.Count(out, "Warning: Pinned revision withdrawn"); n != 1 {
				t.Errorf("%d warnings:\n%s", n, out)
			}
		}
	}
}

// Groups, revisions and images may come from a resource of the same run: the plan
// then reads nothing, and the apply reads and compares.
func TestAccPinsKnownOnlyAfterTheApply(t *testing.T) {
	needs(t, "the resource terraform_data", "1.4.0", "1.6.0")
	service, block := newSandbox(t, owner)
	config := func(image string) string {
		return block + fmt.Sprintf(`
resource "terraform_data" "group" { input = %q }
resource "terraform_data" "image" { input = %q }
data "modelcatalogue_latest_models" "this" { model_group_ids = [terraform_data.group.output, %q] }
data "modelcatalogue_pinned_models" "fleet" { revisions = { (terraform_data.group.output) = 1 } }
data "modelcatalogue_pinned_models" "this" {
  revisions     = { %[1]q = 1 }
  docker_images = { %[1]q = terraform_data.image.output }
}
data "modelcatalogue_model" "this" {
  model_group_id = %[1]q
  revision       = 1
  docker_image   = terraform_data.image.output
}
output "revision" { value = data.modelcatalogue_pinned_models.fleet.models[%[1]q].revision }
`, mainGroup, image, escapedGroup)
	}
	runSteps(t, append(knownAfterApply(t, service, config(reviewedImage),
		plancheck.ExpectUnknownValue("data.modelcatalogue_latest_models.this", tfjsonpath.New("models")),
		states{
			attribute("latest_models", knownvalue.MapSizeExact(2), "models"),
			attribute("pinned_models", isText(reviewedImage), "models", mainGroup, "docker_image"),
			attribute("model", isText(reviewedImage), "docker_image"),
			output("revision", isNumber(1)),
		},
	), resource.TestStep{Config: config("registry.example/other:1"), ExpectError: regexp.MustCompile(`Error: Docker image differs`)})...)
}

func TestAccAFleetReads(t *testing.T) {
	service, block := newSandbox(t, owner)
	runSteps(t, resource.TestStep{
		Config: block + fmt.Sprintf(`
locals { groups = [%q, %q] }
data "modelcatalogue_latest_models" "this" {}
data "modelcatalogue_latest_models" "named" {
  model_group_ids = concat(local.groups, local.groups)
  attributes      = ["revision", "docker_image"]
}
data "modelcatalogue_latest_models" "fit" {
  where      = { enabled = true, archived = false, tags = ["power"] }
  attributes = ["revision"]
}
data "modelcatalogue_latest_model" "this" {
  model_group_id = local.groups[0]
  where          = { archived = true }
}
data "modelcatalogue_pinned_models" "this" { revisions = { (local.groups[0]) = 2, (local.groups[1]) = 7 } }
data "modelcatalogue_latest_models" "none" { model_group_ids = [] }
data "modelcatalogue_pinned_models" "none" { revisions = {} }
output "fit"   { value = { for id, model in data.modelcatalogue_latest_models.fit.models : id => model.revision } }
output "named" { value = data.modelcatalogue_latest_models.named.models[local.groups[0]] }
output "none"  { value = length(data.modelcatalogue_latest_models.none.models) + length(data.modelcatalogue_pinned_models.none.models) }
`, mainGroup, escapedGroup),
		ConfigStateChecks: states{
			attribute("latest_models", knownvalue.MapSizeExact(7), "models"),
			attribute("latest_models", isNumber(3), "models", mainGroup, "revision"),
			attribute("latest_models", isText(escapedGroup), "models", escapedGroup, "model_group_id"),
			attribute("latest_models", isNull, "attributes"),
			attribute("latest_model", isNumber(2), "revision"),
			attribute("latest_model", knownvalue.ObjectExact(fields{"enabled": isNull, "archived": isFlag(true), "tags": isNull}), "where"),
			attribute("pinned_models", knownvalue.MapExact(fields{
				mainGroup: knownvalue.ObjectPartial(fields{
					"revision": isNumber(2), "latest_revision": isNumber(3), "is_latest": isFlag(false),
				}),
				escapedGroup: knownvalue.ObjectPartial(fields{"is_latest": isFlag(true)}),
			}), "models"),
			output("fit", knownvalue.ObjectExact(fields{mainGroup: isNumber(3), escapedGroup: isNumber(7)})),
			output("named", knownvalue.ObjectPartial(fields{"revision": isNumber(3), "tags": isNull, "model_metadata": isNull})),
			output("none", isNumber(0)),
		},
	})
	if service.Count(sandbox.RouteModels) == 0 {
		t.Error("the models were not read from this sandbox")
	}
}

// One plan tells every failing group, and alike causes together.
func TestAccAFleetTellsAllThatFails(t *testing.T) {
	t.Parallel()
	w := reading(t, fmt.Sprintf(`
data "modelcatalogue_latest_models" "this" {
  model_group_ids = [%q, "nowhere", %q, "nobody"]
}
`, mainGroup, windGroup))
	w.service.Inject(sandbox.Fault{
		Path: "/v1/model-group/" + windGroup + "/latest-model", Status: 403, Body: `{"code":"FORBIDDEN","message":"Not you."}`,
	})
	out := w.expect(t, 1, "plan")
	wantText(t, out, "Error: Model group not found, or without models", `The catalogue has no model group "nowhere"`,
		`1 more of 4 groups failed the same way: - "nobody"`, "Error: Access forbidden", "Not you.")
	if n := strings.Count(out, "Error: "); n != 2 {
		t.Errorf("%d errors, want one for each cause:\n%s", n, out)
	}
}
