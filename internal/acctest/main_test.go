package acctest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/go-version"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

// engineUnderTest is what runs the configurations of these tests.
type engineUnderTest struct{ engine.Engine }

// standIns are other providers of our pages, which no test can fetch, by what an
// engine calls their programs. This test is each of them, where it is started by
// that name.
var standIns = map[string]func() error{kubernetesProgram: serveKubernetes, dockerProgram: serveDocker}

// underTest is set while TF_ACC is.
var underTest engineUnderTest

// TestMain tells the testing framework which engine runs, so that
// `TF_ACC=1 go test ./internal/acctest/` works by itself.
func TestMain(m *testing.M) {
	if serve := standIns[filepath.Base(os.Args[0])]; serve != nil {
		if err := serve(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if os.Getenv("TF_ACC") != "" {
		if err := prepare(); err != nil {
			fmt.Fprintln(os.Stderr, "acceptance tests:", err)
			os.Exit(1)
		}
	}
	code := m.Run()
	removeProviders()
	os.Exit(code)
}

func prepare() error {
	found, err := engine.Find(context.Background())
	if err != nil {
		return err
	}
	underTest = engineUnderTest{found}
	fmt.Println("engine:", found, found.Path)
	for name, value := range map[string]string{
		engine.Variable: found.Path,
		// Test configurations name their provider as users do,
		// modelcatalogue/modelcatalogue, and each engine adds its own registry's host.
		"TF_ACC_PROVIDER_NAMESPACE": "modelcatalogue",
		"TF_ACC_PROVIDER_HOST":      found.RegistryHost(),
		// The settings of whoever runs the tests (mirrors, overrides of this very
		// provider) stay out of them.
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

// needs skips a test where the engine is older than the first release of each
// kind that knows what is tested.
func (e engineUnderTest) needs(tb testing.TB, what, terraform, openTofu string) {
	tb.Helper()
	least := terraform
	if e.OpenTofu() {
		least = openTofu
	}
	if e.Version.Core().LessThan(version.Must(version.NewVersion(least))) {
		tb.Skipf("%s is older than %s, the first with %s", e, least, what)
	}
}
