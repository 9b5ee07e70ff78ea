package provider

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// modelGroupModelsSchema describes modelcatalogue_model_group_models.
func modelGroupModelsSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Lists every revision of a model group, archived ones too if the service lists them.",
		Attributes: map[string]schema.Attribute{
			"model_group_id": modelGroupIDAttribute(),
			argAttributes:    attributesArgument(modelAttributes(), "models"),
			"models": recordList("The group's models, newest revision first.", "latest_model",
				modelAttributes()),
		},
	}
}

type modelGroupModelsState struct {
	ModelGroupID *string       `tfsdk:"model_group_id"`
	Attributes   []string      `tfsdk:"attributes"`
	Models       []*modelState `tfsdk:"models"`
}

func readModelGroupModels(ctx context.Context, r *blockRead, state *modelGroupModelsState) {
	id := orZero(state.ModelGroupID)
	models, err := r.client.Models(ctx, id)
	for _, model := range models {
		err = cmp.Or(err, model.Err)
	}
	if err != nil {
		r.fail(err, explain.Subject{Path: path.Root("model_group_id"), Value: id})
		return
	}
	state.Models = sortedModelStates(models, state.Attributes)
	for _, model := range state.Models {
		if model.ModelGroupID != nil {
			model.ModelGroupID = &id // as it is configured
		}
	}
}
