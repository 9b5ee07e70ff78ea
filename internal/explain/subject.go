package explain

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// Subject is what a read was about: the argument at fault if the service rejects or misses its value. The zero Subject
// does not name one.
type Subject struct {
	Path      path.Path
	Value     string // the id of a model group, unless it is a time horizon
	IsHorizon bool
	OfLatest  bool // the latest model of the group is read
}

// of reports whether api is about the argument of the subject.
func (s Subject) of(api *catalogue.APIError) bool {
	switch {
	case s.Value == "" || len(s.Path.Steps()) == 0 || api.OfToken():
		return false
	case errors.Is(api, catalogue.ErrInvalidRequest):
		return s.blamedBy(api)
	}
	return errors.Is(api, catalogue.ErrNotFound) && !s.IsHorizon
}

// blamedBy reports whether an answer that calls the request invalid can mean the argument: it has a code that the
// interface gives to such a request, and if it lists fields, the argument is among them.
func (s Subject) blamedBy(api *catalogue.APIError) bool {
	if api.Code != "BAD_REQUEST" && api.Code != "VALIDATION_FAILED" {
		return false
	}
	asked := "id"
	if s.IsHorizon {
		asked = "timeHorizon"
	}
	return len(api.Issues) == 0 || slices.ContainsFunc(api.Issues, func(issue catalogue.Issue) bool {
		return issue.Field[strings.LastIndexByte(issue.Field, '.')+1:] == asked
	})
}

// explain says what is wrong with the argument: the service does not accept its value, or misses it.
func (s Subject) explain(m *message, api *catalogue.APIError) {
	switch {
	case s.IsHorizon:
		m.say(SummaryInvalidHorizon, "The service does not accept the time horizon {value}.",
			"Use a key that the catalogue has: modelcatalogue_model_groups without time_horizon lists every group, "+
				"and the time_horizon.key of each is in use.")
	case errors.Is(api, catalogue.ErrInvalidRequest):
		m.say(SummaryInvalidID, "The service does not accept the model group id {value}.",
			"Change the id; asking again with the same one will not help.")
	default:
		s.missing(m, api)
	}
	m.Short = cmp.Or(m.Short, m.cause)
	odd := s.oddity()
	if odd != "" {
		m.Short = "In {value}, " + odd + "."
		odd = "In " + s.Path.String() + ", " + odd + "."
	}
	m.Path = s.Path
	m.cause = s.filled(m.cause, redact.Abridged(s.Value))
	m.Short = s.filled(m.Short, ShortID(s.Value))
	m.next = Paragraphs(odd, m.by.sameButCase(s.Value), m.next)
}

// filled returns a text with the value, as it is shown there.
func (s Subject) filled(text, shown string) string {
	return strings.ReplaceAll(text, "{value}", strconv.Quote(shown))
}

// missing says that the service misses the id.
func (s Subject) missing(m *message, api *catalogue.APIError) {
	const missing = "The catalogue has no model group {value}, or these credentials cannot see it"
	m.say(SummaryGroupNotFound, missing+".",
		"Use the id of a group. If you have a model, use its model_group_id, not its id. Check also that these "+
			"credentials may see the group: modelcatalogue_model_groups lists those that they see.")
	if s.OfLatest {
		m.Summary, m.cause = SummaryGroupOrModels, missing+", or it is still empty."
		m.next += " If the group is still empty, leave it out until it has a model."
	}
	if !api.SaysNotFound() {
		m.Short = ofGateway + " Check base_url."
		m.cause = Paragraphs(m.Short, strings.Replace(m.cause, "The catalogue", "If the catalogue sent it, it", 1))
	}
}

const ofGateway = "The answer is 404 without the catalogue's code NOT_FOUND: a gateway or another server may have " +
	"sent it."

// maxShortID bounds an id in a short message, in characters: a UUID stays whole, and the message in four lines.
const maxShortID = 36

// ShortID returns an id as a short message names it.
func ShortID(id string) string { return redact.Shorten(id, maxShortID) }

// oddity says which character of the value is odd, and how a name is found, or returns "".
func (s Subject) oddity() string {
	odd := Oddity(s.Value)
	if !s.IsHorizon && len(strings.Fields(s.Value)) > 1 {
		odd += ". If it is a name, use the argument name of modelcatalogue_model_group"
	}
	return odd
}

// Oddity says in a phrase which character of an id is the first that ids do not have, or returns "". An id may have
// any character, so it is only mentioned if the id is not found.
func Oddity(id string) string {
	const usual = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
	return redact.OddCharacter(id, func(r rune) bool { return !strings.ContainsRune(usual, r) })
}
