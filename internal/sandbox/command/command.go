// Package command is what the program cmd/modelcatalogue-sandbox does.
package command

import (
	"cmp"
	"context"
	"embed"
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
	"text/tabwriter"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// Main runs the program with the arguments of this process, and returns its exit status: 0, 1 for a failure, 2 for a
// mistake in the arguments, or the status of the command of `exec`.
func Main(version string) int {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signals = append(signals, syscall.SIGHUP)
	}
	if info, ok := debug.ReadBuildInfo(); ok && version == "" {
		version = cmp.Or(strings.TrimPrefix(info.Main.Version, "v"), "(devel)")
	}
	p := &program{
		name: strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), version: version, stdout: os.Stdout, stderr: os.Stderr,
		signals: make(chan os.Signal, 8),
	}
	signal.Notify(p.signals, signals...)
	ctx := context.Background()
	if len(os.Args) < 2 || os.Args[1] != "exec" { // exec passes signals on
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, signals...)
		defer stop()
	}
	return p.exit(p.run(ctx, os.Args[1:]))
}

// program is what commands see of this process.
type program struct {
	name           string // of the executable file
	version        string
	stdout, stderr io.Writer
	signals        chan os.Signal
}

// statusError is an error with an exit status. If err is nil, nothing is printed.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return fmt.Sprint(e.err) }
func (e *statusError) Unwrap() error { return e.err }

// misused returns the error of a mistake in the arguments.
func misused(format string, arguments ...any) error {
	return &statusError{2, fmt.Errorf(format, arguments...)}
}

// exit prints the error, if there is one, and returns the exit status.
func (p *program) exit(err error) int {
	if err == nil {
		return 0
	}
	own, ok := errors.AsType[*statusError](err)
	if !ok {
		own = &statusError{1, err}
	}
	if own.err != nil {
		fmt.Fprintf(p.stderr, "%s: %v\n", p.name, err)
	}
	return own.status
}

type run func(ctx context.Context, arguments []string) error

// command is a command of the program. Its setup defines flags, and returns what runs after they are parsed.
type command struct {
	name, arguments, does string // an argument in brackets may be left out; does is an infinitive
	setup                 func(p *program, flags *flag.FlagSet) run
}

// commands returns all commands in the order in which help lists them.
func commands() []command {
	all := []command{
		{"exec", "COMMAND…", "run a command with a sandbox of its own, on a free port", (*program).exec},
		{"record", "", "print a catalogue file of what your credentials see in a service", (*program).record},
		{"compare", "", "compare a service with the interface, in at most ten requests", (*program).compare},
	}
	for _, c := range sandbox.Controls() {
		if c.Command != "" {
			all = append(all, command{c.Command, strings.Join(argumentsOf(c), " "), c.Does, ask(c)})
		}
	}
	return append(
		all,
		command{"openapi", "", "print the interface as an OpenAPI document", printText(contract.OpenAPI)},
		command{"catalogue", "", "print the built-in catalogue", printText(sandbox.DefaultFile)},
		command{"schema", "", "print the JSON Schema of catalogue files", printText(sandbox.CatalogueSchema)},
		command{"version", "", "print the version", func(p *program, _ *flag.FlagSet) run { return p.printVersion }},
		command{"help", "[TOPIC]", "print this help, or a topic", func(p *program, _ *flag.FlagSet) run { return p.help }},
	)
}

// run runs the command of the arguments. Without one it serves until ctx ends.
func (p *program) run(ctx context.Context, arguments []string) error {
	c := command{setup: (*program).serve}
	if len(arguments) > 0 && strings.TrimLeft(arguments[0], "-") == "version" {
		arguments = append([]string{"version"}, arguments[1:]...)
	}
	if len(arguments) > 0 && !strings.HasPrefix(arguments[0], "-") {
		all := commands()
		i := slices.IndexFunc(all, func(known command) bool { return known.name == arguments[0] })
		if i < 0 {
			return misused("there is no command %q; `%s help` lists them", arguments[0], p.name)
		}
		c, arguments = all[i], arguments[1:]
	}
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	does := c.setup(p, flags)
	err := p.parse(flags, arguments)
	switch {
	case errors.Is(err, flag.ErrHelp) && c.name == "":
		return p.help(ctx, nil)
	case errors.Is(err, flag.ErrHelp):
		p.printUsage(c, flags)
		return nil
	case err != nil:
		return err
	}
	if problem := misgiven(strings.Fields(c.arguments), flags.Args()); problem != "" {
		return misused("%s: write `%s %s %s`", problem, p.name, c.name, c.arguments)
	}
	return does(ctx, flags.Args())
}

// misgiven says what is wrong with the arguments, or "". One in brackets may be left out, and … ends an open list.
func misgiven(names, given []string) string {
	for i, name := range names {
		switch {
		case i >= len(given) && !strings.HasPrefix(name, "["):
			return strings.TrimSuffix(name, "…") + " is missing"
		case strings.HasSuffix(name, "…"):
			return ""
		}
	}
	if len(given) > len(names) {
		return fmt.Sprintf("unexpected argument %q", given[len(names)])
	}
	return ""
}

// parse sets flags from the arguments, and missing ones from the environment.
func (p *program) parse(flags *flag.FlagSet, arguments []string) error {
	var problem error
	flags.VisitAll(func(f *flag.Flag) {
		if value := os.Getenv(variable(f.Name)); value != "" {
			if err := flags.Set(f.Name, value); err != nil {
				problem = misused("%s is %q: %w", variable(f.Name), value, err)
			}
		}
	})
	if err := flags.Parse(arguments); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return misused("%w; `%s help` lists the flags", err, p.name)
	}
	return problem
}

// variable returns the environment variable of a flag.
func variable(flag string) string {
	return "MODELCATALOGUE_SANDBOX_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func printText(text func() []byte) func(*program, *flag.FlagSet) run {
	return func(p *program, _ *flag.FlagSet) run {
		return func(context.Context, []string) error {
			_, err := p.stdout.Write(text())
			return err
		}
	}
}

func (p *program) printVersion(context.Context, []string) error {
	_, err := fmt.Fprintf(p.stdout, "%s %s\n", p.name, p.version)
	return err
}

// topics has what `help TOPIC` prints. PROGRAM stands for the program's name.
//
//go:embed topics
var topics embed.FS

const topicNames = "catalogue, containers, fault, limits, scripts"

// help prints the usage of the program, or a topic.
func (p *program) help(_ context.Context, arguments []string) error {
	if len(arguments) > 0 {
		text, err := topics.ReadFile("topics/" + arguments[0] + ".txt")
		if err != nil {
			return misused("there is no topic %q; there are %s", arguments[0], topicNames)
		}
		_, err = io.WriteString(p.stdout, strings.ReplaceAll(string(text), "PROGRAM", p.name))
		return err
	}
	fmt.Fprintf(p.stdout, "%s serves the model catalogue from memory, for tests: made-up models, not the service.\n\n"+
		"Usage: %[1]s [FLAGS]                serve until Ctrl-C\n"+
		"       %[1]s exec [FLAGS] -- COMMAND…   run a command with a sandbox of its own\n"+
		"       %[1]s COMMAND [ARGUMENTS]    one of those below; with -h, its help\n"+
		"       %[1]s help TOPIC             %s\n\n"+
		"Flags, each also a variable, such as %s:\n",
		p.name, topicNames, variable("rate-limit"))
	flags := new(settings).flags(flag.NewFlagSet("", flag.ContinueOnError))
	flags.SetOutput(p.stdout)
	flags.PrintDefaults()
	fmt.Fprint(p.stdout, "\nCommands:\n")
	table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	for _, c := range commands() {
		fmt.Fprintf(table, "  %s\t%s\n", strings.TrimSpace(c.name+" "+c.arguments), c.does)
	}
	return table.Flush()
}

// printUsage prints the help of one command.
func (p *program) printUsage(c command, flags *flag.FlagSet) {
	fmt.Fprintf(p.stdout, "Usage: %s\n\nTo %s.\n\n", strings.TrimSpace(p.name+" "+c.name+" [FLAGS] "+c.arguments), c.does)
	if text, err := topics.ReadFile("topics/" + c.name + ".txt"); err == nil {
		fmt.Fprintln(p.stdout, strings.ReplaceAll(string(text), "PROGRAM", p.name))
	}
	flags.SetOutput(p.stdout)
	flags.PrintDefaults()
}
