// The demonstration behind `make demo`: a real engine reads a catalogue, and its
// plans show a revision that is published and one that is re-published in place.
// What it prints is the same each time, because the README shows it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

const (
	example  = "examples/pin-docker-image"
	groupID  = "270c0fa6-6a8c-4874-8f76-da0680bcda61"
	newImage = `{"dockerImage": "registry.northwind.example/forecasting/north-sea-wind-week:3.0.0"}`
	// What is printed has the time, too.
	oldImage = `{"dockerImage": "registry.northwind.example/forecasting/north-sea-wind-week:2.0.1",
		"updatedAt": "2026-06-02T09:00:00.000Z"}`
)

func main() {
	began := flag.Int64("began", time.Now().Unix(), "when `make demo` began, in seconds since 1970")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout)
	stop()
	switch {
	case err == nil:
		// Not on standard output, which the README shows.
		fmt.Fprintf(os.Stderr, "In all it took %d s, what was built included.\n", time.Now().Unix()-*began)
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "\nInterrupted; everything is cleaned up.")
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "\nThe demonstration failed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) (err error) {
	program, err := engine.Find(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "modelcatalogue-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	show := screen{out: out, colour: inColour(os.Stdout)}
	show.step("Building the provider, and starting a sandbox of the catalogue.")
	plugin := filepath.Join(dir, "plugin")
	build := engine.Command(ctx, "go", "build", "-o", plugin+string(filepath.Separator), ".")
	if _, err := engine.Output(build); err != nil {
		return err
	}
	service := sandbox.New(sandbox.Default())
	server := httptest.NewServer(service)
	defer server.Close()
	work, err := newWorkspace(dir, program, plugin, server.URL)
	if err != nil {
		return err
	}
	work.Colour = show.colour

	show.step("Apply: one block pins revision 1 of a model and its image, another follows the latest.")
	if _, err := work.Run(ctx, "apply", "-auto-approve"); err != nil {
		return err
	}
	outputs, err := work.Run(ctx, "output")
	if err != nil {
		return err
	}
	show.text(outputs)

	show.step("A revision is published. The next plan: the latest moves, the pinned image stays.")
	if _, err := service.Publish(groupID, []byte(newImage)); err != nil {
		return err
	}
	plan, err := work.Run(ctx, "plan")
	if err != nil {
		return err
	}
	plan, _, _ = strings.Cut(plan, "\n\nYou can apply this plan")
	if err := show.from(plan, "Changes to Outputs:"); err != nil {
		return err
	}

	show.step("Revision 1 is re-published in place with another image. The next plan catches it.")
	if _, err := service.Republish(groupID, 1, []byte(oldImage)); err != nil {
		return err
	}
	var failed *engine.RunError
	if _, err := work.Run(ctx, "plan"); !errors.As(err, &failed) {
		return fmt.Errorf("the plan did not stop: %w", err)
	}
	frame := "Error:"
	if show.colour {
		frame = "╷"
	}
	if err := show.from(failed.Output, frame); err != nil {
		return err
	}
	show.step("Done. It took %d requests, %d of them for a "+
		"token.", len(service.Requests()), service.Count(sandbox.RouteToken))
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

// screen is where the demonstration is shown.
type screen struct {
	out    io.Writer
	colour bool
}

// inColour follows the conventions NO_COLOR and CLICOLOR_FORCE, and else prints
// in colours on a terminal.
func inColour(file *os.File) bool {
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	info, err := file.Stat()
	return os.Getenv("CLICOLOR_FORCE") != "" || err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (s screen) step(format string, args ...any) {
	arrow := "==>"
	if s.colour {
		arrow = "\x1b[36m==>\x1b[0m"
	}
	fmt.Fprintf(s.out, arrow+" "+format+"\n", args...)
}

// from shows what an engine printed, from the line with start on.
func (s screen) from(printed, start string) error {
	i := strings.LastIndex(printed, start)
	if i < 0 {
		return fmt.Errorf("the engine printed no %q:\n%s", start, printed)
	}
	s.text(printed[strings.LastIndex(printed[:i], "\n")+1:])
	return nil
}

// lineStart is the first character of a line that is not empty.
var lineStart = regexp.MustCompile(`(?m)^.`)

func (s screen) text(text string) {
	fmt.Fprintf(s.out, "\n%s\n\n", lineStart.ReplaceAllString(strings.TrimSpace(text), "    $0"))
}
