package provider

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// What has an attribute and no field of the interface, and why.
var withoutField = map[string]string{
	"Model.inputs.json":             "the whole record, whose other fields are not shown",
	"Model.datasets.json":           "the whole record, whose other fields are not shown",
	"Model.sensitivities.json":      "the whole record, whose other fields are not shown",
	"Model.input_aggregations.json": "the whole record, whose other fields are not shown",
}

// interfaceSchema is a part of the interface as an OpenAPI document.
type interfaceSchema struct {
	Reference  string                     `json:"$ref"`
	Properties map[string]interfaceSchema `json:"properties"`
	Items      *interfaceSchema           `json:"items"`
}

// Each field of a group and of a model has its attribute, at any depth, and
// each attribute its field.
func TestAttributesAreTheInterfacesFields(t *testing.T) {
	t.Parallel()
	var document struct {
		Components struct {
			Schemas map[string]interfaceSchema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(sandbox.OpenAPI(), &document); err != nil {
		t.Fatal(err)
	}
	schemas := document.Components.Schemas
	resolve := func(s interfaceSchema) interfaceSchema {
		if s.Items != nil {
			s = *s.Items
		}
		if name := strings.TrimPrefix(s.Reference, "#/components/schemas/"); name != "" {
			return schemas[name]
		}
		return s
	}
	used := map[string]bool{}
	var check func(path string, fields map[string]interfaceSchema, attributes map[string]schema.Attribute)
	check = func(path string, fields map[string]interfaceSchema, attributes map[string]schema.Attribute) {
		left := maps.Clone(attributes)
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			name := explain.SnakeCase(field)
			attribute, ok := attributes[name]
			if delete(left, name); !ok {
				t.Errorf("%s.%s has no attribute %s", path, field, name)
				continue
			}
			below, isNested := nestedIn(attribute)
			within := resolve(fields[field]).Properties
			if isNested != (within != nil) {
				t.Errorf("%s.%s: nested as an attribute: %t, as a field: %t", path, name, isNested, within != nil)
				continue
			}
			check(path+"."+name, within, below)
		}
		for name := range left {
			if withoutField[path+"."+name] == "" {
				t.Errorf("the interface has no field for %s.%s", path, name)
			}
			used[path+"."+name] = true
		}
	}
	check("Model", schemas["Model"].Properties, modelAttributes())
	check("ModelGroup", schemas["ModelGroup"].Properties, groupAttributes())
	for name := range withoutField {
		if !used[name] {
			t.Errorf("%s is no exception", name)
		}
	}
}
