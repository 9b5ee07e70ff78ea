package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// argAttributes is the argument by which a data source that returns many
// records fills only some of their attributes.
const argAttributes = "attributes"

// attributesArgument is that argument, for records with the given attributes in
// the list or map named.
func attributesArgument(attributes map[string]schema.Attribute, within string) schema.ListAttribute {
	return schema.ListAttribute{
		MarkdownDescription: "The names of the attributes to fill, such as `id`: any of those " +
			"[below `" + within + "`](#nestedatt--" + within + "). " +
			"The others are null, lists too, which keeps them out of the state and the plan quick. " +
			"Leave it out to fill all of them; an empty list fills none.",
		Optional:    true,
		ElementType: types.StringType,
		Validators:  []validator.List{attributeNames{known: slices.Sorted(maps.Keys(attributes)), within: within}},
	}
}

// selection is which attributes of a record are filled: all of them where it is
// nil.
type selection map[string]bool

func (s selection) has(name string) bool { return s == nil || s[name] }

// configuredSelection reads the argument, as it is configured and as what it
// selects.
func configuredSelection(ctx context.Context, config *tfsdk.Config, diags *diag.Diagnostics) ([]string, selection) {
	var names []string
	diags.Append(config.GetAttribute(ctx, path.Root(argAttributes), &names)...)
	if names == nil {
		return nil, nil
	}
	selected := selection{}
	for _, name := range names {
		selected[name] = true
	}
	return names, selected
}

// field maps one attribute of a record of the service.
type field[Record, State any] struct {
	name string
	fill func(*State, *Record)
}

// newState maps the selected attributes of a record.
func newState[Record, State any](fields []field[Record, State], record *Record, only selection) *State {
	state := new(State)
	for _, f := range fields {
		if only.has(f.name) {
			f.fill(state, record)
		}
	}
	return state
}

// attributeNames validates the names of attributes.
type attributeNames struct {
	known  []string
	within string // the list or map of the records
}

func (attributeNames) Description(context.Context) string {
	return "must be names of attributes of one record"
}

func (v attributeNames) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v attributeNames) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	for i, element := range req.ConfigValue.Elements() {
		name, ok := element.(types.String)
		if !ok || name.IsUnknown() || slices.Contains(v.known, name.ValueString()) {
			continue
		}
		problem := fmt.Sprintf("%q is no attribute of an element of %s.", name.ValueString(), v.within)
		if name.IsNull() {
			problem = "The name is null."
		} else if nearest := v.nearest(name.ValueString()); nearest != "" {
			problem += fmt.Sprintf(" Did you mean %q?", nearest)
		}
		resp.Diagnostics.AddAttributeError(req.Path.AtListIndex(i), summaryAttribute,
			fmt.Sprintf("%s\n\nThese can be named: %s. Attributes inside of them come with them.",
				problem, strings.Join(v.known, ", ")))
	}
}

// nearest is the name that a mistaken one is most like, or else one that holds
// it, or "". At most two letters in five may have to change for a likeness.
func (v attributeNames) nearest(mistaken string) string {
	mistaken, _, _ = strings.Cut(snakeCase(mistaken), ".")
	best, distance := "", 2*len(mistaken)/5+1
	for _, name := range v.known {
		if d := levenshtein.Distance(mistaken, name, nil); d < distance {
			best, distance = name, d
		}
	}
	for _, name := range v.known {
		if best == "" && len(mistaken) > 2 && strings.Contains(name, mistaken) {
			best = name
		}
	}
	return best
}
