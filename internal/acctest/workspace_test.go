package acctest_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

const readsGroups = "data \"modelcatalogue_model_groups\" \"all\" {}\n"

const root = "../.."

// Groups of the sandbox's own catalogue.
const (
	mainGroup = sandbox.MainGroup // its revisions begin with 0, and one in the middle is archived
	windGroup = "270c0fa6-6a8c-4874-8f76-da0680bcda61"
)

// credentials are those of an organisation of the sandbox's own catalogue.
type credentials struct{ id, secret string }

var (
	owner   = credentials{"northwind", "northwind-sandbox-secret"}
	partner = credentials{"fabrikam", "fabrikam-sandbox-secret"} // owns a private group
)

// Images in the main group.
const (
	mainImage     = "registry.northwind.example/forecasting/de-lu-day-ahead-price"
	latestDigest  = "sha256:e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479"
	latestImage   = mainImage + "@" + latestDigest
	reviewedImage = mainImage + ":1.0.3" // revision 1
)

// workspace is a folder with a configuration, and an engine to run it. As in production, the provider is a separate
// process, and the environment contains the service's address and credentials.
type workspace struct {
	engine.Workspace
	service *sandbox.Sandbox // nil if the test starts another server
}

// newWorkspace copies the files, and starts the service for them.
func newWorkspace(tb testing.TB, files fs.FS, service *sandbox.Sandbox, who credentials) *workspace {
	tb.Helper()
	w := workspaceAt(tb, files, sandboxtest.Start(tb, service), who)
	w.service = service
	return w
}

func workspaceAt(tb testing.TB, files fs.FS, url string, who credentials) *workspace {
	tb.Helper()
	needEngine(tb)
	w := &workspace{Workspace: engine.Workspace{Engine: underTest, Dir: filepath.Join(tb.TempDir(), "work")}}
	if err := os.CopyFS(w.Dir, files); err != nil {
		tb.Fatal(err)
	}
	w.Env = environment(tb, url, who)
	return w
}

// environment returns the environment of an engine that runs the built provider without init.
func environment(tb testing.TB, url string, who credentials) []string {
	tb.Helper()
	return engine.Environment(append(engine.Service(url, who.id, who.secret), "TF_CLI_CONFIG_FILE="+programs(tb)+"/engine.tfrc",
		// Examples declare these as variables.
		"TF_VAR_catalogue_url="+url, "TF_VAR_catalogue_client_id="+who.id, "TF_VAR_catalogue_client_secret="+who.secret,
		"TF_VAR_partner_client_id="+partner.id, "TF_VAR_partner_client_secret="+partner.secret, "TF_VAR_pins={}",
		"TF_VAR_registry_username=pull", "TF_VAR_registry_password=made-up", "TF_VAR_cluster=made-up",
		`TF_VAR_subnets=["made-up"]`, "TF_VAR_password_secret_version=made-up")...)
}

// mirrored returns an environment in which init installs the built provider from a mirror, as it installs a release
// from a registry.
func mirrored(tb testing.TB, more ...string) []string {
	tb.Helper()
	return engine.Environment(append(more, "TF_CLI_CONFIG_FILE="+programs(tb)+"/mirror.tfrc")...)
}

// fromEnvironment returns a configuration without arguments of the provider. The environment sets them, so no file of
// the run contains the secret.
func fromEnvironment(config string) fs.FS {
	return fstest.MapFS{"main.tf": {Mode: 0o600, Data: []byte(`
terraform {
  required_providers {
    modelcatalogue = { source = "modelcatalogue/modelcatalogue" }
  }
}
` + config)}}
}

// expect runs the engine in the workspace, fails unless it exits with that status, and returns its output.
func (w *workspace) expect(tb testing.TB, status int, arguments ...string) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := w.Command(ctx, arguments...)
	out, err := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != status || status == 0 && err != nil { // the output may be incomplete
		tb.Fatalf("%s %v: status %d, want %d: %v\n%s", w.Engine, arguments, got, status, err, out)
	}
	return string(out)
}

// sent fails unless the route had that many requests.
func (w *workspace) sent(tb testing.TB, route sandbox.Route, want int) {
	tb.Helper()
	if n := w.service.Count(route); n != want {
		tb.Errorf("%d requests of %s, want %d", n, route, want)
	}
}

// joined returns an engine's message on one line, without its frame.
func joined(message string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(message)), " ")
}

func wantText(tb testing.TB, out string, wants ...string) {
	tb.Helper()
	for _, want := range wants {
		if !strings.Contains(joined(out), joined(want)) {
			tb.Errorf("missing %q in:\n%s", want, out)
		}
	}
}

func wantNone(tb testing.TB, out string, text ...string) {
	tb.Helper()
	for _, unwanted := range text {
		if strings.Contains(out, unwanted) {
			tb.Errorf("there is %q in:\n%s", unwanted, out)
		}
	}
}

func readText(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// writeText writes an executable file, and makes its folder.
func writeText(tb testing.TB, name, text string) {
	tb.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o700)); err != nil {
		tb.Fatal(err)
	}
}

// command runs an installed program, and returns its output and errors.
func command(tb testing.TB, dir string, env []string, program string, arguments ...string) string {
	tb.Helper()
	cmd := engine.Command(tb.Context(), program, arguments...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("%s %v: %v\n%s", program, arguments, err, out)
	}
	return string(out)
}

// plainShell returns dash, which lacks the extensions of bash, or else sh.
func plainShell() string {
	if dash, err := exec.LookPath("dash"); err == nil {
		return dash
	}
	return "sh"
}

// plugins is a folder for the whole run, with the programs of this project, and the engine under test as
// bin/terraform.
var plugins string

// built fills plugins. It compiles with the flags of make, to use the same cached packages.
var built = sync.OnceValue(func() error {
	cmd := exec.CommandContext(context.Background(), "go", "build", "-buildvcs=false", "-o", plugins+string(filepath.Separator),
		".", "./cmd/modelcatalogue-sandbox")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the provider and the sandbox: %w\n%s", err, out)
	}
	const program = "terraform-provider-modelcatalogue"
	links := map[string]string{"bin/terraform": underTest.Path}
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		folder := filepath.Join("mirror", host, "modelcatalogue/modelcatalogue/0.1.0", runtime.GOOS+"_"+runtime.GOARCH)
		links[filepath.Join(folder, program+"_v0.1.0")] = filepath.Join(plugins, program)
	}
	self, err := os.Executable()
	sources := slices.Collect(maps.Keys(standIns()))
	for _, source := range sources {
		links["terraform-provider-"+filepath.Base(source)] = self
	}
	for name, target := range links {
		name = filepath.Join(plugins, name)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(name), 0o700), os.Symlink(target, name))
	}
	return errors.Join(err,
		engine.Override(filepath.Join(plugins, "engine.tfrc"), plugins, sources...),
		engine.Mirror(filepath.Join(plugins, "mirror.tfrc"), filepath.Join(plugins, "mirror")))
})

// programs fills plugins once, and returns it.
func programs(tb testing.TB) string {
	tb.Helper()
	if err := built(); err != nil {
		tb.Fatal(err)
	}
	return plugins
}
