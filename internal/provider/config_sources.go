package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// resolver collects what is found on the way from a configuration to settings.
type resolver struct {
	settings
	env      environment
	problems []configProblem
}

// blockArgument is an argument of the provider block as it is resolved.
type blockArgument[T any] struct {
	name     string
	value    attr.Value
	standard T // the default
	parse    func(string) (T, error)
}

// required returns the value of an argument that has no default.
func (a blockArgument[T]) required(r *resolver) T {
	result, given := a.resolve(r)
	if !given {
		r.missing(a.name, fmt.Sprintf("The provider needs %s. Set it in the provider block or in the environment "+
			"variable %s.", a.name, variable(a.name)), a.inItsPlace(r.env))
	}
	return result
}

// optional returns the value of an argument, or its default.
func (a blockArgument[T]) optional(r *resolver) T {
	if result, given := a.resolve(r); given {
		return result
	}
	return a.standard
}

// resolve finds the value of an argument in the provider block, or else in the
// environment. An empty string counts as absent in both places. A value that is not
// known yet counts as given, so that the environment does not replace it.
func (a blockArgument[T]) resolve(r *resolver) (result T, given bool) {
	if a.value.IsUnknown() {
		r.unknown = append(r.unknown, a.name)
		return result, true
	}
	text, whose := asText(a.value), "The value"
	from := explain.Origin{Block: true, Over: r.env.variablesFor(a.name)}
	if !present(a.name, text) {
		var err error
		if text, from, err = r.env.lookUp(a.name); err != nil {
			r.invalid(a.name, err.Error())
			return result, true
		}
		whose = inEnvironment(a.name, text, from)
	}
	if !present(a.name, text) {
		return result, false
	}
	r.origins[a.name] = from
	result, err := a.parse(text)
	if err != nil {
		r.invalid(a.name, whose+" cannot be used: "+err.Error())
	}
	return result, true
}

// inItsPlace says what is empty or blank in place of an argument that is missing: its variable, or else its value in
// the provider block. It returns "" if neither is set.
func (a blockArgument[T]) inItsPlace(env environment) string {
	hint := env.emptyHint(a.name)
	if hint == "" && !a.value.IsNull() {
		hint = fmt.Sprintf("The provider block sets %s, and it is %s.", a.name, emptyOrBlank(asText(a.value)))
	}
	return hint
}

// missing adds that an argument is absent, and which unread variables may be meant for it.
func (r *resolver) missing(name string, paragraphs ...string) {
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

// invalid adds what is wrong with the value of an argument.
func (r *resolver) invalid(name, text string) {
	r.problems = append(r.problems, configProblem{
		argument: name, summary: explain.SummaryInvalid(name), detail: explain.Sentence(text),
	})
}

// present reports whether text is a value of the argument. A blank credential counts as absent: unset variables of CI
// often look like that.
func present(argument, text string) bool {
	switch argument {
	case argClientID, argClientSecret, argAccessToken:
		return !isBlank(text)
	}
	return text != ""
}

// lookUp finds the value of an argument in its variable, or in the file that its
// other variable names.
func (e environment) lookUp(argument string) (text string, from explain.Origin, err error) {
	set := e.variablesFor(argument)
	switch {
	case len(set) == 0:
		return "", explain.Origin{}, nil
	case len(set) > 1:
		return "", explain.Origin{}, fmt.Errorf("the environment variables %s are both set; unset one of them",
			explain.Enumerated(set))
	case set[0] == variable(argument):
		return e[set[0]], explain.Origin{Variable: set[0]}, nil
	}
	text, err = readSmallFile(e[set[0]])
	if err == nil && isBlank(text) {
		err = fmt.Errorf("it is %s", emptyOrBlank(text))
	}
	if err != nil {
		err = unusableFile(argument, set[0], e[set[0]], err)
	}
	return text, explain.Origin{Variable: set[0], File: true}, err
}

// inEnvironment returns the subject of an error about a value of the environment.
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
