package provider

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// resolver collects what is found on the way from a configuration to settings.
type resolver struct {
	settings
	env      environment
	problems []problem
}

func required[T any](r *resolver, argument string, value attr.Value, parse func(string) (T, error)) T {
	result, given := resolve(r, argument, value, parse)
	if !given {
		r.missing(argument, fmt.Sprintf("The provider needs %s. Set it in the provider block or in the environment "+
			"variable %s.", argument, variable(argument)), r.env.emptyHint(argument))
	}
	return result
}

// missing adds that an argument is absent, and which variable may have been meant for it.
func (r *resolver) missing(argument string, paragraphs ...string) {
	r.problems = append(r.problems, problem{
		argument: argument, missing: true, summary: explain.SummaryMissing(argument),
		detail: explain.Paragraphs(append(paragraphs, unreadHint(r.unread))...),
	})
}

// invalid adds what is wrong with the value of an argument.
func (r *resolver) invalid(argument, text string) {
	r.problems = append(r.problems, problem{
		argument: argument, summary: explain.SummaryInvalid(argument), detail: explain.Sentence(text),
	})
}

func optional[T any](r *resolver, argument string, value attr.Value, standard T, parse func(string) (T, error)) T {
	if result, given := resolve(r, argument, value, parse); given {
		return result
	}
	return standard
}

// resolve finds the value of an argument in the provider block, or else in the
// environment. An empty string counts as absent in both places. A value that is not
// known yet counts as given, so that the environment does not replace it.
func resolve[T any](
	r *resolver, argument string, value attr.Value, parse func(string) (T, error),
) (result T, given bool) {
	if value.IsUnknown() {
		r.unknown = append(r.unknown, argument)
		return result, true
	}
	text, whose := asText(value), "The value"
	from := explain.Origin{Block: true, Over: r.env.setFor(argument)}
	if !present(argument, text) {
		var err error
		if text, from, err = r.env.lookUp(argument); err != nil {
			r.invalid(argument, err.Error())
			return result, true
		}
		whose = inEnvironment(argument, text, from)
	}
	if !present(argument, text) {
		return result, false
	}
	r.origins[argument] = from
	result, err := parse(text)
	if err != nil {
		r.invalid(argument, whose+" cannot be used: "+err.Error())
	}
	return result, true
}

// present reports whether text is a value of the argument. One of nothing but white
// space is none for a credential: it is what a variable that nothing filled in leaves.
func present(argument, text string) bool {
	switch argument {
	case argClientID, argClientSecret, argAccessToken:
		return strings.TrimSpace(text) != ""
	}
	return text != ""
}

// lookUp finds the value of an argument in its variable, or in the file that its
// other variable names.
func (e environment) lookUp(argument string) (text string, from explain.Origin, err error) {
	set := e.setFor(argument)
	switch {
	case len(set) == 0:
		return "", explain.Origin{}, nil
	case len(set) > 1:
		return "", explain.Origin{}, fmt.Errorf("the environment variables %s are both set, and only one of them can be "+
			"meant; unset the other one", explain.Enumerated(set))
	case set[0] == variable(argument):
		return e.get(set[0]), explain.Origin{Variable: set[0]}, nil
	}
	text, err = readSmallFile(e.get(set[0]))
	if err == nil && !present(argument, text) {
		err = errors.New("it is empty")
	}
	if err != nil {
		return "", explain.Origin{}, errors.New(fileProblem(argument, e.get(set[0]), err))
	}
	return text, explain.Origin{Variable: set[0], File: true}, nil
}

// inEnvironment begins the sentence about a value of the environment.
func inEnvironment(argument, text string, from explain.Origin) string {
	whose := fmt.Sprintf("The provider block does not set %s, and the ", argument)
	switch {
	case from.File:
		return whose + "content of " + from.String()
	case argument == argBaseURL && showable(text):
		return whose + fmt.Sprintf("value of the environment variable %s, %q,", from, explain.Abridged(text))
	}
	return whose + "value of the environment variable " + from.String()
}

// asText is a value of the provider block as the environment would spell it.
func asText(value attr.Value) string {
	switch value := value.(type) {
	case types.Number:
		if !value.IsNull() {
			return value.ValueBigFloat().Text('g', -1)
		}
	case types.Bool:
		if !value.IsNull() {
			return strconv.FormatBool(value.ValueBool())
		}
	case types.String:
		return value.ValueString()
	}
	return ""
}

const (
	envPrefix  = "MODELCATALOGUE_"
	fileSuffix = "_FILE"
)

// variable names the environment variable that stands in for an argument.
func variable(argument string) string { return envPrefix + strings.ToUpper(argument) }

// fileVariable names the environment variable that names a file with the value
// of an argument. It is "" for an argument that has none.
func fileVariable(argument string) string {
	switch argument {
	case argClientID, argClientSecret, argAccessToken, argCACertificate:
		return variable(argument) + fileSuffix
	}
	return ""
}

// environment is what surrounds the provider block: the variables of the process.
// The zero environment has none.
type environment struct{ variables map[string]string }

func processEnvironment() environment { return environmentOf(os.Environ()) }

// environmentOf takes variables as os.Environ returns them. Windows does not tell
// capitals from small letters in their names.
func environmentOf(assignments []string) environment {
	env := environment{variables: make(map[string]string, len(assignments))}
	for _, assignment := range assignments {
		name, value, _ := strings.Cut(assignment, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		env.variables[name] = value
	}
	return env
}

// get is the value of a variable, "" if it is not set.
func (e environment) get(name string) string { return e.variables[name] }

// first is the first of the variables that is set, and its value.
func (e environment) first(names ...string) (name, value string) {
	for _, name := range names {
		if value := e.get(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// has reports whether the environment gives an argument, as a value or as a file.
func (e environment) has(argument string) bool { return len(e.setFor(argument)) > 0 }

// setFor are the variables that are set for an argument.
func (e environment) setFor(argument string) []string {
	var set []string
	if present(argument, e.get(variable(argument))) {
		set = append(set, variable(argument))
	}
	if name := fileVariable(argument); name != "" && e.get(name) != "" {
		set = append(set, name)
	}
	return set
}

// unread are the variables that begin as the provider's own do, in any case, and
// that it does not read. Those of the tests and of the sandbox are left out.
func (e environment) unread() []string {
	known := map[string]bool{}
	for _, argument := range providerArguments {
		known[variable(argument)], known[fileVariable(argument)] = true, true
	}
	var names []string
	for name, value := range e.variables {
		upper := strings.ToUpper(name)
		if value != "" && strings.HasPrefix(upper, envPrefix) && !known[name] &&
			!strings.HasPrefix(upper, envPrefix+"TEST_") && !strings.HasPrefix(upper, envPrefix+"SANDBOX_") {
			names = append(names, explain.Abridged(name))
		}
	}
	slices.Sort(names)
	return names
}

// unreadHint says which variables may be misspelt, or returns "".
func unreadHint(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "Set, and not read by the provider: " + strings.Join(explain.First(5, names), ", ") + "."
}

// emptyHint says that a variable of an argument is set and empty, as a command leaves it that failed, or returns "".
func (e environment) emptyHint(argument string) string {
	for _, name := range []string{variable(argument), fileVariable(argument)} {
		if value, set := e.variables[name]; set && strings.TrimSpace(value) == "" {
			return name + " is set, and it is empty."
		}
	}
	return ""
}

// maxFile bounds a file that a variable names, in bytes: several times a whole
// bundle of certificates.
const maxFile = 1 << 20

// readSmallFile reads a file that a variable names, without the line break at its
// end. An error says what is wrong with the file, and shows nothing of its name.
func readSmallFile(name string) (string, error) {
	// Opening a pipe that nobody writes to would wait for ever, so look first.
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(name):
		return "", errors.New("it does not exist; a relative path starts in the folder where the engine runs")
	case err != nil:
		return "", unreadable(err)
	case info.IsDir():
		return "", errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return "", errors.New("it is not a regular file")
	case info.Size() > maxFile:
		return "", fmt.Errorf("it has more than %d bytes", maxFile)
	}
	content, err := os.ReadFile(name) //nolint:gosec // whoever runs the provider names the file
	switch {
	case err != nil:
		return "", unreadable(err)
	case !utf8.Valid(content):
		return "", errors.New("it is not UTF-8 text, as some Windows programs write it; save it as UTF-8")
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r"), nil
}

// unreadable says why a file could not be read, without the name that errors of
// the system have in them.
func unreadable(err error) error {
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		err = fault.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("it does not exist")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("the user who runs the engine may not read it")
	}
	return fmt.Errorf("it cannot be read: %w", err)
}

// fileProblem says what is wrong with the file of an argument. The value is shown only if it is a
// path on this machine: it may be the secret itself, given in the wrong variable.
func fileProblem(argument, value string, err error) string {
	name := fileVariable(argument)
	key, assigned, isAssignment := strings.Cut(value, "=")
	var wrong string
	switch {
	case isPath(value):
		return fmt.Sprintf("the file %q, which the environment variable %s names, cannot be used: %s", value, name, err)
	case strings.ContainsAny(value, "\r\n"):
		wrong = fmt.Sprintf("has several lines, as the content of a file has; name the file, or set %s", variable(argument))
	case strings.HasPrefix(value, "~"):
		wrong = "begins with ~, which only a shell replaces; write the whole path"
	case strings.Trim(value, quotes) != value:
		wrong = "has quotes around it that are part of the value; leave them out"
	case isAssignment && key != "" && strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "" && strings.Trim(assigned, "=") != "":
		wrong = "has the form KEY=VALUE; give the path only"
	case strings.ContainsAny(value, `/\`):
		return fmt.Sprintf("the file that the environment variable %s names cannot be used: %s", name, err)
	default:
		wrong = fmt.Sprintf("does not look like a path; if it is the %s itself, set %s instead", argument, variable(argument))
	}
	return fmt.Sprintf("the value of the environment variable %s %s", name, wrong)
}

// isPath reports whether a text names something on this machine, or below a folder of it.
func isPath(text string) bool {
	if _, err := os.Stat(text); err == nil {
		return true
	}
	if text == "" {
		return false
	}
	end := strings.IndexAny(text[1:], `/\`)
	if end < 0 {
		return false
	}
	_, err := os.Stat(text[:end+1])
	return err == nil
}
