package provider

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// undescribed is the part of a validator whose rule stands in the description of its attribute.
type undescribed struct{}

func (undescribed) Description(context.Context) string { return "" }

func (undescribed) MarkdownDescription(context.Context) string { return "" }

// rule validates an argument, or each element of a list or map. An argument may be null, an element may not.
type rule struct {
	undescribed
	summary string
	problem func(attr.Value) string // about a known value, such as "is empty", or ""
	next    string                  // what to write instead, unless the problem includes it
	ofIDs   bool                    // the texts are ids of model groups
}

// The rules.
var (
	validID   = rule{summary: explain.SummaryInvalidID, problem: idProblem, ofIDs: true}
	countRule = rule{summary: explain.SummaryInvalidRevision, problem: countProblem}
	ageRule   = rule{summary: explain.SummaryInvalidAge, problem: ageProblem}
)

func notEmpty(summary string) rule { return rule{summary: summary, problem: textProblem} }

// ValidateString checks an argument.
func (r rule) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	resp.Diagnostics.Append(r.ofArgument(req.Path, req.ConfigValue)...)
}

// ValidateNumber checks an argument.
func (r rule) ValidateNumber(_ context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	resp.Diagnostics.Append(r.ofArgument(req.Path, req.ConfigValue)...)
}

// ofArgument returns the mistake in an argument.
func (r rule) ofArgument(at path.Path, value attr.Value) diag.Diagnostics {
	wrong := mistakes{rule: r, argument: at}
	if !value.IsNull() {
		wrong.check(at, "The value", value)
	}
	return wrong.diagnostics()
}

// ValidateList checks each element.
func (r rule) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	wrong := mistakes{rule: r, argument: req.Path}
	var texts []string
	for i, element := range req.ConfigValue.Elements() {
		at := req.Path.AtListIndex(i)
		wrong.check(at, at.String(), element)
		texts = append(texts, asText(element))
	}
	resp.Diagnostics.Append(wrong.diagnostics()...)
	if r.ofIDs {
		checkSpellings(&resp.Diagnostics, texts, req.Path.AtListIndex)
	}
}

// ValidateMap checks each element, and its key, which is the id of a model group.
func (r rule) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	keys := mistakes{rule: validID, argument: req.Path}
	values := mistakes{rule: r, argument: req.Path}
	elements := req.ConfigValue.Elements()
	ids := slices.Sorted(maps.Keys(elements))
	for _, id := range ids {
		at := req.Path.AtMapKey(id)
		keys.check(at, "The key "+explain.Quoted(id), types.StringValue(id))
		values.check(at, at.String(), elements[id])
	}
	resp.Diagnostics.Append(keys.diagnostics()...)
	resp.Diagnostics.Append(values.diagnostics()...)
	checkSpellings(&resp.Diagnostics, ids, func(i int) path.Path { return req.Path.AtMapKey(ids[i]) })
}

// mistakes collects the elements of an argument that break a rule.
type mistakes struct {
	rule
	argument  path.Path
	first     path.Path
	sentences []string
}

// check adds a sentence about an element if it breaks the rule.
func (m *mistakes) check(at path.Path, subject string, value attr.Value) {
	problem := "is null; give a value, or leave the element out"
	switch {
	case value.IsUnknown():
		return
	case !value.IsNull():
		problem = m.problem(value)
	}
	if problem != "" {
		m.add(at, subject+" "+problem+".")
	}
}

// add adds a sentence or a phrase about an element.
func (m *mistakes) add(at path.Path, sentence string) {
	if m.sentences == nil {
		m.first = at
	}
	m.sentences = append(m.sentences, sentence)
}

// maxNames bounds the elements in one error. No record has as many attributes.
const maxNames = 50

// diagnostics returns one error for all mistakes, on the element, or on the argument if there are several.
func (m *mistakes) diagnostics() (diags diag.Diagnostics) {
	if m.sentences == nil {
		return nil
	}
	at, problem := m.first, m.sentences[0]
	if count := len(m.sentences); count > 1 {
		at = m.argument
		problem = fmt.Sprintf("%d elements cannot be used:%s", count, explain.Bulleted(m.sentences, maxNames))
	}
	diags.AddAttributeError(at, m.summary, explain.Paragraphs(problem, m.next))
	return diags
}

// checkSpellings adds an error for model groups with two spellings, on the first of them: two pins of one group would
// deploy it twice. An unknown id is empty.
func checkSpellings(diags *diag.Diagnostics, ids []string, at func(int) path.Path) {
	known := map[string]string{}
	var twice mistakes
	for i, id := range ids {
		key := catalogue.IDKey(id)
		other, isKnown := known[key]
		switch {
		case !isKnown:
			known[key] = id
		case other != id:
			twice.add(at(i), explain.Quoted(other)+" and "+explain.Quoted(id))
		}
	}
	if twice.sentences != nil {
		diags.AddAttributeError(twice.first, explain.SummaryInvalidID, "A model group is named in two spellings:"+
			explain.Bulleted(twice.sentences, explain.MaxIDs)+"\n\nIds that differ only in upper and lower case are "+
			"the same. Leave one of the two out.")
	}
}

// isKnown reports whether a value is neither null nor unknown.
func isKnown(value attr.Value) bool { return !value.IsNull() && !value.IsUnknown() }

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

// countProblem validates a revision number. The framework's own whole numbers call 1.5 an error in the provider.
func countProblem(value attr.Value) string {
	number, _ := value.(types.Number)
	count := number.ValueBigFloat()
	_, accuracy := count.Int64()
	var bound string
	switch {
	case !count.IsInt():
		bound = "a whole number"
	case count.Sign() < 0:
		bound = "at least 0"
	case accuracy != big.Exact:
		bound = fmt.Sprint("at most ", int64(math.MaxInt64))
	default:
		return ""
	}
	return fmt.Sprintf("must be %s, not %s", bound, count.Text('g', 20))
}

// idOrName validates, on id, that a block gives either id or name.
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
