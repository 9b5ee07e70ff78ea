package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// identifier validates the id of a model group.
type identifier struct{}

func (identifier) Description(context.Context) string {
	return "must not be empty, \".\" or \"..\", and must not have control characters in it"
}

func (v identifier) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (identifier) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := catalogue.CheckID(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, explain.SummaryInvalidID,
			fmt.Sprintf("The value cannot be the id of a model group: %s.", err))
	}
}

// notEmpty validates a string that may be left out, but not be empty.
type notEmpty struct{ summary string }

func (notEmpty) Description(context.Context) string { return "must not be empty" }

func (v notEmpty) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v notEmpty) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if value := req.ConfigValue; !value.IsNull() && !value.IsUnknown() && value.ValueString() == "" {
		resp.Diagnostics.AddAttributeError(req.Path, v.summary, "The value is empty. Give one, or null to leave the "+
			"argument out.")
	}
}

// idOrName validates, on id, that a block gives either that or name. An engine
// then points at the block's own arguments in both cases.
type idOrName struct{}

func (idOrName) Description(context.Context) string { return "must be given where name is not" }

func (v idOrName) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (idOrName) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	var name types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("name"), &name)...)
	switch id := req.ConfigValue; {
	case id.IsUnknown() || name.IsUnknown():
		// What is not known yet may turn out to be null.
	case id.IsNull() && name.IsNull():
		resp.Diagnostics.AddAttributeError(req.Path, explain.SummaryNoIDNorName,
			"The block does not say which model group to read. Give its id, or its exact name. The id is the safer "+
				"choice: several groups can have one name.")
	case !id.IsNull() && !name.IsNull():
		resp.Diagnostics.AddAttributeError(req.Path, explain.SummaryIDAndName,
			"A model group is read by its id or by its name. Leave out one of them: set it to null, or remove it.")
	}
}

// countOf validates a number that counts something.
type countOf struct{}

func (countOf) Description(context.Context) string { return "must be a whole number of at least 0" }

func (v countOf) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (countOf) ValidateNumber(_ context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if _, err := wholeNumber(req.ConfigValue); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, explain.SummaryInvalidRevision, fmt.Sprintf("The value %s.", err))
	}
}

// wholeNumber is a number of a configuration that counts something. The
// framework's own whole numbers call 1.5 an error in the provider.
func wholeNumber(value types.Number) (int64, error) {
	if value.IsNull() || value.IsUnknown() {
		return 0, errors.New("must be given")
	}
	number := value.ValueBigFloat()
	whole, accuracy := number.Int64()
	switch {
	case !number.IsInt():
		return 0, fmt.Errorf("must be a whole number, not %s", number.Text('g', 20))
	case number.Sign() < 0:
		return 0, fmt.Errorf("must be at least 0, not %s", spelledWhole(number))
	case accuracy != big.Exact:
		return 0, fmt.Errorf("must be at most %d, not %s", int64(math.MaxInt64), spelledWhole(number))
	}
	return whole, nil
}

// spelledWhole is a whole number with all its digits, where a reader can use
// them.
func spelledWhole(number *big.Float) string {
	if number.MantExp(nil) > 256 {
		return number.Text('g', 20)
	}
	return number.Text('f', 0)
}

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
		resp.Diagnostics.AddAttributeError(req.Path, explain.SummaryIDsAndHorizon,
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
			resp.Diagnostics.AddAttributeError(at, explain.SummaryInvalidID,
				fmt.Sprintf("model_group_ids[%d] is null. Give an id, or leave the element out.", i))
		} else if err := catalogue.CheckID(id.ValueString()); err != nil {
			resp.Diagnostics.AddAttributeError(at, explain.SummaryInvalidID,
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
			resp.Diagnostics.AddAttributeError(at, explain.SummaryInvalidID, fmt.Sprintf("The key %q cannot be the id of a "+
				"model group: %s.", explain.Abridged(id), err))
		}
		revision, ok := elements[id].(types.Number)
		switch {
		case !ok || revision.IsUnknown():
		case revision.IsNull():
			resp.Diagnostics.AddAttributeError(at, explain.SummaryInvalidRevision,
				fmt.Sprintf("The revision of model group %q is null. Give it, or leave the group out.", id))
		default:
			if _, err := wholeNumber(revision); err != nil {
				resp.Diagnostics.AddAttributeError(at, explain.SummaryInvalidRevision, revisionProblem(id, err))
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
				resp.Diagnostics.AddAttributeError(req.Path.AtMapKey(id), explain.SummaryInvalidImage, problem)
			}
		}
	}
	if len(strange) > 0 {
		resp.Diagnostics.AddAttributeError(req.Path.AtMapKey(strange[0]), explain.SummaryInvalidImage,
			fmt.Sprintf("docker_images has an image for model groups that revisions does not have: %s. Give the revision of "+
				"each there, or take its image out.", explain.Quoted(strange)))
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
