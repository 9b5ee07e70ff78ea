package provider

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// origin is where the value of an argument comes from. The zero origin is a
// default.
type origin struct {
	block    bool   // the provider block sets it
	variable string // the environment variable that has it, or that names a file with it
	file     bool
	over     []string // variables that are set as well, and that it goes before
}

// String names the origin, such as MODELCATALOGUE_CLIENT_ID.
func (o origin) String() string {
	switch {
	case o.block:
		return "the provider block"
	case o.file:
		return "the file that " + o.variable + " names"
	}
	return o.variable
}

// clause says the same behind the name of the argument.
func (o origin) clause() string {
	if o.block {
		return "which the provider block sets"
	}
	return "which comes from " + o.String()
}

// resolver collects what is found on the way from a configuration to settings.
type resolver struct {
	env      environment
	unknown  []string
	origins  map[string]origin
	problems []problem
}

func required[T any](r *resolver, argument string, value attr.Value, parse func(string) (T, error)) T {
	result, given := resolve(r, argument, value, parse)
	if !given {
		r.missing(argument, fmt.Sprintf("The provider needs %s. Set it in the provider block or in the environment "+
			"variable %s.", argument, variable(argument)))
	}
	return result
}

// missing adds that an argument is absent, and which variable may have been meant for it.
func (r *resolver) missing(argument string, paragraphs ...string) {
	detail := joined(append(paragraphs, unreadHint(r.env.unread()))...)
	r.problems = append(r.problems, problem{argument: argument, missing: true, detail: detail})
}

func optional[T any](r *resolver, argument string, value attr.Value, standard T, parse func(string) (T, error)) T {
	if result, given := resolve(r, argument, value, parse); given {
		return result
	}
	return standard
}

// resolve finds the value of an argument in the provider block, or else in the
// environment. An empty string counts as absent in both places. A value that is not
// known yet counts as given, so that the environment does not replace it.
func resolve[T any](
	r *resolver, argument string, value attr.Value, parse func(string) (T, error),
) (result T, given bool) {
	if value.IsUnknown() {
		r.unknown = append(r.unknown, argument)
		return result, true
	}
	text, whose := asText(value), "The value"
	from := origin{block: true, over: r.env.setFor(argument)}
	if !present(argument, text) {
		var err error
		if text, from, err = r.env.lookUp(argument); err != nil {
			r.problems = append(r.problems, problem{argument: argument, detail: sentence(err.Error())})
			return result, true
		}
		whose = inEnvironment(argument, text, from)
	}
	if !present(argument, text) {
		return result, false
	}
	r.origins[argument] = from
	result, err := parse(text)
	if err != nil {
		detail := sentence(whose + " cannot be used: " + err.Error())
		r.problems = append(r.problems, problem{argument: argument, detail: detail})
	}
	return result, true
}

// present tells whether text is a value of the argument. One of nothing but white
// space is none for a credential: it is what a variable that nothing filled in leaves.
func present(argument, text string) bool {
	switch argument {
	case argClientID, argClientSecret, argAccessToken:
		return strings.TrimSpace(text) != ""
	}
	return text != ""
}

// lookUp finds the value of an argument in its variable, or in the file that its
// other variable names.
func (e environment) lookUp(argument string) (text string, from origin, err error) {
	set := e.setFor(argument)
	switch {
	case len(set) == 0:
		return "", origin{}, nil
	case len(set) > 1:
		return "", origin{}, fmt.Errorf("the environment variables %s are both set, and only one of them can be "+
			"meant; unset the other one", enumerated(set))
	case set[0] == variable(argument):
		return e.get(set[0]), origin{variable: set[0]}, nil
	}
	text, err = readSmallFile(e.get(set[0]))
	if err == nil && !present(argument, text) {
		err = errEmptyFile
	}
	if err != nil {
		// The name is not shown: it may be the secret itself, given in the wrong variable.
		return "", origin{}, fmt.Errorf("the file that the environment variable %s names cannot be used: %w", set[0], err)
	}
	return text, origin{variable: set[0], file: true}, nil
}

// inEnvironment begins the sentence about a value of the environment.
func inEnvironment(argument, text string, from origin) string {
	whose := fmt.Sprintf("The provider block does not set %s, and the ", argument)
	switch {
	case from.file:
		return whose + "content of " + from.String()
	case argument == argBaseURL && showable(text):
		return whose + fmt.Sprintf("value of the environment variable %s, %q,", from, abridged(text))
	}
	return whose + "value of the environment variable " + from.String()
}

// asText is a value of the provider block as the environment would spell it.
func asText(value attr.Value) string {
	switch value := value.(type) {
	case types.Number:
		if !value.IsNull() {
			return value.ValueBigFloat().Text('g', -1)
		}
	case types.Bool:
		if !value.IsNull() {
			return strconv.FormatBool(value.ValueBool())
		}
	case types.String:
		return value.ValueString()
	}
	return ""
}
