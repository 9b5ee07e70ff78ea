package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/nearest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// environment is the variables of the process, by name.
type environment = setting.Environment

// unreadVariable is one that looks like the provider's own, and that it does not read.
type unreadVariable struct {
	name  string
	meant string // the argument that it may be meant for, "" if none is like it
	right string // the variable that the provider reads for that
}

// String says which variable is not read, and which one may be meant. The value is not shown, because it may be a
// secret.
func (u unreadVariable) String() string {
	text := fmt.Sprintf("%s is set, but the provider does not read it.", redact.Abridged(u.name))
	if u.right != "" {
		text += fmt.Sprintf(" Did you mean %s?", u.right)
	}
	return text
}

// mayBeFor reports whether the variable may be meant for an argument. An access token would stand in for a client id
// and a client secret.
func (u unreadVariable) mayBeFor(argument string) bool {
	isPair := argument == argClientID || argument == argClientSecret
	return u.meant == argument || u.meant == argAccessToken && isPair
}

// unreadVariables returns those that are set and look like the provider's own, but are not, sorted by name. If a name
// has the prefix only nearly, the rest of it must be like an argument.
func unreadVariables(e environment) []unreadVariable {
	var found []unreadVariable
	for _, name := range slices.Sorted(maps.Keys(e)) {
		rest, own := ownPart(name)
		if rest == "" || e[name] == "" || isVariable(name) {
			continue
		}
		u := unreadVariable{name: name}
		if u.meant, u.right = meantBy(rest); own || u.meant != "" {
			found = append(found, u)
		}
	}
	return found
}

// prefixes are how names of the provider's variables begin, and how people misspell that.
var prefixes = []string{setting.Prefix, "MODEL_CATALOGUE_", "MODELCATALOG_", "MODEL_CATALOG_"}

// ownPart returns the rest of a variable's name after the prefix, in upper case, and whether that is the provider's
// own prefix, in any case. The name is empty for other variables, for those of the sandbox and of tests, and for those
// that Kubernetes sets in every pod beside a Service of this name.
func ownPart(name string) (rest string, own bool) {
	upper := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	for _, prefix := range prefixes {
		rest, found := strings.CutPrefix(upper, prefix)
		word, _, _ := strings.Cut(rest, "_")
		ofOthers := slices.Contains([]string{"SANDBOX", "TEST", "SERVICE", "PORT"}, word)
		if found && !ofOthers {
			return rest, prefix == setting.Prefix
		}
	}
	return "", false
}

// isVariable reports whether the provider reads a variable.
func isVariable(name string) bool {
	return slices.ContainsFunc(providerArguments, func(argument string) bool {
		return name == setting.Variable(argument) || name == setting.FileVariable(argument)
	})
}

// otherNames are names for arguments that are not like theirs.
var otherNames = map[string]string{
	"URL":          argBaseURL,
	"HOST":         argBaseURL,
	"ENDPOINT":     argBaseURL,
	"ADDRESS":      argBaseURL,
	"API_URL":      argBaseURL,
	"ID":           argClientID,
	"SECRET":       argClientSecret,
	"PASSWORD":     argClientSecret,
	"TOKEN":        argAccessToken,
	"API_TOKEN":    argAccessToken,
	"BEARER_TOKEN": argAccessToken,
	"CA":           argCACertificate,
	"CA_CERT":      argCACertificate,
	"CLIENT_CERT":  argClientCertificate,
	"KEY":          argClientKey,
	"RETRIES":      argMaxRetries,
	"RATE_LIMIT":   argMaxRequests,
}

// meantBy returns the argument that a name without its prefix may be meant for, and the variable that is read for it.
func meantBy(rest string) (argument, right string) {
	rest, ofFile := strings.CutSuffix(rest, "FILE")
	rest = strings.TrimSuffix(rest, "_")
	argument = otherNames[rest]
	if like := nearest.Names(rest, providerArguments, 4); argument == "" && len(like) == 1 {
		argument = like[0]
	}
	if argument == "" {
		return "", ""
	}
	if right = setting.FileVariable(argument); !ofFile || right == "" {
		right = setting.Variable(argument)
	}
	return argument, right
}
