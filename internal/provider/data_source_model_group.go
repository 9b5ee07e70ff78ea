package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/text/unicode/norm"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// modelGroupDataSource reads one group, by id or by name.
type modelGroupDataSource struct{ catalogueDataSource }

func newModelGroupDataSource() datasource.DataSource {
	return &modelGroupDataSource{catalogueDataSource{name: "model_group"}}
}

func (d *modelGroupDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one model group, by its `id` or by its exact `name`. Names are not unique, and " +
			"a public group of another organisation can have any name: pin by `id`.",
		Attributes: with(groupAttributes(), map[string]schema.Attribute{
			"id": schema.StringAttribute{
				MarkdownDescription: "The group's unique identifier. Give this or `name`.",
				Optional:            true,
				Computed:            true,
				// On this attribute, so that the engine points at the block's own
				// arguments where both are given and where neither is.
				Validators: []validator.String{
					idOrName{}, identifier{},
				},
			},
			"name": schema.StringAttribute{
				MarkdownDescription: "The group's human-readable name, matched exactly. Give this or `id`. It is an " +
					"error where no group has the name, or several have.",
				Optional:   true,
				Computed:   true,
				Validators: []validator.String{notEmpty{summary: summaryInvalidName}},
			},
		}),
	}
}

func (d *modelGroupDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var id, name types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("id"), &id)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("name"), &name)...)
	client, ok := d.client(&resp.Diagnostics)
	if !ok || resp.Diagnostics.HasError() {
		return
	}
	var state *groupState
	if id.IsNull() {
		groups, err := client.ModelGroups(ctx, "")
		if err != nil {
			resp.Diagnostics.Append(d.diagnose(err, subject{value: name.ValueString()}))
			return
		}
		group, problem := groupNamed(groups, name.ValueString())
		if problem != nil {
			resp.Diagnostics.Append(problem)
			return
		}
		state = newGroupState(group, nil)
		state.Name = name.ValueStringPointer()
	} else {
		group, err := client.ModelGroup(ctx, id.ValueString())
		if err != nil {
			resp.Diagnostics.Append(d.diagnose(err, groupSubject(path.Root("id"), id.ValueString())))
			return
		}
		state = newGroupState(group, nil)
		state.ID = id.ValueStringPointer()
	}
	setResult(ctx, resp, state)
}

// groupNamed finds the one group of that name. Engines normalise every string
// of a configuration to NFC, so names are compared in that form.
func groupNamed(groups []*catalogue.ModelGroup, name string) (*catalogue.ModelGroup, diag.Diagnostic) {
	var found []*catalogue.ModelGroup
	var ids []string
	for _, group := range groups {
		if group.Name != nil && norm.NFC.String(*group.Name) == norm.NFC.String(name) {
			found = append(found, group)
			if group.ID != nil {
				ids = append(ids, fmt.Sprintf("%q", *group.ID))
			}
		}
	}
	at := path.Root("name")
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, diag.NewAttributeErrorDiagnostic(at, summaryGroupNotFound, joined(
			fmt.Sprintf("The catalogue has no model group named %q, or these credentials cannot see it. "+
				"Names are matched exactly, upper and lower case and spaces included.", name),
			nameHint(groups, name),
			"Check the name against what the data source modelcatalogue_model_groups lists, or give the group's id."))
	default:
		slices.Sort(ids)
		return nil, diag.NewAttributeErrorDiagnostic(at, summarySeveralGroups,
			fmt.Sprintf("%d model groups are named %q. Give the id of the one you mean instead of the name: "+
				"%s.", len(found), name, strings.Join(ids, ", ")))
	}
}

// nameHint tells what a name that is not found may have been meant for, or "".
func nameHint(groups []*catalogue.ModelGroup, name string) string {
	alike := map[string]bool{}
	for _, group := range groups {
		if group.ID != nil && *group.ID == name {
			return fmt.Sprintf("It is the id of a group: write id = %q.", name)
		}
		if group.Name != nil && strings.EqualFold(spaced(*group.Name), spaced(name)) {
			alike[fmt.Sprintf("%q", *group.Name)] = true
		}
	}
	if len(alike) == 0 {
		return ""
	}
	return fmt.Sprintf("Did you mean %s?", strings.Join(slices.Sorted(maps.Keys(alike)), " or "))
}

// spaced is a name in NFC with single spaces between its words, and none around.
func spaced(name string) string { return strings.Join(strings.Fields(norm.NFC.String(name)), " ") }
