package provider

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

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

// get is the value of a variable, "" where it is not set.
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

// has tells whether the environment gives an argument, as a value or as a file.
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
			names = append(names, abridged(name))
		}
	}
	slices.Sort(names)
	return names
}

// maxUnread bounds the variables that one message names.
const maxUnread = 5

// unreadHint says which variables may be misspelt, or "".
func unreadHint(names []string) string {
	switch more := len(names) - maxUnread; {
	case len(names) == 0:
		return ""
	case len(names) == 1:
		return names[0] + " is set, and the provider reads no such variable."
	case more > 0:
		names = append(slices.Clone(names[:maxUnread]), fmt.Sprintf("%d more", more))
	}
	return enumerated(names) + " are set, and the provider reads no such variables."
}
