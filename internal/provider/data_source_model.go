package provider

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// modelDataSource reads one revision of a group.
type modelDataSource struct{ catalogueDataSource }

func newModelDataSource() datasource.DataSource {
	return &modelDataSource{catalogueDataSource{name: "model"}}
}

func (d *modelDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one revision of a model group, archived or not, and tells whether it is the latest.",
		Attributes: with(modelAttributes(), map[string]schema.Attribute{
			"model_group_id": modelGroupIDAttribute(),
			"revision": schema.NumberAttribute{
				MarkdownDescription: "The revision to read. The first revision of a group can be `0`. It is an error where the group has no such revision.",
				Required:            true,
				Validators:          []validator.Number{countOf{}},
			},
			"latest_revision": computedInt64("The highest revision number of the group."),
			"is_latest":       computedBool("Whether this is the group's highest revision."),
		}),
	}
}

type pinnedModelState struct {
	modelState
	LatestRevision int64 `tfsdk:"latest_revision"`
	IsLatest       bool  `tfsdk:"is_latest"`
}

func (d *modelDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var groupID types.String
	var number types.Number
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("model_group_id"), &groupID)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("revision"), &number)...)
	client, ok := d.client(&resp.Diagnostics)
	if !ok || resp.Diagnostics.HasError() {
		return
	}
	revision, err := wholeNumber(number)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("revision"), summaryInvalidRevision, fmt.Sprintf("The value %s.", err))
		return
	}
	models, err := client.Models(ctx, groupID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(diagnose(err, groupSubject(path.Root("model_group_id"), groupID.ValueString())))
		return
	}
	model, latest, problem := pickRevision(models, groupID.ValueString(), revision)
	if problem != nil {
		resp.Diagnostics.Append(problem)
		return
	}
	state := &pinnedModelState{modelState: *newModelState(model), LatestRevision: latest, IsLatest: revision == latest}
	state.ModelGroupID = groupID.ValueStringPointer()
	setResult(ctx, resp, state)
}

// pickRevision finds the one model of that revision, and the highest revision.
func pickRevision(models []*catalogue.Model, groupID string, revision int64) (*catalogue.Model, int64, diag.Diagnostic) {
	var found []*catalogue.Model
	var revisions []int64
	for _, model := range models {
		if model.Revision == nil {
			continue
		}
		revisions = append(revisions, int64(*model.Revision))
		if int64(*model.Revision) == revision {
			found = append(found, model)
		}
	}
	at := path.Root("revision")
	switch {
	case len(found) == 1:
		return found[0], slices.Max(revisions), nil
	case len(found) > 1:
		// A pin must name one image, and nothing tells which is meant.
		return nil, 0, diag.NewAttributeErrorDiagnostic(at, summarySeveralModels,
			fmt.Sprintf("The catalogue lists %d models of revision %d in model group %q, so the revision names no single one. Ask the publisher of the group to mend it.", len(found), revision, groupID))
	case len(revisions) == 0:
		return nil, 0, diag.NewAttributeErrorDiagnostic(at, summaryRevisionNotFound,
			fmt.Sprintf("Model group %q has no models yet, so there is no revision %d. Wait for the publisher of the group, or read another group.", groupID, revision))
	default:
		return nil, 0, diag.NewAttributeErrorDiagnostic(at, summaryRevisionNotFound,
			fmt.Sprintf("Model group %q has no revision %d. It has: %s.\n\nGive one of these as revision. To follow the newest, use modelcatalogue_latest_model.", groupID, revision, listed(revisions)))
	}
}

// maxListed bounds the revisions listed in a message.
const maxListed = 100

// listed names revisions, the newest first.
func listed(revisions []int64) string {
	slices.Sort(revisions)
	slices.Reverse(revisions)
	revisions = slices.Compact(revisions)
	names := make([]string, 0, min(len(revisions), maxListed+1))
	for _, revision := range revisions[:min(len(revisions), maxListed)] {
		names = append(names, strconv.FormatInt(revision, 10))
	}
	if more := len(revisions) - maxListed; more > 0 {
		names = append(names, fmt.Sprintf("and %d older ones, down to %d", more, revisions[len(revisions)-1]))
	}
	return strings.Join(names, ", ")
}
