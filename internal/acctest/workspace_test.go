package acctest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/acctest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

const root = "../.."

// workspace is a folder of configuration with an engine to run it, as a user
// has it: the provider is a program of its own, and the service's address and
// credentials are in the environment.
type workspace struct {
	engine.Workspace
	cpu time.Duration // of all runs so far, the provider's included
}

// newWorkspace copies the files.
func newWorkspace(tb testing.TB, files fs.FS, url string, credentials acctest.Credentials) *workspace {
	tb.Helper()
	w := &workspace{Workspace: engine.Workspace{Engine: underTest.Engine, Dir: filepath.Join(tb.TempDir(), "work")}}
	if err := os.CopyFS(w.Dir, files); err != nil {
		tb.Fatal(err)
	}
	file := filepath.Join(filepath.Dir(w.Dir), "engine.tfrc")
	override, err := engine.Override(file, providers(tb), "hashicorp/kubernetes", "kreuzwerker/docker")
	if err != nil {
		tb.Fatal(err)
	}
	w.Env = engine.Environment(append(engine.Service(url, credentials.ID, credentials.Secret), override,
		// The same for examples that take them as variables.
		"TF_VAR_catalogue_url="+url, "TF_VAR_catalogue_client_id="+credentials.ID, "TF_VAR_catalogue_client_secret="+credentials.Secret)...)
	return w
}

// run runs the engine in the workspace. It returns the exit status and all that
// was printed.
func (w *workspace) run(tb testing.TB, arguments ...string) (int, string) {
	tb.Helper()
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := w.Command(ctx, arguments...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		tb.Fatalf("%s %s: %v", w.Engine, arguments[0], err)
	}
	w.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return cmd.ProcessState.ExitCode(), out.String()
}

// expect runs the engine and wants that exit status.
func (w *workspace) expect(tb testing.TB, status int, arguments ...string) string {
	tb.Helper()
	got, out := w.run(tb, arguments...)
	if got != status {
		tb.Fatalf("%s ended with status %d, want %d:\n%s", strings.Join(arguments, " "), got, status, out)
	}
	return out
}

// joined is an engine's message without its frame and line breaks.
func joined(message string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(message)), " ")
}

// built has the providers as programs, made once and only if a test needs them.
var built struct {
	once sync.Once
	dir  string
	err  error
}

// providers builds the provider and returns the folder that holds it, with the
// stand-ins for the other providers of our pages beside it.
func providers(tb testing.TB) string {
	tb.Helper()
	built.once.Do(func() {
		//nolint:usetesting // it outlives the test that needs it first
		if built.dir, built.err = os.MkdirTemp("", "modelcatalogue-acctest-"); built.err != nil {
			return
		}
		cmd := exec.CommandContext(context.Background(), "go", "build", "-o", built.dir+string(filepath.Separator), ".")
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("building the provider: %w\n%s", err, out)
			return
		}
		var this string
		this, built.err = os.Executable()
		for program := range standIns {
			if built.err == nil {
				built.err = os.Symlink(this, filepath.Join(built.dir, program))
			}
		}
	})
	if built.err != nil {
		tb.Fatal(built.err)
	}
	return built.dir
}

func removeProviders() {
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
}
