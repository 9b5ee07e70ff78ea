package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
)

// undescribed is a validator whose rule is in the description of its attribute.
type undescribed struct{}

func (undescribed) Description(context.Context) string { return "" }

func (undescribed) MarkdownDescription(context.Context) string { return "" }

// rule validates an argument, or each element of one. The argument may be null, an element may not.
type rule struct {
	undescribed
	summary string
	problem func(attr.Value) string // about a known value, such as "is empty", or ""
}

// The rules.
var (
	validID   = rule{summary: explain.SummaryInvalidID, problem: idProblem}
	countRule = rule{summary: explain.SummaryInvalidRevision, problem: countProblem}
	ageRule   = rule{summary: explain.SummaryInvalidAge, problem: ageProblem}
)

// isKnown reports whether a value is given, and known while planning.
func isKnown(value attr.Value) bool { return !value.IsNull() && !value.IsUnknown() }

func notEmpty(summary string) rule { return rule{summary: summary, problem: textProblem} }

// mistake says what is wrong with a value, or returns "".
func (r rule) mistake(subject string, value attr.Value) string {
	problem := "is null; give a value, or leave the element out"
	switch {
	case value.IsUnknown():
		return ""
	case !value.IsNull():
		problem = r.problem(value)
	}
	if problem == "" {
		return ""
	}
	return subject + " " + problem + "."
}

// ofArgument returns the mistakes in an argument.
func (r rule) ofArgument(at path.Path, value attr.Value) diag.Diagnostics {
	var wrong mistakes
	if !value.IsNull() {
		wrong.add(at, r.mistake("The value", value))
	}
	return wrong.diagnostics(at, r.summary)
}

// ValidateString checks an argument.
func (r rule) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	resp.Diagnostics.Append(r.ofArgument(req.Path, req.ConfigValue)...)
}

// ValidateNumber checks an argument.
func (r rule) ValidateNumber(_ context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	resp.Diagnostics.Append(r.ofArgument(req.Path, req.ConfigValue)...)
}

// ValidateList checks each element.
func (r rule) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	var wrong mistakes
	for i, element := range req.ConfigValue.Elements() {
		at := req.Path.AtListIndex(i)
		wrong.add(at, r.mistake(at.String(), element))
	}
	resp.Diagnostics.Append(wrong.diagnostics(req.Path, r.summary)...)
}

// ValidateMap checks each element, and its key, which is the id of a model group.
func (r rule) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	var keys, values mistakes
	elements := req.ConfigValue.Elements()
	for _, id := range slices.Sorted(maps.Keys(elements)) {
		at := req.Path.AtMapKey(id)
		keys.add(at, validID.mistake("The key "+explain.Quoted(id), types.StringValue(id)))
		values.add(at, r.mistake(at.String(), elements[id]))
	}
	resp.Diagnostics.Append(keys.diagnostics(req.Path, validID.summary)...)
	resp.Diagnostics.Append(values.diagnostics(req.Path, r.summary)...)
}

// mistakes are sentences or phrases about the elements of an argument that cannot be used.
type mistakes struct {
	first     path.Path
	sentences []string
}

// add adds a sentence about an element, unless it is empty.
func (m *mistakes) add(at path.Path, sentence string) {
	if sentence == "" {
		return
	}
	if m.sentences == nil {
		m.first = at
	}
	m.sentences = append(m.sentences, sentence)
}

// diagnostics returns one error for all: on the element, or on the argument if there are several.
func (m *mistakes) diagnostics(argument path.Path, summary string) (diags diag.Diagnostics) {
	switch len(m.sentences) {
	case 0:
	case 1:
		diags.AddAttributeError(m.first, summary, m.sentences[0])
	default:
		diags.AddAttributeError(argument, summary, fmt.Sprintf("%d elements cannot be used:%s", len(m.sentences),
			explain.Bulleted(m.sentences, maxNames)))
	}
	return diags
}

func idProblem(value attr.Value) string {
	if err := catalogue.CheckID(asText(value)); err != nil {
		return fmt.Sprintf("cannot be the id of a model group: %s", err)
	}
	return ""
}

func textProblem(value attr.Value) string {
	if asText(value) == "" {
		return "is empty; give a value, or leave it out"
	}
	return ""
}

func countProblem(value attr.Value) string {
	if number, ok := value.(types.Number); ok {
		if _, err := setting.WholeNumber(number.ValueBigFloat()); err != nil {
			return err.Error()
		}
	}
	return ""
}

// idOrName validates, on id, that a block gives either that or name. An engine then points at the block's own arguments
// in both cases.
type idOrName struct{ undescribed }

func (idOrName) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	var name types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("name"), &name)...)
	switch id := req.ConfigValue; {
	case id.IsUnknown() || name.IsUnknown():
		// An unknown value may turn out to be null.
	case id.IsNull() && name.IsNull():
		resp.Diagnostics.AddAttributeError(req.Path, explain.SummaryNoIDNorName,
			"The block does not say which model group to read. Give its id, or its exact name. The id is the safer "+
				"choice: several groups can have one name.")
	case !id.IsNull() && !name.IsNull():
		resp.Diagnostics.AddAttributeError(req.Path, explain.SummaryIDAndName,
			"A model group is read by its id or by its name. Leave out one of them: set it to null, or remove it.")
	}
}

// idsOrHorizon validates, on model_group_ids, that time_horizon is not set as well.
type idsOrHorizon struct{ undescribed }

func (idsOrHorizon) ValidateList(ctx context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	var horizon types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("time_horizon"), &horizon)...)
	if isKnown(req.ConfigValue) && isKnown(horizon) {
		resp.Diagnostics.AddAttributeError(req.Path, explain.SummaryIDsAndHorizon,
			"Model groups are read by their ids, or all of one time horizon. Leave out one of the two: set it to "+
				"null, or remove it.")
	}
}

// imagesOfPins validates, on docker_images, that revisions has the same groups, and maybe more.
type imagesOfPins struct{ undescribed }

func (imagesOfPins) ValidateMap(ctx context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	var revisions types.Map
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(argRevisions), &revisions)...)
	if !isKnown(revisions) {
		return
	}
	given := map[string]bool{}
	for id := range revisions.Elements() {
		given[catalogue.IDKey(id)] = true
	}
	var strange mistakes
	for _, id := range slices.Sorted(maps.Keys(req.ConfigValue.Elements())) {
		if !given[catalogue.IDKey(id)] {
			strange.add(req.Path.AtMapKey(id), explain.Quoted(id))
		}
	}
	if strange.sentences != nil {
		resp.Diagnostics.AddAttributeError(strange.first, explain.SummaryInvalidImage, "docker_images has an image "+
			"for model groups that revisions does not have:"+explain.Bulleted(strange.sentences, explain.MaxIDs)+
			"\n\nGive the revision of each in revisions, or take its image out.")
	}
}
