package explain

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/path"
)

// Subject is what a read was about: the argument at fault where the service
// rejects or misses it. The zero Subject has no such argument.
type Subject struct {
	path        path.Path
	name, value string // such as "model group id", and the id

	rejected, rejectedNext             string // the summary where the service calls the argument invalid, and what to do
	missing, missingCause, missingNext string // the summary where nothing is found, the first sentence, and what to do
}

const checkTheID = "Check the id, which has to be that of a group and not of a model (in another block: " +
	"model_group_id, not id), and that the credentials belong to an organisation that may see the group" +
	": modelcatalogue_model_groups lists those that they may see"

// Group is a read below one model group, whose id the argument at that path has.
func Group(at path.Path, id string) Subject {
	return Subject{
		path: at, name: "model group id", value: id,
		rejected: SummaryInvalidID, rejectedNext: "Change the id; asking again with the same one will not help.",
		missing: SummaryGroupNotFound,
		missingCause: fmt.Sprintf("The catalogue has no model group %q, or these credentials cannot see it: the service "+
			"does not tell these apart.", Abridged(id)),
		missingNext: Paragraphs(idHint(id), checkTheID+"."),
	}
}

// LatestModel is a read of the latest model of one group.
func LatestModel(at path.Path, id string) Subject {
	return latest(at, id, ", with the models of each. If the group has none yet, remove this block until it has one.")
}

// LatestModelOfMany is such a read for one of many groups.
func LatestModelOfMany(at path.Path, id string) Subject {
	return latest(at, id, ". If the group has no models yet, take it out of model_group_ids; without that argument, "+
		"groups that have none are left out.")
}

func latest(at path.Path, id, withoutModels string) Subject {
	about := Group(at, id)
	about.missing = SummaryGroupOrModels
	about.missingCause = fmt.Sprintf("The catalogue has no model group %q, or these credentials cannot see it, or it "+
		"has no models yet.", Abridged(id))
	about.missingNext = Paragraphs(idHint(id), checkTheID+withoutModels)
	return about
}

// GroupNamed is a search for the group of a name, which no answer calls wrong.
func GroupNamed(name string) Subject { return Subject{value: name} }

// Groups is a list of the model groups of one time horizon, or of all groups where it is nil.
func Groups(horizon *string) Subject {
	if horizon == nil {
		return Subject{}
	}
	return Subject{
		path: path.Root("time_horizon"), name: "time horizon", value: *horizon,
		rejected: SummaryInvalidHorizon,
		rejectedNext: Paragraphs(spaceHint("key", *horizon), "Use a key that the catalogue knows: the data source "+
			"modelcatalogue_model_groups, without time_horizon, lists every group, and the time_horizon.key of each is a key "+
			"in use."),
	}
}

// idHint tells what an id that is not found looks like, or "".
func idHint(id string) string {
	if looksLikeAName(id) {
		return "This looks like a name and not like an id: the data source modelcatalogue_model_group finds the " +
			"group of a name."
	}
	return spaceHint("id", id)
}

// spaceHint tells of the space around a value, or nothing.
func spaceHint(what, value string) string {
	if odd := SpaceAround(value); odd != "" {
		return fmt.Sprintf("The %s %s, which may not belong to it.", what, odd)
	}
	return ""
}

// Oddity says in a phrase what is odd about an id that is not found, or "".
func Oddity(id string) string {
	if looksLikeAName(id) {
		return "looks like a name"
	}
	return SpaceAround(id)
}

func looksLikeAName(id string) bool {
	return strings.ContainsFunc(strings.TrimSpace(id), unicode.IsSpace)
}

// SpaceAround says in a phrase that a value starts or ends with white space, or returns "".
func SpaceAround(value string) string {
	switch {
	case strings.TrimLeftFunc(value, unicode.IsSpace) != value:
		return "starts with a space"
	case strings.TrimRightFunc(value, unicode.IsSpace) != value:
		return "ends with a space"
	}
	return ""
}
