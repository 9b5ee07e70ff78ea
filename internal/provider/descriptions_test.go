package provider

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// described is an attribute or a field of one: its place, its type, and its description.
type described struct {
	place, text string
	typ         tftypes.Type
}

// walk visits attributes at any depth, and the fields of lists of objects if a description has lines for them.
func walk(place string, attributes []*tfprotov6.SchemaAttribute, visit func(described)) {
	for _, attribute := range attributes {
		field := described{place + "." + attribute.Name, attribute.Description, attribute.ValueType()}
		visit(field)
		if attribute.NestedType != nil {
			walk(field.place, attribute.NestedType.Attributes, visit)
		} else {
			field.walkLines(visit)
		}
	}
}

// aLine is a line of a description about a field, with those about the fields inside it.
var aLine = regexp.MustCompile("(?m)^- `(\\w+)`: (.*(?:\n  .*)*)$")

// walkLines visits the fields of an object in a list or a map that the description has lines for. A field without a
// line is visited with an empty text, if others have one.
func (d described) walkLines(visit func(described)) {
	fields := maps.Clone(fieldsOf(d.typ))
	lines := aLine.FindAllStringSubmatch(d.text, -1)
	for _, line := range lines {
		field := described{d.place + "." + line[1], strings.ReplaceAll(line[2], "\n  ", "\n"), fields[line[1]]}
		delete(fields, line[1])
		visit(field)
		field.walkLines(visit)
	}
	for name, typ := range fields {
		if lines != nil {
			visit(described{d.place + "." + name, "", typ})
		}
	}
}

// fieldsOf returns the fields of the objects in a list or a map, nil if it has none.
func fieldsOf(typ tftypes.Type) map[string]tftypes.Type {
	switch collection := typ.(type) {
	case tftypes.List:
		typ = collection.ElementType
	case tftypes.Map:
		typ = collection.ElementType
	default:
		return nil
	}
	object, _ := typ.(tftypes.Object)
	return object.AttributeTypes
}

// namesWithAValue are vague names, so their descriptions show a value.
var namesWithAValue = regexp.MustCompile(
	`[.](key|kind|type|label|short_name|series_key|colours|historical|source|storage_location|file_format|tags` +
		`|sensitivities|input_aggregations)$`,
)

func TestEveryAttribute(t *testing.T) {
	t.Parallel()
	count := 0
	for name, schema := range allSchemas() {
		attributes := slices.Clone(schema.Block.Attributes)
		for _, block := range schema.Block.BlockTypes {
			attributes = append(attributes, block.Block.Attributes...)
			if !strings.HasSuffix(block.Block.Description, ".") {
				t.Errorf("%s: description %q of the block %s", name, block.Block.Description, block.TypeName)
			}
		}
		if !strings.HasSuffix(schema.Block.Description, ".") {
			t.Errorf("%s: description %q", name, schema.Block.Description)
		}
		walk(name, attributes, func(field described) {
			count++
			if len(field.text) < 5 || !strings.HasSuffix(field.text, ".") || field.typ == nil {
				t.Errorf("%s, a %v: the description %q is not a phrase with a full stop", field.place, field.typ, field.text)
			}
			if namesWithAValue.MatchString(field.place) && !strings.Contains(field.text, "`") {
				t.Errorf("%s: the description %q does not show a value", field.place, field.text)
			}
		})
	}
	if count < 150 {
		t.Errorf("only %d attributes were seen", count)
	}
}

// TestEveryAttributeCanBeMocked: a mock of Terraform leaves nested lists and maps empty, so only an attribute of one
// object is nested.
func TestEveryAttributeCanBeMocked(t *testing.T) {
	t.Parallel()
	for name, schema := range allSchemas() {
		for _, attribute := range schema.Block.Attributes {
			place, typ := name+"."+attribute.Name, spelledType(attribute.ValueType())
			if isObject := strings.HasPrefix(typ, "{"); isObject != (attribute.NestedType != nil) {
				t.Errorf("%s, %s: one object is a nested attribute, and nothing else is", place, typ)
			}
			if strings.Contains(typ, "tftypes.") {
				t.Errorf("%s, %s: neither a list, a map, an object nor a scalar", place, typ)
			}
			// Either of them inside a nested attribute makes the engine quadratic in the number of elements.
			for _, inside := range orZero(attribute.NestedType).Attributes {
				if inside.Sensitive || inside.Deprecated || inside.NestedType != nil {
					t.Errorf("%s.%s: sensitive, deprecated or nested inside a nested attribute", place, inside.Name)
				}
			}
		}
	}
}

// TestFieldsOfListsAreDescribed: the description of a list of small objects has the words of the pages, which are made
// from nested attributes. That of whole records names the data source with the same fields.
func TestFieldsOfListsAreDescribed(t *testing.T) {
	t.Parallel()
	pages := pagesByPath(t)
	byPage := regexp.MustCompile(`\(` + registryPages + `/data-sources/(\w+)\)`)
	records := 0
	for name, schema := range schemas.DataSourceSchemas {
		name = strings.TrimPrefix(name, typeName+"_")
		for _, attribute := range schema.Block.Attributes {
			list := described{name + "." + attribute.Name, attribute.Description, attribute.ValueType()}
			fields := map[string]tftypes.Type{}
			list.walkLines(func(field described) {
				fields[field.place] = field.typ
				text, _, _ := strings.Cut(field.text, "\n")
				line := "- `" + field.place[strings.LastIndex(field.place, ".")+1:] + "` \\([A-Za-z ]+\\) " + regexp.QuoteMeta(text)
				if !regexp.MustCompile(line).MatchString(pages["/data-sources/"+name]) {
					t.Errorf("the page has no %q for %s: run make docs", text, field.place)
				}
			})
			object, _ := typeOf(name).(tftypes.Object)
			if link := byPage.FindStringSubmatch(attribute.Description); link != nil {
				object, _ = typeOf(link[1]).(tftypes.Object)
				records++
			}
			for field, typ := range fieldsOf(list.typ) {
				same := object.AttributeTypes[field]
				if fields[list.place+"."+field] == nil && (same == nil || !same.Equal(typ)) {
					t.Errorf("%s.%s is not described", list.place, field)
				}
			}
		}
	}
	if records != 4 {
		t.Errorf("%d lists and maps of records name a page, want 4", records)
	}
}
