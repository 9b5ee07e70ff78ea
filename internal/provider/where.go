package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// argWhere is the argument by which the newest of only some models is read.
const argWhere = "where"

// whereAttribute is that argument. The last sentence says what becomes of a
// group that has no such model.
func whereAttribute(without string) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: "The conditions that the model has to satisfy, all of them: the highest revision that does " +
			"is read, archived and disabled ones included unless a condition says otherwise. It costs a second request only " +
			"where the latest model does not satisfy them. " + without + " Engines ignore other names in it without a word.",
		Optional:   true,
		Validators: []validator.Object{anyCondition{"should have a condition"}},
		Attributes: map[string]schema.Attribute{
			"enabled": schema.BoolAttribute{
				MarkdownDescription: "Whether the model has to be enabled, `true`, or disabled, `false`. Leave it out for either.",
				Optional:            true,
			},
			"archived": schema.BoolAttribute{
				MarkdownDescription: "Whether the model has to be archived, `true`, or not, `false`. Leave it out for either.",
				Optional:            true,
			},
			"tags": schema.ListAttribute{
				MarkdownDescription: "The tags that the model has to have, such as `offshore`: all of them, and it may have " +
					"more. They are matched exactly.",
				Optional:    true,
				ElementType: types.StringType,
				Validators:  []validator.List{tagNames{"must be tags, none of them empty"}},
			},
		},
	}
}

// whereState is the argument as it is configured. A nil one is satisfied by any
// model, and so is one without a condition.
type whereState struct {
	Enabled  *bool    `tfsdk:"enabled"`
	Archived *bool    `tfsdk:"archived"`
	Tags     []string `tfsdk:"tags"`
}

// unmet says in phrases about a model which conditions it does not satisfy. A
// setting that the service left out satisfies no condition on it.
func (w *whereState) unmet(model *catalogue.Model) []string {
	if w == nil {
		return nil
	}
	var phrases []string
	if phrase := unmetFlag(w.Enabled, model.Enabled, "enabled", "disabled"); phrase != "" {
		phrases = append(phrases, phrase)
	}
	if phrase := unmetFlag(w.Archived, model.Archived, "archived", "not archived"); phrase != "" {
		phrases = append(phrases, phrase)
	}
	var lacking []string
	for _, tag := range w.Tags {
		if !slices.ContainsFunc(model.Tags, func(has *string) bool { return has != nil && sameText(tag, *has) }) {
			lacking = append(lacking, tag)
		}
	}
	switch len(lacking) {
	case 0:
		return phrases
	case 1:
		return append(phrases, "lacks the tag "+explain.Quoted(lacking))
	default:
		return append(phrases, "lacks the tags "+explain.Quoted(lacking))
	}
}

// unmetFlag says what a setting is where it is not as wanted, else "".
func unmetFlag(want, has *bool, yes, no string) string {
	switch {
	case want == nil || has != nil && *has == *want:
		return ""
	case has == nil:
		return "may be " + yes + " or " + no + ", the service does not say"
	case *has:
		return "is " + yes
	default:
		return "is " + no
	}
}

// satisfies tells whether a model satisfies every condition.
func (w *whereState) satisfies(model *catalogue.Model) bool { return len(w.unmet(model)) == 0 }

// newest reads the highest revision of a group that satisfies the conditions. The remedy is what to
// do where none does. A failure other than of the client is a *groupError.
func (w *whereState) newest(
	ctx context.Context, client *catalogue.Client, groupID, remedy string,
) (*catalogue.Model, error) {
	latest, err := client.LatestModel(ctx, groupID)
	if err != nil || w.satisfies(latest) {
		return latest, err
	}
	// A list that was kept from before the latest model was published may lack
	// one that satisfies, too.
	models, err := client.ModelsWith(ctx, groupID, func(models []*catalogue.Model) bool {
		return reaches(models, latest) && slices.ContainsFunc(models, w.satisfies)
	})
	if err != nil {
		return nil, err
	}
	model, problem := w.pick(models, latest, groupID, remedy)
	if problem != nil {
		return nil, problem
	}
	return model, nil
}

// reaches tells whether a list is at least as new as the latest model. Where that
// one is archived it may be missing in every list.
func reaches(models []*catalogue.Model, latest *catalogue.Model) bool {
	return latest.Archived != nil && *latest.Archived || slices.ContainsFunc(models, func(model *catalogue.Model) bool {
		return comparePointers(model.Revision, latest.Revision) >= 0
	})
}

// pick finds the one model of the highest revision that satisfies the conditions.
func (w *whereState) pick(
	models []*catalogue.Model, latest *catalogue.Model, groupID, remedy string,
) (*catalogue.Model, *groupError) {
	var found []*catalogue.Model
	for _, model := range models {
		if !w.satisfies(model) {
			continue
		}
		if len(found) > 0 {
			switch order := comparePointers(model.Revision, found[0].Revision); {
			case order < 0:
				continue
			case order > 0:
				found = nil
			}
		}
		found = append(found, model)
	}
	switch len(found) {
	case 0:
		return nil, w.noneSatisfies(withLatest(models, latest), groupID, remedy)
	case 1:
		return found[0], nil
	default:
		return nil, severalModels(argWhere, groupID, int64(*found[0].Revision), len(found))
	}
}

// withLatest are the models of a list and the latest one, which the list may lack, newest first.
func withLatest(models []*catalogue.Model, latest *catalogue.Model) []*catalogue.Model {
	sorted := slices.Clone(models)
	if !slices.ContainsFunc(models, func(model *catalogue.Model) bool {
		return comparePointers(model.Revision, latest.Revision) == 0
	}) {
		sorted = append(sorted, latest)
	}
	slices.SortStableFunc(sorted, newestFirst)
	return sorted
}

// noneSatisfies says of each model, newest first, why it does not satisfy.
func (w *whereState) noneSatisfies(models []*catalogue.Model, groupID, remedy string) *groupError {
	lines := make([]string, 0, len(models))
	for _, model := range models {
		lines = append(lines, fmt.Sprintf("revision %d %s", int64(*model.Revision), strings.Join(w.unmet(model), ", ")))
	}
	short := lines[0]
	switch older := len(lines) - 1; older {
	case 0:
	case 1:
		short += "; the older one fails too"
	default:
		short += fmt.Sprintf("; %d older ones fail too", older)
	}
	mayLack := ""
	if w.Archived == nil || *w.Archived {
		mayLack = "Archived revisions may be missing here, because the service may leave them out."
	}
	return &groupError{
		argument: argWhere, summary: explain.SummaryNoneSatisfies, nothing: true,
		detail: explain.Paragraphs(fmt.Sprintf("No revision of model group %q satisfies %s:%s",
			groupID, w, explain.Bulleted(lines, explain.MaxIDs)), mayLack, remedy),
		short: short,
	}
}

// String spells the conditions as a configuration does.
func (w *whereState) String() string {
	var conditions []string
	if w.Enabled != nil {
		conditions = append(conditions, fmt.Sprintf("enabled = %t", *w.Enabled))
	}
	if w.Archived != nil {
		conditions = append(conditions, fmt.Sprintf("archived = %t", *w.Archived))
	}
	if len(w.Tags) > 0 {
		conditions = append(conditions, "tags = ["+explain.Quoted(w.Tags)+"]")
	}
	return "where = { " + strings.Join(conditions, ", ") + " }"
}

// anyCondition warns of an object without any condition. Engines drop names that
// an object does not have, so it may be what is left of a misspelt one.
type anyCondition struct{ rule }

func (anyCondition) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	for _, condition := range req.ConfigValue.Attributes() {
		if !condition.IsNull() {
			return
		}
	}
	resp.Diagnostics.AddAttributeWarning(req.Path, explain.SummaryNoCondition, "Any model satisfies where, because it "+
		"has none of enabled, archived and tags. Engines drop any other name without a word, so one of these may be "+
		"misspelt. If no condition is meant, leave where out, or set it to null.")
}

// tagNames validates a list of tags.
type tagNames struct{ rule }

func (tagNames) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	for i, element := range req.ConfigValue.Elements() {
		if is := emptyOrNull(element); is != "" {
			resp.Diagnostics.AddAttributeError(req.Path.AtListIndex(i), explain.SummaryInvalidTag,
				fmt.Sprintf("where.tags[%d] is %s. Give a tag, or leave the element out.", i, is))
		}
	}
}
