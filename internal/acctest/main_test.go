// Package acctest_test contains the acceptance tests. An engine reads the sandbox, or a real service named in the
// environment, through the provider.
package acctest_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/hashicorp/go-version"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// underTest is the engine of these tests. It is set if TF_ACC is.
var underTest engine.Engine

// ofUser contains the user's settings, which may name a service.
var ofUser map[string]string

// TestMain finds the engine for the testing framework, so `TF_ACC=1 go test ./internal/acctest/` works without make.
func TestMain(m *testing.M) {
	exitOn(serveStandIn())
	ofUser = sandboxtest.Unset()
	if os.Getenv("TF_ACC") != "" {
		exitOn(prepare())
	}
	var err error
	plugins, err = os.MkdirTemp("", "modelcatalogue-acctest-")
	exitOn(err)
	code := m.Run()
	_ = os.RemoveAll(plugins)
	os.Exit(code)
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "acceptance tests:", err)
		os.Exit(1)
	}
}

func prepare() error {
	var err error
	if underTest, err = engine.Find(context.Background()); err != nil {
		return err
	}
	fmt.Println("engine:", underTest, underTest.Path)
	for name, value := range map[string]string{
		engine.Variable: underTest.Path,
		// Test configurations name the provider modelcatalogue/modelcatalogue, as users do, and the engine adds its
		// registry's host.
		"TF_ACC_PROVIDER_NAMESPACE": "modelcatalogue",
		"TF_ACC_PROVIDER_HOST":      underTest.RegistryHost(),
		// Tests ignore the user's settings, such as mirrors and overrides.
		"TF_CLI_CONFIG_FILE":  os.DevNull,
		"TF_CLI_ARGS":         "",
		"TF_DATA_DIR":         "",
		"TF_WORKSPACE":        "",
		"TF_PLUGIN_CACHE_DIR": "",
		"CHECKPOINT_DISABLE":  "1",
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

func needEngine(tb testing.TB) {
	tb.Helper()
	if os.Getenv("TF_ACC") == "" {
		tb.Skip("TF_ACC is not set: acceptance tests need an engine")
	}
}

// needs skips a test if the engine is older than its first release with the tested feature.
func needs(tb testing.TB, what, terraform, openTofu string) {
	tb.Helper()
	needEngine(tb)
	if !isSince(terraform, openTofu) {
		tb.Skipf("%s is older than the first with %s", underTest, what)
	}
}

// isSince reports whether the engine is at least of the version given for its kind.
func isSince(terraform, openTofu string) bool {
	least := terraform
	if underTest.OpenTofu() {
		least = openTofu
	}
	return !underTest.Version.Core().LessThan(version.Must(version.NewVersion(least)))
}
