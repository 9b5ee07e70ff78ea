package acctest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
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
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// newSandbox starts a sandbox and returns a provider block for it.
func newSandbox(t *testing.T, credentials acctest.Credentials) (service *sandbox.Sandbox, block string) {
	t.Helper()
	service = sandbox.New(sandbox.Default())
	return service, acctest.ProviderBlock(sandboxtest.Start(t, service), credentials, "")
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

func TestAccEveryDataSourceReads(t *testing.T) {
	service, block := newSandbox(t, acctest.Owner)
	text, number, flag := knownvalue.StringExact, knownvalue.Int64Exact, knownvalue.Bool
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: block + fmt.Sprintf(`
locals { group = %q }
data "modelcatalogue_model_groups" "this" { time_horizon = "day_ahead" }
data "modelcatalogue_model_group" "this" { name = "Day-ahead power price DE-LU" }
data "modelcatalogue_latest_model" "this" { model_group_id = local.group }
data "modelcatalogue_model_group_models" "this" { model_group_id = local.group }
data "modelcatalogue_model" "this" {
  model_group_id = local.group
  revision       = 0
}
output "fingerprint" { value = regex("\"fingerprint\":([0-9]+)", data.modelcatalogue_model.this.model_metadata)[0] }
output "rows"        { value = jsondecode(data.modelcatalogue_model.this.model_metadata).trainedOn.rows }
output "quantiles"   { value = [for v in data.modelcatalogue_model.this.axes[0].values : tonumber(v)] }
`, acctest.MainGroup),
			ConfigStateChecks: []statecheck.StateCheck{
				attribute("model_groups", text("day_ahead"), "time_horizon"),
				attribute("model_groups", knownvalue.ListSizeExact(3), "model_groups"),
				attribute("model_groups", text("Imbalance volume TenneT"), "model_groups", 1, "name"),
				attribute("model_groups", flag(false), "model_groups", 1, "public"),

				attribute("model_group", text(acctest.MainGroup), "id"),
				attribute("model_group", text("Day-ahead power price DE-LU"), "name"),
				attribute("model_group", number(3), "latest_revision"),
				attribute("model_group", knownvalue.MapExact(map[string]knownvalue.Check{
					"name": text("Day ahead"), "short_name": text("DA"), "key": text("day_ahead"),
				}), "time_horizon"),
				attribute("model_group", knownvalue.ListExact([]knownvalue.Check{
					knownvalue.ObjectExact(map[string]knownvalue.Check{
						"id": text("c5cdbb95-a787-49f3-b378-222aa2ae12ae"), "revision": number(3), "created_at": text("2026-05-18T06:30:00.000Z"),
					}),
					knownvalue.ObjectPartial(map[string]knownvalue.Check{"revision": number(1)}),
					knownvalue.ObjectPartial(map[string]knownvalue.Check{"revision": number(0)}),
				}), "models"),
				attribute("model_group", knownvalue.ListPartial(map[int]knownvalue.Check{
					0: knownvalue.ObjectExact(map[string]knownvalue.Check{"value": text("0.1"), "historical": flag(false)}),
					3: knownvalue.ObjectExact(map[string]knownvalue.Check{"value": text("0.25"), "historical": flag(true)}),
				}), "axes", 0, "values"),

				attribute("latest_model", number(3), "revision"),
				attribute("latest_model", flag(true), "is_owner"),
				attribute("latest_model", knownvalue.ListExact([]knownvalue.Check{text("false")}), "axes", 2, "values"),
				attribute("latest_model", text("registry.northwind.example/forecasting/de-lu-day-ahead-price@"+
					"sha256:e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479"), "docker_image"),

				attribute("model_group_models", knownvalue.ListPartial(map[int]knownvalue.Check{
					0: knownvalue.ObjectPartial(map[string]knownvalue.Check{"revision": number(3), "archived": flag(false)}),
					1: knownvalue.ObjectPartial(map[string]knownvalue.Check{"revision": number(2), "archived": flag(true), "enabled": flag(false)}),
				}), "models"),

				attribute("model", number(0), "revision"),
				attribute("model", number(3), "latest_revision"),
				attribute("model", flag(false), "is_latest"),
				attribute("model", text("First revision."), "notes"),
				attribute("model", text("0.5"), "axes", 0, "default"),
				attribute("model", knownvalue.ListExact([]knownvalue.Check{text("#1f77b4"), text("#aec7e8")}), "output_variables", 0, "colours"),
				attribute("model", knownvalue.ListSizeExact(0), "output_specification"),

				statecheck.ExpectKnownOutputValue("fingerprint", text("1234567890123456789012345678901234567890")),
				statecheck.ExpectKnownOutputValue("rows", number(9007199254740993)),
				statecheck.ExpectKnownOutputValue("quantiles", knownvalue.ListExact([]knownvalue.Check{
					knownvalue.Float64Exact(0.25), knownvalue.Float64Exact(0.5), knownvalue.Float64Exact(0.75),
				})),
			},
		}},
	})
	if service.Count(sandbox.RouteModels) == 0 {
		t.Error("the models were not read from this sandbox")
	}
}

func TestAccTheImageIsWithheldFromOthers(t *testing.T) {
	_, block := newSandbox(t, acctest.Outsider)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: block + `
data "modelcatalogue_latest_model" "this" { model_group_id = "` + acctest.MainGroup + `" }
output "image" { value = coalesce(data.modelcatalogue_latest_model.this.docker_image, "withheld") }
`,
			ConfigStateChecks: []statecheck.StateCheck{
				attribute("latest_model", knownvalue.Null(), "docker_image"),
				attribute("latest_model", knownvalue.Null(), "notes"),
				attribute("latest_model", knownvalue.Bool(false), "is_owner"),
				statecheck.ExpectKnownOutputValue("image", knownvalue.StringExact("withheld")),
			},
		}},
	})
}

func TestAccErrorsReachTheUser(t *testing.T) {
	service, block := newSandbox(t, acctest.Owner)
	fails := func(body string, fragments ...string) resource.TestStep {
		// Engines break lines wherever they like, and draw a border.
		for i, fragment := range fragments {
			fragments[i] = strings.ReplaceAll(regexp.QuoteMeta(fragment), " ", `[\s│]+`)
		}
		return resource.TestStep{Config: block + body, ExpectError: regexp.MustCompile("(?s)" + strings.Join(fragments, ".*"))}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			fails("data \"modelcatalogue_model_group\" \"this\" { id = \"none\" }\n",
				"Model group not found", `id = "none"`, `The catalogue has no model group "none"`, "Status 404 Not Found, code NOT_FOUND"),
			fails("data \"modelcatalogue_model_groups\" \"this\" { time_horizon = \"fortnight\" }\n",
				"Invalid time horizon", `time_horizon = "fortnight"`, "code BAD_REQUEST"),
			fails("data \"modelcatalogue_model_group\" \"this\" {\n  id   = \"a\"\n  name = \"b\"\n}\n",
				"Both id and name given", `id   = "a"`, "Leave out one of them"),
			fails("data \"modelcatalogue_model\" \"this\" {\n  model_group_id = \""+acctest.MainGroup+"\"\n  revision = 9\n}\n",
				"Revision not found", "revision = 9", "It has: 3, 2, 1, 0."),
		},
	})
	if models := service.Count(sandbox.RouteModels); models == 0 {
		t.Error("the models were not read from this sandbox")
	}
}

// outputChange checks what a plan says of an output.
type outputChange struct {
	name          string
	before, after any
}

func (c outputChange) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	change := req.Plan.OutputChanges[c.name]
	switch {
	case change == nil:
		resp.Error = fmt.Errorf("the plan does not mention output %s", c.name)
	case !reflect.DeepEqual(change.Before, c.before) || !reflect.DeepEqual(change.After, c.after):
		resp.Error = fmt.Errorf("output %s goes from %v to %v, want from %v to %v", c.name, change.Before, change.After, c.before, c.after)
	}
}

func TestAccAPlanShowsTheLatestRevisionMove(t *testing.T) {
	service, block := newSandbox(t, acctest.Owner)
	config := block + fmt.Sprintf(`
locals { group = %q }
data "modelcatalogue_latest_model" "this" { model_group_id = local.group }
data "modelcatalogue_model" "this" {
  model_group_id = local.group
  revision       = 2
}
output "latest"    { value = data.modelcatalogue_latest_model.this.docker_image }
output "pinned"    { value = data.modelcatalogue_model.this.docker_image }
output "behind"    { value = tostring(data.modelcatalogue_model.this.latest_revision) }
output "is_latest" { value = data.modelcatalogue_model.this.is_latest }
`, acctest.MainGroup)
	const (
		registry = "registry.northwind.example/forecasting/de-lu-day-ahead-price"
		old      = registry + "@sha256:e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479"
		moved    = registry + ":4.0.0"
		pinned   = registry + ":1.1.0"
	)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("latest", knownvalue.StringExact(old)),
					statecheck.ExpectKnownOutputValue("pinned", knownvalue.StringExact(pinned)),
				},
			},
			{
				Config:           config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{
				PreConfig: func() {
					if _, err := service.Publish(acctest.MainGroup, json.RawMessage(`{"dockerImage":"`+moved+`"}`)); err != nil {
						t.Fatal(err)
					}
				},
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectNonEmptyPlan(),
					outputChange{name: "latest", before: old, after: moved},
					outputChange{name: "behind", before: "3", after: "4"},
					outputChange{name: "pinned", before: pinned, after: pinned},
					outputChange{name: "is_latest", before: false, after: false},
				}},
			},
		},
	})
}

func TestAccAPlanThatReadsNothingSendsNothing(t *testing.T) {
	service, block := newSandbox(t, acctest.Owner)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: block + `
data "modelcatalogue_model_groups" "none" { count = 0 }
output "read" { value = length(data.modelcatalogue_model_groups.none) }
`,
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("read", knownvalue.Int64Exact(0))},
		}},
	})
	expectNoRequest(t, service)
}

func expectNoRequest(t *testing.T, service *sandbox.Sandbox) {
	t.Helper()
	for _, request := range service.Requests() {
		t.Errorf("%s %s was sent", request.Method, request.Path)
	}
}

// An argument may come from a resource of the same run. The plan then configures
// the provider without it, and the apply reads.
func TestAccAnArgumentKnownOnlyAfterTheApply(t *testing.T) {
	needEngine(t)
	underTest.needs(t, "the resource terraform_data", "1.4.0", "1.6.0")
	service := sandbox.New(sandbox.Default())
	url := sandboxtest.Start(t, service)
	config := func(dependence string) string {
		return fmt.Sprintf(`
resource "terraform_data" "credentials" { input = %q }
provider "modelcatalogue" {
  base_url      = %q
  client_id     = terraform_data.credentials.output
  client_secret = %q
}
data "modelcatalogue_latest_model" "this" {
  model_group_id = %q
  %s
}
`, acctest.Owner.ID, url, acctest.Owner.Secret, acctest.MainGroup, dependence)
	}
	const waits = "depends_on = [terraform_data.credentials]"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:      config(""),
				ExpectError: regexp.MustCompile(`(?s)Provider argument not known yet.*provider[\s│]+argument[\s│]+client_id`),
			},
			{Config: config(waits), PlanOnly: true, ExpectNonEmptyPlan: true},
			{
				PreConfig: func() { expectNoRequest(t, service) },
				Config:    config(waits),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectUnknownValue("data.modelcatalogue_latest_model.this", tfjsonpath.New("docker_image")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{attribute("latest_model", knownvalue.Int64Exact(3), "revision")},
			},
		},
	})
	if service.Count(sandbox.RouteLatest) == 0 {
		t.Error("the apply read nothing")
	}
}
