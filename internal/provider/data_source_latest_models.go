package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// latestModelsSchema describes modelcatalogue_latest_models.
func latestModelsSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Reads the model with the highest revision of many model groups at once: of those " +
			"named, of those on a time horizon, or of all that the credentials may see. A latest model can be " +
			"archived or disabled; `where` reads the highest revision that satisfies some conditions instead. " +
			"One block of it costs an engine far less than a block of `modelcatalogue_latest_model` for each group.",
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
				MarkdownDescription: "The key of a time horizon, such as `day_ahead`, whose groups are read. " +
					"Groups without models are left out. It cannot be set together with `model_group_ids`.",
				Optional:   true,
				Validators: []validator.String{notEmpty(explain.SummaryInvalidHorizon)},
			},
			argAttributes: attributesArgument(modelAttributes(), "models"),
			"models": nestedMap("The latest model of each group, by model group id. A group that was not "+
				"named, and has no models or none that satisfies `where`, is left out.", modelAttributes()),
		},
		Blocks: whereBlocks("If every model of a group fails one, that is an error if the group is named in " +
			"`model_group_ids`; otherwise the group is left out."),
	}
}

type latestModelsState struct {
	ModelGroupIDs []string               `tfsdk:"model_group_ids"`
	TimeHorizon   *string                `tfsdk:"time_horizon"`
	Where         *whereState            `tfsdk:"where"`
	Attributes    []string               `tfsdk:"attributes"`
	Models        map[string]*modelState `tfsdk:"models"`
}

func readLatestModels(ctx context.Context, r *blockRead, state *latestModelsState) {
	members := namedGroups(state.ModelGroupIDs)
	var listed map[string]*catalogue.ModelGroup
	if state.ModelGroupIDs == nil {
		groups, err := r.client.ModelGroups(ctx, orZero(state.TimeHorizon))
		if err == nil {
			members, listed, err = listedGroups(groups, state.TimeHorizon != nil)
		}
		if err != nil {
			horizon := orZero(state.TimeHorizon)
			r.fail(err, explain.Subject{Path: path.Root("time_horizon"), Value: horizon, IsHorizon: true})
			return
		}
	}
	read := func(ctx context.Context, id string) (choice, error) {
		return state.Where.newest(ctx, r, id, "Relax where, or take the group out of model_group_ids: "+
			"without that argument, groups that have no such model are left out.")
	}
	all, far, fault := readFleet(ctx, members, read)
	missing := leaveOutMissing(all, listed)
	r.reportFailures(fault, far, failures(all, fault), true)
	if r.diags.HasError() {
		return
	}
	warnOfMissing(r.diags, missing)
	state.Models = make(map[string]*modelState, len(members))
	for _, r := range all {
		if r.answer.Model != nil {
			state.Models[r.id] = newModelState(ofGroup(r.answer.Model, r.id), state.Attributes)
		}
	}
}

// namedGroups returns the groups of model_group_ids, each once.
func namedGroups(ids []string) []member {
	members, known := []member{}, map[string]bool{}
	for i, id := range ids {
		if !known[id] {
			members = append(members, member{id: id, at: path.Root("model_group_ids").AtListIndex(i)})
			known[id] = true
		}
	}
	return members
}

// listedGroups returns the groups of a list, each once, and their records by their ids. Of a group only the id is
// needed, and of those on a time horizon that, so anything else may be wrong with its record.
func listedGroups(groups []*catalogue.ModelGroup, onHorizon bool) ([]member, map[string]*catalogue.ModelGroup, error) {
	members, listed := []member{}, map[string]*catalogue.ModelGroup{}
	for _, group := range groups {
		noHorizon := group.Err != nil && orZero(group.TimeHorizon).Key == nil
		if group.ID == nil || onHorizon && noHorizon {
			return nil, nil, group.Err
		}
		if listed[*group.ID] == nil {
			members = append(members, member{id: *group.ID, at: path.Empty()})
			listed[*group.ID] = group
		}
	}
	return members, listed, nil
}

// leaveOutMissing clears the errors of groups that were listed and have no model that satisfies, or were answered with
// 404 and a code. Most of the latter have no models. It returns the ids of those that the list shows with models: they
// were removed in the meantime, or made private. A 404 without a code stays an error: a gateway may have sent it, and
// what was deployed from the model would be destroyed.
func leaveOutMissing(all []settled[choice], listed map[string]*catalogue.ModelGroup) (missing []string) {
	for i := range all {
		r := &all[i]
		group := listed[r.id]
		problem, isProblem := errors.AsType[*groupError](r.err)
		api, isAnswer := errors.AsType[*catalogue.APIError](r.err)
		switch {
		case group == nil:
		case isProblem && problem.nothing:
			r.err = nil
		case isAnswer && api.Code != "" && errors.Is(api, catalogue.ErrNotFound):
			r.err = nil
			if len(group.Models) > 0 {
				missing = append(missing, r.id)
			}
		}
	}
	return missing
}

func warnOfMissing(diags *diag.Diagnostics, missing []string) {
	if len(missing) == 0 {
		return
	}
	diags.AddWarning(explain.SummaryLeftOut, fmt.Sprintf("The catalogue listed these model groups with models, and "+
		"then had no latest model of them: %s.\n\nMost likely they were removed or made private in between. If the "+
		"next run leaves them out again, show this to the service's operator.", explain.Quoted(missing...)))
}
