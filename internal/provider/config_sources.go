package provider

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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

// missing adds that an argument is absent.
func (r *resolver) missing(argument string, paragraphs ...string) {
	r.problems = append(r.problems, problem{
		argument: argument, missing: true, summary: explain.SummaryMissing(argument),
		detail: explain.Paragraphs(paragraphs...),
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

// present reports whether text is a value of the argument. White space is no credential: a
// variable that nothing filled in often holds it.
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
		return e[set[0]], explain.Origin{Variable: set[0]}, nil
	}
	text, err = readSmallFile(e[set[0]])
	if err == nil && !present(argument, text) {
		err = errors.New("it is empty")
	}
	if err != nil {
		err = unusableFile(argument, set[0], e[set[0]], err)
	}
	return text, explain.Origin{Variable: set[0], File: true}, err
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

// asText returns a value of the provider block as the environment would spell it.
func asText(value attr.Value) string {
	if value.IsNull() {
		return ""
	}
	switch value := value.(type) {
	case types.Number:
		return value.ValueBigFloat().Text('g', -1)
	case types.String:
		return value.ValueString()
	}
	return value.String()
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

// environment is the variables of the process, by name.
type environment map[string]string

// environmentOf reads variables as os.Environ returns them. On Windows the case of a name does
// not matter.
func environmentOf(assignments []string) environment {
	env := make(environment, len(assignments))
	for _, assignment := range assignments {
		name, value, _ := strings.Cut(assignment, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		env[name] = value
	}
	return env
}

// first returns the first of the variables that is set, and its value.
func (e environment) first(names ...string) (name, value string) {
	for _, name := range names {
		if value := e[name]; value != "" {
			return name, value
		}
	}
	return "", ""
}

// has reports whether the environment gives an argument, as a value or as a file.
func (e environment) has(argument string) bool { return len(e.setFor(argument)) > 0 }

// setFor returns the variables that are set for an argument.
func (e environment) setFor(argument string) []string {
	var set []string
	if present(argument, e[variable(argument)]) {
		set = append(set, variable(argument))
	}
	if name := fileVariable(argument); name != "" && e[name] != "" {
		set = append(set, name)
	}
	return set
}

// emptyHint says that a variable of an argument is set and empty, as a failed command leaves it, or returns "".
func (e environment) emptyHint(argument string) string {
	for _, name := range []string{variable(argument), fileVariable(argument)} {
		if value, set := e[name]; set && strings.TrimSpace(value) == "" {
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
	if err == nil && !info.Mode().IsRegular() {
		return "", errors.New("it is not a regular file")
	}
	if err == nil && info.Size() > maxFile {
		return "", fmt.Errorf("it has more than %d bytes", maxFile)
	}
	content, err := os.ReadFile(name) //nolint:gosec // whoever runs the provider names the file
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		return "", fmt.Errorf("it cannot be read: %w", fault.Err)
	}
	if !utf8.Valid(content) {
		return "", errors.New("it is not UTF-8 text, as some Windows programs write it; save it as UTF-8")
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r"), err
}

// unusableFile says what is wrong with the file of an argument.
func unusableFile(argument, from, name string, err error) error {
	if isPath(name) {
		return fmt.Errorf("the file %q, which the environment variable %s names, cannot be used: %w", name, from, err)
	}
	return fmt.Errorf("the environment variable %s names a file that cannot be used: %w.\n\nIts value %s. If it is the "+
		"%s itself, set %s instead", from, err, notAPath(name), argument, variable(argument))
}

// isPath reports whether a file exists, or a folder above it other than the root and the working one.
// Any other name may be the secret itself, given in the wrong variable: a "/" is a digit of base64.
func isPath(name string) bool {
	_, err := os.Stat(name)
	for above := filepath.Dir(name); err != nil && above != filepath.Dir(above); above = filepath.Dir(above) {
		_, err = os.Stat(above)
	}
	return err == nil
}

// notAPath says what the value of a variable is that names no file, in words that show none of it.
func notAPath(value string) string {
	switch {
	case strings.Contains(value, "\n"):
		return "has a line break in it, which no path has"
	case strings.Trim(value, quotes) != value:
		return "has quotes around it that are part of it; leave them out"
	case strings.HasPrefix(value, "~"):
		return "begins with ~, which only a shell replaces; write the path in full"
	case strings.Contains(strings.TrimRight(value, "="), "="): // base64 ends in =
		return "has the form KEY=value; give the path alone"
	case !strings.ContainsAny(value, `/\`):
		return "does not look like a path"
	}
	return "is not shown, because it may be a secret"
}
