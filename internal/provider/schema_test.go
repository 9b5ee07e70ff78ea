package provider

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/encode"
)

// The names and types of design.md, written out: users' configurations depend
// on them. An attribute is computed unless it says otherwise.
const (
	keyedNameWant = "{key string, name string, short_name string}"

	groupWant = `
id              string
name            string
latest_revision int64
public          bool
created_at      string
time_horizon    ` + keyedNameWant + `
models          [{created_at string, id string, revision int64}]
axes            [{description string, key string, kind string, label string, type string, values [{historical bool, value string}]}]
`
	namedRecordWant = "[{id string, json string, key string, name string}]"
	modelWant       = `
id                        string
model_group_id            string
name                      string
display_name              string
notes                     string
description               string
revision                  int64
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
`
	whereWant  = "optional {archived bool, enabled bool, tags [string]}"
	pinnedWant = `
latest_revision           int64
is_latest                 bool
`
	providerWant = `
base_url                optional string
client_id               optional string
client_secret           optional sensitive string
ca_certificate_pem      optional string
request_timeout         optional string
read_timeout            optional string
max_retries             optional number
max_requests_per_second optional number
snapshot                optional bool
`
)

// parseTable reads one of the tables above.
func parseTable(t *testing.T, table string) map[string]string {
	t.Helper()
	want := map[string]string{}
	for line := range strings.Lines(table) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if _, twice := want[name]; twice {
			t.Fatalf("%s stands twice in the table", name)
		}
		want[name] = strings.TrimSpace(rest)
	}
	return want
}

// objectOf is a table as the type of a nested object.
func objectOf(t *testing.T, table string) string {
	t.Helper()
	want := parseTable(t, table)
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		fields = append(fields, name+" "+want[name])
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

func tableWith(t *testing.T, table string, changes map[string]string) map[string]string {
	t.Helper()
	want := parseTable(t, table)
	maps.Copy(want, changes)
	return want
}

func TestNamesAndTypes(t *testing.T) {
	t.Parallel()
	want := map[string]map[string]string{
		"the provider": parseTable(t, providerWant),
		"model_groups": {
			"time_horizon": "optional string", "attributes": "optional [string]", "model_groups": "[" + objectOf(t, groupWant) + "]",
		},
		"model_group":  tableWith(t, groupWant, map[string]string{"id": "optional computed string", "name": "optional computed string"}),
		"latest_model": tableWith(t, modelWant, map[string]string{"model_group_id": "required string", "where": whereWant}),
		"model_group_models": {
			"model_group_id": "required string", "attributes": "optional [string]", "models": "[" + objectOf(t, modelWant) + "]",
		},
		"latest_models": {
			"model_group_ids": "optional [string]", "time_horizon": "optional string", "where": whereWant, "attributes": "optional [string]",
			"models": "map of " + objectOf(t, modelWant),
		},
		"pinned_models": {
			"revisions": "required map of number", "docker_images": "optional map of string", "accept_withdrawn": "optional bool",
			"attributes": "optional [string]",
			"models":     "map of " + objectOf(t, modelWant+pinnedWant),
		},
		"model": tableWith(t, modelWant, map[string]string{
			"model_group_id": "required string", "revision": "required number", "docker_image": "optional computed string",
			"accept_withdrawn": "optional bool", "latest_revision": "int64", "is_latest": "bool",
		}),
	}
	schemas := allSchemas(t)
	if got, want := slices.Sorted(maps.Keys(schemas)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
		t.Errorf("schemas %q, want %q", got, want)
	}
	for name, attributes := range schemas {
		got := map[string]string{}
		for attributeName, attribute := range attributes {
			got[attributeName] = usageOf(attribute) + spelledType(attribute.GetType())
		}
		for attributeName := range maps.Keys(want[name]) {
			if got[attributeName] != want[name][attributeName] {
				t.Errorf("%s: %s is %q\nwant %q", name, attributeName, got[attributeName], want[name][attributeName])
			}
		}
		for attributeName := range got {
			if _, ok := want[name][attributeName]; !ok {
				t.Errorf("%s: %s is not in the table", name, attributeName)
			}
		}
	}
}

// described is what the attributes of a provider and of a data source have in
// common.
type described interface {
	GetType() attr.Type
	GetMarkdownDescription() string
	GetDeprecationMessage() string
	IsSensitive() bool
	IsRequired() bool
	IsOptional() bool
	IsComputed() bool
}

// allSchemas are the attributes of the provider and of each data source.
func allSchemas(t *testing.T) map[string]map[string]described {
	t.Helper()
	p := &catalogueProvider{}
	var providerSchema provider.SchemaResponse
	p.Schema(t.Context(), provider.SchemaRequest{}, &providerSchema)
	schemas := map[string]map[string]described{"the provider": {}}
	for name, attribute := range providerSchema.Schema.Attributes {
		schemas["the provider"][name] = attribute
	}
	for name, schema := range dataSourceSchemas(t) {
		schemas[name] = map[string]described{}
		for attributeName, attribute := range schema.Attributes {
			schemas[name][attributeName] = attribute
		}
	}
	return schemas
}

func dataSourceSchemas(t *testing.T) map[string]schema.Schema {
	t.Helper()
	schemas := map[string]schema.Schema{}
	for _, factory := range (&catalogueProvider{}).DataSources(t.Context()) {
		name, _ := describeDataSource(t, factory())
		var resp datasource.SchemaResponse
		factory().Schema(t.Context(), datasource.SchemaRequest{}, &resp)
		schemas[name] = resp.Schema
	}
	return schemas
}

// usageOf is how an attribute may be used, "" for one that is only computed.
func usageOf(attribute described) string {
	text := ""
	if attribute.IsRequired() {
		text += "required "
	}
	if attribute.IsOptional() {
		text += "optional "
		if attribute.IsComputed() {
			text += "computed "
		}
	}
	if attribute.IsSensitive() {
		text += "sensitive "
	}
	if text == "" && !attribute.IsComputed() {
		text = "unusable "
	}
	return text
}

// spelledType spells a type as the tables do. Custom types, sets and whatever
// else the contract has no place for come out as what they are.
func spelledType(typ attr.Type) string {
	switch typ := typ.(type) {
	case types.ListType:
		return "[" + spelledType(typ.ElemType) + "]"
	case types.MapType:
		return "map of " + spelledType(typ.ElemType)
	case types.ObjectType:
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(typ.AttrTypes)) {
			fields = append(fields, name+" "+spelledType(typ.AttrTypes[name]))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	}
	switch typ {
	case types.StringType:
		return "string"
	case types.BoolType:
		return "bool"
	case types.Int64Type:
		return "int64"
	case types.Float64Type:
		return "float64"
	case types.NumberType:
		return "number"
	}
	return fmt.Sprintf("%T", typ)
}

// nestedIn are the attributes of a nested attribute, nil for any other.
func nestedIn(attribute described) (attributes map[string]schema.Attribute, isNested bool) {
	switch attribute := attribute.(type) {
	case schema.SingleNestedAttribute:
		return attribute.Attributes, true
	case schema.ListNestedAttribute:
		return attribute.NestedObject.Attributes, true
	case schema.MapNestedAttribute:
		return attribute.NestedObject.Attributes, true
	}
	return nil, false
}

// Their names say nothing by themselves, so their descriptions show a value.
var namesWithAValue = regexp.MustCompile(
	`[. ](key|kind|type|label|short_name|series_key|colours|historical|source|storage_location|file_format|tags` +
		`|sensitivities|input_aggregations)$`,
)

func TestEveryAttribute(t *testing.T) {
	t.Parallel()
	count := 0
	var walk func(place string, attribute described, inside bool)
	walk = func(place string, attribute described, inside bool) {
		count++
		if description := attribute.GetMarkdownDescription(); len(description) < 5 || !strings.HasSuffix(description, ".") {
			t.Errorf("%s: the description %q is no phrase with a full stop", place, description)
		}
		if description := attribute.GetMarkdownDescription(); namesWithAValue.MatchString(place) && !strings.Contains(description, "`") {
			t.Errorf("%s: the description %q shows no value", place, description)
		}
		// Either inside a nested attribute makes the engine quadratic in the
		// number of elements.
		if inside && attribute.IsSensitive() {
			t.Errorf("%s: sensitive inside a nested attribute", place)
		}
		if inside && attribute.GetDeprecationMessage() != "" {
			t.Errorf("%s: deprecated inside a nested attribute", place)
		}
		attributes, isNested := nestedIn(attribute)
		if spelled := spelledType(attribute.GetType()); !isNested && strings.ContainsAny(spelled, "{.") {
			t.Errorf("%s: %s is no list, map or scalar of a plain type", place, spelled)
		}
		for name, attribute := range attributes {
			walk(place+"."+name, attribute, true)
		}
	}
	for name, attributes := range allSchemas(t) {
		for attributeName, attribute := range attributes {
			walk(name+": "+attributeName, attribute, false)
		}
	}
	if count < 250 {
		t.Errorf("only %d attributes were seen", count)
	}
}

func TestEverySchemaIsDescribedAndHasNoBlocks(t *testing.T) {
	t.Parallel()
	var providerSchema provider.SchemaResponse
	(&catalogueProvider{}).Schema(t.Context(), provider.SchemaRequest{}, &providerSchema)
	check := func(name, description string, blocks int) {
		if !strings.HasSuffix(description, ".") || blocks > 0 {
			t.Errorf("%s: description %q, %d blocks", name, description, blocks)
		}
	}
	check("the provider", providerSchema.Schema.MarkdownDescription, len(providerSchema.Schema.Blocks))
	for name, schema := range dataSourceSchemas(t) {
		check(name, schema.MarkdownDescription, len(schema.Blocks))
	}
}

func TestStructsAgreeWithSchemas(t *testing.T) {
	t.Parallel()
	states := map[string]any{
		"model_groups":       &modelGroupsState{},
		"model_group":        &groupState{},
		"latest_model":       &latestModelState{},
		"model_group_models": &modelGroupModelsState{},
		"model":              &modelBlockState{},
		"latest_models":      &latestModelsState{},
		"pinned_models":      &pinnedModelsState{},
	}
	for name, schema := range dataSourceSchemas(t) {
		state, ok := states[name]
		if !ok {
			t.Errorf("%s: no struct is known", name)
			continue
		}
		if _, err := encode.Compile(reflect.TypeOf(state), schema.Type().TerraformType(t.Context())); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
