package provider

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// pinnedModelAttributes are the attributes of a model that is one revision among
// those of its group, all computed.
func pinnedModelAttributes() map[string]schema.Attribute {
	return with(modelAttributes(), map[string]schema.Attribute{
		"latest_revision": computedInt64("The highest revision number of the group."),
		"is_latest":       computedBool("Whether this is the group's highest revision."),
	})
}

// pinnedModelState is such a model as state holds it.
type pinnedModelState struct {
	modelState
	LatestRevision *int64 `tfsdk:"latest_revision"`
	IsLatest       *bool  `tfsdk:"is_latest"`
}

// pinnedModel is one revision of a group, and the highest of them.
type pinnedModel struct {
	*catalogue.Model
	latest int64
}

// newPinnedModelState maps the selected attributes of a model.
func newPinnedModelState(model *pinnedModel, only selection) *pinnedModelState {
	state := &pinnedModelState{modelState: *newModelState(model.Model, only)}
	if only.has("latest_revision") {
		state.LatestRevision = new(model.latest)
	}
	if only.has("is_latest") {
		state.IsLatest = new(int64(*model.Revision) == model.latest)
	}
	return state
}

// revisionError says why a revision names no model of a group.
type revisionError struct {
	summary, detail string
	short           string // the same in a phrase about the group
}

func (e *revisionError) Error() string { return e.summary + ": " + e.detail }

// pickRevision finds the one model of that revision.
func pickRevision(models []*catalogue.Model, groupID string, revision int64) (*pinnedModel, *revisionError) {
	var found []*catalogue.Model
	var revisions []int64
	for _, model := range models {
		if model.Revision == nil {
			continue
		}
		revisions = append(revisions, int64(*model.Revision))
		if int64(*model.Revision) == revision {
			found = append(found, model)
		}
	}
	switch {
	case len(found) == 1:
		return &pinnedModel{Model: found[0], latest: slices.Max(revisions)}, nil
	case len(found) > 1:
		// A pin must name one image, and nothing tells which is meant.
		return nil, &revisionError{
			summary: summarySeveralModels,
			detail: fmt.Sprintf("The catalogue lists %d models of revision %d in model group %q, so the revision "+
				"names no single one. Ask the publisher of the group to mend it.", len(found), revision, groupID),
			short: fmt.Sprintf("%d models of revision %d", len(found), revision),
		}
	case len(revisions) == 0:
		return nil, &revisionError{
			summary: summaryRevisionNotFound,
			detail: fmt.Sprintf("Model group %q has no models yet, or the service lists none because they are "+
				"archived. So there is no revision %d. Wait for the publisher of the group, or read another "+
				"group.", groupID, revision),
			short: "no models yet",
		}
	default:
		return nil, &revisionError{
			summary: summaryRevisionNotFound,
			detail: fmt.Sprintf("Model group %q has no revision %d. It has: %s. One that was archived may be "+
				"missing there, because the service may leave archived revisions out.\n\nGive one of these as "+
				"revision. To follow the newest, use "+
				"modelcatalogue_latest_model.", groupID, revision, listed(revisions)),
			short: fmt.Sprintf("no revision %d, but %s", revision, listed(revisions)),
		}
	}
}

// maxListed bounds the revisions listed in a message.
const maxListed = 100

// listed names revisions, the newest first.
func listed(revisions []int64) string {
	slices.Sort(revisions)
	slices.Reverse(revisions)
	revisions = slices.Compact(revisions)
	names := make([]string, 0, min(len(revisions), maxListed+1))
	for _, revision := range revisions[:min(len(revisions), maxListed)] {
		names = append(names, strconv.FormatInt(revision, 10))
	}
	if more := len(revisions) - maxListed; more > 0 {
		names = append(names, fmt.Sprintf("and %d older ones, down to %d", more, revisions[len(revisions)-1]))
	}
	return strings.Join(names, ", ")
}
