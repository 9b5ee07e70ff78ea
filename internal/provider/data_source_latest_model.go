package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// latestModelDataSource reads the newest revision of a group.
type latestModelDataSource struct{ whereDataSource }

func newLatestModelDataSource() datasource.DataSource {
	return &latestModelDataSource{whereDataSource{catalogueDataSource{name: "latest_model"}}}
}

func (d *latestModelDataSource) Schema(
	_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the model with the highest revision of a model group, also where that one is archived " +
			"or disabled, or the highest revision that satisfies `where`. A plan shows it move when a revision is published.",
		Attributes: with(modelAttributes(), map[string]schema.Attribute{
			"model_group_id": modelGroupIDAttribute(),
			argWhere:         whereAttribute("It is an error if no model of the group does."),
		}),
	}
}

// latestModelState is the state of the data source.
type latestModelState struct {
	modelState
	Where *whereState `tfsdk:"where"`
}

func (d *latestModelDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var state latestModelState
	client := d.readArguments(ctx, req, resp, &state)
	if client == nil {
		return
	}
	defer d.warnOfPauses(client.Paused(), &resp.Diagnostics)
	id := orZero(state.ModelGroupID)
	model, err := state.Where.newest(ctx, client, id, "Ask for less in where, or wait until a revision that satisfies "+
		"it is published.")
	if err != nil {
		resp.Diagnostics.Append(d.diagnose(err, explain.LatestModel(path.Root("model_group_id"), id)))
		return
	}
	state.modelState = *newModelState(ofGroup(model, id), nil)
	setResult(ctx, resp, &state)
}
