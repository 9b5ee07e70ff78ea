// Package engine finds an installed Terraform or OpenTofu, and runs it with a local build of the provider. Benchmarks
// and acceptance tests use it; no release contains it.
package engine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/hashicorp/go-version"
)

// Variable is the environment variable with the engine's name or path. terraform-plugin-testing reads it, too.
const Variable = "TF_ACC_TERRAFORM_PATH"

// Engine is an installed Terraform or OpenTofu.
type Engine struct {
	Path    string // absolute
	Name    string // "Terraform" or "OpenTofu"
	Version *version.Version
}

// Find returns the engine named by Variable, or else the first of `terraform` and `tofu` on the PATH.
func Find(ctx context.Context) (Engine, error) {
	for _, program := range []string{os.Getenv(Variable), "terraform", "tofu"} {
		path, err := exec.LookPath(program)
		switch {
		case err == nil:
			return identify(ctx, path)
		case program == os.Getenv(Variable) && program != "":
			return Engine{}, err
		}
	}
	return Engine{}, fmt.Errorf("neither terraform nor tofu is on the PATH, and %s does not name another: "+
		"tools/engine.sh builds one", Variable)
}

var versionLine = regexp.MustCompile(`^(Terraform|OpenTofu) v(\S+)`)

// identify runs a program to find its kind and version.
func identify(ctx context.Context, path string) (Engine, error) {
	path, err := filepath.Abs(path)
	if err != nil {
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

// String returns the engine's name and version, such as "OpenTofu 1.12.6".
func (e Engine) String() string { return e.Name + " " + e.Version.String() }

// OpenTofu reports whether the engine is an OpenTofu.
func (e Engine) OpenTofu() bool { return e.Name == "OpenTofu" }

// RegistryHost returns the host of the engine's default registry, for providers whose source does not name one.
func (e Engine) RegistryHost() string {
	if e.OpenTofu() {
		return "registry.opentofu.org"
	}
	return "registry.terraform.io"
}

// Command returns a command that is interrupted when ctx ends, so it can end its own processes. Ten seconds later it
// is killed.
func Command(ctx context.Context, program string, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, arguments...) //nolint:gosec // the callers name their own programs
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// Workspace is a folder with a configuration, and an engine to run it.
type Workspace struct {
	Engine Engine
	Dir    string
	Env    []string // from Environment
}

// Command returns a command of the engine in the workspace. The first of the arguments is the engine's subcommand.
func (w Workspace) Command(ctx context.Context, arguments ...string) *exec.Cmd {
	arguments = slices.Insert(slices.Clone(arguments), 1, "-no-color")
	cmd := Command(ctx, w.Engine.Path, arguments...)
	cmd.Dir, cmd.Env = w.Dir, w.Env
	return cmd
}
