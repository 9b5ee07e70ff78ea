package provider

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// rule says what a validator asks for, in words, as the framework wants it.
type rule string

func (r rule) Description(context.Context) string { return string(r) }

func (r rule) MarkdownDescription(context.Context) string { return string(r) }

// identifier validates the id of a model group.
type identifier struct{ rule }

var validID = identifier{"must not be empty, \".\" or \"..\", and must not have control characters in it"}

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
type notEmpty struct {
	rule
	summary string
}

func (v notEmpty) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if value := req.ConfigValue; !value.IsNull() && !value.IsUnknown() && value.ValueString() == "" {
		resp.Diagnostics.AddAttributeError(req.Path, v.summary, "The value is empty. Give one, or null to leave the "+
			"argument out.")
	}
}

// idOrName validates, on id, that a block gives either that or name. An engine
// then points at the block's own arguments in both cases.
type idOrName struct{ rule }

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
type countOf struct{ rule }

func (countOf) ValidateNumber(_ context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if _, err := wholeNumber(req.ConfigValue.ValueBigFloat()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, explain.SummaryInvalidRevision, fmt.Sprintf("The value %s.", err))
	}
}

// wholeNumber is a number of a configuration that counts something. The
// framework's own whole numbers call 1.5 an error in the provider.
func wholeNumber(number *big.Float) (int64, error) {
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

// spelledWhole is a whole number with all its digits, where a reader can use them.
func spelledWhole(number *big.Float) string {
	if number.MantExp(nil) > 256 {
		return number.Text('g', 20)
	}
	return number.Text('f', 0)
}

// groupIDs validates a list of the ids of model groups, beside which there may
// be no time horizon. An argument that is null is left out; an element cannot be.
type groupIDs struct{ rule }

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
type revisionsByGroup struct{ rule }

func (revisionsByGroup) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	elements := req.ConfigValue.Elements()
	for _, id := range slices.Sorted(maps.Keys(elements)) {
		at := req.Path.AtMapKey(id)
		if err := catalogue.CheckID(id); err != nil {
			resp.Diagnostics.AddAttributeError(at, explain.SummaryInvalidID, fmt.Sprintf("The key %q cannot be the id of a "+
				"model group: %s.", explain.Abridged(id), err))
		}
		revision, ok := elements[id].(types.Number)
		problem := ""
		if ok && revision.IsNull() {
			problem = "is null. Give it, or leave the group out."
		} else if ok && !revision.IsUnknown() {
			if _, err := wholeNumber(revision.ValueBigFloat()); err != nil {
				problem = err.Error() + "."
			}
		}
		if problem != "" {
			resp.Diagnostics.AddAttributeError(at, explain.SummaryInvalidRevision,
				fmt.Sprintf("The revision of model group %q %s", id, problem))
		}
	}
}

// imagesByGroup validates a map of images by model group id, beside a map of
// revisions that has the same groups and may have more.
type imagesByGroup struct{ rule }

func (imagesByGroup) ValidateMap(ctx context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	var revisions types.Map
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(argRevisions), &revisions)...)
	pinned := revisions.Elements()
	var strange []string
	first := ""
	elements := req.ConfigValue.Elements()
	for _, id := range slices.Sorted(maps.Keys(elements)) {
		if _, found := pinned[id]; !found && !revisions.IsNull() && !revisions.IsUnknown() {
			strange = append(strange, strings.TrimSpace(fmt.Sprintf("%q %s", explain.Abridged(id), sameButCase(pinned, id))))
			first = cmp.Or(first, id)
		}
		if is := emptyOrNull(elements[id]); is != "" {
			resp.Diagnostics.AddAttributeError(req.Path.AtMapKey(id), explain.SummaryInvalidImage, fmt.Sprintf("The image of "+
				"model group %q is %s. Give the image that was reviewed, or leave the group out of docker_images.", id, is))
		}
	}
	if len(strange) > 0 {
		resp.Diagnostics.AddAttributeError(req.Path.AtMapKey(first), explain.SummaryInvalidImage,
			fmt.Sprintf("docker_images has an image for model groups that revisions does not have:%s\n\nGive the revision of "+
				"each in revisions, or take its image out.", explain.Bulleted(strange, explain.MaxIDs)))
	}
}

// sameButCase names the pinned group whose id differs from another id only in case, or returns "".
func sameButCase(pinned map[string]attr.Value, id string) string {
	for other := range pinned {
		if strings.EqualFold(other, id) {
			return fmt.Sprintf("(revisions has %q)", explain.Abridged(other))
		}
	}
	return ""
}

// emptyOrNull says which of these an element of strings is, or "".
func emptyOrNull(element attr.Value) string {
	switch text, ok := element.(types.String); {
	case !ok || text.IsUnknown() || text.ValueString() != "":
		return ""
	case text.IsNull():
		return "null"
	}
	return "empty"
}
