package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// modelGroupsDataSource lists the groups that the credentials may see.
type modelGroupsDataSource struct{ catalogueDataSource }

func newModelGroupsDataSource() datasource.DataSource {
	return &modelGroupsDataSource{catalogueDataSource{name: "model_groups"}}
}

func (d *modelGroupsDataSource) Schema(
	_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the model groups that the organisation of the credentials may see, all of them " +
			"or those of one time horizon.",
		Attributes: map[string]schema.Attribute{
			"time_horizon": schema.StringAttribute{
				MarkdownDescription: "The key of a time horizon, such as `day_ahead`. Leave it out to list the " +
					"groups of every horizon.",
				Optional:   true,
				Validators: []validator.String{notEmpty(explain.SummaryInvalidHorizon)},
			},
			argAttributes:  attributesArgument(groupAttributes(), "model_groups"),
			"model_groups": nestedList("The model groups, sorted by name, then by id.", groupAttributes()),
		},
	}
}

type modelGroupsState struct {
	TimeHorizon *string       `tfsdk:"time_horizon"`
	Attributes  []string      `tfsdk:"attributes"`
	ModelGroups []*groupState `tfsdk:"model_groups"`
}

func (d *modelGroupsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var state modelGroupsState
	client := d.readArguments(ctx, req, resp, &state)
	if client == nil {
		return
	}
	defer d.warnOfPauses(client.Paused(), &resp.Diagnostics)
	groups, err := client.ModelGroups(ctx, orZero(state.TimeHorizon))
	if err != nil {
		resp.Diagnostics.Append(d.diagnose(err, explain.Groups(state.TimeHorizon)))
		return
	}
	state.ModelGroups = sortedGroupStates(groups, selected(state.Attributes))
	setResult(ctx, resp, &state)
}
