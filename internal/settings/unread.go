package settings

import (
	"maps"
	"slices"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/nearest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// warnOfUnread warns of variables that look like the provider's own and are not read, sorted by name, and says which
// one may be meant. If a name has the prefix only nearly, the rest of it must be like an argument. No value is shown,
// because it may be a secret.
func (r *resolver) warnOfUnread() {
	var unread []string
	for _, name := range slices.Sorted(maps.Keys(r.env)) {
		rest := ownPart(name)
		meant := meantBy(rest)
		if rest == "" || r.env[name] == "" || name == meant {
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

// unseparated returns a name in upper case and without what may separate its words.
func unseparated(name string) string {
	return strings.ToUpper(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// ownPart returns the rest of a variable's name after the provider's prefix, however that is spelled, unseparated. It
// is empty for other variables, for those of the sandbox and of tests, and for those that Kubernetes sets in every
// pod beside a Service of this name.
func ownPart(name string) string {
	rest, found := strings.CutPrefix(unseparated(name), "MODELCATALOG")
	rest = strings.TrimPrefix(rest, "UE")
	isOf := func(others string) bool { return strings.HasPrefix(rest, others) }
	if !found || slices.ContainsFunc([]string{"SANDBOX", "TEST", "SERVICE", "PORT"}, isOf) {
		return ""
	}
	return rest
}

// meantBy returns the variable that a name without separators may be meant for: that of the only argument of whose
// name it is a part, or of the one whose name is most like it.
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
