package provider

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/nearest"
)

// argAttributes is the argument that selects the attributes of many records.
const argAttributes = "attributes"

// attributesArgument returns that argument, for the records in the list or map parent.
func attributesArgument(attributes map[string]schema.Attribute, parent string) schema.ListAttribute {
	known := slices.Sorted(maps.Keys(attributes))
	return schema.ListAttribute{
		MarkdownDescription: "The names of the attributes to fill, such as `id`, among those " +
			"[below `" + parent + "`](#nestedatt--" + parent + "). " +
			"The others are null, lists too, which keeps the state small and the plan quick. " +
			"Leave it out to fill all; an empty list fills none.",
		Optional:    true,
		ElementType: types.StringType,
		Validators: []validator.List{rule{
			summary: explain.SummaryAttribute,
			problem: func(name attr.Value) string { return attributeProblem(asText(name), parent, known) },
			next: fmt.Sprintf("These can be named: %s. Nested attributes are included. Leave the argument out to fill "+
				"all of them.", strings.Join(known, ", ")),
		}},
	}
}

// attributeProblem returns a phrase about an unknown attribute of the records, with the nearest name, or "".
func attributeProblem(name, records string, known []string) string {
	if slices.Contains(known, name) {
		return ""
	}
	problem := fmt.Sprintf("is %s, which is not an attribute of %s", explain.Quoted(name), records)
	if like := nearest.Names(name, known, 4); len(like) > 0 {
		problem += fmt.Sprintf("; the nearest is %q", like[0])
	}
	return problem
}

// selection names the attributes of a record to fill. A nil one fills all.
type selection []string

// clearOthers sets the other attributes of a state to null. state is a pointer to a struct with tfsdk tags.
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
