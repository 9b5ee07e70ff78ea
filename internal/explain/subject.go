package explain

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// Subject is what a read was about: the argument at fault if the service rejects
// or misses its value. The zero Subject has no such argument.
type Subject struct {
	path    path.Path
	horizon bool   // the argument is a time horizon, not the id of a group
	value   string // of the argument
	models  string // what to do if the group has no models, "" if they are not what is missing
}

// Group is a read below one model group, whose id the argument at that path has.
func Group(at path.Path, id string) Subject { return Subject{path: at, value: id} }

// LatestModel is a read of the latest model of one group.
func LatestModel(at path.Path, id string) Subject {
	return Subject{path: at, value: id, models: "If the group has no models yet, remove this block until it has one."}
}

// LatestModelOfMany is such a read for one of many groups.
func LatestModelOfMany(at path.Path, id string) Subject {
	return Subject{path: at, value: id, models: "If the group has no models yet, take it out of model_group_ids; without " +
		"that argument, groups without models are left out."}
}

// GroupNamed is a search for the group of a name, which no answer calls wrong.
func GroupNamed(name string) Subject { return Subject{value: name} }

// Groups is a list of the model groups of one time horizon, or of all groups if it is nil.
func Groups(horizon *string) Subject {
	if horizon == nil {
		return Subject{}
	}
	return Subject{path: path.Root("time_horizon"), horizon: true, value: *horizon}
}

// of reports whether the argument of the subject is what err is about.
func (s Subject) of(err error) bool {
	if len(s.path.Steps()) == 0 && s.models == "" {
		return false
	}
	return errors.Is(err, catalogue.ErrInvalidRequest) || errors.Is(err, catalogue.ErrNotFound) && !s.horizon
}

// explain says what is wrong with the argument: the service misses its value, or does not accept it.
func (s Subject) explain(m *message, api *catalogue.APIError) {
	m.onArgument = true
	switch {
	case s.horizon:
		m.say(SummaryInvalidHorizon, fmt.Sprintf("The service does not accept the time horizon %q.", Abridged(s.value)),
			Paragraphs(s.oddity("key", ""), "Use a key that the catalogue has: modelcatalogue_model_groups without "+
				"time_horizon lists every group, and the time_horizon.key of each is in use."))
		return
	case errors.Is(api, catalogue.ErrInvalidRequest):
		m.say(SummaryInvalidID, fmt.Sprintf("The service does not accept the model group id %q.", Abridged(s.value)),
			"Change the id; asking again with the same one will not help.")
		return
	}
	missing := fmt.Sprintf("The catalogue has no model group %q, or these credentials cannot see it", Abridged(s.value))
	check := "Check the id. It must be a group's id, not a model's: from another data source take model_group_id, not id. " +
		"Check also that these credentials may see the group: modelcatalogue_model_groups lists those that they see."
	m.say(SummaryGroupNotFound, missing+": the service does not tell these apart.", check)
	if s.models != "" {
		m.say(SummaryGroupOrModels, missing+", or it has no models yet.", check+" "+s.models)
	}
	origin := ""
	if api.Code == "" {
		origin = "The answer has no code of the catalogue, so something else may have sent it: check base_url first."
	}
	m.next = Paragraphs(origin, s.oddity("id", ": modelcatalogue_model_group finds the group of a name"), m.next)
}

// oddity says in a sentence what is odd about the value, or returns "". finder is added about a name.
func (s Subject) oddity(what, finder string) string {
	odd := Oddity(s.value)
	if odd == "" {
		return ""
	}
	if odd == likeAName {
		odd += finder
	}
	return fmt.Sprintf("The %s %s.", what, odd)
}

const likeAName = "looks like a name"

// Oddity says in a phrase what is odd about an id that is not found, or returns "".
func Oddity(id string) string {
	switch {
	case strings.ContainsFunc(strings.TrimSpace(id), unicode.IsSpace):
		return likeAName
	case strings.TrimSpace(id) != id:
		return "starts or ends with a space"
	}
	return ""
}
