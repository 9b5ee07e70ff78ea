package explain

import (
	"errors"
	"fmt"
	"slices"
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
	case s.Value == "" || len(s.Path.Steps()) == 0:
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

// explain says what is wrong with the argument: the service misses its value, or does not accept it.
func (s Subject) explain(m *message, api *catalogue.APIError) {
	m.Path = s.Path
	switch {
	case s.IsHorizon:
		const invalid = "The service does not accept the time horizon %q."
		m.say(SummaryInvalidHorizon, fmt.Sprintf(invalid, redact.Abridged(s.Value)),
			Paragraphs(Sentence(Oddity(s.Value)), "Use a key that the catalogue has: modelcatalogue_model_groups "+
				"without time_horizon lists every group, and the time_horizon.key of each is in use."))
		m.Short = fmt.Sprintf(invalid, ShortID(s.Value))
		return
	case errors.Is(api, catalogue.ErrInvalidRequest):
		const invalid = "The service does not accept the model group id %q."
		m.say(SummaryInvalidID, fmt.Sprintf(invalid, redact.Abridged(s.Value)),
			"Change the id; asking again with the same one will not help.")
		m.Short = fmt.Sprintf(invalid, ShortID(s.Value))
	default:
		s.missing(m, api)
	}
	if odd := s.oddity(); odd != "" {
		m.Short = Sentence(fmt.Sprintf("In the model group id %q %s", ShortID(s.Value), odd))
	}
}

// missing says that the service misses the id.
func (s Subject) missing(m *message, api *catalogue.APIError) {
	const missing = "The catalogue has no model group %q, or these credentials cannot see it"
	check := "Use the id of a group. If you have a model, use its model_group_id, not its id. Check also that these " +
		"credentials may see the group: modelcatalogue_model_groups lists those that they see."
	cause, short := missing+": the service does not tell these apart.", missing+"."
	summary := SummaryGroupNotFound
	if s.OfLatest {
		cause = missing + ", or it has no models yet."
		short = cause
		summary = SummaryGroupOrModels
		check += " If the group has no models yet, leave it out until it has one."
	}
	cause, short = fmt.Sprintf(cause, redact.Abridged(s.Value)), fmt.Sprintf(short, ShortID(s.Value))
	if !api.SaysNotFound() {
		short = ofGateway + " Check base_url."
		cause = Paragraphs(short, strings.Replace(cause, "The catalogue", "If the catalogue sent it, it", 1))
	}
	m.say(summary, cause,
		Paragraphs(Sentence(s.oddity()), m.by.sameButCase(s.Value), check))
	m.Short = short
}

const ofGateway = "The answer is 404 without the catalogue's code NOT_FOUND: a gateway or another server may have " +
	"sent it."

// maxShortID bounds an id in a short message, in characters: a UUID stays whole, and the message in four lines.
const maxShortID = 36

// ShortID returns an id as a short message names it.
func ShortID(id string) string { return redact.Shorten(id, maxShortID) }

// oddity says which character of the id is odd, and how a name is found, or returns "".
func (s Subject) oddity() string {
	odd := Oddity(s.Value)
	if len(strings.Fields(s.Value)) > 1 {
		odd += ". If it is a name, modelcatalogue_model_group finds its group"
	}
	return odd
}

// Oddity says in a phrase which character of an id is the first that ids do not have, or returns "". An id may have any
// character, so it is only worth a word if the id is not found.
func Oddity(id string) string {
	const usual = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
	return redact.OddCharacter(id, func(r rune) bool { return !strings.ContainsRune(usual, r) })
}
