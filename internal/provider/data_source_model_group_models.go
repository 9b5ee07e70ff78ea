package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// modelGroupModelsDataSource lists every revision of a group.
type modelGroupModelsDataSource struct{ catalogueDataSource }

func newModelGroupModelsDataSource() datasource.DataSource {
	return &modelGroupModelsDataSource{catalogueDataSource{name: "model_group_models"}}
}

func (d *modelGroupModelsDataSource) Schema(
	_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists every revision of a model group, archived ones too if the service lists them.",
		Attributes: map[string]schema.Attribute{
			"model_group_id": modelGroupIDAttribute(),
			argAttributes:    attributesArgument(modelAttributes(), "models"),
			"models":         nestedList("The group's models, newest revision first.", modelAttributes()),
		},
	}
}

type modelGroupModelsState struct {
	ModelGroupID *string       `tfsdk:"model_group_id"`
	Attributes   []string      `tfsdk:"attributes"`
	Models       []*modelState `tfsdk:"models"`
}

func (d *modelGroupModelsDataSource) Read(
	ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse,
) {
	var state modelGroupModelsState
	client := d.readArguments(ctx, req, resp, &state)
	if client == nil {
		return
	}
	defer d.warnOfPauses(client.Paused(), &resp.Diagnostics)
	id := orZero(state.ModelGroupID)
	models, err := client.Models(ctx, id)
	if err != nil {
		resp.Diagnostics.Append(d.diagnose(err, explain.Group(path.Root("model_group_id"), id)))
		return
	}
	state.Models = sortedModelStates(models, selected(state.Attributes))
	setResult(ctx, resp, &state)
}
