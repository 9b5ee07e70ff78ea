package acctest_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/acctest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// Older engines have no provider functions. OpenTofu has them since 1.7, whose
// version is its own and not Terraform's: OpenTofu 1.7 is skipped with
// Terraform 1.7, and any later one runs.
var withFunctions = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)}

func TestAccParseImage(t *testing.T) {
	t.Parallel()
	service := sandbox.New(sandbox.Default())
	block := acctest.ProviderBlock(sandboxtest.Start(t, service), acctest.Owner, "")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		TerraformVersionChecks:   withFunctions,
		Steps: []resource.TestStep{
			{
				Config: block + `
data "modelcatalogue_model" "pinned" {
  model_group_id = "` + acctest.MainGroup + `"
  revision       = 3
}
output "pinned" { value = provider::modelcatalogue::parse_image(data.modelcatalogue_model.pinned.docker_image) }
output "bare"   { value = provider::modelcatalogue::parse_image("nginx:1.27") }
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("pinned", knownvalue.ObjectExact(map[string]knownvalue.Check{
						"registry":      knownvalue.StringExact("registry.northwind.example"),
						"repository":    knownvalue.StringExact("forecasting/de-lu-day-ahead-price"),
						"tag":           knownvalue.Null(),
						"digest":        knownvalue.StringExact("sha256:e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479"),
						"familiar_name": knownvalue.StringExact("registry.northwind.example/forecasting/de-lu-day-ahead-price"),
					})),
					statecheck.ExpectKnownOutputValue("bare", knownvalue.ObjectExact(map[string]knownvalue.Check{
						"registry":      knownvalue.StringExact("docker.io"),
						"repository":    knownvalue.StringExact("library/nginx"),
						"tag":           knownvalue.StringExact("1.27"),
						"digest":        knownvalue.Null(),
						"familiar_name": knownvalue.StringExact("nginx"),
					})),
				},
			},
			{
				// What is known only after the apply gives a result known only then.
				Config: block + `
resource "terraform_data" "image" { input = "registry.example/app:1.0" }
output "parsed" { value = provider::modelcatalogue::parse_image(terraform_data.image.output).tag }
`,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectUnknownOutputValue("parsed")}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("parsed", knownvalue.StringExact("1.0")),
				},
			},
		},
	})
}

// A function needs no service and no credentials: there are none here.
func TestAccParseImageRefuses(t *testing.T) {
	t.Parallel()
	step := func(argument, want string) resource.TestStep {
		return resource.TestStep{
			Config:      `output "parsed" { value = provider::modelcatalogue::parse_image(` + argument + `) }`,
			ExpectError: regexp.MustCompile(want),
		}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		TerraformVersionChecks:   withFunctions,
		Steps: []resource.TestStep{
			step(`"Nginx"`, `its\s+repository\s+must\s+be\s+in\s+lower\s+case`),
			step(`""`, `it\s+is\s+empty`),
			step(`null`, `it\s+is\s+null\.\s+docker_image\s+is\s+null\s+where`),
		},
	})
}

// TestAccPageMirrors: the page's expression for a mirror keeps what a reference
// has, a tag, a digest or both.
func TestAccPageMirrors(t *testing.T) {
	needEngine(t)
	t.Parallel()
	underTest.needs(t, "provider functions", "1.8.0", "1.7.0")
	const reference = "registry.example:5000/forecasting/price:1.0.3"
	digest := "@sha256:" + strings.Repeat("0", 64)
	blocks := pages(t)
	for _, b := range sectionBlocks(blocks, "docs/functions/parse_image.md", "example-usage") {
		for _, end := range []string{":1.0.3", digest, ":1.0.3" + digest} {
			files := folder(t, blocks, b)
			for _, file := range files {
				mirrored := []byte(`"registry.example:5000/forecasting/price` + end + `"`)
				file.Data = bytes.ReplaceAll(file.Data, []byte(`"`+reference+`"`), mirrored)
			}
			w := newWorkspace(t, files, sandboxtest.Start(t, sandbox.New(sandbox.Default())), acctest.Owner)
			w.expect(t, 0, "apply", "-auto-approve")
			got := strings.TrimSpace(w.expect(t, 0, "output", "-raw", "mirrored"))
			if !strings.HasSuffix(got, "mirror.example/forecasting/price"+end) {
				t.Errorf("%s is mirrored as %q", end, got)
			}
		}
	}
}
