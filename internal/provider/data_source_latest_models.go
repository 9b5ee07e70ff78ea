package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// latestModelsSchema describes modelcatalogue_latest_models.
func latestModelsSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Reads the model with the highest revision, or with the highest that satisfies `where`, " +
			"of many model groups at once: of those named, of those on a time horizon, or of all that the " +
			"credentials may see. One warning names archived and disabled models.",
		Attributes: map[string]schema.Attribute{
			"model_group_ids": schema.ListAttribute{
				MarkdownDescription: "The ids of the model groups to read. An id given twice is read once, and an " +
					"empty list reads nothing. A group without models is an error. Leave it out to read every group, " +
					"or those of `time_horizon`.",
				Optional:    true,
				ElementType: types.StringType,
				Validators:  []validator.List{validID, idsOrHorizon{}},
			},
			"time_horizon": schema.StringAttribute{
				MarkdownDescription: "The key of the time horizon of the groups to read, such as `day_ahead`. Groups " +
					"without models are left out. It cannot be set together with `model_group_ids`.",
				Optional:   true,
				Validators: []validator.String{notEmpty(explain.SummaryInvalidHorizon)},
			},
			argAcceptWithdrawn: acceptWithdrawnAttribute(),
			argAttributes:      attributesArgument(modelAttributes(), "models"),
			"models": recordMap("The latest model of each group, by model group id. A group that was only "+
				"listed is left out if it has no model, or none that satisfies `where`.", "latest_model",
				modelAttributes()),
		},
		Blocks: whereBlocks("If every model of a group fails one, that is an error if the group is named in " +
			"`model_group_ids`; otherwise the group is left out."),
	}
}

type latestModelsState struct {
	ModelGroupIDs   []string               `tfsdk:"model_group_ids"`
	TimeHorizon     *string                `tfsdk:"time_horizon"`
	Where           *whereState            `tfsdk:"where"`
	AcceptWithdrawn *bool                  `tfsdk:"accept_withdrawn"`
	Attributes      []string               `tfsdk:"attributes"`
	Models          map[string]*modelState `tfsdk:"models"`
}

func readLatestModels(ctx context.Context, r *blockRead, state *latestModelsState) {
	members := namedGroups(state.ModelGroupIDs)
	var listed listing
	named := state.ModelGroupIDs != nil
	if !named {
		horizon := orZero(state.TimeHorizon)
		groups, err := r.modelGroups(ctx, horizon)
		if err == nil {
			members, err = listedGroups(groups, state.TimeHorizon != nil)
		}
		if err != nil {
			r.fail(err, explain.Subject{Path: path.Root("time_horizon"), Value: horizon, IsHorizon: true})
			return
		}
	}
	models := make([]choice, len(members))
	far, fault := readFleet(ctx, members, func(ctx context.Context, i int) (err error) {
		models[i], err = state.Where.newest(ctx, r, members[i].id, members[i].listed.Models)
		return err
	})
	if !named {
		listed.leaveOut(members, models)
	}
	r.reportFailures(members, far, fault, true)
	if r.diags.HasError() {
		return
	}
	state.fill(r, members, models)
	if !named {
		listed.warn(r, state)
	}
}

// fill sets the models, and warns of withdrawn and delayed ones.
func (state *latestModelsState) fill(r *blockRead, members []*member, models []choice) {
	var found withdrawn
	var delayed []string
	at := path.Empty()
	state.Models = make(map[string]*modelState, len(members))
	for i, m := range members {
		delayed = append(delayed, models[i].delayed...)
		if models[i].Model != nil {
			model := ofGroup(models[i].Model, m.id)
			found.add(model, state.Where, "")
			state.Models[m.id] = newModelState(model, state.Attributes)
		}
	}
	if state.ModelGroupIDs != nil {
		at = path.Root("model_group_ids")
	}
	found.warn(r, state.AcceptWithdrawn, at, passOver)
	if len(state.Models) > 0 {
		r.warnOfDelays(delayed)
	}
}

// namedGroups returns the groups of model_group_ids, each once.
func namedGroups(ids []string) []*member {
	members := []*member{}
	for i, id := range ids {
		if !slices.Contains(ids[:i], id) {
			members = append(members, &member{id: id, at: path.Root("model_group_ids").AtListIndex(i)})
		}
	}
	return members
}
