package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// modelGroupIDAttribute returns the argument model_group_id.
func modelGroupIDAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: "The id of the model group to read. Ids are unique, names are not.",
		Required:            true,
		Validators:          []validator.String{validID},
	}
}

// axisAttributes returns the attributes that an axis of a group shares with one of a model.
func axisAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"key":   computedString("The axis's key, such as `quantile`: the part before the colon in `axis=key:value`."),
		"kind":  computedString("The axis's kind, `static` so far."),
		"label": computedString("The axis's human-readable label, such as `Quantile`."),
		"description": computedString("The axis's human-readable description, such as `The quantile of the price.`, " +
			"as the publisher writes it."),
		"type": computedString("The type of the axis's values, such as `number`. Convert the strings to it."),
	}
}

// keyedNameAttribute returns the attribute for an object with a name, a short name and a key, each described by a
// parameter.
func keyedNameAttribute(description, name, shortName, key string) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: description,
		Computed:            true,
		Attributes: map[string]schema.Attribute{
			"name":       computedString(name),
			"short_name": computedString(shortName),
			"key":        computedString(key),
		},
	}
}

// keyedNameState is the state of such an object.
type keyedNameState struct {
	Name      *string `tfsdk:"name"`
	ShortName *string `tfsdk:"short_name"`
	Key       *string `tfsdk:"key"`
}

// horizonAttribute returns the attribute for a time horizon.
func horizonAttribute(description string) schema.SingleNestedAttribute {
	return keyedNameAttribute(description,
		"The horizon's human-readable name, such as `Day ahead`.",
		"The horizon's short label, such as `DA`.",
		"The horizon's key, such as `day_ahead`, for `time_horizon` of `modelcatalogue_model_groups`.")
}

// with adds attributes to a map, in place of those of the same name, and returns the map.
func with(attributes, more map[string]schema.Attribute) map[string]schema.Attribute {
	maps.Copy(attributes, more)
	return attributes
}

func computedString(description string) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: description, Computed: true}
}

func computedInt64(description string) schema.Int64Attribute {
	return schema.Int64Attribute{MarkdownDescription: description, Computed: true}
}

func computedBool(description string) schema.BoolAttribute {
	return schema.BoolAttribute{MarkdownDescription: description, Computed: true}
}

func computedStrings(description string) schema.ListAttribute {
	return schema.ListAttribute{MarkdownDescription: description, Computed: true, ElementType: types.StringType}
}

// forPages is set by the linker in the build for `make docs`: only for nested attributes do the pages describe each
// field.
var forPages string

// listOf returns the attribute for a list of objects with these fields. It is a plain list, because mocks of Terraform
// leave a nested one empty, so its description has a line for each field.
func listOf(description string, fields map[string]schema.Attribute) schema.Attribute {
	if forPages != "" {
		return schema.ListNestedAttribute{
			MarkdownDescription: description,
			Computed:            true,
			NestedObject:        schema.NestedAttributeObject{Attributes: fields},
		}
	}
	return schema.ListAttribute{
		MarkdownDescription: description + "\n\n" + fieldLines(fields),
		Computed:            true,
		ElementType:         objectType(fields),
	}
}

// fieldLines describes fields in a line each, sorted by name. It indents the lines of nested fields.
func fieldLines(fields map[string]schema.Attribute) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		description := strings.ReplaceAll(fields[name].GetMarkdownDescription(), "\n\n", "\n")
		lines = append(lines, "- `"+name+"`: "+strings.ReplaceAll(description, "\n", "\n  "))
	}
	return strings.Join(lines, "\n")
}

// recordList returns the attribute for a list of whole records, described by the data source that reads one of them.
func recordList(description, dataSource string, fields map[string]schema.Attribute) schema.ListAttribute {
	return schema.ListAttribute{
		MarkdownDescription: description + describedBy(dataSource),
		Computed:            true,
		ElementType:         objectType(fields),
	}
}

// recordMap is recordList for a map.
func recordMap(description, dataSource string, fields map[string]schema.Attribute) schema.MapAttribute {
	return schema.MapAttribute{
		MarkdownDescription: description + describedBy(dataSource),
		Computed:            true,
		ElementType:         objectType(fields),
	}
}

// describedBy returns a sentence that links to the fields of a record.
func describedBy(dataSource string) string {
	return fmt.Sprintf(" Each has the attributes read by [`%s_%s`](%s/data-sources/%s).",
		typeName, dataSource, pagesURL, dataSource)
}

// pagesURL is the address of the pages.
const pagesURL = "https://registry.terraform.io/providers/modelcatalogue/modelcatalogue/latest/docs"

// objectType returns the type of an object with these fields.
func objectType(fields map[string]schema.Attribute) types.ObjectType {
	object := types.ObjectType{AttrTypes: make(map[string]attr.Type, len(fields))}
	for name, field := range fields {
		object.AttrTypes[name] = field.GetType()
	}
	return object
}
