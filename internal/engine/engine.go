// Package engine finds a Terraform or OpenTofu on this machine and runs it with
// a local build of the provider: for the demonstration, the benchmarks, the
// checks of a release and the acceptance tests. No release contains it.
package engine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"github.com/hashicorp/go-version"
)

// Variable is the environment variable that says which engine every program and
// every test of this project runs: terraform-plugin-testing gave it its name.
const Variable = "TF_ACC_TERRAFORM_PATH"

// Engine is a Terraform or an OpenTofu.
type Engine struct {
	Path    string // absolute
	Name    string // "Terraform" or "OpenTofu"
	Version *version.Version
}

// Find returns the engine that Variable names, by its path or by its name on the
// PATH. Where Variable is not set, it is `terraform`, else `tofu`, on the PATH.
func Find(ctx context.Context) (Engine, error) {
	if program := os.Getenv(Variable); program != "" {
		return identify(ctx, program)
	}
	for _, program := range []string{"terraform", "tofu"} {
		if _, err := exec.LookPath(program); err == nil {
			return identify(ctx, program)
		}
	}
	return Engine{}, fmt.Errorf("neither terraform nor tofu is on the PATH, and %s names no other: "+
		"tools/with-engine.sh builds one", Variable)
}

var versionLine = regexp.MustCompile(`^(Terraform|OpenTofu) v(\S+)`)

// identify asks a program which engine it is.
func identify(ctx context.Context, program string) (Engine, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return Engine{}, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return Engine{}, err
	}
	cmd := Command(ctx, path, "version")
	cmd.Env = Environment()
	out, err := cmd.Output()
	if err != nil {
		return Engine{}, fmt.Errorf("%s version: %w", path, err)
	}
	found := versionLine.FindSubmatch(out)
	if found == nil {
		return Engine{}, fmt.Errorf("%s version: neither Terraform nor OpenTofu says %q", path, out)
	}
	v, err := version.NewVersion(string(found[2]))
	if err != nil {
		return Engine{}, fmt.Errorf("%s version: %w", path, err)
	}
	return Engine{Path: path, Name: string(found[1]), Version: v}, nil
}

// String is the engine's name and version, such as "OpenTofu 1.12.6".
func (e Engine) String() string { return e.Name + " " + e.Version.String() }

// OpenTofu tells the two kinds apart.
func (e Engine) OpenTofu() bool { return e.Name == "OpenTofu" }

// RegistryHost is where the engine looks for a provider whose source has no host.
func (e Engine) RegistryHost() string {
	if e.OpenTofu() {
		return "registry.opentofu.org"
	}
	return "registry.terraform.io"
}

// Command is a program that ctx ends as Ctrl-C does, so that it can end what it
// has started itself. A program that does not end within ten seconds is killed.
func Command(ctx context.Context, program string, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, arguments...) //nolint:gosec // the callers name their own programs
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}
