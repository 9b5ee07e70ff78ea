package provider

import "github.com/hashicorp/terraform-plugin-framework/datasource/schema"

// pinnedModelAttributes returns the attributes of a pinned model, all computed.
func pinnedModelAttributes() map[string]schema.Attribute {
	return with(modelAttributes(), map[string]schema.Attribute{
		"latest_revision": computedInt64("The highest revision number of the group. Null if the service sent a model " +
			"of the group without a readable revision."),
		"is_latest": computedBool("Whether this is the group's highest revision. Null if unknown."),
	})
}

// pinnedModelState is the state of a pinned model.
type pinnedModelState struct {
	modelState
	LatestRevision *int64 `tfsdk:"latest_revision"`
	IsLatest       *bool  `tfsdk:"is_latest"`
}

// newPinnedModelState maps the selected attributes of a model.
func newPinnedModelState(from *pinnedModel, only selection) *pinnedModelState {
	state := &pinnedModelState{
		modelState:     *newModelState(from.Model, nil),
		LatestRevision: from.latest,
		IsLatest:       from.isLatest,
	}
	only.clearOthers(state)
	return state
}
