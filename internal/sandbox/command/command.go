// Package command is the sandbox as a program: what cmd/modelcatalogue-sandbox
// does, where it can be tested.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// Main does what the arguments of this process say, and returns its exit
// status: 0, 1 for what failed, or 2 for a mistake in the arguments.
func Main(version string) int {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	p := &program{
		name: strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), version: version, stdout: os.Stdout, stderr: os.Stderr,
	}
	return p.exit(p.run(ctx, os.Args[1:]))
}

// program is this process, as its commands see it.
type program struct {
	name           string // what the user calls it
	version        string
	stdout, stderr io.Writer
}

// statusError ends the process with a status of its own. Without an error there
// is nothing more to say.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *statusError) Unwrap() error { return e.err }

// misused is a mistake in the arguments.
func misused(format string, arguments ...any) error {
	return &statusError{2, fmt.Errorf(format, arguments...)}
}

// exit tells of the error, if there is one, and returns the exit status.
func (p *program) exit(err error) int {
	if err == nil {
		return 0
	}
	if err.Error() != "" {
		fmt.Fprintf(p.stderr, "%s: %v\n", p.name, err)
	}
	if own, ok := errors.AsType[*statusError](err); ok {
		return own.status
	}
	return 1
}

// command is what an argument that is no flag does.
type command struct {
	name, arguments, does string
	run                   func(p *program, ctx context.Context, arguments []string) error
}

// commands are in the order in which help lists them.
func commands() []command {
	var all []command
	for _, c := range sandbox.Controls() {
		if c.Command != "" {
			all = append(all, command{c.Command, strings.Join(argumentsOf(c), " "), c.Does, tell(c)})
		}
	}
	return append(
		all,
		command{"wait", "[-ready-file FILE]", "wait until a sandbox serves, and print its URL", (*program).wait},
		command{"compare", "", "compare a service with the interface, in at most ten requests", (*program).compare},
		command{"openapi", "", "print the interface as an OpenAPI document", printText(contract.OpenAPI)},
		command{"catalogue", "", "print the built-in catalogue", printText(sandbox.DefaultFile)},
		command{"schema", "", "print the JSON Schema of catalogue files", printText(sandbox.CatalogueSchema)},
		command{"version", "", "print the version", (*program).printVersion},
		command{"help", "[TOPIC]", "print this, or more about a topic", (*program).help},
	)
}

// run does what the arguments say: a command, or without one to serve until
// ctx ends.
func (p *program) run(ctx context.Context, arguments []string) error {
	if err := p.dispatch(ctx, arguments); !errors.Is(err, flag.ErrHelp) {
		return err
	}
	return nil
}

func (p *program) dispatch(ctx context.Context, arguments []string) error {
	if len(arguments) == 0 || strings.HasPrefix(arguments[0], "-") {
		return p.serve(ctx, arguments)
	}
	var names []string
	for _, c := range commands() {
		if c.name == arguments[0] {
			return c.run(p, ctx, arguments[1:])
		}
		names = append(names, c.name)
	}
	if meant := sandbox.Nearest(arguments[0], names); meant != "" {
		return misused("there is no command %q; did you mean %s?", arguments[0], meant)
	}
	return misused("there is no command %q; `%s help` lists them, and without one it serves", arguments[0], p.name)
}

// parse takes flags from the arguments, and those that are not there from the
// environment. usage prints the help that was asked for.
func (p *program) parse(flags *flag.FlagSet, arguments []string, usage func(io.Writer)) error {
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	var err error
	flags.VisitAll(func(f *flag.Flag) {
		value := os.Getenv(variable(f.Name))
		isTold := f.Name != "version" // a job may keep there which version it takes
		if value != "" && isTold && err == nil {
			if problem := flags.Set(f.Name, value); problem != nil {
				err = misused("%s is %q: %w", variable(f.Name), value, problem)
			}
		}
	})
	if err != nil {
		return err
	}
	err = flags.Parse(arguments)
	if errors.Is(err, flag.ErrHelp) {
		usage(p.stdout) // help that was asked for is no error message
		return err
	}
	if err == nil {
		return nil
	}
	_, name, isUnknown := strings.Cut(err.Error(), "flag provided but not defined: -")
	if !isUnknown {
		return misused("%w", err)
	}
	var names []string
	flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	switch meant := sandbox.Nearest(name, names); {
	case name == "port" && slices.Contains(names, "listen"):
		return misused("there is no flag -port; -listen=127.0.0.1:8080 sets the address")
	case meant != "":
		return misused("there is no flag -%s; did you mean -%s?", name, meant)
	}
	return misused("there is no flag -%s; `%s help` lists flags and commands", name, p.name)
}

// parseAll is for commands that take nothing but flags.
func (p *program) parseAll(flags *flag.FlagSet, arguments []string, usage func(io.Writer)) error {
	if err := p.parse(flags, arguments, usage); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return misused("unexpected argument %q", flags.Arg(0))
	}
	return nil
}

// variable is the environment's name of a flag.
func variable(flag string) string {
	return "MODELCATALOGUE_SANDBOX_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// parseDuration reads a time that is not negative.
func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is not a time such as 60s or 1h", text)
	case d < 0:
		return 0, errors.New("it must not be negative")
	}
	return d, nil
}

func printText(text func() []byte) func(*program, context.Context, []string) error {
	return func(p *program, _ context.Context, arguments []string) error {
		if len(arguments) > 0 {
			return misused("unexpected argument %q", arguments[0])
		}
		_, err := p.stdout.Write(text())
		return err
	}
}

func (p *program) printVersion(context.Context, []string) error {
	_, err := fmt.Fprintf(p.stdout, "%s %s\n", p.name, p.versionText())
	return err
}

// versionText is this program's version, such as 0.1.0, or (devel).
func (p *program) versionText() string {
	if p.version != "" {
		return p.version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return "(devel)"
}
