// Package command is the program of cmd/modelcatalogue-sandbox.
package command

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/nearest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// Main runs the program with the arguments of this process, and returns its exit status: 0, 1 for a failure, 2 for a
// mistake in the arguments, 128 and the number of a signal that interrupted `record`, or the status of the command of
// `exec`.
func Main(version string) int {
	if info, ok := debug.ReadBuildInfo(); ok && version == "" {
		version = cmp.Or(strings.TrimPrefix(info.Main.Version, "v"), "(devel)")
	}
	p := &program{
		name:    strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"),
		version: version,
		stdout:  os.Stdout,
		stderr:  os.Stderr,
	}
	ctx := context.Background()
	if len(os.Args) < 2 || os.Args[1] != "exec" { // exec passes signals on
		ctx = untilSignal()
	}
	return p.exit(p.run(ctx, os.Args[1:]))
}

// interruptedError is the signal that has ended a command.
type interruptedError syscall.Signal

func (interruptedError) Error() string { return "interrupted" }

// untilSignal returns a context that ends with the first signal. A second one ends the process, whatever it waits for.
func untilSignal() context.Context {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signal.Notify(signals, syscall.SIGHUP)
	}
	ctx, end := context.WithCancelCause(context.Background())
	go func() {
		sent := <-signals
		signal.Stop(signals)
		if number, ok := sent.(syscall.Signal); ok {
			end(interruptedError(number))
		}
	}()
	return ctx
}

// program is what commands see of this process.
type program struct {
	name           string // of the executable file
	version        string
	stdout, stderr io.Writer
	variables      map[string]string // those that have set flags, by the flag
}

// givenBy names what has set a flag.
func (p *program) givenBy(flagName string) string { return cmp.Or(p.variables[flagName], "-"+flagName) }

// say prints a line for people.
func (p *program) say(format string, arguments ...any) {
	fmt.Fprintf(p.stderr, p.name+": "+format+"\n", arguments...)
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
	status, ok := errors.AsType[*statusError](err)
	if !ok {
		status = &statusError{1, err}
	}
	if by, ok := errors.AsType[interruptedError](err); ok {
		status.status = 128 + int(by) // as in shells
	}
	if status.err != nil {
		p.say("%v", status.err)
	}
	return status.status
}

// command is a command of the program. Its setup defines flags, and returns what runs after they are parsed.
type command func(p *program, flags *flag.FlagSet) run

type run func(ctx context.Context, arguments []string) error

// commands returns the commands by their names.
func commands() map[string]command {
	return map[string]command{
		"exec":      (*program).exec,
		"record":    (*program).record,
		"ready":     (*program).ready,
		"openapi":   prints(contract.OpenAPI),
		"catalogue": prints(sandbox.DefaultFile),
		"schema":    prints(sandbox.CatalogueSchema),
		"help":      (*program).help,
		"version": func(p *program, flags *flag.FlagSet) run {
			return prints(func() []byte { return []byte(p.name + " " + p.version + "\n") })(p, flags)
		},
	}
}

// help is all that the program says about its flags, control routes and faults.
//
//go:embed help.txt
var help string

// help prints what has the word that is its argument, or all of it.
func (p *program) help(*flag.FlagSet) run {
	return func(_ context.Context, arguments []string) error {
		about := strings.Join(arguments, " ")
		paragraphs := slices.DeleteFunc(strings.SplitAfter(help, "\n\n"), func(text string) bool {
			return !strings.Contains(text, about)
		})
		_, err := fmt.Fprint(p.stdout, cmp.Or(strings.Join(paragraphs, ""), help))
		return err
	}
}

// prints returns the command that prints a text.
func prints(text func() []byte) command {
	return func(p *program, _ *flag.FlagSet) run {
		return func(context.Context, []string) error {
			_, err := p.stdout.Write(text())
			return err
		}
	}
}

// run runs the command of the arguments. Without one it serves until ctx ends.
func (p *program) run(ctx context.Context, arguments []string) error {
	name, rest := commandOf(arguments)
	setup := command((*program).serve)
	if len(rest) < len(arguments) {
		if setup = commands()[name]; setup == nil {
			return unknown(name)
		}
	}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	does := setup(p, flags)
	err := p.parse(flags, rest)
	if errors.Is(err, flag.ErrHelp) {
		return p.run(ctx, []string{"help"})
	}
	if err == nil && name != "exec" && name != "help" && flags.NArg() > 0 {
		err = unexpected(name, flags.Arg(0))
	}
	if err != nil {
		return err
	}
	return does(ctx, flags.Args())
}

// unexpected returns the error of an argument behind the flags of a command, which is empty for serving.
func unexpected(name, argument string) error {
	if name == "" && commands()[argument] != nil {
		return misused("write %s before its flags", argument)
	}
	return misused("unexpected argument %q: flags come first, and only exec and help take arguments", argument)
}

// commandOf returns the command at the beginning of the arguments, if there is one, and the rest.
func commandOf(arguments []string) (name string, rest []string) {
	switch {
	case len(arguments) == 0:
		return "", arguments
	case arguments[0] == "-version" || arguments[0] == "--version":
		return "version", arguments[1:]
	case strings.HasPrefix(arguments[0], "-"):
		return "", arguments
	}
	return arguments[0], arguments[1:]
}

// unknown returns the error of a command that does not exist.
func unknown(name string) error {
	switch {
	case filepath.Ext(name) == ".json":
		return misused("unknown command %q: a catalogue file is given as -catalogue=%[1]s", name)
	case slices.Contains([]string{"serve", "start", "run"}, name):
		return misused("unknown command %q: the sandbox serves without a command", name)
	}
	return misused("unknown command %q: %s", name, hint("", name, slices.Collect(maps.Keys(commands()))))
}

// hint ends the sentence about a mistaken name. Known names stand behind a prefix.
func hint(before, mistaken string, known []string) string {
	// A port is a part of -listen, and is spelled like -host.
	meant := strings.NewReplacer("port", "listen", "PORT", "LISTEN").Replace(mistaken)
	if meant := nearest.Names(meant, known, 4); len(meant) > 0 {
		return "did you mean " + before + meant[0] + "?"
	}
	return "`help` lists all that there are"
}

// prefix begins the variables of flags.
const prefix = "MODELCATALOGUE_SANDBOX_"

// parse sets flags from the arguments, and missing ones from the environment.
func (p *program) parse(flags *flag.FlagSet, arguments []string) error {
	var names, variables []string
	flags.VisitAll(func(f *flag.Flag) {
		names = append(names, f.Name)
		variables = append(variables, variableOf(f))
	})
	if slices.Contains(names, "listen") {
		p.tellUnread(variables)
	}
	err := flags.Parse(arguments)
	// Package flag does not have types for its errors.
	if name, ok := strings.CutPrefix(fmt.Sprint(err), "flag provided but not defined: -"); ok {
		return misused("unknown flag -%s: %s", name, hint("-", name, names))
	}
	if err != nil {
		return &statusError{2, err}
	}
	return p.parseVariables(flags)
}

// variableOf names the variable of a flag, without the prefix.
func variableOf(f *flag.Flag) string { return strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")) }

// parseVariables sets the flags that no argument sets.
func (p *program) parseVariables(flags *flag.FlagSet) (problem error) {
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	p.variables = map[string]string{}
	flags.VisitAll(func(f *flag.Flag) {
		variable := prefix + variableOf(f)
		value := os.Getenv(variable)
		if given[f.Name] || value == "" {
			return
		}
		p.variables[f.Name] = variable
		if err := flags.Set(f.Name, value); err != nil {
			problem = misused("%s is %q: %w", variable, value, err)
		}
	})
	return problem
}

// tellUnread tells of variables that look like those of flags.
func (p *program) tellUnread(variables []string) {
	known := slices.Concat(variables, []string{"STRICT", "URL"}) // of record
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		variable, ours := strings.CutPrefix(name, prefix)
		if ours && !slices.Contains(known, variable) {
			p.say("%s is set, and no flag has that variable: %s", name, hint(prefix, variable, variables))
		}
	}
}
