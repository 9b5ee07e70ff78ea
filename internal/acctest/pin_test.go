package acctest_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/acctest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// The images of the sandbox's own catalogue of two pinned revisions.
const (
	reviewedImage = "registry.northwind.example/forecasting/de-lu-day-ahead-price:1.0.3" // of the main group, revision 1
	escapedImage  = "registry.northwind.example/forecasting/emea-power-balance:7"        // of escapedGroup, revision 7
)

// A revision that is re-published with another image stops the plan, on the line
// of the image that was reviewed.
func TestAccTheImageThatWasReviewed(t *testing.T) {
	c := newControlled(t, fmt.Sprintf(`
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
`, acctest.MainGroup, reviewedImage, escapedGroup, escapedImage))
	c.expect(t, 0, "apply", "-auto-approve")
	c.expect(t, 0, "plan", "-detailed-exitcode")
	for _, change := range []struct {
		group    string
		revision int64
	}{{acctest.MainGroup, 1}, {escapedGroup, 7}} {
		if _, err := c.service.Republish(change.group, change.revision, []byte(`{"dockerImage": "registry.example/moved:1"}`)); err != nil {
			t.Fatal(err)
		}
	}
	requests := c.service.Count(sandbox.RouteAny)
	out := c.expect(t, 1, "plan")
	for text, times := range map[string]int{
		"Error: Docker image differs":             2,
		"docker_image = ":                         1,
		`"registry.example/moved:1"`:              3, // the single block, the fleet's first, and the other one in its list
		"1 more of 2 groups failed the same way:": 1,
	} {
		if n := strings.Count(strings.Join(strings.Fields(out), " "), text); n != times {
			t.Errorf("%q stands there %d times, want %d:\n%s", text, n, times, out)
		}
	}
	if n := c.service.Count(sandbox.RouteAny) - requests; n != 3 {
		t.Errorf("%d requests, want a token and the models of two groups", n)
	}
}

func TestAccAnImageThatIsWithheld(t *testing.T) {
	_, block := newSandbox(t, acctest.Outsider)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: block + fmt.Sprintf(`
data "modelcatalogue_model" "this" {
  model_group_id = %q
  revision       = 1
  docker_image   = %q
}
`, acctest.MainGroup, reviewedImage),
			ExpectError: regexp.MustCompile(`Error: Docker image withheld`),
		}},
	})
}

// One warning for a block, however many pins, until the block accepts them. The
// plan goes on either way. Engines show the first of several warnings with one
// summary, so each block is planned by itself.
func TestAccAWithdrawnPin(t *testing.T) {
	needEngine(t)
	t.Parallel()
	service := sandbox.New(sandbox.Default())
	if _, err := service.SetEnabled(escapedGroup, 7, false); err != nil {
		t.Fatal(err)
	}
	url := service.Start(t)
	for says, block := range map[string]string{
		fmt.Sprintf("Revision 2 of model group %q is archived and disabled (the latest is 3).", acctest.MainGroup): fmt.Sprintf(`
data "modelcatalogue_model" "this" {
  model_group_id = %q
  revision       = 2
`, acctest.MainGroup),
		"Of 2 pinned revisions 2 may be withdrawn:": fmt.Sprintf(`
data "modelcatalogue_pinned_models" "this" {
  revisions = { %q = 2, %q = 7 }
`, acctest.MainGroup, escapedGroup),
	} {
		out := newWorkspace(t, fromEnvironment(block+"}\n"), url, acctest.Owner).expect(t, 0, "plan")
		wantText(t, out, says)
		if n := strings.Count(out, "Warning: Pinned revision withdrawn"); n != 1 {
			t.Errorf("%d warnings:\n%s", n, out)
		}
		out = newWorkspace(t, fromEnvironment(block+"  accept_withdrawn = true\n}\n"), url, acctest.Owner).expect(t, 0, "plan")
		if strings.Contains(out, "withdrawn") {
			t.Errorf("accepted, and warned of:\n%s", out)
		}
	}
}

func TestAccTheNewestThatSatisfies(t *testing.T) {
	service, block := newSandbox(t, acctest.Owner)
	number := knownvalue.Int64Exact
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: block + fmt.Sprintf(`
data "modelcatalogue_latest_model" "this" {
  model_group_id = %q
  where          = { archived = true }
}
data "modelcatalogue_latest_models" "this" {
  where      = { enabled = true, archived = false, tags = ["power"] }
  attributes = ["revision"]
}
`, acctest.MainGroup),
				ConfigStateChecks: []statecheck.StateCheck{
					attribute("latest_model", number(2), "revision"),
					attribute("latest_model", knownvalue.ObjectExact(map[string]knownvalue.Check{
						"enabled": knownvalue.Null(), "archived": knownvalue.Bool(true), "tags": knownvalue.Null(),
					}), "where"),
					attribute("latest_models", knownvalue.MapExact(map[string]knownvalue.Check{
						acctest.MainGroup: knownvalue.ObjectPartial(map[string]knownvalue.Check{"revision": number(3)}),
						escapedGroup:      knownvalue.ObjectPartial(map[string]knownvalue.Check{"revision": number(7)}),
					}), "models"),
				},
			},
			{
				Config: block + fmt.Sprintf(`
data "modelcatalogue_latest_model" "this" {
  model_group_id = %q
  where          = { enabled = true, tags = ["gold"] }
}
`, acctest.MainGroup),
				ExpectError: regexp.MustCompile(`(?s)Error: No model satisfies where.*revision 3 lacks the tag "gold"`),
			},
		},
	})
	if service.Count(sandbox.RouteModels) == 0 {
		t.Error("the models were not read from this sandbox")
	}
}

// An image that is known only after the apply is compared then.
func TestAccAnImageKnownOnlyAfterTheApply(t *testing.T) {
	needEngine(t)
	underTest.needs(t, "the resource terraform_data", "1.4.0", "1.6.0")
	service, block := newSandbox(t, acctest.Owner)
	config := func(image string) string {
		return block + fmt.Sprintf(`
resource "terraform_data" "image" { input = %q }
data "modelcatalogue_model" "this" {
  model_group_id = %q
  revision       = 1
  docker_image   = terraform_data.image.output
}
data "modelcatalogue_pinned_models" "this" {
  revisions     = { %[2]q = 1 }
  docker_images = { %[2]q = terraform_data.image.output }
}
`, image, acctest.MainGroup)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: config(reviewedImage), PlanOnly: true, ExpectNonEmptyPlan: true},
			{
				PreConfig: func() { expectNoRequest(t, service) },
				Config:    config(reviewedImage),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectUnknownValue("data.modelcatalogue_pinned_models.this", tfjsonpath.New("models")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					attribute("model", knownvalue.StringExact(reviewedImage), "docker_image"),
					attribute("pinned_models", knownvalue.StringExact(reviewedImage), "models", acctest.MainGroup, "docker_image"),
				},
			},
			{Config: config("registry.example/other:1"), ExpectError: regexp.MustCompile(`Error: Docker image differs`)},
		},
	})
}

// What a configuration alone tells is found by validate, without a service.
func TestAccPinsAreValidatedWithoutAService(t *testing.T) {
	needEngine(t)
	t.Parallel()
	w := newWorkspace(t, fromEnvironment(`
data "modelcatalogue_pinned_models" "this" {
  revisions     = { a = 1 }
  docker_images = { a = "", b = "app:1" }
}
data "modelcatalogue_latest_models" "this" {
  where = { tags = ["a", null] }
}
`), "https://catalogue.invalid", acctest.Owner)
	out := w.expect(t, 1, "validate")
	wantText(t, out, `The image of model group "a" is empty.`)
	wantText(t, out, `docker_images has an image for model groups that revisions does not have: "b".`)
	wantText(t, out, "where.tags[1] is null.")
}
