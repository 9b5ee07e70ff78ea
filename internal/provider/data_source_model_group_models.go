package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
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
	var groupID types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("model_group_id"), &groupID)...)
	attributes, only := configuredSelection(ctx, &req.Config, &resp.Diagnostics)
	client, ok := d.client(&resp.Diagnostics)
	if !ok || resp.Diagnostics.HasError() {
		return
	}
	models, err := client.Models(ctx, groupID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(d.diagnose(err, groupSubject(path.Root("model_group_id"), groupID.ValueString())))
		return
	}
	setResult(ctx, resp, &modelGroupModelsState{
		ModelGroupID: groupID.ValueStringPointer(), Attributes: attributes, Models: sortedModelStates(models, only),
	})
}
