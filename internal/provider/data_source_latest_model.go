package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// latestModelSchema describes modelcatalogue_latest_model.
func latestModelSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Reads the model with the highest revision of a model group, or with the highest that " +
			"satisfies `where`. It warns if the revision is archived or disabled. A plan shows it move when a " +
			"revision is published.",
		Attributes: with(modelAttributes(), map[string]schema.Attribute{
			"model_group_id":   modelGroupIDAttribute(),
			argAcceptWithdrawn: acceptWithdrawnAttribute(),
		}),
		Blocks: whereBlocks("If every model of the group fails one, the plan stops."),
	}
}

// latestModelState is the state of the data source.
type latestModelState struct {
	modelState
	Where           *whereState `tfsdk:"where"`
	AcceptWithdrawn *bool       `tfsdk:"accept_withdrawn"`
}

func readLatestModel(ctx context.Context, r *blockRead, state *latestModelState) {
	id := orZero(state.ModelGroupID)
	model, err := state.Where.newest(ctx, r, id, nil)
	if err != nil {
		r.fail(err, explain.Subject{Path: path.Root("model_group_id"), Value: id, OfLatest: true})
		return
	}
	model.Model = ofGroup(model.Model, id)
	var found withdrawn
	found.add(model.Model, state.Where, "")
	found.warn(r, state.AcceptWithdrawn, path.Root("model_group_id"), passOver)
	r.warnOfDelays(model.delayed)
	state.modelState = *newModelState(model.Model, nil)
}
