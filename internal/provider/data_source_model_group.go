package provider

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/nearest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// modelGroupSchema describes modelcatalogue_model_group.
func modelGroupSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Reads one model group, by its `id` or by its exact `name`. Names are not unique, and " +
			"a public group of another organisation can have any name: pin by `id`.",
		Attributes: with(groupAttributes(), map[string]schema.Attribute{
			"id": schema.StringAttribute{
				MarkdownDescription: "The group's unique identifier. Give this or `name`.",
				Optional:            true,
				Computed:            true,
				// On this attribute, so that the engine points at it if both are given, and at the block if neither is.
				Validators: []validator.String{
					idOrName{}, validID,
				},
			},
			"name": schema.StringAttribute{
				MarkdownDescription: "The group's human-readable name, matched exactly. Give this or `id`. It is an " +
					"error if no group has the name, or several have.",
				Optional:   true,
				Computed:   true,
				Validators: []validator.String{notEmpty(explain.SummaryInvalidName)},
			},
		}),
	}
}

func readModelGroup(ctx context.Context, r *blockRead, state *groupState) {
	about := explain.Subject{Value: orZero(cmp.Or(state.ID, state.Name))}
	var group *catalogue.ModelGroup
	var err error
	if state.ID != nil {
		about.Path = path.Root("id")
		group, err = r.client.ModelGroup(ctx, *state.ID)
	} else {
		group, err = r.groupNamed(ctx, about.Value)
	}
	if err != nil {
		r.fail(err, about)
		return
	}
	found := newGroupState(group, nil)
	found.ID, found.Name = cmp.Or(state.ID, found.ID), cmp.Or(state.Name, found.Name) // as configured
	*state = *found
}

// groupNamed returns the only group of exactly that name. Records of other names may be malformed. If no name matches,
// a record without a readable name is an error: it may be the wanted group.
func (r *blockRead) groupNamed(ctx context.Context, name string) (*catalogue.ModelGroup, error) {
	groups, err := r.modelGroups(ctx, "")
	if err != nil {
		return nil, err
	}
	var found []*catalogue.ModelGroup
	var unnamed error
	for _, group := range groups {
		switch {
		case group.Name == nil:
			unnamed = cmp.Or(unnamed, group.Err)
		case sameText(name, *group.Name):
			found = append(found, group)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], found[0].Err
	case len(found) > 1:
		return nil, severalNamed(found, name)
	case unnamed != nil:
		return nil, unnamed
	}
	return nil, noneNamed(groups, name)
}

// noneNamed returns the error for a name that no group has.
func noneNamed(groups []*catalogue.ModelGroup, name string) *groupError {
	meant := nameHint(groups, name)
	return &groupError{
		summary: explain.SummaryGroupNotFound,
		path:    path.Root("name"),
		detail: explain.Paragraphs(
			fmt.Sprintf("The catalogue has no model group named %q, or these credentials cannot see it. "+
				"Names are matched exactly, upper and lower case and spaces included.", redact.Abridged(name)),
			meant,
			"Check the name against what the data source modelcatalogue_model_groups lists, or give the group's id."),
		phrase: "no group of that name",
		short:  strings.TrimSpace(fmt.Sprintf("No model group is named %q. %s", explain.ShortID(name), meant)),
	}
}

// severalNamed returns the error for a name that several groups have.
func severalNamed(found []*catalogue.ModelGroup, name string) *groupError {
	var ids []string
	for _, group := range found {
		ids = append(ids, fmt.Sprintf("%s (time horizon %s)",
			explain.Quoted(orZero(group.ID)), explain.Quoted(orZero(orZero(group.TimeHorizon).Key))))
	}
	slices.Sort(ids)
	return &groupError{
		summary: explain.SummarySeveralGroups,
		path:    path.Root("name"),
		detail: fmt.Sprintf("%d model groups are named %q. Give the id of the one you mean instead of the name: %s.",
			len(found), redact.Abridged(name), explain.JoinFirst(ids, ", ")),
	}
}

// nameHint suggests what an unknown name may stand for, or returns "".
func nameHint(groups []*catalogue.ModelGroup, name string) string {
	var names []string
	for _, group := range groups {
		if catalogue.SameID(orZero(group.ID), name) {
			return fmt.Sprintf("It is the id of a group: write id = %q.", name)
		}
		if group.Name != nil {
			names = append(names, *group.Name)
		}
	}
	// Names of a catalogue often differ in few letters, such as "Q1" and "Q2", so one slip is allowed in ten letters.
	alike := slices.Compact(nearest.Names(name, names, 10))
	if len(alike) == 0 {
		return ""
	}
	return fmt.Sprintf("Did you mean %s?", explain.Quoted(alike[:min(len(alike), maxAlike)]...))
}

// maxAlike bounds the names in a hint.
const maxAlike = 3
