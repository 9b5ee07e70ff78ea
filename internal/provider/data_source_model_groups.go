package provider

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// modelGroupsSchema describes modelcatalogue_model_groups.
func modelGroupsSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Lists the model groups that your organisation may see, all of them or those of one " +
			"time horizon.",
		Attributes: map[string]schema.Attribute{
			"time_horizon": schema.StringAttribute{
				MarkdownDescription: "The key of a time horizon, such as `day_ahead`. Leave it out to list the " +
					"groups of every horizon.",
				Optional:   true,
				Validators: []validator.String{notEmpty(explain.SummaryInvalidHorizon)},
			},
			argAttributes: attributesArgument(groupAttributes(), "model_groups"),
			"model_groups": recordList("The model groups, sorted by name, then by id.", "model_group",
				groupAttributes()),
		},
	}
}

type modelGroupsState struct {
	TimeHorizon *string       `tfsdk:"time_horizon"`
	Attributes  []string      `tfsdk:"attributes"`
	ModelGroups []*groupState `tfsdk:"model_groups"`
}

func readModelGroups(ctx context.Context, r *blockRead, state *modelGroupsState) {
	groups, err := r.modelGroups(ctx, orZero(state.TimeHorizon))
	for _, group := range groups {
		err = cmp.Or(err, group.Err)
	}
	if err != nil {
		r.fail(err, explain.Subject{Path: path.Root("time_horizon"), Value: orZero(state.TimeHorizon), IsHorizon: true})
		return
	}
	state.ModelGroups = sortedGroupStates(groups, state.Attributes)
}
