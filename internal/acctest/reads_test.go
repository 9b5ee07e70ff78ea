package acctest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
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

// What the tests share that look into plans and states: the testing framework
// runs the engine, with the provider in this process.

// The checks of the testing framework, by names that leave room for what they check.
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
func newSandbox(t *testing.T, who credentials) (service *sandbox.Sandbox, block string) {
	t.Helper()
	service = sandbox.New(sandbox.Default())
	return service, providerBlock(sandboxtest.Start(t, service), strconv.Quote(who.id), strconv.Quote(who.secret))
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

// knownAfterApply plans what cannot be read yet, without a request, and applies it.
func knownAfterApply(t *testing.T, service *sandbox.Sandbox, config string, unknown plancheck.PlanCheck, then states) []resource.TestStep {
	t.Helper()
	return []resource.TestStep{
		{Config: config, PlanOnly: true, ExpectNonEmptyPlan: true},
		{
			PreConfig: func() {
				for _, request := range service.Requests() {
					t.Errorf("%s %s was sent", request.Method, request.Path)
				}
			},
			Config:            config,
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{unknown}},
			ConfigStateChecks: then,
		},
	}
}

// TestAccReadsAnyCatalogue asserts only what holds for any catalogue. It reads the
// real service that the environment names, with MODELCATALOGUE_TEST_MODEL_GROUP_ID
// for a group to read there, or else a sandbox.
func TestAccReadsAnyCatalogue(t *testing.T) {
	group, block := os.Getenv("MODELCATALOGUE_TEST_MODEL_GROUP_ID"), "provider \"modelcatalogue\" {}\n"
	if os.Getenv("MODELCATALOGUE_BASE_URL") == "" {
		group = mainGroup
		_, block = newSandbox(t, owner)
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

func TestAccEveryDataSourceReads(t *testing.T) {
	service, block := newSandbox(t, owner)
	list := func(elements ...knownvalue.Check) knownvalue.Check { return knownvalue.ListExact(elements) }
	record, part := knownvalue.ObjectExact, knownvalue.ObjectPartial
	runSteps(t, resource.TestStep{
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
`, mainGroup),
		ConfigStateChecks: states{
			attribute("model_groups", isText("day_ahead"), "time_horizon"),
			attribute("model_groups", list(
				part(fields{}), part(fields{"name": isText("Imbalance volume TenneT"), "public": isFlag(false)}), part(fields{}),
			), "model_groups"),

			attribute("model_group", isText(mainGroup), "id"),
			attribute("model_group", isText("Day-ahead power price DE-LU"), "name"),
			attribute("model_group", isNumber(3), "latest_revision"),
			attribute("model_group", record(fields{
				"name": isText("Day ahead"), "short_name": isText("DA"), "key": isText("day_ahead"),
			}), "time_horizon"),
			attribute("model_group", list(record(fields{
				"id": isText("c5cdbb95-a787-49f3-b378-222aa2ae12ae"), "revision": isNumber(3), "created_at": isText("2026-05-18T06:30:00.000Z"),
			}), part(fields{"revision": isNumber(1)}), part(fields{"revision": isNumber(0)})), "models"),
			attribute("model_group", knownvalue.ListPartial(map[int]knownvalue.Check{
				0: record(fields{"value": isText("0.1"), "historical": isFlag(false)}),
				3: record(fields{"value": isText("0.25"), "historical": isFlag(true)}),
			}), "axes", 0, "values"),

			attribute("latest_model", isNumber(3), "revision"),
			attribute("latest_model", isFlag(true), "is_owner"),
			attribute("latest_model", list(isText("false")), "axes", 2, "values"),
			attribute("latest_model", isText(latestImage), "docker_image"),

			attribute("model_group_models", knownvalue.ListPartial(map[int]knownvalue.Check{
				0: part(fields{"revision": isNumber(3), "archived": isFlag(false)}),
				1: part(fields{"revision": isNumber(2), "archived": isFlag(true), "enabled": isFlag(false)}),
			}), "models"),

			attribute("model", isNumber(0), "revision"),
			attribute("model", isNumber(3), "latest_revision"),
			attribute("model", isFlag(false), "is_latest"),
			attribute("model", isText("First revision."), "notes"),
			attribute("model", isText("0.5"), "axes", 0, "default"),
			attribute("model", list(isText("#1f77b4"), isText("#aec7e8")), "output_variables", 0, "colours"),
			attribute("model", knownvalue.ListSizeExact(0), "output_specification"),

			output("fingerprint", isText("1234567890123456789012345678901234567890")),
			output("rows", isNumber(9007199254740993)),
			output("quantiles", list(knownvalue.Float64Exact(0.25), knownvalue.Float64Exact(0.5), knownvalue.Float64Exact(0.75))),
		},
	})
	if service.Count(sandbox.RouteModels) == 0 {
		t.Error("the models were not read from this sandbox")
	}
}

func TestAccTheImageIsWithheldFromOthers(t *testing.T) {
	_, block := newSandbox(t, outsider)
	runSteps(t, resource.TestStep{
		Config: block + `
data "modelcatalogue_latest_model" "this" { model_group_id = "` + mainGroup + `" }
output "image" { value = coalesce(data.modelcatalogue_latest_model.this.docker_image, "withheld") }
`,
		ConfigStateChecks: states{
			attribute("latest_model", isNull, "docker_image"),
			attribute("latest_model", isNull, "notes"),
			attribute("latest_model", isFlag(false), "is_owner"),
			output("image", isText("withheld")),
		},
	})
}

func TestAccErrorsReachTheUser(t *testing.T) {
	_, block := newSandbox(t, owner)
	fails := func(body string, fragments ...string) resource.TestStep {
		// Engines break lines wherever they like, and draw a border.
		for i, fragment := range fragments {
			fragments[i] = strings.ReplaceAll(regexp.QuoteMeta(fragment), " ", `[\s│]+`)
		}
		return resource.TestStep{Config: block + body, ExpectError: regexp.MustCompile("(?s)" + strings.Join(fragments, ".*"))}
	}
	runSteps(t,
		fails("data \"modelcatalogue_model_group\" \"this\" { id = \"none\" }\n",
			"Model group not found", `id = "none"`, `The catalogue has no model group "none"`, "Status 404 Not Found, code NOT_FOUND"),
		fails("data \"modelcatalogue_model_groups\" \"this\" { time_horizon = \"fortnight\" }\n",
			"Invalid time horizon", `time_horizon = "fortnight"`, "code BAD_REQUEST"),
		fails("data \"modelcatalogue_model_group\" \"this\" {\n  id   = \"a\"\n  name = \"b\"\n}\n",
			"Both id and name given", `id   = "a"`, "Leave out one of them"),
		fails("data \"modelcatalogue_model\" \"this\" {\n  model_group_id = \""+mainGroup+"\"\n  revision = 9\n}\n",
			"Revision not found", "revision = 9", "It has: 3, 2, 1, 0."),
		fails("data \"modelcatalogue_latest_model\" \"this\" {\n  model_group_id = \""+mainGroup+"\"\n"+
			"  where = { enabled = true, tags = [\"gold\"] }\n}\n",
			"Error: No model satisfies where", `revision 3 lacks the tag "gold"`),
	)
}

// Arguments of the provider may come from a resource of the same run. A plan that
// reads names both; else it configures the provider without them, and the apply reads.
func TestAccArgumentsKnownOnlyAfterTheApply(t *testing.T) {
	needs(t, "the resource terraform_data", "1.4.0", "1.6.0")
	service := sandbox.New(sandbox.Default())
	block := providerBlock(sandboxtest.Start(t, service), "terraform_data.id.output", "terraform_data.secret.output")
	config := func(dependence string) string {
		return block + fmt.Sprintf(`
resource "terraform_data" "id" { input = %q }
resource "terraform_data" "secret" { input = %q }
data "modelcatalogue_latest_model" "this" {
  model_group_id = %q
  %s
}
`, owner.id, owner.secret, mainGroup, dependence)
	}
	says := regexp.MustCompile(`(?s)Provider argument not known yet.*The[\s│]+provider[\s│]+arguments[\s│]+` +
		`client_id[\s│]+and[\s│]+client_secret[\s│]+have[\s│]+values[\s│]+that[\s│]+are[\s│]+known[\s│]+only[\s│]+after`)
	runSteps(t, append([]resource.TestStep{{Config: config(""), ExpectError: says}}, knownAfterApply(t, service,
		config("depends_on = [terraform_data.id, terraform_data.secret]"),
		plancheck.ExpectUnknownValue("data.modelcatalogue_latest_model.this", tfjsonpath.New("docker_image")),
		states{attribute("latest_model", isNumber(3), "revision")},
	)...)...)
	if service.Count(sandbox.RouteLatest) == 0 {
		t.Error("the apply read nothing")
	}
}

// everything reads by every data source, and gives every object away whole.
func everything() string {
	config := `output "specification" { value = data.modelcatalogue_model.it.output_specification }` + "\n"
	for name, arguments := range map[string]string{
		"model_groups": "", "model_group": "id = %q", "latest_model": "model_group_id = %q", "model_group_models": "model_group_id = %q",
		"model": "model_group_id = %q\nrevision = 1", "latest_models": "", "pinned_models": "revisions = { %q = 3 }",
	} {
		block := fmt.Sprintf("data %q \"it\" {\n%s\n}\noutput %[3]q { value = data.%[1]s.it }\n", "modelcatalogue_"+name, arguments, name)
		config += strings.ReplaceAll(block, "%q", `"`+mainGroup+`"`)
	}
	return config
}

var diagnosed = regexp.MustCompile(`"severity": ?"\w+",\s*"summary": ?"([^"]*)"`)

// TestAccWholeObjects: no engine has anything against an object that is used as
// a whole. Terraform warns from 1.15 on where a part of it is deprecated.
func TestAccWholeObjects(t *testing.T) {
	t.Parallel()
	w := reading(t, everything())
	for _, arguments := range [][]string{{"validate", "-json"}, {"plan", "-json"}, {"apply", "-json", "-auto-approve"}} {
		out := w.expect(t, 0, arguments...)
		found := diagnosed.FindAllStringSubmatch(out, -1)
		if len(found) != strings.Count(out, `"severity"`) {
			t.Errorf("%v prints in another form:\n%s", arguments, out)
		}
		for _, diagnostic := range found {
			if diagnostic[1] != "Provider development overrides are in effect" { // the tests themselves ask for them
				t.Errorf("%v: %s\n%s", arguments, diagnostic[1], out)
			}
		}
	}
	w.expect(t, 0, "plan", "-detailed-exitcode", "-out=saved")
	for _, arguments := range [][]string{{"show", "-json"}, {"show", "-json", "saved"}, {"output", "-json"}} {
		out := w.expect(t, 0, arguments...)
		if !json.Valid([]byte(out)) || !strings.Contains(out, reviewedImage) {
			t.Errorf("%v: %.200s", arguments, out)
		}
	}
}

func TestAccParseImage(t *testing.T) {
	needs(t, "provider functions", "1.8.0", "1.7.0")
	t.Parallel()
	_, block := newSandbox(t, owner)
	refused := func(argument, want string) resource.TestStep {
		return resource.TestStep{
			Config:      `output "parsed" { value = provider::modelcatalogue::parse_image(` + argument + `) }`,
			ExpectError: regexp.MustCompile(want),
		}
	}
	runSteps(t,
		// A function needs no service and no credentials: there are none here.
		refused(`"Nginx"`, `its\s+repository\s+must\s+be\s+in\s+lower\s+case`),
		refused(`""`, `it\s+is\s+empty`),
		refused(`null`, `it\s+is\s+null\.\s+docker_image\s+is\s+null\s+where`),
		resource.TestStep{
			Config: block + `
data "modelcatalogue_model" "pinned" {
  model_group_id = "` + mainGroup + `"
  revision       = 3
}
output "pinned" { value = provider::modelcatalogue::parse_image(data.modelcatalogue_model.pinned.docker_image) }
output "bare"   { value = provider::modelcatalogue::parse_image("nginx:1.27") }
`,
			ConfigStateChecks: states{
				output("pinned", knownvalue.ObjectExact(fields{
					"registry": isText("registry.northwind.example"), "repository": isText("forecasting/de-lu-day-ahead-price"),
					"tag": isNull, "digest": isText("sha256:e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479"),
					"familiar_name": isText(mainImage),
				})),
				output("bare", knownvalue.ObjectExact(fields{
					"registry": isText("docker.io"), "repository": isText("library/nginx"),
					"tag": isText("1.27"), "digest": isNull, "familiar_name": isText("nginx"),
				})),
			},
		},
		// What is known only after the apply gives a result known only then.
		resource.TestStep{
			Config: block + `
resource "terraform_data" "image" { input = "registry.example/app:1.0" }
output "parsed" { value = provider::modelcatalogue::parse_image(terraform_data.image.output).tag }
`,
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectUnknownOutputValue("parsed")}},
			ConfigStateChecks: states{output("parsed", isText("1.0"))},
		},
	)
}

// TestAccPageMirrors: the page's expression for a mirror keeps what a reference
// has, a tag, a digest or both.
func TestAccPageMirrors(t *testing.T) {
	needEngine(t)
	t.Parallel()
	digest := "@sha256:" + strings.Repeat("0", 64)
	for _, end := range []string{":1.0.3", digest, ":1.0.3" + digest} {
		files := configuration(t, "functions/parse_image/function.tf")
		files["function.tf"].Data = bytes.Replace(files["function.tf"].Data, []byte(`price:1.0.3")`), []byte(`price`+end+`")`), 1)
		w := newWorkspace(t, files, sandbox.New(sandbox.Default()), owner)
		w.expect(t, 0, "apply", "-auto-approve")
		if got := w.expect(t, 0, "output", "-raw", "mirrored"); !strings.HasSuffix(got, "mirror.example/forecasting/price"+end) {
			t.Errorf("%s is mirrored as %q", end, got)
		}
	}
}
