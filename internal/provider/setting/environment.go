package setting

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// Arguments of the provider that `record` has as well, and that this package knows by name.
const (
	BaseURL           = "base_url"
	ClientID          = "client_id"
	ClientSecret      = "client_secret"
	AccessToken       = "access_token"
	Headers           = "headers"
	ClientCertificate = "client_certificate_pem"
	ClientKey         = "client_key_pem"
	CACertificate     = "ca_certificate_pem"
)

// credentials are arguments that prove to the service, or to a gateway in front of it, whose request it is.
var credentials = []string{ClientID, ClientSecret, AccessToken, Headers, ClientCertificate, ClientKey}

// IsCredential reports whether an argument is meant for one address only.
func IsCredential(argument string) bool { return slices.Contains(credentials, argument) }

// Prefix begins the names of variables, and fileSuffix ends those that name a file.
const (
	Prefix     = "MODELCATALOGUE_"
	fileSuffix = "_FILE"
)

// Variable names the environment variable that stands in for an argument.
func Variable(argument string) string { return Prefix + strings.ToUpper(argument) }

// FileVariable names the environment variable that names a file with the value of an argument. It is empty for an
// argument without one.
func FileVariable(argument string) string {
	if argument == CACertificate || IsCredential(argument) {
		return Variable(argument) + fileSuffix
	}
	return ""
}

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

// first returns the first of the variables that is set, and its value.
func (e Environment) first(names ...string) (name, value string) {
	for _, name := range names {
		if value := e[name]; value != "" {
			return name, value
		}
	}
	return "", ""
}

// Has reports whether the environment gives an argument, as a value or as a file.
func (e Environment) Has(argument string) bool { return len(e.VariablesFor(argument)) > 0 }

// VariablesFor returns the variables that are set for an argument.
func (e Environment) VariablesFor(argument string) []string {
	var set []string
	if Present(argument, e[Variable(argument)]) {
		set = append(set, Variable(argument))
	}
	if name := FileVariable(argument); name != "" && !IsBlank(e[name]) {
		set = append(set, name)
	}
	return set
}

// EmptyHint says that a variable of an argument is set and blank, as a failed command leaves it, or returns "".
func (e Environment) EmptyHint(argument string) string {
	for _, name := range []string{Variable(argument), FileVariable(argument)} {
		if value, set := e[name]; set && IsBlank(value) {
			return name + " is set, and it is blank."
		}
	}
	return ""
}

// Present reports whether text is a value of the argument. A blank credential counts as absent: unset variables of CI
// often look like that.
func Present(argument, text string) bool {
	return text != "" && (!IsCredential(argument) || !IsBlank(text))
}

// LookUp finds the value of an argument in its variable, or in the file that its other variable names, and says which
// variable that is. It returns "" if none is set.
func (e Environment) LookUp(argument string) (text, variable string, err error) {
	set := e.VariablesFor(argument)
	switch {
	case len(set) == 0:
		return "", "", nil
	case len(set) > 1:
		return "", "", fmt.Errorf("the environment variables %s are both set; unset one of them",
			strings.Join(set, " and "))
	}
	variable = set[0]
	if variable == Variable(argument) {
		return e[variable], variable, nil
	}
	text, err = readSmallFile(e[variable])
	if err == nil && IsBlank(text) {
		err = errors.New("it is blank")
	}
	if err != nil {
		err = unusableFile(argument, variable, e[variable], err)
	}
	return text, variable, err
}
