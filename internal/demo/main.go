// The demonstration behind `make demo`: a real engine reads a catalogue, a
// revision is published, and a plan shows what moves.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
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
	url, err := serve(ctx, service)
	if err != nil {
		return err
	}
	step("Started a sandbox of the catalogue on loopback; it holds forecasting models of several organisations.")

	work, err := newWorkspace(dir, engine, plugin, url)
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

// serve starts the service on a free loopback port, for as long as ctx lasts.
func serve(ctx context.Context, handler http.Handler) (string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return "http://" + listener.Addr().String(), nil
}

// workspace is a copy of the example with an engine set up to run it.
type workspace struct {
	engine, dir string
	env         []string
}

func newWorkspace(dir, engine, plugin, url string) (*workspace, error) {
	work := &workspace{engine: engine, dir: filepath.Join(dir, "work")}
	if err := os.CopyFS(work.dir, os.DirFS(example)); err != nil {
		return nil, err
	}
	// An override needs no init, and so no registry.
	settings := filepath.Join(dir, "engine.tfrc")
	text := fmt.Sprintf("provider_installation {\n  dev_overrides { \"modelcatalogue/modelcatalogue\" = %q }\n}\n", filepath.ToSlash(plugin))
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		return nil, err
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "TF_") && !strings.HasPrefix(name, "MODELCATALOGUE_") {
			work.env = append(work.env, entry)
		}
	}
	work.env = append(work.env,
		"TF_CLI_CONFIG_FILE="+settings, "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1",
		"MODELCATALOGUE_BASE_URL="+url, "MODELCATALOGUE_CLIENT_ID=northwind", "MODELCATALOGUE_CLIENT_SECRET=northwind-sandbox-secret")
	return work, nil
}

// run runs the engine and returns what it printed. An error holds all of it.
func (w *workspace) run(ctx context.Context, arguments ...string) (string, error) {
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
