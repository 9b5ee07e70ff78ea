package sandbox

import (
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// CatalogueSchema returns the JSON Schema of catalogue files, made of the same
// types that check them. What one value says of another (an owner that there
// is, ids that do not repeat) is left to the reader.
func CatalogueSchema() []byte {
	schema := schemaOf(reflect.TypeFor[checkedFile]())
	schema = append(object{
		{"$schema", encode("https://json-schema.org/draft/2020-12/schema")},
		{"title", encode("Catalogue of the model catalogue's sandbox")},
	}, schema...)
	text := schema.json()
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		panic("sandbox: " + err.Error())
	}
	return append(text, '\n')
}

// schemaOf is the schema of a type's values. Null stands for a value left out,
// but where the type refuses it.
func schemaOf(t reflect.Type) object {
	is := func(kind string) object { return object{{"type", encode([]string{kind, "null"})}} }
	only := func(kind string) object { return object{{"type", encode(kind)}} }
	switch t {
	case reflect.TypeFor[name]():
		return append(only("string"), member{"minLength", encode(1)})
	case reflect.TypeFor[flag]():
		return only("boolean")
	case reflect.TypeFor[integer]():
		return is("integer")
	case reflect.TypeFor[jsontext.Value]():
		return object{}
	}
	switch t.Kind() {
	case reflect.String:
		return is("string")
	case reflect.Bool:
		return is("boolean")
	case reflect.Map:
		return is("object")
	case reflect.Slice:
		array := is("array")
		if strings.HasPrefix(t.Name(), "list[") {
			array = only("array")
		}
		return append(array, member{"items", schemaOf(t.Elem()).json()})
	}
	return structSchema(t)
}

func structSchema(t reflect.Type) object {
	var (
		properties object
		required   []string
		open       bool
	)
	for _, field := range reflect.VisibleFields(t) {
		name := jsonName(field)
		switch {
		case field.Anonymous:
		case name == "":
			open = true
		default:
			properties = append(properties, member{name, propertySchema(field).json()})
			if field.Tag.Get("required") != "" {
				required = append(required, name)
			}
		}
	}
	kind := encode("object")
	if required == nil {
		kind = encode([]string{"object", "null"})
	}
	schema := object{{"type", kind}, {"properties", properties.json()}}
	if required != nil {
		schema = append(schema, member{"required", encode(required)})
	}
	if !open {
		schema = append(schema, member{"additionalProperties", encode(false)})
	}
	return schema
}

func propertySchema(field reflect.StructField) object {
	schema := schemaOf(field.Type)
	if field.Type.Kind() == reflect.Slice && field.Tag.Get("required") != "" {
		schema = append(schema, member{"minItems", encode(1)})
	}
	if values := field.Tag.Get("enum"); values != "" {
		texts := []any{}
		for value := range strings.SplitSeq(values, ",") {
			texts = append(texts, value)
		}
		schema = object{{"enum", encode(append(texts, nil))}}
	}
	if doc := field.Tag.Get("doc"); doc != "" {
		schema = append(object{{"description", encode(doc)}}, schema...)
	}
	return schema
}
