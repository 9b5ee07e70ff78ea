package provider

import (
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
		missingNext: joined(idHint(id), "Check the id, and that the credentials belong to an organisation that may "+
			"see the group. "+
			"The data source modelcatalogue_model_groups lists those it may see."),
	}
}

// latestSubject is a read of the latest model of one group.
func latestSubject(at path.Path, id string) subject {
	about := groupSubject(at, id)
	about.missing = summaryGroupOrModels
	about.missingCause = "The catalogue has no model group %q, or these credentials cannot see it, or it has no " +
		"models yet."
	about.missingNext = joined(idHint(id), "If the group has no models yet, leave it out: "+
		"modelcatalogue_model_groups lists the models of each group, and modelcatalogue_latest_models leaves out "+
		"groups without any. "+
		"If it has, check the id and the credentials.")
	return about
}

// horizonSubject is a list of the model groups of one time horizon, or of all
// groups where it is null.
func horizonSubject(horizon types.String) subject {
	if horizon.IsNull() {
		return subject{}
	}
	return subject{
		path: path.Root("time_horizon"), name: "time horizon", value: horizon.ValueString(),
		rejected: summaryInvalidHorizon,
		rejectedNext: "Use a key that the catalogue knows: the data source modelcatalogue_model_groups, without " +
			"time_horizon, " +
			"lists every group, and the time_horizon.key of each is a key in use.",
	}
}

// idHint tells what an id that is not found looks like, or "".
func idHint(id string) string {
	trimmed := strings.TrimSpace(id)
	switch {
	case strings.TrimLeftFunc(id, unicode.IsSpace) != id:
		return "The id starts with a space, which may not belong to it."
	case trimmed != id:
		return "The id ends with a space, which may not belong to it."
	case strings.ContainsFunc(id, unicode.IsSpace):
		return "This looks like a name and not like an id: the data source modelcatalogue_model_group finds the " +
			"group of a name."
	}
	return ""
}
