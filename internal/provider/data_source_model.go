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
		MarkdownDescription: "Reads one revision of a model group, archived or not as far as the service lists it, " +
			"and tells whether it is the latest.",
		Attributes: with(pinnedModelAttributes(), map[string]schema.Attribute{
			"model_group_id": modelGroupIDAttribute(),
			"revision": schema.NumberAttribute{
				MarkdownDescription: "The revision to read. The first revision of a group can be `0`. It is an " +
					"error where the group has no such revision.",
				Required:   true,
				Validators: []validator.Number{countOf{}},
			},
		}),
	}
}

func (d *modelDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var groupID types.String
	var number types.Number
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("model_group_id"), &groupID)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("revision"), &number)...)
	client, ok := d.client(&resp.Diagnostics)
	if !ok || resp.Diagnostics.HasError() {
		return
	}
	revision, err := wholeNumber(number)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("revision"), summaryInvalidRevision, fmt.Sprintf("The value %s.", err))
		return
	}
	models, err := client.Models(ctx, groupID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(d.diagnose(err, groupSubject(path.Root("model_group_id"), groupID.ValueString())))
		return
	}
	model, problem := pickRevision(models, groupID.ValueString(), revision)
	if problem != nil {
		resp.Diagnostics.AddAttributeError(path.Root("revision"), problem.summary, problem.detail)
		return
	}
	state := newPinnedModelState(model, nil)
	state.ModelGroupID = groupID.ValueStringPointer()
	setResult(ctx, resp, state)
}
