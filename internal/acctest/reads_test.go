package acctest_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// These tests look into plans and states: the testing framework runs the engine,
// with the provider in this process.

// The checks of the testing framework, by shorter names.
var (
	isText = knownvalue.StringExact
	isFlag = knownvalue.Bool
	output = statecheck.ExpectKnownOutputValue
)

type states = []statecheck.StateCheck

func runSteps(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	serve := provider.NewServer("acctest")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"modelcatalogue": func() (tfprotov6.ProviderServer, error) { return serve(), nil },
		},
		Steps: steps,
	})
}

// newSandbox starts a sandbox and returns a provider block for it.
func newSandbox(t *testing.T) (service *sandbox.Sandbox, block string) {
	t.Helper()
	service = sandbox.New(sandbox.Default())
	return service, providerBlock(sandboxtest.Start(t, service), strconv.Quote(owner.id), strconv.Quote(owner.secret))
}

// providerBlock takes id and secret as expressions.
func providerBlock(url, id, secret string) string {
	return fmt.Sprintf("provider \"modelcatalogue\" {\n  base_url = %q\n  client_id = %s\n  client_secret = %s\n}\n", url, id, secret)
}

// attribute checks one attribute of the data source "this" of that type.
func attribute(dataSource string, want knownvalue.Check, name string, below ...string) statecheck.StateCheck {
	path := tfjsonpath.New(name)
	for _, step := range below {
		path = path.AtMapKey(step)
	}
	return statecheck.ExpectKnownValue("data.modelcatalogue_"+dataSource+".this", path, want)
}

// TestAccReadsAnyCatalogue asserts only what holds for any catalogue. If MODELCATALOGUE_TEST_MODEL_GROUP_ID names a group,
// it reads that of the service that the environment names, or else a sandbox.
func TestAccReadsAnyCatalogue(t *testing.T) {
	group, block := os.Getenv("MODELCATALOGUE_TEST_MODEL_GROUP_ID"), "provider \"modelcatalogue\" {}\n"
	if group == "" {
		group = mainGroup
		_, block = newSandbox(t)
	} else {
		for name, value := range ofUser {
			t.Setenv(name, value)
		}
	}
	runSteps(t, resource.TestStep{
		Config: block + fmt.Sprintf(`
data "modelcatalogue_model_group" "this" { id = %q }
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
`, group),
		ConfigStateChecks: states{
			output("listed", isFlag(true)), output("same", isFlag(true)), output("newest", isFlag(true)),
			attribute("model", isFlag(true), "is_latest"),
			attribute("latest_model", isText(group), "model_group_id"),
			attribute("latest_model", knownvalue.StringRegexp(regexp.MustCompile(`^\d{4}-`)), "created_at"),
			attribute("latest_model", knownvalue.NotNull(), "axes"),
		},
	})
}

// Arguments of the provider and of data sources may come from a resource of the same run. The plan then reads nothing, and
// the apply reads.
func TestAccArgumentsKnownOnlyAfterTheApply(t *testing.T) {
	needs(t, "the resource terraform_data", "1.4.0", "1.6.0")
	service := sandbox.New(sandbox.Default())
	config := providerBlock(sandboxtest.Start(t, service), "terraform_data.id.output", "terraform_data.secret.output") + fmt.Sprintf(`
resource "terraform_data" "id" { input = %q }
resource "terraform_data" "secret" { input = %q }
resource "terraform_data" "group" { input = %q }
resource "terraform_data" "image" { input = %q }
data "modelcatalogue_latest_models" "this" { model_group_ids = [terraform_data.group.output, %q] }
data "modelcatalogue_pinned_models" "this" {
  revisions     = { (terraform_data.group.output) = 1 }
  docker_images = { (terraform_data.group.output) = terraform_data.image.output }
}
data "modelcatalogue_model" "this" {
  model_group_id = %[3]q
  revision       = 1
  docker_image   = terraform_data.image.output
}
`, owner.id, owner.secret, mainGroup, reviewedImage, escapedGroup)
	runSteps(t,
		resource.TestStep{Config: config, PlanOnly: true, ExpectNonEmptyPlan: true},
		resource.TestStep{
			PreConfig: func() {
				for _, request := range service.Requests() {
					t.Errorf("%s %s was sent", request.Method, request.Path)
				}
			},
			Config: config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectUnknownValue("data.modelcatalogue_latest_models.this", tfjsonpath.New("models")),
				plancheck.ExpectUnknownValue("data.modelcatalogue_model.this", tfjsonpath.New("enabled")),
			}},
			ConfigStateChecks: states{
				attribute("latest_models", knownvalue.MapSizeExact(2), "models"),
				attribute("pinned_models", isText(reviewedImage), "models", mainGroup, "docker_image"),
				attribute("model", isText(reviewedImage), "docker_image"),
			},
		},
	)
}
