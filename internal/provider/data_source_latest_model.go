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
			"archived or disabled, or the highest revision that satisfies `where`. " +
			"A plan shows it move when a revision is published.",
		Attributes: with(modelAttributes(), map[string]schema.Attribute{
			"model_group_id": modelGroupIDAttribute(),
			argWhere:         whereAttribute("It is an error where no model of the group does."),
		}),
	}
}

// latestModelState is the state of the data source.
type latestModelState struct {
	modelState
	Where *whereState `tfsdk:"where"`
}

func (d *latestModelDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var groupID types.String
	var where *whereState
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("model_group_id"), &groupID)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(argWhere), &where)...)
	client, ok := d.client(&resp.Diagnostics)
	if !ok || resp.Diagnostics.HasError() {
		return
	}
	id := groupID.ValueString()
	model, err := where.newest(ctx, client, id, "Ask for less in where, or wait until a revision that satisfies it is "+
		"published.")
	if err != nil {
		resp.Diagnostics.Append(d.explainRead(err, latestSubject(path.Root("model_group_id"), id)))
		return
	}
	state := newModelState(model, nil)
	state.ModelGroupID = &id
	setResult(ctx, resp, &latestModelState{modelState: *state, Where: where})
}
