// The demonstration behind `make demo`: a real engine reads a catalogue, a
// revision is published, and a plan shows what moves.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/workspace"
)

const (
	example  = "examples/pin-docker-image"
	groupID  = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
	newImage = "registry.northwind.example/forecasting/de-lu-day-ahead-price:2.0.0"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	switch {
	case err == nil:
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "\nInterrupted; everything is cleaned up.")
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "\nThe demonstration failed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	engine := os.Getenv("MODELCATALOGUE_DEMO_ENGINE")
	if engine == "" {
		return errors.New("run it with `make demo`, which finds or builds an engine")
	}
	dir, err := os.MkdirTemp("", "modelcatalogue-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	step("Building the provider.")
	plugin := filepath.Join(dir, "plugin")
	if err := command(ctx, "go", "build", "-o", plugin+string(filepath.Separator), ".").Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}

	service := sandbox.New(sandbox.Default())
	url, err := workspace.Serve(ctx, service, nil)
	if err != nil {
		return err
	}
	step("Started a sandbox of the catalogue on loopback; it holds forecasting models of several organisations.")

	work, err := newWorkFolder(dir, engine, plugin, url)
	if err != nil {
		return err
	}
	step("Applying %s with %s: one data source pins revision 1, another follows the latest.", example, filepath.Base(engine))
	if _, err := work.run(ctx, "apply", "-auto-approve"); err != nil {
		return err
	}
	outputs, err := work.run(ctx, "output")
	if err != nil {
		return err
	}
	fmt.Printf("\n%s\n", indent(outputs))

	if _, err := service.Publish(groupID, json.RawMessage(fmt.Sprintf(`{"dockerImage": %q}`, newImage))); err != nil {
		return err
	}
	step("Published a new revision in the sandbox. The next plan: the latest moves, the pinned stays.")
	plan, err := work.run(ctx, "plan")
	if err != nil {
		return err
	}
	_, changes, found := strings.Cut(plan, "Changes to Outputs:")
	if !found {
		return fmt.Errorf("the plan shows no change:\n%s", plan)
	}
	changes, _, _ = strings.Cut(changes, "\n\n")
	fmt.Printf("\n%s\n", indent("Changes to Outputs:"+changes))
	step("Done. It took %d requests, %d of them for a token.", len(service.Requests()), service.Count(sandbox.RouteToken))
	return nil
}

// workFolder is a copy of the example with an engine set up to run it.
type workFolder struct {
	engine, dir string
	env         []string
}

func newWorkFolder(dir, engine, plugin, url string) (*workFolder, error) {
	work := &workFolder{engine: engine, dir: filepath.Join(dir, "work")}
	if err := os.CopyFS(work.dir, os.DirFS(example)); err != nil {
		return nil, err
	}
	override, err := workspace.Override(filepath.Join(dir, "engine.tfrc"), plugin)
	if err != nil {
		return nil, err
	}
	work.env = workspace.Environment(append(workspace.Service(url, "northwind", "northwind-sandbox-secret"), override)...)
	return work, nil
}

// run runs the engine and returns what it printed. An error holds all of it.
func (w *workFolder) run(ctx context.Context, arguments ...string) (string, error) {
	var out, problems bytes.Buffer
	cmd := command(ctx, w.engine, append(arguments, "-no-color")...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.dir, w.env, &out, &problems
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(w.engine), arguments[0], err, out.String(), problems.String())
	}
	return strings.TrimSpace(out.String()), nil
}

// command ends with ctx by an interrupt, so that an engine can end its plugins.
func command(ctx context.Context, name string, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, arguments...) //nolint:gosec // the engine of whoever runs the demonstration
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

func step(format string, args ...any) { fmt.Printf("==> "+format+"\n", args...) }

func indent(text string) string {
	return "    " + strings.ReplaceAll(text, "\n", "\n    ") + "\n"
}
