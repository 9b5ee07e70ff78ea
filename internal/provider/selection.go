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

// argAttributes is the argument by which a data source that returns many records fills only some of their attributes.
const argAttributes = "attributes"

// attributesArgument returns it, for records with the given attributes in the list or map named.
func attributesArgument(attributes map[string]schema.Attribute, parent string) schema.ListAttribute {
	return schema.ListAttribute{
		MarkdownDescription: "The names of the attributes to fill, such as `id`: any of those " +
			"[below `" + parent + "`](#nestedatt--" + parent + "). " +
			"The others are null, lists too, which keeps the state small and the plan quick. " +
			"Leave it out to fill all of them; an empty list fills none.",
		Optional:    true,
		ElementType: types.StringType,
		Validators:  []validator.List{attributeNames{known: slices.Sorted(maps.Keys(attributes)), within: parent}},
	}
}

// selection is which attributes of a record are filled: all of them if it is nil.
type selection []string

// clearOthers empties the attributes of a state that are not selected. State is a pointer to a struct with tfsdk tags.
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
	var wrong mistakes
	for i, element := range req.ConfigValue.Elements() {
		name, ok := element.(types.String)
		if !ok || name.IsUnknown() || slices.Contains(v.known, name.ValueString()) {
			continue
		}
		wrong.add(req.Path.AtListIndex(i), v.mistaken(i, name))
	}
	if wrong.sentences == nil {
		return
	}
	at, problem := wrong.first, wrong.sentences[0]
	if len(wrong.sentences) > 1 {
		at, problem = req.Path, "Several elements are not attributes:"+explain.Bulleted(wrong.sentences, maxNames)
	}
	resp.Diagnostics.AddAttributeError(at, explain.SummaryAttribute, explain.Paragraphs(problem,
		fmt.Sprintf("These can be named: %s. Nested attributes are included.", strings.Join(v.known, ", "))))
}

// maxNames bounds the wrong names or elements that one error lists. It is more than any record has attributes.
const maxNames = 50

// mistaken says why an element does not name an attribute.
func (v attributeNames) mistaken(i int, name types.String) string {
	if name.IsNull() {
		return fmt.Sprintf("%s[%d] is null. Give a name, or leave the element out.", argAttributes, i)
	}
	text := name.ValueString()
	return strings.TrimSpace(fmt.Sprintf("%s has no attribute %s. %s", v.within, explain.Quoted(text), v.meantBy(text)))
}

// meantBy says what a name that is not an attribute may be meant for, or returns "".
func (v attributeNames) meantBy(name string) string {
	like := v.like(name)
	switch {
	case strings.Contains(name, ","):
		return "Write each name as an element of its own."
	case name == "*":
		return "Leave the argument out to fill all of them."
	case name == v.within, name+"s" == v.within:
		return "Leave it out: the names are those inside it."
	case like != "":
		return fmt.Sprintf("Did you mean %q?", like)
	}
	return ""
}

// like returns the attribute that a misspelt name is most like, or else the first that has the name as a part, such as
// docker_image for image. An attribute inside another counts as that one. It returns "" if there is none.
func (v attributeNames) like(name string) string {
	outer, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(name), v.within+"."), ".")
	found := nearest.Names(outer, v.known, 4)
	for _, known := range v.known {
		if len(name) > 2 && strings.Contains(known, strings.ToLower(name)) {
			found = append(found, known)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return found[0]
}
