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
	isText   = knownvalue.StringExact
	isNumber = knownvalue.Int64Exact
	isFlag   = knownvalue.Bool
	isNull   = knownvalue.Null()
	output   = statecheck.ExpectKnownOutputValue
)

type (
	fields = map[string]knownvalue.Check
	states = []statecheck.StateCheck
)

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
func attribute(dataSource string, want knownvalue.Check, name string, below ...any) statecheck.StateCheck {
	path := tfjsonpath.New(name)
	for _, step := range below {
		switch step := step.(type) {
		case int:
			path = path.AtSliceIndex(step)
		case string:
			path = path.AtMapKey(step)
		}
	}
	return statecheck.ExpectKnownValue("data.modelcatalogue_"+dataSource+".this", path, want)
}

// TestAccReadsAnyCatalogue asserts only what holds for any catalogue. It reads the
// real service that the environment names, with MODELCATALOGUE_TEST_MODEL_GROUP_ID
// for a group to read there, or else a sandbox.
func TestAccReadsAnyCatalogue(t *testing.T) {
	group, block := os.Getenv("MODELCATALOGUE_TEST_MODEL_GROUP_ID"), "provider \"modelcatalogue\" {}\n"
	if os.Getenv("MODELCATALOGUE_BASE_URL") == "" {
		group = mainGroup
		_, block = newSandbox(t)
	}
	if group == "" {
		t.Fatal("MODELCATALOGUE_BASE_URL names a service to test against: " +
			"MODELCATALOGUE_TEST_MODEL_GROUP_ID must name a model group to read there")
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

// TestAccEveryDataSourceReads: what an engine makes of the values of each. That they
// are what the service sends is shown without an engine.
func TestAccEveryDataSourceReads(t *testing.T) {
	service, block := newSandbox(t)
	runSteps(t, resource.TestStep{
		Config: block + fmt.Sprintf(`
locals { groups = [%q, %q] }
data "modelcatalogue_model_groups" "this" { time_horizon = "day_ahead" }
data "modelcatalogue_model_group" "this" { name = "Day-ahead power price DE-LU" }
data "modelcatalogue_model_group_models" "this" { model_group_id = local.groups[0] }
data "modelcatalogue_latest_model" "this" {
  model_group_id = local.groups[0]
  where          = { archived = true }
}
data "modelcatalogue_model" "this" {
  model_group_id = local.groups[0]
  revision       = 0
}
data "modelcatalogue_latest_models" "this" {
  model_group_ids = concat(local.groups, local.groups)
  attributes      = ["revision", "docker_image"]
}
data "modelcatalogue_pinned_models" "this" { revisions = { (local.groups[0]) = 2, (local.groups[1]) = 7 } }
data "modelcatalogue_latest_models" "none" { model_group_ids = [] }
output "fingerprint" { value = regex("\"fingerprint\":([0-9]+)", data.modelcatalogue_model.this.model_metadata)[0] }
output "rows"        { value = jsondecode(data.modelcatalogue_model.this.model_metadata).trainedOn.rows }
output "quantiles"   { value = [for v in data.modelcatalogue_model.this.axes[0].values : tonumber(v)] }
output "latest"      { value = data.modelcatalogue_latest_models.this.models[local.groups[0]] }
output "none"        { value = length(data.modelcatalogue_latest_models.none.models) }
`, mainGroup, escapedGroup),
		ConfigStateChecks: states{
			attribute("model_groups", isText("Imbalance volume TenneT"), "model_groups", 1, "name"),
			attribute("model_group", isNumber(3), "latest_revision"),
			attribute("model_group", knownvalue.ObjectExact(fields{
				"name": isText("Day ahead"), "short_name": isText("DA"), "key": isText("day_ahead"),
			}), "time_horizon"),
			attribute("model_group", knownvalue.ObjectExact(fields{"value": isText("0.25"), "historical": isFlag(true)}),
				"axes", 0, "values", 3),
			attribute("model_group_models", isFlag(true), "models", 1, "archived"),
			attribute("latest_model", isNumber(2), "revision"),
			attribute("latest_model", knownvalue.ObjectPartial(fields{"enabled": isNull, "archived": isFlag(true)}), "where"),
			attribute("model", isFlag(false), "is_latest"),
			attribute("model", knownvalue.ListSizeExact(0), "output_specification"),
			attribute("pinned_models", isNumber(3), "models", mainGroup, "latest_revision"),
			attribute("pinned_models", isFlag(true), "models", escapedGroup, "is_latest"),
			output("fingerprint", isText("1234567890123456789012345678901234567890")),
			output("rows", isNumber(9007199254740993)),
			output("quantiles", knownvalue.ListPartial(map[int]knownvalue.Check{0: knownvalue.Float64Exact(0.25)})),
			output("latest", knownvalue.ObjectPartial(fields{"revision": isNumber(3), "tags": isNull, "docker_image": isText(latestImage)})),
			output("none", isNumber(0)),
		},
	})
	if service.Count(sandbox.RouteModels) == 0 {
		t.Error("the models were not read from this sandbox")
	}
}

// Arguments of the provider and of data sources may come from a resource of the
// same run. The plan then reads nothing, or names the provider's arguments if it
// must read; the apply reads and compares.
func TestAccArgumentsKnownOnlyAfterTheApply(t *testing.T) {
	needs(t, "the resource terraform_data", "1.4.0", "1.6.0")
	service := sandbox.New(sandbox.Default())
	block := providerBlock(sandboxtest.Start(t, service), "terraform_data.id.output", "terraform_data.secret.output") + fmt.Sprintf(`
resource "terraform_data" "id" { input = %q }
resource "terraform_data" "secret" { input = %q }
`, owner.id, owner.secret)
	config := func(image string) string {
		return block + fmt.Sprintf(`
resource "terraform_data" "group" { input = %q }
resource "terraform_data" "image" { input = %q }
data "modelcatalogue_latest_models" "this" { model_group_ids = [terraform_data.group.output, %q] }
data "modelcatalogue_pinned_models" "this" {
  revisions     = { (terraform_data.group.output) = 1 }
  docker_images = { (terraform_data.group.output) = terraform_data.image.output }
}
data "modelcatalogue_model" "this" {
  model_group_id = %[1]q
  revision       = 1
  docker_image   = terraform_data.image.output
}
`, mainGroup, image, escapedGroup)
	}
	says := regexp.MustCompile(`(?s)Provider argument not known yet.*client_id[\s│]+and[\s│]+client_secret`)
	runSteps(t,
		resource.TestStep{Config: block + "data \"modelcatalogue_model_groups\" \"this\" {}\n", ExpectError: says},
		resource.TestStep{Config: config(reviewedImage), PlanOnly: true, ExpectNonEmptyPlan: true},
		resource.TestStep{
			PreConfig: func() {
				for _, request := range service.Requests() {
					t.Errorf("%s %s was sent", request.Method, request.Path)
				}
			},
			Config: config(reviewedImage),
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
		resource.TestStep{Config: config("registry.example/other:1"), ExpectError: regexp.MustCompile(`Error: Docker image differs`)},
	)
}

func TestAccParseImage(t *testing.T) {
	needs(t, "provider functions", "1.8.0", "1.7.0")
	t.Parallel()
	// A function needs no service and no credentials: there are none here.
	runSteps(t,
		resource.TestStep{
			Config:      `output "parsed" { value = provider::modelcatalogue::parse_image(null) }`,
			ExpectError: regexp.MustCompile(`it\s+is\s+null\.\s+docker_image\s+is\s+null`),
		},
		resource.TestStep{
			Config: `
resource "terraform_data" "image" { input = "registry.example/app:1.0" }
output "unknown" { value = provider::modelcatalogue::parse_image(terraform_data.image.output).tag }
output "parsed"  { value = provider::modelcatalogue::parse_image("nginx:1.27") }
`,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectUnknownOutputValue("unknown")}},
			ConfigStateChecks: states{
				output("unknown", isText("1.0")),
				output("parsed", knownvalue.ObjectExact(fields{
					"registry": isText("docker.io"), "repository": isText("library/nginx"),
					"tag": isText("1.27"), "digest": isNull, "familiar_name": isText("nginx"),
				})),
			},
		},
	)
}
