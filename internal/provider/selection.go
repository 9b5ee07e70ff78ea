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
		rule:  "must be names of attributes of one record",
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

// selection is which attributes of a record are filled: all of them where it is nil.
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

// keep empties the attributes of a state that are not selected. State is a pointer to
// a struct with tfsdk tags.
func (s selection) keep(state any) {
	if s != nil {
		s.keepIn(reflect.ValueOf(state).Elem())
	}
}

func (s selection) keepIn(state reflect.Value) {
	for i := range state.NumField() {
		switch field := state.Type().Field(i); {
		case field.Anonymous:
			s.keepIn(state.Field(i))
		case !s[field.Tag.Get("tfsdk")]:
			state.Field(i).SetZero()
		}
	}
}

// attributeNames validates the names of attributes.
type attributeNames struct {
	rule
	known   []string
	within  string // the list or map of the records
	example string // one of the names
}

func (v attributeNames) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	var mistakes []mistake
	first := -1
	for i, element := range req.ConfigValue.Elements() {
		name, ok := element.(types.String)
		switch {
		case !ok || name.IsUnknown() || slices.Contains(v.known, name.ValueString()):
			continue
		case name.IsNull():
			resp.Diagnostics.AddAttributeError(req.Path.AtListIndex(i), explain.SummaryAttribute,
				fmt.Sprintf("%s[%d] is null. Give a name, or leave the element out.", argAttributes, i))
			continue
		case first < 0:
			first = i
		}
		mistakes = append(mistakes, mistake{name: name.ValueString(), hint: v.hint(name.ValueString())})
	}
	if len(mistakes) == 0 {
		return
	}
	resp.Diagnostics.AddAttributeError(req.Path.AtListIndex(first), explain.SummaryAttribute,
		fmt.Sprintf("%s\n\nThese can be named: %s. Attributes inside of them come with them.",
			v.explained(mistakes), strings.Join(v.known, ", ")))
}

// mistake is a name that no attribute has, and a sentence about what it may be meant for, or "".
type mistake struct{ name, hint string }

// explained names the mistakes in one sentence, each with its hint.
func (v attributeNames) explained(mistakes []mistake) string {
	if len(mistakes) == 1 {
		return strings.TrimSpace(fmt.Sprintf("%q is no attribute of an element of %s. %s",
			explain.Abridged(mistakes[0].name), v.within, mistakes[0].hint))
	}
	named := make([]string, 0, len(mistakes))
	for _, m := range mistakes {
		text := fmt.Sprintf("%q", explain.Abridged(m.name))
		if m.hint != "" {
			text += " (" + strings.ToLower(m.hint[:1]) + strings.TrimSuffix(m.hint[1:], ".") + ")"
		}
		named = append(named, text)
	}
	last := len(named) - 1
	return fmt.Sprintf("%s and %s are no attributes of an element of %s.",
		strings.Join(named[:last], ", "), named[last], v.within)
}

// hint says what a mistaken name may be meant for, or nothing.
func (v attributeNames) hint(mistaken string) string {
	if strings.Contains(mistaken, ",") {
		return "Write each name as an element of its own."
	}
	name := strings.ReplaceAll(explain.SnakeCase(strings.TrimSpace(mistaken)), " ", "_")
	name = strings.TrimPrefix(name, v.within+".")
	switch name {
	case "*":
		return "Leave the argument out to fill all of them."
	case v.within, strings.TrimSuffix(v.within, "s"):
		return fmt.Sprintf("Leave it out: the names are those inside of it, such as %s.", v.example)
	}
	if name, _, _ = strings.Cut(name, "."); slices.Contains(v.known, name) {
		return fmt.Sprintf("Did you mean %q?", name)
	}
	if like := nearest(name, v.known, 3); len(like) > 0 {
		return fmt.Sprintf("Did you mean %q?", like[0])
	}
	for _, known := range v.known {
		if len(name) > 2 && strings.Contains(known, name) {
			return fmt.Sprintf("Did you mean %q?", known)
		}
	}
	return ""
}
