package acctest_test

import (
	"fmt"
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
	return service, fmt.Sprintf(`
provider "modelcatalogue" {
  base_url      = %q
  client_id     = %q
  client_secret = %q
}
`, sandboxtest.Start(t, service), who.id, who.secret)
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
