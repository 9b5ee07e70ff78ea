// The demonstration behind `make demo`: a real engine reads a catalogue, a
// revision is published, and a plan shows what moves.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

const (
	example  = "examples/pin-docker-image"
	groupID  = sandbox.MainGroup
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
	program, err := engine.Find(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "modelcatalogue-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	step("Building the provider.")
	plugin := filepath.Join(dir, "plugin")
	build := engine.Command(ctx, "go", "build", "-o", plugin+string(filepath.Separator), ".")
	if _, err := engine.Output(build); err != nil {
		return err
	}

	service := sandbox.New(sandbox.Default())
	server := httptest.NewServer(service)
	defer server.Close()
	step("Started a sandbox of the catalogue on loopback; it holds forecasting models of several organisations.")

	work, err := newWorkspace(dir, program, plugin, server.URL)
	if err != nil {
		return err
	}
	step("Applying %s with %s: one data source pins revision 1, another follows the latest.", example, program)
	if _, err := work.Run(ctx, "apply", "-auto-approve"); err != nil {
		return err
	}
	outputs, err := work.Run(ctx, "output")
	if err != nil {
		return err
	}
	fmt.Printf("\n%s\n", indent(outputs))

	if _, err := service.Publish(groupID, json.RawMessage(fmt.Sprintf(`{"dockerImage": %q}`, newImage))); err != nil {
		return err
	}
	step("Published a new revision in the sandbox. The next plan: the latest moves, the pinned stays.")
	plan, err := work.Run(ctx, "plan")
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

// newWorkspace copies the example below dir.
func newWorkspace(dir string, program engine.Engine, plugin, url string) (engine.Workspace, error) {
	work := engine.Workspace{Engine: program, Dir: filepath.Join(dir, "work")}
	if err := os.CopyFS(work.Dir, os.DirFS(example)); err != nil {
		return work, err
	}
	override, err := engine.Override(filepath.Join(dir, "engine.tfrc"), plugin)
	work.Env = engine.Environment(append(engine.Service(url, "northwind", "northwind-sandbox-secret"), override)...)
	return work, err
}

func step(format string, args ...any) { fmt.Printf("==> "+format+"\n", args...) }

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ") + "\n"
}
