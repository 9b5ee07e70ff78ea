package acctest_test

import (
	"fmt"
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

// escapedGroup has an id that is no path element as it stands.
const escapedGroup = "emea/power?v=1#β %41"

func TestAccAFleetReads(t *testing.T) {
	service, block := newSandbox(t, acctest.Owner)
	text, number, flag, null := knownvalue.StringExact, knownvalue.Int64Exact, knownvalue.Bool, knownvalue.Null()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: block + fmt.Sprintf(`
locals { groups = [%q, %q] }
data "modelcatalogue_latest_models" "this" {}
data "modelcatalogue_latest_models" "named" {
  model_group_ids = concat(local.groups, local.groups)
  attributes      = ["revision", "docker_image"]
}
data "modelcatalogue_latest_model" "first" { model_group_id = local.groups[0] }
data "modelcatalogue_latest_model" "second" { model_group_id = local.groups[1] }
data "modelcatalogue_pinned_models" "this" {
  revisions = { (local.groups[0]) = 2, (local.groups[1]) = 7 }
}
data "modelcatalogue_model" "first" {
  model_group_id = local.groups[0]
  revision       = 2
}
data "modelcatalogue_model" "second" {
  model_group_id = local.groups[1]
  revision       = 7
}
data "modelcatalogue_latest_models" "none" { model_group_ids = [] }
data "modelcatalogue_pinned_models" "none" { revisions = {} }
output "latest_same" {
  value = alltrue([
    for model in [data.modelcatalogue_latest_model.first, data.modelcatalogue_latest_model.second] :
    jsonencode({ for name, value in model : name => value if name != "where" }) ==
    jsonencode(data.modelcatalogue_latest_models.this.models[model.model_group_id])
  ])
}
output "pinned_same" {
  value = alltrue([
    for model in [data.modelcatalogue_model.first, data.modelcatalogue_model.second] :
    jsonencode({ for name, value in model : name => value if name != "accept_withdrawn" }) ==
    jsonencode(data.modelcatalogue_pinned_models.this.models[model.model_group_id])
  ])
}
output "named" { value = data.modelcatalogue_latest_models.named.models[local.groups[0]] }
output "none"  { value = length(data.modelcatalogue_latest_models.none.models) + length(data.modelcatalogue_pinned_models.none.models) }
`, acctest.MainGroup, escapedGroup),
			ConfigStateChecks: []statecheck.StateCheck{
				attribute("latest_models", knownvalue.MapSizeExact(7), "models"),
				attribute("latest_models", number(3), "models", acctest.MainGroup, "revision"),
				attribute("latest_models", text(escapedGroup), "models", escapedGroup, "model_group_id"),
				attribute("latest_models", null, "attributes"),
				attribute("pinned_models", number(2), "models", acctest.MainGroup, "revision"),
				attribute("pinned_models", number(3), "models", acctest.MainGroup, "latest_revision"),
				attribute("pinned_models", flag(false), "models", acctest.MainGroup, "is_latest"),
				attribute("pinned_models", flag(true), "models", escapedGroup, "is_latest"),
				statecheck.ExpectKnownOutputValue("latest_same", flag(true)),
				statecheck.ExpectKnownOutputValue("pinned_same", flag(true)),
				statecheck.ExpectKnownOutputValueAtPath("named", tfjsonpath.New("revision"), number(3)),
				statecheck.ExpectKnownOutputValueAtPath("named", tfjsonpath.New("tags"), null),
				statecheck.ExpectKnownOutputValueAtPath("named", tfjsonpath.New("model_metadata"), null),
				statecheck.ExpectKnownOutputValue("none", number(0)),
			},
		}},
	})
	if service.Count(sandbox.RouteModels) == 0 {
		t.Error("the models were not read from this sandbox")
	}
}

// One plan tells every failing group, each on the line where it stands.
func TestAccAFleetTellsAllThatFails(t *testing.T) {
	needEngine(t)
	t.Parallel()
	service := sandbox.New(catalogueOf(t, 12))
	service.Inject(sandbox.Fault{
		Route: sandbox.RouteLatest, Path: "/v1/model-group/group-4/latest-model",
		Status: 403, Body: `{"code":"FORBIDDEN","message":"Not you."}`,
	})
	var ids []string
	for i := range 12 {
		ids = append(ids, fmt.Sprintf("    \"group-%d\",\n", i))
	}
	ids[3], ids[7] = "    \"nowhere\",\n", "    \"nobody\",\n"
	w := newWorkspace(t, fromEnvironment(`
data "modelcatalogue_latest_models" "this" {
  model_group_ids = [
`+strings.Join(ids, "")+`  ]
}
`), service.Start(t), acctest.Owner)
	out := w.expect(t, 1, "plan")
	for _, want := range []string{
		"Error: Model group not found, or without models",
		`The catalogue has no model group "nowhere"`,
		`1 more of 12 groups failed the same way: - "nobody"`,
		"Error: Access forbidden",
		"Not you.",
	} {
		wantText(t, out, want)
	}
	if n := strings.Count(out, "Error: "); n != 2 {
		t.Errorf("%d errors, want one for each cause:\n%s", n, out)
	}
}

func TestAccAttributesAreValidatedWithoutAService(t *testing.T) {
	needEngine(t)
	t.Parallel()
	w := newWorkspace(t, fromEnvironment(`
data "modelcatalogue_pinned_models" "this" {
  revisions  = { a = 1 }
  attributes = ["revision", "docker_imag"]
}
`), "https://catalogue.invalid", acctest.Owner)
	out := w.expect(t, 1, "validate")
	wantText(t, out, "Error: Unknown attribute")
	wantText(t, out, `Did you mean "docker_image"?`)
}

// What a fleet reads may come from a resource of the same run: the plan then
// reads nothing, and the apply does.
func TestAccAFleetKnownOnlyAfterTheApply(t *testing.T) {
	needEngine(t)
	underTest.needs(t, "the resource terraform_data", "1.4.0", "1.6.0")
	service, block := newSandbox(t, acctest.Owner)
	config := block + fmt.Sprintf(`
resource "terraform_data" "group" { input = %q }
data "modelcatalogue_latest_models" "this" { model_group_ids = [terraform_data.group.output, %q] }
data "modelcatalogue_pinned_models" "this" { revisions = { (terraform_data.group.output) = 1 } }
`, acctest.MainGroup, escapedGroup)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: config, PlanOnly: true, ExpectNonEmptyPlan: true},
			{
				PreConfig: func() { expectNoRequest(t, service) },
				Config:    config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectUnknownValue("data.modelcatalogue_latest_models.this", tfjsonpath.New("models")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					attribute("latest_models", knownvalue.MapSizeExact(2), "models"),
					attribute("pinned_models", knownvalue.Int64Exact(1), "models", acctest.MainGroup, "revision"),
				},
			},
		},
	})
}
