package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// modelSchema describes modelcatalogue_model.
func modelSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Reads one revision of a model group, an archived one too if the service lists it, " +
			"and whether it is the latest. It warns if the revision is archived or disabled.",
		Attributes: with(pinnedModelAttributes(), map[string]schema.Attribute{
			"model_group_id": modelGroupIDAttribute(),
			"revision": schema.NumberAttribute{
				MarkdownDescription: "The revision to read. The first revision of a group can be `0`. A missing one " +
					"is an error.",
				Required:   true,
				Validators: []validator.Number{countRule},
			},
			argDockerImage: schema.StringAttribute{
				MarkdownDescription: "The model's container image reference. Set it to the image you reviewed: the " +
					"read then fails if the service has a different image or withholds it. If you leave it out, it " +
					"is the service's image, or null unless your organisation owns the model.",
				Optional:   true,
				Computed:   true,
				Validators: []validator.String{notEmpty(explain.SummaryInvalidImage)},
			},
			argAcceptWithdrawn: acceptWithdrawnAttribute(),
		}),
	}
}

// modelBlockState is the state of the data source.
type modelBlockState struct {
	pinnedModelState
	AcceptWithdrawn *bool `tfsdk:"accept_withdrawn"`
}

func readModel(ctx context.Context, r *blockRead, state *modelBlockState) {
	wanted := pin{groupID: orZero(state.ModelGroupID), revision: *state.Revision, image: state.DockerImage}
	model, err := wanted.read(ctx, r.client)
	if err != nil {
		r.fail(err, explain.Subject{Path: path.Root("model_group_id"), Value: wanted.groupID})
		return
	}
	var found withdrawn
	found.add(model.Model, nil, model.otherLatest())
	found.warn(r, state.AcceptWithdrawn, path.Root("revision"), pinAnother)
	state.pinnedModelState = *newPinnedModelState(model, nil)
}
