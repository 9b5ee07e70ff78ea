// Package acctest is what acceptance tests share: the provider as a test engine
// starts it, and the service they read, which is the sandbox unless the
// environment names a real one.
package acctest

import (
	"fmt"
	"os"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// MainGroup is the id of the group that the tests on the sandbox read most: its
// first revision is 0, and one in the middle is archived.
const MainGroup = sandbox.MainGroup

// Factories serve the provider to the engine of a test.
func Factories() map[string]func() (tfprotov6.ProviderServer, error) {
	serve := provider.NewServer("acctest")
	return map[string]func() (tfprotov6.ProviderServer, error){
		"modelcatalogue": func() (tfprotov6.ProviderServer, error) { return serve(), nil },
	}
}

// Credentials are those of one organisation of the sandbox's own catalogue.
type Credentials struct{ ID, Secret string }

// The organisations of the sandbox's own catalogue.
var (
	Owner    = Credentials{"northwind", "northwind-sandbox-secret"}
	Outsider = Credentials{"contoso-trading", "contoso-trading-sandbox-secret"}
)

// ProviderBlock is a provider block for the service at url. More lines of
// arguments may follow.
func ProviderBlock(url string, credentials Credentials, more string) string {
	return fmt.Sprintf(`
provider "modelcatalogue" {
  base_url      = %q
  client_id     = %q
  client_secret = %q
  %s
}
`, url, credentials.ID, credentials.Secret, more)
}

// Service is what a test that holds for any catalogue reads.
type Service struct {
	Config  string           // a provider block
	GroupID string           // a group with at least one model
	Sandbox *sandbox.Sandbox // nil for a real service
}

// AnyService is the real service that the environment names, with
// MODELCATALOGUE_TEST_MODEL_GROUP_ID for a group to read there, or else a
// sandbox.
func AnyService(t *testing.T) Service {
	t.Helper()
	if os.Getenv("MODELCATALOGUE_BASE_URL") == "" {
		service := sandbox.New(sandbox.Default())
		return Service{Config: ProviderBlock(sandboxtest.Start(t, service), Owner, ""), GroupID: MainGroup, Sandbox: service}
	}
	group := os.Getenv("MODELCATALOGUE_TEST_MODEL_GROUP_ID")
	if group == "" {
		t.Fatal("MODELCATALOGUE_BASE_URL names a service to test against: " +
			"MODELCATALOGUE_TEST_MODEL_GROUP_ID must name a model group to read there")
	}
	return Service{Config: "provider \"modelcatalogue\" {}\n", GroupID: group}
}
