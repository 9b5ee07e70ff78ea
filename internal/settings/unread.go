package settings

import (
	"maps"
	"slices"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/nearest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// warnOfUnread warns of unread variables similar to the provider's own, sorted by name, with the one likely meant. If a
// name has the prefix only nearly, the rest of it must be like an argument. No value is shown: it may be a secret.
func (r *resolver) warnOfUnread() {
	var unread []string
	for _, name := range slices.Sorted(maps.Keys(r.env)) {
		rest := ownPart(name)
		if rest == "" || r.env[name] == "" {
			continue
		}
		meant := meantBy(rest)
		if name == meant {
			continue
		}
		text := redact.Abridged(name) + " is set, but the provider does not read it."
		if meant != "" {
			text += " Did you mean " + meant + "?"
		}
		if meant != "" || strings.HasPrefix(strings.ToUpper(name), Prefix) {
			unread = append(unread, text)
		}
	}
	if len(unread) > 0 {
		r.add(Warning, explain.SummaryUnreadVariable, explain.JoinFirst(unread, "\n"))
	}
}

var separators = strings.NewReplacer("_", "", "-", "")

// unseparated returns a name in upper case, without separators of words.
func unseparated(name string) string { return strings.ToUpper(separators.Replace(name)) }

// ownPart returns the rest of a variable's name after the provider's prefix in any spelling, unseparated. It is empty
// for other variables, for those of the sandbox and of tests, and for those Kubernetes sets in every pod beside a
// Service of this name.
func ownPart(name string) string {
	rest, found := strings.CutPrefix(unseparated(name), "MODELCATALOG")
	rest = strings.TrimPrefix(rest, "UE")
	isOf := func(others string) bool { return strings.HasPrefix(rest, others) }
	if !found || slices.ContainsFunc([]string{"SANDBOX", "TEST", "SERVICE", "PORT"}, isOf) {
		return ""
	}
	return rest
}

// meantBy returns the variable likely meant by a name without separators: that of the only argument containing it, or
// of the one with the nearest name.
func meantBy(rest string) string {
	rest, ofFile := strings.CutSuffix(rest, "FILE")
	like := slices.DeleteFunc(slices.Clone(Arguments), func(argument string) bool {
		return !strings.Contains(unseparated(argument), rest)
	})
	if len(like) != 1 {
		like = nearest.Names(rest, Arguments, 4)
	}
	switch {
	case len(like) != 1:
		return ""
	case ofFile && FileVariable(like[0]) != "":
		return FileVariable(like[0])
	}
	return Variable(like[0])
}
