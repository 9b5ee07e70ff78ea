package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// pinnedModelsDataSource reads one revision of each of many groups.
type pinnedModelsDataSource struct{ catalogueDataSource }

func newPinnedModelsDataSource() datasource.DataSource {
	return &pinnedModelsDataSource{catalogueDataSource{name: "pinned_models"}}
}

func (d *pinnedModelsDataSource) Schema(
	_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one revision of each of many model groups at once, archived or not as far as " +
			"the service lists it, and tells which are the latest. " +
			"One block of it costs an engine far less than a block of `modelcatalogue_model` for each group.",
		Attributes: map[string]schema.Attribute{
			"revisions": schema.MapAttribute{
				MarkdownDescription: "The revision to read of each model group, by model group id. The first " +
					"revision of a group can be `0`. " +
					"It is an error where a group has no such revision. An empty map reads nothing.",
				Required:    true,
				ElementType: types.NumberType,
				Validators:  []validator.Map{revisionsByGroup{}},
			},
			argAttributes: attributesArgument(pinnedModelAttributes(), "models"),
			"models":      nestedMap("The pinned model of each group, by model group id.", pinnedModelAttributes()),
		},
	}
}

type pinnedModelsState struct {
	Revisions  map[string]int64             `tfsdk:"revisions"`
	Attributes []string                     `tfsdk:"attributes"`
	Models     map[string]*pinnedModelState `tfsdk:"models"`
}

func (d *pinnedModelsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	revisions := configuredRevisions(ctx, req, &resp.Diagnostics)
	attributes, only := configuredSelection(ctx, &req.Config, &resp.Diagnostics)
	client, ok := d.client(&resp.Diagnostics)
	if !ok || resp.Diagnostics.HasError() {
		return
	}
	var questions []question
	for _, id := range slices.Sorted(maps.Keys(revisions)) {
		questions = append(questions, question{id: id, at: path.Root("revisions").AtMapKey(id)})
	}
	replies, fault := readFleet(ctx, questions, func(ctx context.Context, id string) (*pinnedModel, error) {
		models, err := client.Models(ctx, id)
		if err != nil {
			return nil, err
		}
		model, problem := pickRevision(models, id, revisions[id])
		if problem != nil {
			return nil, problem
		}
		return model, nil
	})
	d.tellFailures(&resp.Diagnostics, fault, failures(questions, replies, fault), len(questions), explainPin)
	if resp.Diagnostics.HasError() {
		return
	}
	models := make(map[string]*pinnedModelState, len(questions))
	for i, q := range questions {
		state := newPinnedModelState(replies[i].answer, only)
		if only.has("model_group_id") {
			state.ModelGroupID = &q.id
		}
		models[q.id] = state
	}
	setResult(ctx, resp, &pinnedModelsState{Revisions: revisions, Attributes: attributes, Models: models})
}

// configuredRevisions reads the argument revisions.
func configuredRevisions(ctx context.Context, req datasource.ReadRequest, diags *diag.Diagnostics) map[string]int64 {
	var numbers map[string]types.Number
	diags.Append(req.Config.GetAttribute(ctx, path.Root("revisions"), &numbers)...)
	revisions := make(map[string]int64, len(numbers))
	for id, number := range numbers {
		revision, err := wholeNumber(number)
		if err != nil {
			diags.AddAttributeError(
				path.Root("revisions").AtMapKey(id), summaryInvalidRevision, fmt.Sprintf("The value %s.", err),
			)
			continue
		}
		revisions[id] = revision
	}
	return revisions
}

func explainPin(f failure) diag.Diagnostic {
	if problem, ok := errors.AsType[*revisionError](f.err); ok {
		return diag.NewAttributeErrorDiagnostic(f.at, problem.summary, problem.detail)
	}
	return diagnose(f.err, groupSubject(f.at, f.id))
}
