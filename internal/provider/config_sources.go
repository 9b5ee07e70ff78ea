package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// resolver turns a configuration into settings, and collects the problems that it finds.
type resolver struct {
	settings
	env      environment
	problems []configProblem
	// The credentials that the environment has for its own address, if the provider block names a different one.
	elsewhere  bool
	ownAddress string // if it may be shown
	withheld   []string
}

// blockArgument is an argument of the provider block as it is resolved.
type blockArgument[T any] struct {
	name  string
	value attr.Value
	parse func(string) (T, error)
}

// argument returns one.
func argument[T any](name string, value attr.Value, parse func(string) (T, error)) blockArgument[T] {
	return blockArgument[T]{name, value, parse}
}

// required returns the value of an argument without a default.
func (a blockArgument[T]) required(r *resolver) T {
	result, given := a.resolve(r)
	if !given {
		r.addMissing(a.name, a.need(), a.inItsPlace(r.env))
	}
	return result
}

// or returns the value of an argument, or its default.
func (a blockArgument[T]) or(r *resolver, standard T) T {
	if result, given := a.resolve(r); given {
		return result
	}
	return standard
}

// resolve finds the value of an argument in the provider block, or else in the environment. An empty string counts as
// absent in both places. A value that is not known yet counts as given, so that the environment does not replace it.
func (a blockArgument[T]) resolve(r *resolver) (result T, given bool) {
	if a.value.IsUnknown() {
		r.unknown = append(r.unknown, a.name)
		return result, true
	}
	text, whose := asText(a.value), "The value"
	from := explain.Origin{Block: true, Over: r.env.VariablesFor(a.name)}
	switch inBlock := setting.Present(a.name, text); {
	case !inBlock && r.withholds(a.name):
		return result, true
	case !inBlock:
		var err error
		var variable string
		if text, variable, err = r.env.LookUp(a.name); err != nil {
			r.addInvalid(a.name, err.Error())
			return result, true
		}
		from = explain.Origin{Variable: variable, File: variable == setting.FileVariable(a.name)}
		whose = inEnvironment(a.name, text, from)
	}
	if !setting.Present(a.name, text) {
		return result, false
	}
	r.origins[a.name] = from
	result, err := a.parse(text)
	if err != nil {
		r.addInvalid(a.name, whose+" cannot be used: "+err.Error())
	}
	return result, true
}

// need says that the provider cannot do without an argument.
func (a blockArgument[T]) need() string {
	return "The provider needs " + a.name + ". " + howToGive(a.name)
}

// howToGive says where an argument can be given.
func howToGive(name string) string {
	file := ""
	if variable := setting.FileVariable(name); variable != "" {
		file = ", or name a file that holds it in " + variable
	}
	return "Set it in the provider block or in the environment variable " + setting.Variable(name) + file + "."
}

// inItsPlace names the empty or blank value in place of a missing argument: its variable, or else its value in the
// provider block. It returns "" if neither is set.
func (a blockArgument[T]) inItsPlace(env environment) string {
	hint := env.EmptyHint(a.name)
	if hint == "" && !a.value.IsNull() {
		hint = fmt.Sprintf("The provider block sets %s, and it is %s.", a.name, setting.EmptyOrBlank(asText(a.value)))
	}
	return hint
}

// addProxy finds the proxy for the service.
func (r *resolver) addProxy() {
	var err error
	r.client.Proxy, r.proxyLeftOut, err = r.env.Proxy(r.client.BaseURL)
	if err != nil {
		r.problems = append(r.problems, configProblem{summary: explain.SummaryInvalidProxy, detail: err.Error()})
	}
}

// addMissing adds that an argument is absent, and which unread variables may be meant for it.
func (r *resolver) addMissing(name string, paragraphs ...string) {
	for _, u := range r.unread {
		if u.mayBeFor(name) {
			paragraphs = append(paragraphs, u.String())
		}
	}
	r.problems = append(r.problems, configProblem{
		argument: name,
		missing:  true,
		summary:  explain.SummaryMissing(name),
		detail:   explain.Paragraphs(paragraphs...),
	})
}

// addInvalid adds what is wrong with the value of an argument.
func (r *resolver) addInvalid(name, text string) {
	r.problems = append(r.problems, configProblem{
		argument: name, summary: explain.SummaryInvalid(name), detail: explain.Sentence(text),
	})
}

// inEnvironment returns the subject of an error about a value of the environment.
func inEnvironment(argument, text string, from explain.Origin) string {
	whose := fmt.Sprintf("The provider block does not set %s, and the ", argument)
	switch {
	case from.File:
		return whose + "content of " + from.String()
	case argument == argBaseURL && setting.Showable(text):
		return whose + fmt.Sprintf("value of the environment variable %s, %q,", from, redact.Abridged(text))
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
	case types.Map: // only one without elements is given here
		return ""
	}
	return value.String()
}
