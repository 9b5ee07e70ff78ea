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
)

// argAttributes is the argument by which a data source that returns many
// records fills only some of their attributes.
const argAttributes = "attributes"

// attributesArgument is that argument, for records with the given attributes in
// the list or map named.
func attributesArgument(attributes map[string]schema.Attribute, within string) schema.ListAttribute {
	names := attributeNames{
		known: slices.Sorted(maps.Keys(attributes)), within: within, example: "name",
	}
	if attributes[argDockerImage] != nil {
		names.example = argDockerImage
	}
	return schema.ListAttribute{
		MarkdownDescription: "The names of the attributes to fill, such as `id`: any of those " +
			"[below `" + within + "`](#nestedatt--" + within + "). " +
			"The others are null, lists too, which keeps them out of the state and the plan quick. " +
			"Leave it out to fill all of them; an empty list fills none.",
		Optional:    true,
		ElementType: types.StringType,
		Validators:  []validator.List{names},
	}
}

// selection is which attributes of a record are filled: all of them if it is nil.
type selection map[string]bool

// selected is what the argument selects.
func selected(attributes []string) selection {
	if attributes == nil {
		return nil
	}
	only := selection{}
	for _, name := range attributes {
		only[name] = true
	}
	return only
}

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
		case !s[field.Tag.Get("tfsdk")]:
			state.Field(i).SetZero()
		}
	}
}

// attributeNames validates the names of attributes.
type attributeNames struct {
	undescribed
	known   []string
	within  string // the list or map of the records
	example string // one of the names
}

func (v attributeNames) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	for i, element := range req.ConfigValue.Elements() {
		name, ok := element.(types.String)
		if !ok || name.IsUnknown() || slices.Contains(v.known, name.ValueString()) {
			continue
		}
		detail := fmt.Sprintf("%q is no attribute of an element of %s.", explain.Abridged(name.ValueString()), v.within)
		if hint := v.hint(name.ValueString()); hint != "" {
			detail += " " + hint
		}
		if name.IsNull() {
			detail = fmt.Sprintf("%s[%d] is null. Give a name, or leave the element out.", argAttributes, i)
		}
		resp.Diagnostics.AddAttributeError(req.Path.AtListIndex(i), explain.SummaryAttribute, fmt.Sprintf(
			"%s\n\nThese can be named: %s. Attributes inside of them come with them.", detail, strings.Join(v.known, ", ")))
	}
}

// hint says what a mistaken name may be meant for, or returns "".
func (v attributeNames) hint(mistaken string) string {
	name := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(mistaken)), " ", "_")
	name, _, _ = strings.Cut(strings.TrimPrefix(name, v.within+"."), ".")
	switch {
	case strings.Contains(mistaken, ","):
		return "Write each name as an element of its own."
	case name == "*":
		return "Leave the argument out to fill all of them."
	case name == v.within || name+"s" == v.within:
		return fmt.Sprintf("Leave it out: the names are those inside of it, such as %s.", v.example)
	}
	like := nearest(name, v.known, 4)
	for _, known := range v.known {
		if len(like) == 0 && len(name) > 2 && strings.Contains(known, name) {
			like = []string{known}
		}
	}
	if len(like) == 0 {
		return ""
	}
	return fmt.Sprintf("Did you mean %q?", like[0])
}
