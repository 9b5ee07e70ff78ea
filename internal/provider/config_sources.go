package provider

import (
	"cmp"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// resolver turns a configuration into settings, and collects the problems that it finds.
type resolver struct {
	settings
	block     configuration
	env       environment
	problems  diag.Diagnostics
	elsewhere bool     // the provider block names a different address than the environment
	withheld  []string // credentials that the environment has for its own address
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

// find returns the value of an argument in the provider block, or else in the environment, or else its default, and
// the subject of an error about it. An empty string counts as absent. A value that is not known yet counts as given,
// so that the environment does not replace it, and so does one that cannot be used.
func (r *resolver) find(name string) (text, whose string, given bool) {
	value, from := r.block[name], explain.Origin{Block: true, Over: r.env.VariablesFor(name)}
	if value.IsUnknown() {
		r.unknown = append(r.unknown, name)
		return "", "", true
	}
	text, whose = asText(value), "The value"
	if !setting.Present(name, text) {
		if r.withholds(name) {
			return "", "", true
		}
		var variable string
		var err error
		if text, variable, err = r.env.LookUp(name); err != nil {
			r.addInvalid(name, err.Error())
			return "", "", true
		}
		from = explain.Origin{Variable: variable, File: variable == setting.FileVariable(name)}
		whose = inEnvironment(name, text, from)
	}
	if text == "" {
		text, from = defaults[name], explain.Origin{}
	}
	if text != "" {
		r.addOrigin(name, text, from)
	}
	return text, whose, text != ""
}

// addOrigin notes where the value of an argument comes from, and the value unless it may be a secret.
func (r *resolver) addOrigin(name, text string, from explain.Origin) {
	if name == argAccessToken && !r.elsewhere {
		for _, other := range []string{argClientID, argClientSecret} {
			from.Over = append(from.Over, r.env.VariablesFor(other)...)
		}
	}
	r.origins[name] = from
	if setting.FileVariable(name) == "" {
		r.shown[name] = text
	}
}

// inEnvironment returns the subject of an error about a value of the environment.
func inEnvironment(argument, text string, from explain.Origin) string {
	whose := "value of the environment variable " + from.String()
	switch {
	case from.File:
		whose = "content of " + from.String()
	case argument == argBaseURL && setting.Showable(text):
		whose += fmt.Sprintf(", %q,", redact.Abridged(text))
	}
	return "The provider block does not set " + argument + ", and the " + whose
}

// howToGive says where an argument can be given. The environment's credentials are for its own address.
func (r *resolver) howToGive(name string) string {
	text := "Set it in the provider block"
	if !r.elsewhere || !setting.IsCredential(name) {
		text += " or in the environment variable " + setting.Variable(name)
		if file := setting.FileVariable(name); file != "" {
			text += ", or name a file that holds it in " + file
		}
	}
	return text + "."
}

// emptyVariable says that a variable of an argument is set and empty, or returns "". The environment's credentials do
// not apply to a different address.
func (r *resolver) emptyVariable(name string) string {
	if r.elsewhere {
		return ""
	}
	return r.env.EmptyHint(name)
}

// addMissing adds that an argument is absent, and why it is needed, "" if it always is. It says how to give it, and
// which empty or blank value stands in its place.
func (r *resolver) addMissing(name, why string, paragraphs ...string) {
	empty := r.emptyVariable(name)
	if value := r.block[name]; empty == "" && !value.IsNull() {
		empty = "The provider block sets " + name + ", and it is blank."
	}
	need := cmp.Or(why, "The provider needs "+name+".")
	need += " " + r.howToGive(name)
	paragraphs = append([]string{need, empty}, paragraphs...)
	detail := explain.Paragraphs(paragraphs...)
	r.missing.AddAttributeError(path.Root(name), explain.SummaryMissing(name), detail)
}

// addInvalid adds what is wrong with the value of an argument.
func (r *resolver) addInvalid(name, text string) {
	r.problems.AddAttributeError(path.Root(name), explain.SummaryInvalid(name), explain.Sentence(text))
}

// asText returns a value of the provider block as the environment would spell it.
func asText(value attr.Value) string {
	if value.IsNull() {
		return ""
	}
	switch value := value.(type) {
	case types.Number:
		return value.ValueBigFloat().Text('f', -1)
	case types.String:
		return value.ValueString()
	case types.Map: // only one without elements is given here
		return ""
	}
	return value.String()
}
