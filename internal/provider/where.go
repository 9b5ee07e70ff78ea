package provider

import (
	"cmp"
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
)

// argWhere is the block with conditions on the model.
const argWhere = "where"

// whereBlocks returns the block where. It is a block because an engine refuses a misspelt name in one, and silently
// drops it from an object. without describes what happens to a group without a matching model.
func whereBlocks(without string) map[string]schema.Block {
	return map[string]schema.Block{argWhere: schema.SingleNestedBlock{
		MarkdownDescription: "Conditions on the model. The highest revision that meets all of them is read, " +
			"archived and disabled ones included unless you exclude them. A second request is sent only if the " +
			"latest model fails a condition. " + without + " The read fails if the service leaves open whether the " +
			"highest revision not ruled out meets a condition. A block of nulls has no effect.",
		Attributes: map[string]schema.Attribute{
			"enabled": schema.BoolAttribute{
				MarkdownDescription: "Whether the model is enabled. Leave it out for either.",
				Optional:            true,
			},
			"archived": schema.BoolAttribute{
				MarkdownDescription: "Whether the model is archived. Leave it out for either.",
				Optional:            true,
			},
			"tags": schema.ListAttribute{
				MarkdownDescription: "Tags of the model, such as `offshore`: it has all of them, matched exactly.",
				Optional:            true,
				ElementType:         types.StringType,
				Validators:          []validator.List{notEmpty(explain.SummaryInvalidTag)},
			},
			"run_mode": schema.StringAttribute{
				MarkdownDescription: "The run mode of the model, `AUTOMATIC` or `ON_DEMAND`, matched exactly.",
				Optional:            true,
				Validators:          []validator.String{notEmpty(explain.SummaryInvalidRunMode)},
			},
			"min_age": schema.StringAttribute{
				MarkdownDescription: "The least time since publication, as a duration such as `72h` or `3d` (`d` is " +
					"24 hours). It counts from the later of `created_at` and `updated_at` to the start of the run by " +
					"this machine's clock, or to now with `snapshot = false`.",
				Optional:   true,
				Validators: []validator.String{ageRule},
			},
		},
	}}
}

// whereState is the configured block. A nil or empty one matches every model.
type whereState struct {
	Enabled  *bool    `tfsdk:"enabled"`
	Archived *bool    `tfsdk:"archived"`
	Tags     []string `tfsdk:"tags"`
	RunMode  *string  `tfsdk:"run_mode"`
	MinAge   *string  `tfsdk:"min_age"`
}

// String spells the conditions as in a configuration. An engine shows only the first line of a block.
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

// choice is the followed model of a group.
type choice struct {
	*catalogue.Model                   // or nil
	seen             catalogue.Integer // the highest revision among the read models
	delayed          []string          // one line if only its update rules a higher revision out
}

// newest reads the highest matching revision of a group. shown has the models in the group's listed record. Errors are
// those of the client, or a *groupError.
func (w *whereState) newest(
	ctx context.Context, r *blockRead, group string, shown []*catalogue.ModelSummary,
) (choice, error) {
	latest, err := r.client.LatestModel(ctx, group)
	if latest == nil {
		return choice{}, err
	}
	now := cmp.Or(r.moment, time.Now())
	models := []*catalogue.Model{latest}
	if w.judge(latest, now).standing() == unmet {
		listed, err := r.client.Models(ctx, group)
		if err == nil {
			err = lacking(listed, latest, shown, group)
		}
		if err != nil {
			before := fmt.Sprintf("the service answered with its latest model, revision %d", *latest.Revision)
			return choice{}, contradicted(err, group, before)
		}
		models = withLatest(listed, latest)
	}
	model, err := w.choose(models, now, group)
	return choice{model, orZero(models[0].Revision), w.delayed(models, now, group)}, err
}

// lacking returns an error for a partial or stale list of models: it lacks a revision that the latest model or the
// list of groups shows as not archived.
func lacking(
	listed []*catalogue.Model, latest *catalogue.Model, shown []*catalogue.ModelSummary, group string,
) error {
	speakers := []string{"the list of groups"}
	if !orZero(latest.Archived) {
		shown = append([]*catalogue.ModelSummary{{Revision: latest.Revision}}, shown...)
		speakers = []string{"its latest model", "the list of groups"}
	}
	for i, one := range shown {
		if !slices.ContainsFunc(listed, func(model *catalogue.Model) bool {
			return model.Revision == nil || *model.Revision == *one.Revision
		}) {
			return contradiction(group, fmt.Sprintf("%s shows revision %d, which the list of its models lacks: "+
				"it has %s", speakers[min(i, len(speakers)-1)], *one.Revision, revisionNames(listed)), "")
		}
	}
	return nil
}

// withLatest returns the listed models, newest first, with latest in place of those of its revision: a stale record in
// the list must not satisfy conditions that the latest model fails.
func withLatest(listed []*catalogue.Model, latest *catalogue.Model) []*catalogue.Model {
	models := []*catalogue.Model{latest}
	for _, model := range listed {
		if !isRevision(model, int64(*latest.Revision)) {
			models = append(models, model)
		}
	}
	slices.SortStableFunc(models, newestFirst)
	return models
}

// choose returns the matching model of a group. The models are sorted, newest first.
func (w *whereState) choose(models []*catalogue.Model, now time.Time, group string) (*catalogue.Model, error) {
	found := highest(models, func(model *catalogue.Model) bool {
		return w.judge(model, now).standing() < unmet
	})
	switch {
	case len(found) == 0:
		return nil, w.noneSatisfies(models, now, group)
	case len(found) > 1:
		return nil, severalModels(argWhere, group, int64(*found[0].Revision), len(found))
	case found[0].Err != nil:
		return nil, found[0].Err
	}
	if verdict := w.judge(found[0], now); len(verdict) > 0 {
		return nil, w.undecidedBy(verdict, found[0], group)
	}
	return found[0], nil
}

// delayed returns a line about the highest revision above the matching one, if only its update makes it too young. The
// models are sorted, newest first.
func (w *whereState) delayed(models []*catalogue.Model, now time.Time, group string) []string {
	for _, model := range models {
		verdict, asPublished := w.judge(model, now), *model
		asPublished.UpdatedAt = model.CreatedAt
		switch {
		case verdict.standing() < unmet:
			return nil
		case model.Err == nil && len(w.judge(&asPublished, now)) == 0:
			return []string{fmt.Sprintf("%q: revision %d: %s", group, *model.Revision, verdict.words())}
		}
	}
	return nil
}

// warnOfDelays warns of revisions that only their updates make too young: a block that followed one goes back to a
// lower revision.
func (r *blockRead) warnOfDelays(lines []string) {
	if len(lines) > 0 {
		r.warn(path.Root(argWhere), explain.SummaryDelayed, fmt.Sprintf("where passes these revisions over only "+
			"because they were changed, such as by a new tag: min_age counts from updated_at.%s\n\nUntil then the "+
			"plan has a lower revision of each, or leaves out a group that was only listed. To keep one of them, pin "+
			"it.",
			explain.Bulleted(lines, explain.MaxIDs)))
	}
}

// highest returns the model of the highest revision that may satisfy, or all of them if the catalogue lists several of
// that revision. A model without a readable revision may be the highest.
func highest(models []*catalogue.Model, maySatisfy func(*catalogue.Model) bool) []*catalogue.Model {
	var found []*catalogue.Model
	for _, model := range models {
		switch {
		case !maySatisfy(model):
		case model.Revision == nil:
			return []*catalogue.Model{model}
		case len(found) == 0 || isRevision(model, int64(*found[0].Revision)):
			found = append(found, model)
		}
	}
	return found
}

// noneSatisfies returns the error for a group without a matching model, with the reason for each model.
func (w *whereState) noneSatisfies(models []*catalogue.Model, now time.Time, group string) *groupError {
	lines := make([]string, 0, len(models))
	for _, model := range models {
		which := "a model whose revision cannot be read"
		if model.Revision != nil {
			which = fmt.Sprintf("revision %d", *model.Revision)
		}
		line := which + ": " + w.judge(model, now).words()
		if wrong, ok := errors.AsType[*catalogue.UnusableAnswerError](model.Err); ok {
			line += fmt.Sprintf("; its record is wrong at %s: %s", wrong.Place, wrong.Problem)
		}
		lines = append(lines, line)
	}
	short := lines[0]
	if older := len(lines) - 1; older > 0 {
		short += fmt.Sprintf("; older ones fail too: %d", older)
	}
	mayLack := ""
	if w.Archived == nil || *w.Archived {
		mayLack = mayLackArchived(models)
	}
	return &groupError{
		summary: explain.SummaryNoneSatisfies,
		path:    path.Root(argWhere),
		detail: explain.Paragraphs(fmt.Sprintf("No revision of model group %q satisfies where (%s):%s", group, w,
			explain.Bulleted(lines, explain.MaxIDs)), mayLack, "Relax where, or wait for a revision that matches it. "+
			"modelcatalogue_latest_models leaves such a group out if model_group_ids is not set."),
		phrase:  short,
		nothing: true,
	}
}

// undecidedBy returns the error for an undecided model, with the open conditions.
func (w *whereState) undecidedBy(verdict verdict, model *catalogue.Model, group string) *groupError {
	revision, open := *model.Revision, verdict.words()
	return &groupError{
		summary: explain.SummaryUndecided,
		path:    path.Root(argWhere),
		detail: explain.Paragraphs(
			fmt.Sprintf("Revision %d of model group %q may or may not satisfy where (%s): %s.",
				revision, group, w, open),
			"It is the highest revision that is not ruled out, and a lower one is not read in its place.",
			"If only the spelling differs, spell the condition as the service does. If the service should say more, "+
				"show this to its operator. To decide without it, leave the condition out."),
		phrase: fmt.Sprintf("revision %d: %s", revision, open),
	}
}
