package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// latestModelDataSource reads the newest revision of a group.
type latestModelDataSource struct{ catalogueDataSource }

func newLatestModelDataSource() datasource.DataSource {
	return &latestModelDataSource{catalogueDataSource{name: "latest_model"}}
}

func (d *latestModelDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the model with the highest revision of a model group, also where that one is " +
			"archived or disabled. A plan shows it move when a revision is published.",
		Attributes: with(modelAttributes(), map[string]schema.Attribute{
			"model_group_id": modelGroupIDAttribute(),
		}),
	}
}

func (d *latestModelDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var groupID types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("model_group_id"), &groupID)...)
	client, ok := d.client(&resp.Diagnostics)
	if !ok || resp.Diagnostics.HasError() {
		return
	}
	model, err := client.LatestModel(ctx, groupID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(d.diagnose(err, latestSubject(path.Root("model_group_id"), groupID.ValueString())))
		return
	}
	state := newModelState(model, nil)
	state.ModelGroupID = groupID.ValueStringPointer()
	setResult(ctx, resp, state)
}
