package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// groupIDs validates a list of the ids of model groups, beside which there may
// be no time horizon. An argument that is null is left out; an element cannot be.
type groupIDs struct{}

func (groupIDs) Description(context.Context) string {
	return "must be ids of model groups, and not be given beside time_horizon"
}

func (v groupIDs) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (groupIDs) ValidateList(ctx context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	var horizon types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("time_horizon"), &horizon)...)
	if !horizon.IsNull() && !horizon.IsUnknown() {
		resp.Diagnostics.AddAttributeError(req.Path, summaryIDsAndHorizon,
			"Model groups are read by their ids, or all of one time horizon. Leave out one of the two: set it to "+
				"null, or remove it.")
	}
	for i, element := range req.ConfigValue.Elements() {
		if id, ok := element.(types.String); ok && !id.IsUnknown() {
			at := req.Path.AtListIndex(i)
			if id.IsNull() {
				resp.Diagnostics.AddAttributeError(at, summaryInvalidID, "The value is null. Give an id, or leave "+
					"the element out.")
				continue
			}
			var checked validator.StringResponse
			identifier{}.ValidateString(ctx, validator.StringRequest{Path: at, ConfigValue: id}, &checked)
			resp.Diagnostics.Append(checked.Diagnostics...)
		}
	}
}

// revisionsByGroup validates a map of revisions by model group id.
type revisionsByGroup struct{}

func (revisionsByGroup) Description(context.Context) string {
	return "must have ids of model groups as its keys, and whole numbers of at least 0 as its values"
}

func (v revisionsByGroup) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (revisionsByGroup) ValidateMap(ctx context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	elements := req.ConfigValue.Elements()
	for _, id := range slices.Sorted(maps.Keys(elements)) {
		at := req.Path.AtMapKey(id)
		if err := catalogue.CheckID(id); err != nil {
			resp.Diagnostics.AddAttributeError(at, summaryInvalidID, fmt.Sprintf("The key cannot be the id of a "+
				"model group: %s.", err))
		}
		if revision, ok := elements[id].(types.Number); ok && revision.IsNull() {
			resp.Diagnostics.AddAttributeError(at, summaryInvalidRevision, "The value is null. Give the revision, or "+
				"leave the group out.")
		} else if ok {
			var checked validator.NumberResponse
			countOf{}.ValidateNumber(ctx, validator.NumberRequest{Path: at, ConfigValue: revision}, &checked)
			resp.Diagnostics.Append(checked.Diagnostics...)
		}
	}
}
