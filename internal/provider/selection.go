package provider

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/nearest"
)

// argAttributes is the argument by which a data source that returns many
// records fills only some of their attributes.
const argAttributes = "attributes"

// attributesArgument returns it, for records with the given attributes in
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

// selection is which attributes of a record are filled: all of them if it is nil.
type selection []string

// clearOthers empties the attributes of a state that are not selected. State is a pointer to
// a struct with tfsdk tags.
func (s selection) clearOthers(state any) {
	if s != nil {
		s.clearIn(reflect.ValueOf(state).Elem())
	}
}

func (s selection) clearIn(state reflect.Value) {
	for i := range state.NumField() {
		switch field := state.Type().Field(i); {
		case field.Anonymous:
			s.clearIn(state.Field(i))
		case !slices.Contains(s, field.Tag.Get("tfsdk")):
			state.Field(i).SetZero()
		}
	}
}

// attributeNames validates the names of attributes.
type attributeNames struct {
	undescribed
	known  []string
	within string // the list or map of the records
}

func (v attributeNames) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	for i, element := range req.ConfigValue.Elements() {
		name, ok := element.(types.String)
		if !ok || name.IsUnknown() || slices.Contains(v.known, name.ValueString()) {
			continue
		}
		detail := fmt.Sprintf("%q is no attribute of an element of %s.", explain.Abridged(name.ValueString()), v.within)
		if name := v.meant(name.ValueString()); name != "" {
			detail += fmt.Sprintf(" Did you mean %q?", name)
		}
		if name.IsNull() {
			detail = fmt.Sprintf("%s[%d] is null. Give a name, or leave the element out.", argAttributes, i)
		}
		if !resp.Diagnostics.HasError() { // once is enough
			detail += fmt.Sprintf("\n\nThese can be named: %s. Attributes inside come with them.", strings.Join(v.known, ", "))
		}
		resp.Diagnostics.AddAttributeError(req.Path.AtListIndex(i), explain.SummaryAttribute, detail)
	}
}

// meant returns the name that a mistaken one may be meant for, or "".
func (v attributeNames) meant(mistaken string) string {
	name := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(mistaken)), " ", "_")
	name, _, _ = strings.Cut(strings.TrimPrefix(name, v.within+"."), ".")
	if like := nearest.Names(name, v.known, 4); len(like) > 0 {
		return like[0]
	}
	return ""
}
