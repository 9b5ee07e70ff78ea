package acctest_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/hashicorp/go-version"

	engines "github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/workspace"
)

// engine is what runs the configurations of these tests.
type engine struct {
	path     string
	openTofu bool
	version  *version.Version
}

// underTest is set while TF_ACC is.
var underTest engine

// TestMain gives the tests what tools/with-engine.sh does, where it is not set
// already, so that `TF_ACC=1 go test ./internal/acctest/` works by itself.
func TestMain(m *testing.M) {
	if os.Getenv("TF_ACC") != "" {
		if err := prepare(); err != nil {
			fmt.Fprintln(os.Stderr, "acceptance tests:", err)
			os.Exit(1)
		}
	}
	code := m.Run()
	removeProvider()
	os.Exit(code)
}

func prepare() error {
	path := os.Getenv("TF_ACC_TERRAFORM_PATH")
	for _, name := range []string{"terraform", "tofu"} {
		if path == "" {
			path, _ = exec.LookPath(name)
		}
	}
	if path == "" {
		return fmt.Errorf("neither terraform nor tofu is on the PATH, and TF_ACC_TERRAFORM_PATH names no other")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if underTest, err = identify(path); err != nil {
		return err
	}
	// Where a provider's source has no host, each engine adds its own registry's.
	host := "registry.terraform.io"
	if underTest.openTofu {
		host = "registry.opentofu.org"
	}
	for name, value := range map[string]string{
		"TF_ACC_TERRAFORM_PATH":     path,
		"TF_ACC_PROVIDER_NAMESPACE": "modelcatalogue",
		"TF_ACC_PROVIDER_HOST":      host,
	} {
		if os.Getenv(name) == "" {
			if err := os.Setenv(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

var versionLine = regexp.MustCompile(`^(Terraform|OpenTofu) v(\S+)`)

// identify asks an engine what it is.
func identify(path string) (engine, error) {
	cmd := exec.CommandContext(context.Background(), path, "version")
	cmd.Env = engines.Environment()
	out, err := cmd.Output()
	if err != nil {
		return engine{}, fmt.Errorf("%s version: %w", path, err)
	}
	found := versionLine.FindSubmatch(out)
	if found == nil {
		return engine{}, fmt.Errorf("%s version: no version in %q", path, out)
	}
	v, err := version.NewVersion(string(found[2]))
	if err != nil {
		return engine{}, err
	}
	return engine{path: path, openTofu: string(found[1]) == "OpenTofu", version: v}, nil
}

func (e engine) name() string {
	if e.openTofu {
		return "OpenTofu"
	}
	return "Terraform"
}

// needs skips a test where the engine is older than the first release of each
// kind that knows what is tested.
func (e engine) needs(tb testing.TB, what, terraform, openTofu string) {
	tb.Helper()
	least := terraform
	if e.openTofu {
		least = openTofu
	}
	if e.version.Core().LessThan(version.Must(version.NewVersion(least))) {
		tb.Skipf("%s %s is older than %s, the first with %s", e.name(), e.version, least, what)
	}
}
