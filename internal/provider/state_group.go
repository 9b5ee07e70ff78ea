package provider

import (
	"cmp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// groupAttributes returns the attributes of a model group, all computed.
func groupAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": computedString("The group's unique identifier."),
		"name": computedString("The group's human-readable name. It is not unique: groups of other organisations can " +
			"have it, too."),
		"latest_revision": computedInt64("The highest revision number currently published in the group. The first " +
			"revision can be `0`, and so can this in a group without models."),
		"public":       computedBool("Whether the group is public. Only its owner sees a private group."),
		"created_at":   computedString("The ISO 8601 timestamp of the group's creation."),
		"time_horizon": horizonAttribute("The group's time horizon."),
		"models": listOf("The group's revisions, newest first, without archived ones.",
			map[string]schema.Attribute{
				"id":         computedString("The model's unique identifier, one for each revision."),
				"revision":   computedInt64("The model's revision number, for `revision` of `modelcatalogue_model`."),
				"created_at": computedString("The ISO 8601 timestamp of the revision's creation."),
			}),
		"axes": listOf("The axes of all revisions of the group.",
			with(axisAttributes(), map[string]schema.Attribute{
				"values": listOf("The axis's values in all revisions of the group.",
					map[string]schema.Attribute{
						"value": computedString("The value as a string, spelled as in an `axis=key:value` query. " +
							"Convert it by the axis's `type`."),
						"historical": computedBool("Whether the latest revision lacks this value: `true` for a " +
							"dropped one."),
					}),
			})),
		"other_fields": otherFieldsAttribute("group", "New fields of its models and axes are dropped."),
	}
}

// groupState is the state of a model group.
type groupState struct {
	ID             *string              `tfsdk:"id"`
	Name           *string              `tfsdk:"name"`
	LatestRevision *int64               `tfsdk:"latest_revision"`
	Public         *bool                `tfsdk:"public"`
	CreatedAt      *string              `tfsdk:"created_at"`
	TimeHorizon    *keyedNameState      `tfsdk:"time_horizon"`
	Models         []*modelSummaryState `tfsdk:"models"`
	Axes           []*groupAxisState    `tfsdk:"axes"`
	OtherFields    *string              `tfsdk:"other_fields"`
}

type modelSummaryState struct {
	ID        *string            `tfsdk:"id"`
	Revision  *catalogue.Integer `tfsdk:"revision"`
	CreatedAt *string            `tfsdk:"created_at"`
}

type groupAxisState struct {
	Key         *string                `tfsdk:"key"`
	Kind        *string                `tfsdk:"kind"`
	Label       *string                `tfsdk:"label"`
	Description *string                `tfsdk:"description"`
	Type        *string                `tfsdk:"type"`
	Values      []*groupAxisValueState `tfsdk:"values"`
}

type groupAxisValueState struct {
	Value      *catalogue.Scalar `tfsdk:"value"`
	Historical *bool             `tfsdk:"historical"`
}

// newGroupState maps the selected attributes of a group.
func newGroupState(from *catalogue.ModelGroup, only selection) *groupState {
	state := &groupState{
		ID:             from.ID,
		Name:           from.Name,
		LatestRevision: (*int64)(from.LatestRevision),
		Public:         from.Public,
		CreatedAt:      from.CreatedAt,
		TimeHorizon:    (*keyedNameState)(from.TimeHorizon),
		Models:         sortedSummaryStates(from.Models),
		Axes:           orEmpty(mapped(from.Axes, newGroupAxisState)),
		OtherFields:    otherFields(from.OtherFields),
	}
	only.clearOthers(state)
	return state
}

func newSummaryState(from *catalogue.ModelSummary) *modelSummaryState {
	return (*modelSummaryState)(from)
}

// sortedSummaryStates maps a group's revisions, newest first, then by id.
func sortedSummaryStates(models []*catalogue.ModelSummary) []*modelSummaryState {
	states := mapped(models, newSummaryState)
	slices.SortStableFunc(states, func(a, b *modelSummaryState) int {
		return cmp.Or(cmp.Compare(*b.Revision, *a.Revision), compareTexts(a.ID, b.ID))
	})
	return orEmpty(states)
}

func newGroupAxisState(from *catalogue.GroupAxis) *groupAxisState {
	return &groupAxisState{
		Key:         from.Key,
		Kind:        from.Kind,
		Label:       from.Label,
		Description: from.Description,
		Type:        from.Type,
		Values:      orEmpty(mapped(from.Values, newGroupAxisValueState)),
	}
}

func newGroupAxisValueState(from *catalogue.GroupAxisValue) *groupAxisValueState {
	return (*groupAxisValueState)(from)
}

// sortedGroupStates maps groups, sorted by name, then id.
func sortedGroupStates(groups []*catalogue.ModelGroup, only selection) []*groupState {
	byName := func(a, b *catalogue.ModelGroup) int {
		return cmp.Or(compareTexts(a.Name, b.Name), compareTexts(a.ID, b.ID))
	}
	sorted := slices.SortedStableFunc(slices.Values(groups), byName)
	return orEmpty(mapped(sorted, func(group *catalogue.ModelGroup) *groupState {
		return newGroupState(group, only)
	}))
}
