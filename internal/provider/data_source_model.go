package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// modelDataSource reads one revision of a group.
type modelDataSource struct{ catalogueDataSource }

func newModelDataSource() datasource.DataSource {
	return &modelDataSource{catalogueDataSource{name: "model"}}
}

func (d *modelDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one revision of a model group, an archived one too if the service lists it, " +
			"and tells whether it is the latest. It warns where the revision is archived or disabled.",
		Attributes: with(pinnedModelAttributes(), map[string]schema.Attribute{
			"model_group_id": modelGroupIDAttribute(),
			"revision": schema.NumberAttribute{
				MarkdownDescription: "The revision to read. The first revision of a group can be `0`. It is an " +
					"error where the group has no such revision.",
				Required:   true,
				Validators: []validator.Number{countOf{}},
			},
			argDockerImage: schema.StringAttribute{
				MarkdownDescription: "The model's container image reference. Give the one that was reviewed, and the read " +
					"fails where the service has another, because a revision can be re-published in place, or withholds " +
					"it. Where it is not given, it is the service's, and null for callers outside the owning " +
					"organisation: `is_owner` tells.",
				Optional:   true,
				Computed:   true,
				Validators: []validator.String{notEmpty{summary: summaryInvalidImage}},
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

func (d *modelDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var groupID, image types.String
	var number types.Number
	var accepted types.Bool
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("model_group_id"), &groupID)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("revision"), &number)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(argDockerImage), &image)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(argAcceptWithdrawn), &accepted)...)
	client, ok := d.client(&resp.Diagnostics)
	if !ok || resp.Diagnostics.HasError() {
		return
	}
	revision, err := wholeNumber(number)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("revision"), summaryInvalidRevision, fmt.Sprintf("The value %s.", err))
		return
	}
	id := groupID.ValueString()
	wanted := pin{groupID: id, revision: revision, image: image.ValueStringPointer(), follow: typeName + "_latest_model"}
	model, err := wanted.read(ctx, client)
	if err != nil {
		resp.Diagnostics.Append(d.explainRead(err, groupSubject(path.Root("model_group_id"), id)))
		return
	}
	if how := model.withdrawal(); how != "" && !accepted.ValueBool() {
		resp.Diagnostics.AddAttributeWarning(path.Root("revision"), summaryWithdrawn, fmt.Sprintf(
			"Revision %d of model group %q is %s%s.\n\n%s", revision, id, how, model.newer(), withdrawnNext))
	}
	state := newPinnedModelState(model, nil)
	state.ModelGroupID = &id
	if wanted.image != nil {
		state.DockerImage = wanted.image
	}
	setResult(ctx, resp, &modelBlockState{pinnedModelState: *state, AcceptWithdrawn: accepted.ValueBoolPointer()})
}
