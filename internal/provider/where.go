package provider

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// argWhere is the argument by which the newest of only some models is read.
const argWhere = "where"

// whereAttribute returns that argument. without describes what happens to a group that has no such model.
func whereAttribute(without string) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: "Conditions on the model. The highest revision that meets all of them is read, archived and " +
			"disabled ones included unless a condition says otherwise. It takes a second request only if the latest model " +
			"does not meet them. " + without + " The engine silently ignores a misspelt name in it.",
		Optional: true,
		Attributes: map[string]schema.Attribute{
			"enabled": schema.BoolAttribute{
				MarkdownDescription: "Whether the model is enabled, `true`, or disabled, `false`. Leave it out for either.",
				Optional:            true,
			},
			"archived": schema.BoolAttribute{
				MarkdownDescription: "Whether the model is archived, `true`, or not, `false`. Leave it out for either.",
				Optional:            true,
			},
			"tags": schema.ListAttribute{
				MarkdownDescription: "Tags that the model has, such as `offshore`: all of them, and it may have more. They " +
					"are matched exactly.",
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
				MarkdownDescription: "How long the model has been out at least, as a duration such as `72h` or `3d`, where " +
					"`d` is 24 hours. It counts from the later of `created_at` and `updated_at`, by the clock of this machine. " +
					"A model without `created_at` has no age.",
				Optional:   true,
				Validators: []validator.String{rule{summary: explain.SummaryInvalidAge, problem: ageProblem}},
			},
		},
	}
}

// whereState is the argument as it is configured. Any model satisfies nil, and one without a condition.
type whereState struct {
	Enabled  *bool    `tfsdk:"enabled"`
	Archived *bool    `tfsdk:"archived"`
	Tags     []string `tfsdk:"tags"`
	RunMode  *string  `tfsdk:"run_mode"`
	MinAge   *string  `tfsdk:"min_age"`
}

// unmet returns a clause about a model for each condition that it does not satisfy
// at a moment. What the service left out satisfies no condition on it.
func (w *whereState) unmet(model *catalogue.Model, now time.Time) []string {
	if w == nil {
		return nil
	}
	clauses := slices.Concat(
		unmetFlag(w.Enabled, model.Enabled, "enabled", "disabled"),
		unmetFlag(w.Archived, model.Archived, "archived", "not archived"))
	for _, tag := range w.Tags {
		if !slices.ContainsFunc(model.Tags, func(has *string) bool { return has != nil && sameText(tag, *has) }) {
			clauses = append(clauses, "it lacks the tag "+explain.Quoted([]string{tag})+likeTag(model.Tags, tag))
		}
	}
	if want, has := w.RunMode, model.RunMode; want != nil && has == nil {
		clauses = append(clauses, "the service does not say its run mode")
	} else if want != nil && *want != *has {
		clauses = append(clauses, fmt.Sprintf("its run mode is %q", explain.Abridged(*has)))
	}
	return append(clauses, w.tooYoung(model, now)...)
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
			return " (it has " + explain.Quoted([]string{*tag}) + ")"
		}
	}
	return ""
}

// tooYoung says from when on a model is old enough, if it is not.
func (w *whereState) tooYoung(model *catalogue.Model, now time.Time) []string {
	if w.MinAge == nil {
		return nil
	}
	least, _ := parseAge(*w.MinAge) // validated
	since, known := since(model)
	switch from := since.Add(least); {
	case !known:
		return []string{"the service does not say when it was made"}
	case now.Before(from):
		return []string{"it is old enough from " + from.UTC().Format("2006-01-02 15:04:05 MST") + " on"}
	}
	return nil
}

// since returns the moment from which the age of a model counts: when it was
// published, or re-published in place after that. It is not known if the
// service does not say either in the form of RFC 3339.
func since(model *catalogue.Model) (moment time.Time, known bool) {
	created, err := time.Parse(time.RFC3339, orZero(model.CreatedAt))
	if err != nil || model.UpdatedAt == nil {
		return created, err == nil
	}
	updated, err := time.Parse(time.RFC3339, *model.UpdatedAt)
	if updated.Before(created) {
		return created, err == nil
	}
	return updated, err == nil
}

// parseAge reads a duration that may begin with a number of days.
func parseAge(text string) (time.Duration, error) {
	days, rest, found := strings.Cut(text, "d")
	if !found {
		return parseDuration(text)
	}
	n, err := strconv.ParseUint(days, 10, 16)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration; write a number and a unit, such as %q or %q", text, "72h", "3d")
	}
	d := time.Duration(n) * 24 * time.Hour
	if rest == "" && n > 0 {
		return d, nil
	}
	more, err := parseDuration(rest)
	return d + more, err
}

// newest reads the highest revision of a group that satisfies the conditions. The remedy is what to
// do if none does. A failure other than of the client is a *groupError.
func (w *whereState) newest(
	ctx context.Context, client *catalogue.Client, groupID, remedy string,
) (*catalogue.Model, error) {
	now := time.Now()
	satisfies := func(model *catalogue.Model) bool { return len(w.unmet(model, now)) == 0 }
	latest, err := client.LatestModel(ctx, groupID)
	if err != nil || satisfies(latest) {
		return latest, err
	}
	// A list that was kept from before the latest model was published may lack
	// one that satisfies, too.
	models, err := client.RefreshModels(ctx, groupID, func(models []*catalogue.Model) bool {
		return reaches(models, latest) && slices.ContainsFunc(models, satisfies)
	})
	if err != nil {
		return nil, err
	}
	found := highest(models, satisfies)
	switch len(found) {
	case 0:
		return nil, w.noneSatisfies(withLatest(models, latest), now, groupID, remedy)
	case 1:
		return found[0], nil
	default:
		return nil, severalModels(argWhere, groupID, int64(*found[0].Revision), len(found))
	}
}

// reaches reports whether a list is at least as new as the latest model. If that
// one is archived it may be missing in every list.
func reaches(models []*catalogue.Model, latest *catalogue.Model) bool {
	return orZero(latest.Archived) || slices.ContainsFunc(models, func(model *catalogue.Model) bool {
		return *model.Revision >= *latest.Revision
	})
}

// highest returns the models of the highest revision among those that satisfy: one, unless
// the catalogue lists several of one revision.
func highest(models []*catalogue.Model, satisfies func(*catalogue.Model) bool) []*catalogue.Model {
	var found []*catalogue.Model
	for _, model := range slices.SortedStableFunc(slices.Values(models), newestFirst) {
		if satisfies(model) && (len(found) == 0 || *model.Revision == *found[0].Revision) {
			found = append(found, model)
		}
	}
	return found
}

// withLatest returns the models of a list and the latest one, which the list may lack, newest first.
func withLatest(models []*catalogue.Model, latest *catalogue.Model) []*catalogue.Model {
	sorted := slices.Clone(models)
	if !slices.ContainsFunc(models, func(model *catalogue.Model) bool { return *model.Revision == *latest.Revision }) {
		sorted = append(sorted, latest)
	}
	slices.SortStableFunc(sorted, newestFirst)
	return sorted
}

// noneSatisfies says of each model, newest first, why it does not satisfy.
func (w *whereState) noneSatisfies(models []*catalogue.Model, now time.Time, groupID, remedy string) *groupError {
	lines := make([]string, 0, len(models))
	for _, model := range models {
		lines = append(lines, fmt.Sprintf("revision %d: %s", int64(*model.Revision), strings.Join(w.unmet(model, now), "; ")))
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
		argument: argWhere, summary: explain.SummaryNoneSatisfies, nothing: true,
		detail: explain.Paragraphs(fmt.Sprintf("No revision of model group %q satisfies where:%s",
			groupID, explain.Bulleted(lines, explain.MaxIDs)), mayLack, remedy),
		short: short,
	}
}

// ValidateConfig warns of a where without any condition: engines drop names that an object does
// not have, so it may be what is left of a misspelt one. A plan validates twice, before and
// after it configures the provider, and the warning comes before.
func (d *catalogueDataSource) ValidateConfig(
	ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse,
) {
	if _, takesWhere := req.Config.Schema.GetAttributes()[argWhere]; !takesWhere {
		return
	}
	var where types.Object
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(argWhere), &where)...)
	if d.connection != nil || where.IsNull() || where.IsUnknown() {
		return
	}
	for _, condition := range where.Attributes() {
		if !condition.IsNull() {
			return
		}
	}
	resp.Diagnostics.AddAttributeWarning(path.Root(argWhere), explain.SummaryNoCondition, "Any model satisfies where, "+
		"because it has none of enabled, archived, tags, run_mode and min_age. The engine silently ignores any other "+
		"name, so one of these may be misspelt. If no condition is meant, leave where out, or set it to null.")
}

func ageProblem(value attr.Value) string {
	if _, err := parseAge(asText(value)); err != nil {
		return "cannot be used: " + err.Error()
	}
	return ""
}
