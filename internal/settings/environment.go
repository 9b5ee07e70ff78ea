package settings

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// Environment is the variables of the process, by name.
type Environment map[string]string

// EnvironmentOf reads variables as os.Environ returns them. On Windows the case of a name does not matter.
func EnvironmentOf(assignments []string) Environment {
	env := make(Environment, len(assignments))
	for _, assignment := range assignments {
		name, value, _ := strings.Cut(assignment, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		env[name] = value
	}
	return env
}

// first returns the first of the variables with a value, and the value.
func (e Environment) first(names ...string) (name, value string) {
	for _, name := range names {
		if value := e[name]; value != "" {
			return name, value
		}
	}
	return "", ""
}

// has reports whether the environment gives an argument, as a value or as a file.
func (e Environment) has(argument string) bool { return len(e.variablesFor(argument)) > 0 }

// variablesFor returns the variables with a value for an argument.
func (e Environment) variablesFor(argument string) []string {
	var set []string
	if isPresent(argument, e[Variable(argument)]) {
		set = append(set, Variable(argument))
	}
	if name := FileVariable(argument); name != "" && !isBlank(e[name]) {
		set = append(set, name)
	}
	return set
}

// blankVariable returns a blank variable of an argument, as a failed command leaves it, or "".
func (e Environment) blankVariable(argument string) string {
	for _, name := range []string{Variable(argument), FileVariable(argument)} {
		if value, set := e[name]; set && isBlank(value) {
			return name
		}
	}
	return ""
}

// isBlank reports whether a text has nothing but white space.
func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// isPresent reports whether text is a value of the argument. A blank credential counts as absent: unset variables of
// CI often look like that.
func isPresent(argument, text string) bool {
	return text != "" && (!isCredential(argument) || !isBlank(text))
}

// lookUp returns the value of an argument and its origin, a variable or the file a variable names. It returns "" if
// none is set.
func (e Environment) lookUp(argument string) (text string, from explain.Origin, err error) {
	set := e.variablesFor(argument)
	switch {
	case len(set) == 0:
		return "", from, nil
	case len(set) > 1:
		return "", from, fmt.Errorf("the environment variables %s are both set; unset one of them",
			strings.Join(set, " and "))
	}
	from = explain.Origin{Variable: set[0], File: set[0] != Variable(argument)}
	text = e[from.Variable]
	if !from.File {
		return text, from, nil
	}
	content, err := readSmallFile(text)
	if err == nil && isBlank(content) {
		err = errors.New("it is blank")
	}
	if err != nil {
		err = unusableFile(argument, from.Variable, text, err)
	}
	return content, from, err
}
