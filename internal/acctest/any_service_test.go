package acctest_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/acctest"
)

// TestAccReadsAnyCatalogue asserts only what holds for any catalogue, and so
// runs against a real service as well.
func TestAccReadsAnyCatalogue(t *testing.T) {
	service := acctest.AnyService(t)
	const latest = "data.modelcatalogue_latest_model.this"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: service.Config + `
data "modelcatalogue_model_group" "this" { id = "` + service.GroupID + `" }
data "modelcatalogue_latest_model" "this" { model_group_id = data.modelcatalogue_model_group.this.id }
data "modelcatalogue_model_group_models" "this" { model_group_id = data.modelcatalogue_model_group.this.id }
data "modelcatalogue_model" "this" {
  model_group_id = data.modelcatalogue_model_group.this.id
  revision       = data.modelcatalogue_latest_model.this.revision
}
data "modelcatalogue_model_groups" "all" {}
output "listed" { value = contains(data.modelcatalogue_model_groups.all.model_groups[*].id, data.modelcatalogue_model_group.this.id) }
output "same"   { value = data.modelcatalogue_model.this.id == data.modelcatalogue_latest_model.this.id }
output "newest" { value = data.modelcatalogue_model_group_models.this.models[0].id == data.modelcatalogue_latest_model.this.id }
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("listed", knownvalue.Bool(true)),
				statecheck.ExpectKnownOutputValue("same", knownvalue.Bool(true)),
				statecheck.ExpectKnownOutputValue("newest", knownvalue.Bool(true)),
				statecheck.ExpectKnownValue("data.modelcatalogue_model.this", tfjsonpath.New("is_latest"), knownvalue.Bool(true)),
				statecheck.ExpectKnownValue(latest, tfjsonpath.New("model_group_id"), knownvalue.StringExact(service.GroupID)),
				statecheck.ExpectKnownValue(latest, tfjsonpath.New("created_at"), knownvalue.StringRegexp(regexp.MustCompile(`^\d{4}-`))),
				statecheck.ExpectKnownValue(latest, tfjsonpath.New("axes"), knownvalue.NotNull()),
			},
		}},
	})
}
