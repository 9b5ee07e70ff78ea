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

// Subject is the argument behind a read, at fault if the service rejects its value or does not find it. The zero
// Subject stands for none.
type Subject struct {
	Path      path.Path
	Value     string // the id of a model group, or the key of a time horizon
	IsHorizon bool
	OfLatest  bool // the read is of the group's latest model
}

// of reports whether an answer is about the subject's argument.
func (s Subject) of(api *catalogue.APIError) bool {
	switch {
	case s.Value == "" || len(s.Path.Steps()) == 0 || api.OfToken():
		return false
	case errors.Is(api, catalogue.ErrInvalidRequest):
		return s.blamedBy(api)
	}
	return errors.Is(api, catalogue.ErrNotFound) && !s.IsHorizon
}

// blamedBy reports whether an answer to an invalid request can mean the argument: it has one of the interface's codes
// for such a request, and its list of fields, if any, contains the argument.
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

// explain explains an argument whose value the service rejects or does not find.
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

// filled returns a text with the quoted value in place of {value}.
func (s Subject) filled(text, shown string) string {
	return strings.ReplaceAll(text, "{value}", strconv.Quote(shown))
}

// missing explains an id that the service does not find.
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

// maxShortID limits an id in a short message, in characters: a UUID stays whole, and the message within four lines.
const maxShortID = 36

// ShortID shortens an id for a short message.
func ShortID(id string) string { return redact.Shorten(id, maxShortID) }

// oddity describes the first odd character of the value, with a hint if the value may be a name, or returns "".
func (s Subject) oddity() string {
	odd := Oddity(s.Value)
	if !s.IsHorizon && len(strings.Fields(s.Value)) > 1 {
		odd += ". If it is a name, use the argument name of modelcatalogue_model_group"
	}
	return odd
}

// Oddity describes in a phrase the first character of an id that ids rarely have, or returns "". Ids may have any
// character, so mention it only if the id is not found.
func Oddity(id string) string {
	const usual = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
	return redact.OddCharacter(id, func(r rune) bool { return !strings.ContainsRune(usual, r) })
}
