package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// argWhere is the argument by which the newest of only some models is read.
const argWhere = "where"

// whereBlocks returns that argument, which is a block: an engine refuses a misspelt name in a block, and drops it from
// an object without a word. without describes what happens to a group that has no such model.
func whereBlocks(without string) map[string]schema.Block {
	return map[string]schema.Block{argWhere: schema.SingleNestedBlock{
		MarkdownDescription: "Conditions on the model. The highest revision that meets all of them is read, " +
			"archived and disabled ones included unless a condition says otherwise. A second request is sent only " +
			"if the latest model fails a condition. " + without + " A block without a condition, or with nulls only, " +
			"is none.",
		Attributes: map[string]schema.Attribute{
			"enabled": schema.BoolAttribute{
				MarkdownDescription: "Whether the model is enabled, `true`, or disabled, `false`. Leave it out for " +
					"either.",
				Optional: true,
			},
			"archived": schema.BoolAttribute{
				MarkdownDescription: "Whether the model is archived, `true`, or not, `false`. Leave it out for either.",
				Optional:            true,
			},
			"tags": schema.ListAttribute{
				MarkdownDescription: "Tags that the model has, such as `offshore`: all of them, and it may have " +
					"more. They are matched exactly.",
				Optional:    true,
				ElementType: types.StringType,
				Validators:  []validator.List{notEmpty(explain.SummaryInvalidTag)},
			},
			"run_mode": schema.StringAttribute{
				MarkdownDescription: "The run mode of the model, `AUTOMATIC` or `ON_DEMAND`, matched exactly.",
				Optional:            true,
				Validators:          []validator.String{notEmpty(explain.SummaryInvalidRunMode)},
			},
			"min_age": schema.StringAttribute{
				MarkdownDescription: "The least time since the model was published, as a duration such as `72h` or " +
					"`3d`, where `d` is 24 hours. It counts from the later of `created_at` and `updated_at`, by " +
					"the clock of this machine. Dates are those of ISO 8601; one without a zone is in UTC. A model " +
					"without `created_at` has no age.",
				Optional:   true,
				Validators: []validator.String{ageRule},
			},
		},
	}}
}

// whereState is the block as it is configured. A nil or empty whereState matches every model.
type whereState struct {
	Enabled  *bool    `tfsdk:"enabled"`
	Archived *bool    `tfsdk:"archived"`
	Tags     []string `tfsdk:"tags"`
	RunMode  *string  `tfsdk:"run_mode"`
	MinAge   *string  `tfsdk:"min_age"`
}

// String spells the conditions as in a configuration: an engine shows only the first line of a block.
func (w *whereState) String() string {
	var set []string
	add := func(name string, isSet bool, value any) {
		if isSet {
			set = append(set, fmt.Sprintf("%s = %v", name, value))
		}
	}
	add("enabled", w.Enabled != nil, orZero(w.Enabled))
	add("archived", w.Archived != nil, orZero(w.Archived))
	add("tags", len(w.Tags) > 0, "["+explain.Quoted(w.Tags...)+"]")
	add("run_mode", w.RunMode != nil, explain.Quoted(orZero(w.RunMode)))
	add("min_age", w.MinAge != nil, explain.Quoted(orZero(w.MinAge)))
	return strings.Join(set, ", ")
}

// unmet returns a clause about a model for each condition that it does not satisfy at a moment. What the service left
// out satisfies no condition on it. A wrong record does not satisfy if what can be read of it does not.
func (w *whereState) unmet(model *catalogue.Model, now time.Time) []string {
	switch {
	case w == nil:
		return nil
	case model.Err != nil:
		w = w.onWhatIsRead(model)
	}
	clauses := slices.Concat(
		unmetFlag(w.Enabled, model.Enabled, "enabled", "disabled"),
		unmetFlag(w.Archived, model.Archived, "archived", "not archived"))
	var lacking []string
	for _, tag := range w.Tags {
		if !slices.ContainsFunc(model.Tags, func(has *string) bool { return has != nil && sameText(tag, *has) }) {
			lacking = append(lacking, explain.Quoted(tag)+likeTag(model.Tags, tag))
		}
	}
	if len(lacking) > 0 {
		clauses = append(clauses, "its tags lack "+strings.Join(explain.First(explain.MaxIDs, lacking), ", "))
	}
	switch want, has := w.RunMode, model.RunMode; {
	case want == nil:
	case has == nil:
		clauses = append(clauses, "the service does not say its run mode")
	case *want != *has:
		clauses = append(clauses, fmt.Sprintf("its run mode is %q", redact.Abridged(*has)))
	}
	return append(clauses, w.tooYoung(model, now)...)
}

// onWhatIsRead returns the conditions on what a model has.
func (w *whereState) onWhatIsRead(model *catalogue.Model) *whereState {
	conditions := *w
	if model.Enabled == nil {
		conditions.Enabled = nil
	}
	if model.Archived == nil {
		conditions.Archived = nil
	}
	if model.Tags == nil {
		conditions.Tags = nil
	}
	if model.RunMode == nil {
		conditions.RunMode = nil
	}
	if model.CreatedAt == nil {
		conditions.MinAge = nil
	}
	return &conditions
}

// unmetFlag says what a setting is if it is not as wanted.
func unmetFlag(want, has *bool, yes, no string) []string {
	switch {
	case want == nil || has != nil && *has == *want:
		return nil
	case has == nil:
		return []string{"the service does not say whether it is " + yes}
	case *has:
		return []string{"it is " + yes}
	default:
		return []string{"it is " + no}
	}
}

// likeTag names the tag of a model that is spelled almost like the one it lacks, or returns "".
func likeTag(tags []*string, lacking string) string {
	for _, tag := range tags {
		if tag != nil && folded(*tag) == folded(lacking) {
			return " (it has " + explain.Quoted(*tag) + ")"
		}
	}
	return ""
}

// newest reads the highest revision of a group that satisfies the conditions. The remedy is what to do if none does. A
// failure other than of the client is a *groupError.
func (w *whereState) newest(
	ctx context.Context, client *catalogue.Client, group, remedy string,
) (*catalogue.Model, error) {
	now := time.Now()
	satisfies := func(model *catalogue.Model) bool { return len(w.unmet(model, now)) == 0 }
	latest, err := client.LatestModel(ctx, group)
	if latest == nil || satisfies(latest) {
		return latest, err
	}
	models, err := client.Models(ctx, group)
	if err != nil {
		return nil, err
	}
	found := highest(models, satisfies)
	switch len(found) {
	case 0:
		return nil, w.noneSatisfies(withLatest(models, latest), now, group, remedy)
	case 1:
		return found[0], found[0].Err
	default:
		return nil, severalModels(argWhere, group, int64(*found[0].Revision), len(found))
	}
}

// highest returns the models of the highest revision among those that satisfy: one, unless the catalogue lists several
// of one revision. One whose revision cannot be read may be the highest.
func highest(models []*catalogue.Model, satisfies func(*catalogue.Model) bool) []*catalogue.Model {
	var found []*catalogue.Model
	for _, model := range slices.SortedStableFunc(slices.Values(models), newestFirst) {
		switch {
		case !satisfies(model):
		case model.Revision == nil:
			return []*catalogue.Model{model}
		case len(found) == 0 || isRevision(model, int64(*found[0].Revision)):
			found = append(found, model)
		}
	}
	return found
}

// withLatest returns the models of a list and the latest one, which the list may lack, newest first.
func withLatest(models []*catalogue.Model, latest *catalogue.Model) []*catalogue.Model {
	sorted := slices.Clone(models)
	isLatest := func(model *catalogue.Model) bool { return isRevision(model, int64(*latest.Revision)) }
	if !slices.ContainsFunc(models, isLatest) {
		sorted = append(sorted, latest)
	}
	slices.SortStableFunc(sorted, newestFirst)
	return sorted
}

// noneSatisfies says of each model, newest first, why it does not satisfy.
func (w *whereState) noneSatisfies(models []*catalogue.Model, now time.Time, group, remedy string) *groupError {
	lines := make([]string, 0, len(models))
	for _, model := range models {
		which := "a model whose revision cannot be read"
		if model.Revision != nil {
			which = fmt.Sprintf("revision %d", int64(*model.Revision))
		}
		why := w.unmet(model, now)
		if wrong, ok := errors.AsType[*catalogue.UnusableAnswerError](model.Err); ok {
			why = append(why, fmt.Sprintf("its record is wrong at %s: %s", wrong.Place, wrong.Problem))
		}
		lines = append(lines, which+": "+strings.Join(why, "; "))
	}
	short := lines[0]
	if older := len(lines) - 1; older > 0 {
		short += fmt.Sprintf("; older ones fail too: %d", older)
	}
	mayLack := ""
	if w.Archived == nil || *w.Archived {
		mayLack = mayLackArchived(models)
	}
	brief := fmt.Sprintf("Model group %q has none: %s", explain.ShortID(group), short)
	return &groupError{
		Problem: explain.Problem{
			Summary: explain.SummaryNoneSatisfies,
			Detail: explain.Paragraphs(fmt.Sprintf("No revision of model group %q satisfies where (%s):%s",
				group, w, explain.Bulleted(lines, explain.MaxIDs)), mayLack, remedy),
			Path:  path.Root(argWhere),
			Cause: explain.SummaryNoneSatisfies,
			Short: redact.Shorten(brief, explain.MaxShort),
		},
		phrase:  short,
		nothing: true,
	}
}
