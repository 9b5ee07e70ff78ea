package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// resolver resolves a configuration.
type resolver struct {
	Resolved

	block     Block
	env       Environment
	elsewhere bool     // the block names a different address than the environment
	needed    []string // credentials of the environment, for its own address, without others in the block
}

// take reads the value of an argument into its target, and reports whether there is one.
func take[T any](r *resolver, name string, parse func(string) (T, error), target *T) (given bool) {
	text, whose, given := r.find(name)
	if text == "" {
		return given
	}
	value, err := parse(text)
	if err != nil {
		r.addInvalid(name, whose+" cannot be used: "+err.Error())
	}
	*target = value
	return true
}

// find returns the value of an argument in the block, or else in the environment, or else its default, and the subject
// of an error about it. An empty string counts as absent. An unknown value counts as given, so the environment does not
// replace it, and so does an invalid one.
func (r *resolver) find(name string) (text, whose string, given bool) {
	value := r.block[name]
	switch {
	case value.IsUnknown:
		r.Unknown = append(r.Unknown, name)
		return "", "", true
	case isPresent(name, value.Text):
		r.addOrigin(name, value.Text, explain.Origin{Block: true, Over: r.env.variablesFor(name)})
		return value.Text, "The value", true
	case r.withholds(name):
		return "", "", slices.Contains(r.needed, name)
	}
	text, from, err := r.env.lookUp(name)
	if err != nil {
		r.addInvalid(name, err.Error())
		return "", "", true
	}
	if text = cmp.Or(text, Defaults[name]); text != "" {
		r.addOrigin(name, text, from)
	}
	return text, r.inEnvironment(name, text, from), text != ""
}

// addOrigin notes where the value of an argument comes from, and the value unless it may be a secret.
func (r *resolver) addOrigin(name, text string, from explain.Origin) {
	if name == AccessToken && !r.elsewhere {
		for _, other := range []string{ClientID, ClientSecret} {
			from.Over = append(from.Over, r.env.variablesFor(other)...)
		}
	}
	r.Origins[name] = from
	if FileVariable(name) == "" {
		r.Shown[name] = text
	}
}

// inEnvironment returns the subject of an error about a value of the environment.
func (r *resolver) inEnvironment(argument, text string, from explain.Origin) string {
	whose := "value of the environment variable " + from.String()
	switch {
	case from.File:
		whose = "content of " + from.String()
	case argument == BaseURL && isShowable(text):
		whose += fmt.Sprintf(", %q,", redact.Abridged(text))
	}
	if r.block == nil {
		return "The " + whose
	}
	return "The provider block does not set " + argument + ", and the " + whose
}

// withholds reports whether the environment has a credential for a different address, and notes it. The client does
// without an optional one.
func (r *resolver) withholds(argument string) bool {
	if !r.elsewhere || !isCredential(argument) || !r.env.has(argument) {
		return false
	}
	if slices.Contains(ofGateway, argument) {
		r.Withheld = append(r.Withheld, r.env.variablesFor(argument)...)
	} else {
		r.needed = append(r.needed, argument)
	}
	return true
}

// addMissing adds an absent argument, why it is needed ("" if it always is), how to give it, and which value does not
// count.
func (r *resolver) addMissing(name, why string, paragraphs ...string) {
	need := cmp.Or(why, "A "+name+" is required.") + " Set it " + r.placesFor(name) + "."
	paragraphs = append([]string{need, r.unusedValue(name)}, paragraphs...)
	r.add(Absent, explain.SummaryMissing(name), explain.Paragraphs(paragraphs...), name)
}

// placesFor returns where an argument can be given. The environment's credentials are for its own address.
func (r *resolver) placesFor(name string) string {
	var places []string
	if r.block != nil {
		places = []string{"in the provider block"}
	}
	if !r.elsewhere || !isCredential(name) {
		variable := "in the environment variable " + Variable(name)
		if file := FileVariable(name); file != "" {
			variable += ", or name a file that holds it in " + file
		}
		places = append(places, variable)
	}
	return strings.Join(places, " or ")
}

// unusedValue returns a sentence about a value of an absent argument that does not count, or "".
func (r *resolver) unusedValue(name string) string {
	withheld, blank := r.env.variablesFor(name), r.env.blankVariable(name)
	switch {
	case r.elsewhere && len(withheld) > 0:
		return withheld[0] + " is not used, because it belongs to the address in " + Variable(BaseURL) + "."
	case !r.elsewhere && blank != "":
		return blank + " is set, and it is blank."
	case r.block[name].IsSet:
		return "The provider block sets " + name + ", and it is blank."
	}
	return ""
}

// addInvalid adds a mistake in the value of an argument.
func (r *resolver) addInvalid(name, text string) {
	r.add(Invalid, explain.SummaryInvalid(name), explain.Sentence(text), name)
}

func (r *resolver) add(kind Kind, summary, detail string, at ...string) {
	r.Problems = append(r.Problems, Problem{kind, at, summary, detail})
}
