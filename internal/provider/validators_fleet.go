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
		id, ok := element.(types.String)
		if !ok || id.IsUnknown() {
			continue
		}
		at := req.Path.AtListIndex(i)
		if id.IsNull() {
			resp.Diagnostics.AddAttributeError(at, summaryInvalidID,
				fmt.Sprintf("model_group_ids[%d] is null. Give an id, or leave the element out.", i))
		} else if err := catalogue.CheckID(id.ValueString()); err != nil {
			resp.Diagnostics.AddAttributeError(at, summaryInvalidID,
				fmt.Sprintf("model_group_ids[%d] cannot be the id of a model group: %s.", i, err))
		}
	}
}

// revisionsByGroup validates a map of revisions by model group id.
type revisionsByGroup struct{}

func (revisionsByGroup) Description(context.Context) string {
	return "must have ids of model groups as its keys, and whole numbers of at least 0 as its values"
}

func (v revisionsByGroup) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (revisionsByGroup) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	elements := req.ConfigValue.Elements()
	for _, id := range slices.Sorted(maps.Keys(elements)) {
		at := req.Path.AtMapKey(id)
		if err := catalogue.CheckID(id); err != nil {
			resp.Diagnostics.AddAttributeError(at, summaryInvalidID, fmt.Sprintf("The key %q cannot be the id of a "+
				"model group: %s.", abridged(id), err))
		}
		revision, ok := elements[id].(types.Number)
		switch {
		case !ok || revision.IsUnknown():
		case revision.IsNull():
			resp.Diagnostics.AddAttributeError(at, summaryInvalidRevision,
				fmt.Sprintf("The revision of model group %q is null. Give it, or leave the group out.", id))
		default:
			if _, err := wholeNumber(revision); err != nil {
				resp.Diagnostics.AddAttributeError(at, summaryInvalidRevision, revisionProblem(id, err))
			}
		}
	}
}

// revisionProblem says what is wrong with an element of revisions.
func revisionProblem(id string, err error) string {
	return fmt.Sprintf("The revision of model group %q %s.", id, err)
}

// imagesByGroup validates a map of images by model group id, beside a map of
// revisions that has the same groups and may have more.
type imagesByGroup struct{}

func (imagesByGroup) Description(context.Context) string {
	return "must have keys that revisions has too, and docker images as its values"
}

func (v imagesByGroup) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (imagesByGroup) ValidateMap(ctx context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	var revisions types.Map
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(argRevisions), &revisions)...)
	pinned := revisions.Elements()
	var strange []string
	elements := req.ConfigValue.Elements()
	for _, id := range slices.Sorted(maps.Keys(elements)) {
		if _, found := pinned[id]; !found && !revisions.IsNull() && !revisions.IsUnknown() {
			strange = append(strange, id)
		}
		if image, ok := elements[id].(types.String); ok && !image.IsUnknown() {
			if problem := imageProblem(id, image); problem != "" {
				resp.Diagnostics.AddAttributeError(req.Path.AtMapKey(id), summaryInvalidImage, problem)
			}
		}
	}
	if len(strange) > 0 {
		resp.Diagnostics.AddAttributeError(req.Path.AtMapKey(strange[0]), summaryInvalidImage,
			fmt.Sprintf("docker_images has an image for model groups that revisions does not have: %s. Give the revision of "+
				"each there, or take its image out.", quotedList(strange)))
	}
}

// imageProblem says what is wrong with an element of docker_images, or nothing.
func imageProblem(id string, image types.String) string {
	var is string
	switch {
	case image.IsUnknown():
		is = "not known yet"
	case image.IsNull():
		is = "null"
	case image.ValueString() == "":
		is = "empty"
	default:
		return ""
	}
	return fmt.Sprintf("The image of model group %q is %s. Give the image that was reviewed, or leave the group out of "+
		"docker_images.", id, is)
}
