package acctest_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// This test inspects a state, so the testing framework runs the engine, with the provider in this process.

// The checks of the testing framework, by shorter names.
var (
	isFlag = knownvalue.Bool
	output = statecheck.ExpectKnownOutputValue
)

// attribute checks one attribute of the data source "this" of that type.
func attribute(dataSource string, want knownvalue.Check, name string) statecheck.StateCheck {
	return statecheck.ExpectKnownValue("data.modelcatalogue_"+dataSource+".this", tfjsonpath.New(name), want)
}

// TestAccReadsAnyCatalogue checks properties of any catalogue. If MODELCATALOGUE_TEST_MODEL_GROUP_ID is set, it reads
// that group from the service named in the environment, or else a group of a sandbox.
func TestAccReadsAnyCatalogue(t *testing.T) {
	group, providerBlock := os.Getenv("MODELCATALOGUE_TEST_MODEL_GROUP_ID"), "provider \"modelcatalogue\" {}\n"
	if group == "" {
		group = mainGroup
		url := sandboxtest.Start(t, sandbox.New(sandbox.Default()))
		providerBlock = fmt.Sprintf("provider \"modelcatalogue\" {\n  base_url = %q\n  client_id = %q\n  client_secret = %q\n}\n",
			url, owner.id, owner.secret)
	} else {
		for name, value := range ofUser {
			t.Setenv(name, value)
		}
	}
	serve := provider.NewServer("acctest")
	step := resource.TestStep{
		Config: providerBlock + fmt.Sprintf(`
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
		ConfigStateChecks: []statecheck.StateCheck{
			output("listed", isFlag(true)), output("same", isFlag(true)), output("newest", isFlag(true)),
			attribute("model", isFlag(true), "is_latest"),
			attribute("latest_model", knownvalue.StringExact(group), "model_group_id"),
			attribute("latest_model", knownvalue.StringRegexp(regexp.MustCompile(`^\d{4}-`)), "created_at"),
			attribute("latest_model", knownvalue.NotNull(), "axes"),
		},
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"modelcatalogue": func() (tfprotov6.ProviderServer, error) { return serve(), nil },
		},
		Steps: []resource.TestStep{step},
	})
}
