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
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/settings"
)

// Main runs the program with the arguments of this process and returns its exit status: 0, 1 for a failure, 2 for a
// mistake in the arguments, or the status of the command of `exec`.
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
	return p.exit(p.run(context.Background(), os.Args[1:]))
}

// program is the part of this process that commands use.
type program struct {
	name           string // of the executable file
	version        string
	stdout, stderr io.Writer
	variables      map[string]string // by the flag that each has set
}

// givenBy returns the argument or the variable that has set a flag.
func (p *program) givenBy(flagName string) string { return cmp.Or(p.variables[flagName], "-"+flagName) }

// say prints a line for people.
func (p *program) say(format string, arguments ...any) {
	fmt.Fprintf(p.stderr, p.name+": "+format+"\n", arguments...)
}

// statusError is an error with an exit status. If err is nil, the program prints nothing.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return fmt.Sprint(e.err) }

// misused returns an error for a mistake in the arguments.
func misused(format string, arguments ...any) error {
	return &statusError{2, fmt.Errorf(format, arguments...)}
}

// exit prints an error and returns the exit status. The error may be nil.
func (p *program) exit(err error) int {
	if err == nil {
		return 0
	}
	status, ok := errors.AsType[*statusError](err)
	if !ok {
		status = &statusError{1, err}
	}
	if status.err != nil {
		p.say("%v", status.err)
	}
	return status.status
}

// command defines the flags of a command, and returns a function to run once they are parsed.
type command func(flags *flag.FlagSet) run

type run func(ctx context.Context, arguments []string) error

// commands returns the commands by their names.
func (p *program) commands() map[string]command {
	version := func() []byte { return []byte(p.name + " " + p.version + "\n") }
	return map[string]command{
		"exec":      p.exec,
		"record":    p.record,
		"ready":     p.ready,
		"openapi":   p.prints(contract.OpenAPI),
		"catalogue": p.prints(sandbox.DefaultFile),
		"schema":    p.prints(sandbox.CatalogueSchema),
		"help":      p.help,
		"version":   p.prints(version),
	}
}

// help is the only description of the program's flags, control routes and faults.
//
//go:embed help.txt
var help string

// help prints the paragraphs with the words of its arguments.
func (p *program) help(*flag.FlagSet) run {
	return func(_ context.Context, arguments []string) error {
		about := strings.Join(arguments, " ")
		var found []string
		for text := range strings.SplitAfterSeq(help, "\n\n") {
			if strings.Contains(text, about) {
				found = append(found, text)
			}
		}
		if len(found) == 0 {
			return p.unknown(about)
		}
		_, err := io.WriteString(p.stdout, strings.Join(found, ""))
		return err
	}
}

// prints returns a command that prints a text.
func (p *program) prints(text func() []byte) command {
	return func(*flag.FlagSet) run {
		return func(context.Context, []string) error {
			_, err := p.stdout.Write(text())
			return err
		}
	}
}

// commandOf returns the command at the beginning of the arguments, its name, and the other arguments.
func (p *program) commandOf(arguments []string) (setup command, name string, rest []string) {
	if len(arguments) == 0 {
		return p.serve, "", nil
	}
	name = strings.TrimLeft(arguments[0], "-")
	if name != arguments[0] && name != "version" { // --version is a habit
		return p.serve, "", arguments
	}
	return p.commands()[name], name, arguments[1:]
}

// run runs the command of the arguments. Without a command it serves until a signal ends it.
func (p *program) run(ctx context.Context, arguments []string) error {
	setup, name, arguments := p.commandOf(arguments)
	if setup == nil {
		return p.unknown(name)
	}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	does := setup(flags)
	if name == "help" {
		arguments = append([]string{"--"}, arguments...) // it may be about a flag
	}
	err := flags.Parse(arguments)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return p.run(ctx, []string{"help", name})
	case err != nil:
		return misused("%w (flags of %s: %s)", err, cmp.Or(name, "the sandbox"), flagsOf(flags))
	case flags.NArg() > 0 && name != "exec" && name != "help":
		return misused("unexpected argument %q: a command comes first and its flags behind it, and only exec and help "+
			"take arguments", flags.Arg(0))
	}
	if err := p.parseVariables(flags); err != nil {
		return &statusError{2, err}
	}
	return does(ctx, flags.Args())
}

// flagsOf returns a list of flags as text.
func flagsOf(flags *flag.FlagSet) string {
	var names []string
	flags.VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
	return cmp.Or(strings.Join(names, ", "), "none")
}

// unknown returns the error for an unknown command.
func (p *program) unknown(name string) error {
	known := strings.Join(slices.Sorted(maps.Keys(p.commands())), ", ")
	return misused("unknown command %q: the sandbox serves without a command, with flags such as -catalogue=FILE; the "+
		"commands are %s",
		name, known)
}

// prefix is the beginning of the variables of flags.
const prefix = "MODELCATALOGUE_SANDBOX_"

// parseVariables sets flags from their variables, unless an argument has set them. It warns of variables of no
// command's flag, such as those with a misspelt prefix.
func (p *program) parseVariables(flags *flag.FlagSet) error {
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	all := flag.NewFlagSet("", flag.ContinueOnError)
	p.exec(all)
	p.record(all)
	isOurs := regexp.MustCompile(`(?i)^MODEL_?CATALOG(UE)?_?SANDBOX`)
	p.variables = map[string]string{}
	var problems []error
	env := settings.EnvironmentOf(os.Environ())
	for _, variable := range slices.Sorted(maps.Keys(env)) {
		name := strings.TrimPrefix(variable, prefix)
		name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
		switch {
		case !isOurs.MatchString(variable) || env[variable] == "" || given[name]:
		case all.Lookup(name) == nil:
			p.say("%s is set, but no flag reads it: the variables are %s", variable, variablesOf(all))
		case flags.Lookup(name) != nil:
			p.variables[name] = variable
			if err := flags.Set(name, env[variable]); err != nil {
				problems = append(problems, fmt.Errorf("%s is %q: %w", variable, env[variable], err))
			}
		}
	}
	return errors.Join(problems...)
}

// variablesOf returns a list of the flags' variables as text, with the prefix of the first.
func variablesOf(flags *flag.FlagSet) string {
	var names []string
	flags.VisitAll(func(f *flag.Flag) {
		names = append(names, strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")))
	})
	return prefix + strings.Join(names, ", _")
}
