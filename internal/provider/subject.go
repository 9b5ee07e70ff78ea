package provider

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// subject is what a read was about: the argument at fault where the service
// rejects or misses it.
type subject struct {
	path        path.Path // the zero path where no argument can be at fault
	name, value string    // such as "model group id", and the id

	rejected     string // summary where the service calls the argument invalid
	rejectedNext string // what to do then
	missing      string // summary where nothing is found
	missingCause string // format of the first sentence then, for the value
	missingNext  string // what to do then
}

// groupSubject is a read below one model group.
func groupSubject(at path.Path, id string) subject {
	return subject{
		path: at, name: "model group id", value: id,
		rejected:     summaryInvalidID,
		rejectedNext: "Change the id; asking again with the same one will not help.",
		missing:      summaryGroupNotFound,
		missingCause: "The catalogue has no model group %q, or these credentials cannot see it: the service does not " +
			"tell these apart.",
		missingNext: joined(idHint(id), checkTheID+": modelcatalogue_model_groups lists those that they may see."),
	}
}

const checkTheID = "Check the id, which has to be that of a group and not of a model (in another block: " +
	"model_group_id, not id), and that the credentials belong to an organisation that may see the group"

// latestSubject is a read of the latest model of one group.
func latestSubject(at path.Path, id string) subject {
	about := groupSubject(at, id)
	about.missing = summaryGroupOrModels
	about.missingCause = "The catalogue has no model group %q, or these credentials cannot see it, or it has no " +
		"models yet."
	about.missingNext = joined(idHint(id), checkTheID+": modelcatalogue_model_groups lists those that they may see, "+
		"with the models of each. If the group has none yet, remove this block until it has one.")
	return about
}

// latestOfManySubject is such a read for one of many groups.
func latestOfManySubject(at path.Path, id string) subject {
	about := latestSubject(at, id)
	about.missingNext = joined(idHint(id), checkTheID+": modelcatalogue_model_groups lists those that they may see. "+
		"If the group has no models yet, take it out of model_group_ids; without that argument, groups that have none are "+
		"left out.")
	return about
}

// horizonSubject is a list of the model groups of one time horizon, or of all
// groups where it is null.
func horizonSubject(horizon types.String) subject {
	if horizon.IsNull() {
		return subject{}
	}
	key := horizon.ValueString()
	return subject{
		path: path.Root("time_horizon"), name: "time horizon", value: key,
		rejected: summaryInvalidHorizon,
		rejectedNext: joined(spaceHint("key", key), "Use a key that the catalogue knows: the data source "+
			"modelcatalogue_model_groups, without time_horizon, "+
			"lists every group, and the time_horizon.key of each is a key in use."),
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
	if odd := spaceAround(value); odd != "" {
		return fmt.Sprintf("The %s %s, which may not belong to it.", what, odd)
	}
	return ""
}

// idOddity says in a phrase what is odd about an id that is not found, or "".
func idOddity(id string) string {
	if looksLikeAName(id) {
		return "looks like a name"
	}
	return spaceAround(id)
}

func looksLikeAName(id string) bool {
	return strings.ContainsFunc(strings.TrimSpace(id), unicode.IsSpace)
}

func spaceAround(value string) string {
	switch {
	case strings.TrimLeftFunc(value, unicode.IsSpace) != value:
		return "starts with a space"
	case strings.TrimRightFunc(value, unicode.IsSpace) != value:
		return "ends with a space"
	}
	return ""
}
