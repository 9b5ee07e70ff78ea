package acctest_test

import (
	"bytes"
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
	mainGroup = sandbox.MainGroup // its first revision is 0, and one in the middle is archived
	windGroup = "270c0fa6-6a8c-4874-8f76-da0680bcda61"
)

// credentials are those of an organisation of the sandbox's own catalogue.
type credentials struct{ id, secret string }

var (
	owner    = credentials{"northwind", "northwind-sandbox-secret"}
	partner  = credentials{"fabrikam", "fabrikam-sandbox-secret"} // owns a private group
	outsider = credentials{"contoso-trading", "contoso-trading-sandbox-secret"}
)

// Images of the main group.
const (
	mainImage     = "registry.northwind.example/forecasting/de-lu-day-ahead-price"
	latestImage   = mainImage + "@sha256:e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479"
	reviewedImage = mainImage + ":1.0.3" // of its revision 1
)

// workspace is a folder of configuration with an engine to run it. As for a user, the provider is a program of its own,
// and the service's address and credentials are in the environment.
type workspace struct {
	engine.Workspace
	service *sandbox.Sandbox // nil if a test serves something else
	url     string
}

// newWorkspace copies the files, and serves the groups that they read.
func newWorkspace(tb testing.TB, files fs.FS, service *sandbox.Sandbox, who credentials) *workspace {
	tb.Helper()
	w := workspaceAt(tb, files, sandboxtest.Start(tb, service), who)
	w.service = service
	return w
}

// reading returns a workspace with this configuration, and the sandbox as it comes.
func reading(tb testing.TB, config string) *workspace {
	tb.Helper()
	return newWorkspace(tb, fromEnvironment(config), sandbox.New(sandbox.Default()), owner)
}

func workspaceAt(tb testing.TB, files fs.FS, url string, who credentials) *workspace {
	tb.Helper()
	needEngine(tb)
	w := &workspace{Workspace: engine.Workspace{Engine: underTest, Dir: filepath.Join(tb.TempDir(), "work")}, url: url}
	if err := os.CopyFS(w.Dir, files); err != nil {
		tb.Fatal(err)
	}
	file := filepath.Join(filepath.Dir(w.Dir), "engine.tfrc")
	override, err := engine.Override(file, programs(tb), slices.Collect(maps.Keys(standIns()))...)
	if err != nil {
		tb.Fatal(err)
	}
	w.Env = engine.Environment(append(engine.Service(url, who.id, who.secret), override,
		// The same for examples that take them as variables.
		"TF_VAR_catalogue_url="+url, "TF_VAR_catalogue_client_id="+who.id, "TF_VAR_catalogue_client_secret="+who.secret,
		"TF_VAR_partner_client_id="+partner.id, "TF_VAR_partner_client_secret="+partner.secret, "TF_VAR_pins={}",
		"TF_VAR_registry_username=pull", "TF_VAR_registry_password=made-up", "TF_VAR_cluster=made-up",
		`TF_VAR_subnets=["made-up"]`, "TF_VAR_password_secret_version=made-up")...)
	return w
}

// fromEnvironment returns a configuration whose provider takes everything from the environment, so that no file of a
// run holds the secret.
func fromEnvironment(config string) fs.FS {
	return fstest.MapFS{"main.tf": {Mode: 0o600, Data: []byte(`
terraform {
  required_providers {
    modelcatalogue = { source = "modelcatalogue/modelcatalogue" }
  }
}
` + config)}}
}

// without removes variables of the provider from the environment of the engine.
func (w *workspace) without(arguments ...string) {
	w.Env = slices.DeleteFunc(w.Env, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		argument, own := strings.CutPrefix(name, "MODELCATALOGUE_")
		return own && slices.Contains(arguments, argument)
	})
}

// run runs the engine in the workspace. It returns the exit status and all that was printed.
func (w *workspace) run(tb testing.TB, arguments ...string) (int, string) {
	tb.Helper()
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := w.Command(ctx, arguments...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		tb.Fatalf("%s %s: %v", w.Engine, arguments[0], err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// expect runs the engine and expects that exit status.
func (w *workspace) expect(tb testing.TB, status int, arguments ...string) string {
	tb.Helper()
	got, out := w.run(tb, arguments...)
	if got != status {
		tb.Fatalf("%s ended with status %d, want %d:\n%s", strings.Join(arguments, " "), got, status, out)
	}
	return out
}

// sent checks the number of requests of a route.
func (w *workspace) sent(tb testing.TB, route sandbox.Route, want int) {
	tb.Helper()
	if n := w.service.Count(route); n != want {
		tb.Errorf("%d requests of %s, want %d", n, route, want)
	}
}

// publish publishes a revision that differs from the newest in these fields.
func (w *workspace) publish(t *testing.T, group, overrides string) {
	t.Helper()
	if _, err := w.service.Publish(group, []byte(overrides)); err != nil {
		t.Fatal(err)
	}
}

// republish publishes a revision again, in place.
func (w *workspace) republish(t *testing.T, group string, revision int64, overrides string) {
	t.Helper()
	if _, err := w.service.Republish(group, revision, []byte(overrides)); err != nil {
		t.Fatal(err)
	}
}

// joined returns an engine's message without its frame and line breaks.
func joined(message string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(message)), " ")
}

func wantText(tb testing.TB, out string, wants ...string) {
	tb.Helper()
	for _, want := range wants {
		if !strings.Contains(joined(out), joined(want)) {
			tb.Errorf("there is no %q in:\n%s", want, out)
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

func writeText(tb testing.TB, name, text string) {
	tb.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// command runs a program of the machine and returns all that it prints.
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

// plainShell is without what bash adds, if this machine has such a shell.
func plainShell() string {
	if dash, err := exec.LookPath("dash"); err == nil {
		return dash
	}
	return "sh"
}

// plugins is a folder of the whole run. It has the programs of this project.
var plugins string

// built builds with the flags of tools/build.sh, so that both compile dependencies once.
var built = sync.OnceValue(func() error {
	cmd := exec.CommandContext(context.Background(), "go", "build", "-buildvcs=false", "-o", plugins+string(filepath.Separator),
		".", "./cmd/modelcatalogue-sandbox")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the provider and the sandbox: %w\n%s", err, out)
	}
	self, err := os.Executable()
	for source := range standIns() {
		err = errors.Join(err, os.Symlink(self, filepath.Join(plugins, "terraform-provider-"+filepath.Base(source))))
	}
	return err
})

// programs builds the plugins, and returns their folder.
func programs(tb testing.TB) string {
	tb.Helper()
	if err := built(); err != nil {
		tb.Fatal(err)
	}
	return plugins
}

// mirrored returns an environment in which init takes this provider from a folder, as it takes a released one from a
// registry.
func mirrored(t *testing.T, more ...string) []string {
	t.Helper()
	const program = "terraform-provider-modelcatalogue"
	folder := t.TempDir()
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		install := filepath.Join(folder, "mirror", host, "modelcatalogue/modelcatalogue/0.1.0", runtime.GOOS+"_"+runtime.GOARCH)
		if err := os.MkdirAll(install, 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(filepath.Join(programs(t), program), filepath.Join(install, program+"_v0.1.0")); err != nil {
			t.Fatal(err)
		}
	}
	settings, err := engine.Mirror(filepath.Join(folder, "engine.tfrc"), filepath.Join(folder, "mirror"))
	if err != nil {
		t.Fatal(err)
	}
	return engine.Environment(append(more, settings)...)
}
