package provider

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
)

// The names and types, written out, because users' configurations depend on them. An attribute is computed unless its
// type has another word before it.
const (
	keyedNameWant = "{key string, name string, short_name string}"

	groupWant = `
id              string
name            string
latest_revision number
public          bool
created_at      string
time_horizon    ` + keyedNameWant + `
models          [{created_at string, id string, revision number}]
axes            [{description string, key string, kind string, label string, type string, values [{historical bool, value string}]}]
other_fields    string
`
	namedRecordWant = "[{id string, json string, key string, name string}]"
	modelWant       = `
id                        string
model_group_id            string
name                      string
display_name              string
notes                     string
description               string
revision                  number
docker_image              string
created_at                string
updated_at                string
run_mode                  string
horizon                   ` + keyedNameWant + `
model_metadata            string
output_variables          [{colours [string], key string, name string, series_key bool, type string}]
output_specification      [string]
inputs                    [{id string, json string, key string}]
datasets                  [{file_format string, id string, json string, key string, source string, storage_location string}]
archived                  bool
enabled                   bool
tags                      [string]
sensitivities             ` + namedRecordWant + `
axes                      [{default string, description string, key string, kind string, label string, type string, values [string]}]
input_aggregations        ` + namedRecordWant + `
output_file_format        string
display_timezone          string
forecast_variable         ` + keyedNameWant + `
is_owner                  bool
has_performance_metrics   bool
default_comparison_models [string]
other_fields              string
`
	pinnedWant = `
latest_revision           number
is_latest                 bool
`
	idWant     = "\nmodel_group_id required string\n"
	whereWant  = "\nwhere single block {archived bool, enabled bool, min_age string, run_mode string, tags [string]}\n"
	acceptWant = "\naccept_withdrawn optional bool\n"
	someWant   = "\nattributes optional [string]\n"

	providerWant = `
base_url                optional string
client_id               optional string
client_secret           optional sensitive string
access_token            optional sensitive string
headers                 optional sensitive map of string
client_certificate_pem  optional string
client_key_pem          optional sensitive string
ca_certificate_pem      optional string
request_timeout         optional string
read_timeout            optional string
max_retries             optional number
max_requests            optional string
snapshot                optional bool
`
)

// table reads tables such as those above. If two lines have one name, the later one counts.
func table(tables ...string) map[string]string {
	want := map[string]string{}
	for line := range strings.Lines(strings.Join(tables, "")) {
		if name, rest, _ := strings.Cut(strings.TrimSpace(line), " "); name != "" {
			want[name] = strings.TrimSpace(rest)
		}
	}
	return want
}

// objectOf spells a table as the type of a nested object.
func objectOf(tables ...string) string {
	want := table(tables...)
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		fields = append(fields, name+" "+want[name])
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

func TestNamesAndTypes(t *testing.T) {
	t.Parallel()
	groupWant, modelWant := interfaceWant(t, "ModelGroup", groupWant), interfaceWant(t, "Model", modelWant)
	want := map[string]map[string]string{
		"the provider":       table(providerWant),
		"model_groups":       table(someWant, "time_horizon optional string\nmodel_groups ["+objectOf(groupWant)+"]"),
		"model_group":        table(groupWant, "id optional computed string\nname optional computed string"),
		"latest_model":       table(modelWant, idWant, whereWant, acceptWant),
		"model_group_models": table(someWant, idWant, "models ["+objectOf(modelWant)+"]"),
		"latest_models": table(someWant, whereWant, acceptWant,
			"model_group_ids optional [string]\ntime_horizon optional string\nmodels map of "+objectOf(modelWant)),
		"pinned_models": table(someWant, acceptWant,
			"revisions required map of number\ndocker_images optional map of string\nmodels map of "+objectOf(modelWant, pinnedWant)),
		"model": table(modelWant, pinnedWant, idWant, acceptWant, "revision required number\ndocker_image optional computed string"),
	}
	got := map[string]map[string]string{}
	for name, schema := range allSchemas() {
		got[name] = map[string]string{}
		for _, attribute := range schema.Block.Attributes {
			got[name][attribute.Name] = usageOf(attribute) + spelledType(attribute.ValueType())
		}
		for _, block := range schema.Block.BlockTypes {
			got[name][block.TypeName] = strings.ToLower(block.Nesting.String()) + " block " + spelledType(block.ValueType())
		}
	}
	expectSame(t, got, want)
}

// allSchemas returns the schemas of the provider and of each data source.
func allSchemas() map[string]*tfprotov6.Schema {
	all := map[string]*tfprotov6.Schema{"the provider": schemas.Provider}
	for name, schema := range schemas.DataSourceSchemas {
		all[strings.TrimPrefix(name, typeName+"_")] = schema
	}
	return all
}

// usageOf spells how an attribute may be used, as the tables do: "" if it is computed only.
func usageOf(attribute *tfprotov6.SchemaAttribute) string {
	if attribute.Computed && !attribute.Required && !attribute.Optional && !attribute.Sensitive {
		return ""
	}
	text := ""
	for i, is := range []bool{attribute.Required, attribute.Optional, attribute.Computed, attribute.Sensitive} {
		if is {
			text += []string{"required ", "optional ", "computed ", "sensitive "}[i]
		}
	}
	return cmp.Or(text, "unusable ")
}

// spelledType spells a type as the tables do, and a set or another type that no table has as its own name.
func spelledType(typ tftypes.Type) string {
	switch typ := typ.(type) {
	case tftypes.List:
		return "[" + spelledType(typ.ElementType) + "]"
	case tftypes.Map:
		return "map of " + spelledType(typ.ElementType)
	case tftypes.Object:
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(typ.AttributeTypes)) {
			fields = append(fields, name+" "+spelledType(typ.AttributeTypes[name]))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	}
	for name, plain := range map[string]tftypes.Type{"string": tftypes.String, "bool": tftypes.Bool, "number": tftypes.Number} {
		if typ.Is(plain) {
			return name
		}
	}
	return typ.String()
}

// field is a field of the interface, or one of its schemas, as the OpenAPI document describes it.
type field struct {
	Reference  string            `json:"$ref"`
	Type       any               `json:"type"` // a name, or a list of names if it can be null
	Examples   []json.RawMessage `json:"examples"`
	Properties map[string]field  `json:"properties"`
	IsOpen     any               `json:"additionalProperties"`
	Items      *field            `json:"items"`
}

// interfaceSchema returns a schema of the interface by its name, or by a reference to it.
func interfaceSchema(name string) field {
	var document struct {
		Components struct{ Schemas map[string]field }
	}
	if err := json.Unmarshal(contract.OpenAPI(), &document); err != nil {
		panic(err)
	}
	return document.Components.Schemas[path.Base(name)]
}

// interfaceWant returns the table of a schema's fields, and expects each line of another one in it. Other fields of the
// service are in other_fields, or in json of a record.
func interfaceWant(t *testing.T, schema, fixed string) string {
	t.Helper()
	want := interfaceSchema(schema).attributes() + "other_fields string\n"
	for name, typ := range table(fixed) {
		if got := table(want)[name]; got != typ {
			t.Errorf("%s of internal/contract/openapi.json is %q, want %q", name, got, typ)
		}
	}
	return want
}

// attributes returns the table of the attributes for the fields of a schema.
func (f field) attributes() string {
	var lines strings.Builder
	for name, below := range f.Properties {
		fmt.Fprintf(&lines, "%s %s\n", attributeOf(name), below.spelled())
	}
	return lines.String()
}

// spelled spells the type of a field's attribute. One whose type is open is a string.
func (f field) spelled() string {
	switch {
	case f.Reference != "":
		return interfaceSchema(f.Reference).spelled()
	case f.Items != nil:
		return "[" + f.Items.spelled() + "]"
	case f.Properties != nil && f.IsOpen == true:
		return objectOf(f.attributes() + "json string")
	case f.Properties != nil:
		return objectOf(f.attributes())
	}
	types := map[string]string{"integer": "number", "number": "number", "boolean": "bool"}
	notNull := strings.NewReplacer("[", "", " null]", "")
	return cmp.Or(types[notNull.Replace(fmt.Sprint(f.Type))], "string")
}

// attributeOf returns the name of a field's attribute.
func attributeOf(name string) string {
	return strings.ToLower(regexp.MustCompile("[A-Z]").ReplaceAllString(name, "_$0"))
}
