package sandbox_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

const exampleFolder = "../../examples/guides/test-your-module/own-catalogue/"

// TestCatalogueSchema holds the schema against the reader: what one takes and
// refuses, so does the other.
func TestCatalogueSchema(t *testing.T) {
	schema := compiledSchema(t)
	if want, err := os.ReadFile(exampleFolder + "catalogue.schema.json"); err != nil || !bytes.Equal(want, sandbox.CatalogueSchema()) {
		t.Errorf("the schema beside the guide is not the code's (%v): go run ./internal/sandbox/cmd/sandbox schema", err)
	}
	const start = `{"organisations": [{"name": "O", "clientId": "o", "clientSecret": "s"}], "timeHorizons": [{"key": "k"}], "modelGroups": [{"owner": "O", `
	group := func(text string) string { return start + `"group": ` + text + `}]}` }
	model := func(text string) string {
		return start + `"group": {"id": "g"}, "models": [{"id": "m", "revision": 0, ` + text + `}]}]}`
	}
	tests := map[string]struct {
		text string
		ok   bool
	}{
		"the built-in one":   {string(sandbox.DefaultFile()), true},
		"the guide's":        {readText(t, exampleFolder+"catalogue.json"), true},
		"the least":          {`{"organisations": [{"name": "O", "clientId": "o", "clientSecret": "s"}]}`, true},
		"for an editor":      {`{"$schema": "catalogue.schema.json", "organisations": [{"name": "O", "clientId": "o", "clientSecret": "s"}]}`, true},
		"nobody":             {`{"organisations": []}`, false},
		"nothing":            {`{}`, false},
		"a list":             {`[]`, false},
		"unknown":            {strings.Replace(group(`{"id": "g"}`), "{", `{"extra": 1, `, 1), false},
		"empty secret":       {`{"organisations": [{"name": "O", "clientId": "o", "clientSecret": ""}]}`, false},
		"no secret":          {`{"organisations": [{"name": "O", "clientId": "o"}]}`, false},
		"forbidden, null":    {`{"organisations": [{"name": "O", "clientId": "o", "clientSecret": "s", "forbidden": null}]}`, false},
		"horizon of no key":  {`{"organisations": [{"name": "O", "clientId": "o", "clientSecret": "s"}], "timeHorizons": [{}]}`, false},
		"groups, null":       {`{"organisations": [{"name": "O", "clientId": "o", "clientSecret": "s"}], "modelGroups": null}`, false},
		"group of an id":     {group(`{"id": "g"}`), true},
		"group of no id":     {group(`{}`), false},
		"group of nulls":     {group(`{"id": "g", "name": null, "public": null, "timeHorizon": null, "latestRevision": null, "axes": null}`), true},
		"group with models":  {group(`{"id": "g", "models": [{"id": "m", "revision": 1, "createdAt": "t"}]}`), true},
		"group with axes":    {group(`{"id": "g", "axes": [{"key": "a", "values": [{"value": [1], "historical": true}]}]}`), true},
		"misspelt in axes":   {group(`{"id": "g", "axes": [{"key": "a", "values": [{"value": 1, "historic": true}]}]}`), false},
		"public, a text":     {group(`{"id": "g", "public": "yes"}`), false},
		"misspelt horizon":   {group(`{"id": "g", "time_horizon": {}}`), false},
		"misspelt in it":     {group(`{"id": "g", "timeHorizon": {"short_name": "x"}}`), false},
		"model of no id":     {start + `"group": {"id": "g"}, "models": [{"revision": 1}]}]}`, false},
		"model of none":      {start + `"group": {"id": "g"}, "models": [{"id": "m"}]}]}`, false},
		"misspelt image":     {model(`"docker_image": "x"`), false},
		"image, a number":    {model(`"dockerImage": 1`), false},
		"image, null":        {model(`"dockerImage": null`), true},
		"unknown run mode":   {model(`"runMode": "HOURLY"`), false},
		"run mode, null":     {model(`"runMode": null`), true},
		"unknown format":     {model(`"outputFileFormat": "xml"`), false},
		"metadata":           {model(`"modelMetadata": {"any": [1, {"thing": null}]}`), true},
		"metadata, a list":   {model(`"modelMetadata": []`), false},
		"inputs":             {model(`"inputs": [{"id": "i", "key": "k", "unit": "EUR", "bounds": {}}]`), true},
		"inputs, null":       {model(`"inputs": null`), true},
		"input, key of none": {model(`"inputs": [{"id": "i", "key": 1}]`), false},
		"datasets":           {model(`"datasets": [{"id": "i", "fileFormat": "parquet", "rows": 1}]`), true},
		"tags":               {model(`"tags": ["a"]`), true},
		"tags, numbers":      {model(`"tags": [1]`), false},
		"axes":               {model(`"axes": [{"key": "a", "values": [1, "b", true], "default": 1}]`), true},
		"axes, historical":   {model(`"axes": [{"key": "a", "historical": true}]`), false},
		"colours":            {model(`"outputVariables": [{"key": "a", "seriesKey": true, "colours": ["red", 1]}]`), true},
		"series key":         {model(`"outputVariables": [{"key": "a", "series_key": true}]`), false},
		"revision of 3.0":    {start + `"group": {"id": "g"}, "models": [{"id": "m", "revision": 3.0}]}]}`, true},
		"revision of 3.5":    {start + `"group": {"id": "g"}, "models": [{"id": "m", "revision": 3.5}]}]}`, false},
		"revision of digits": {start + `"group": {"id": "g"}, "models": [{"id": "m", "revision": 12345678901234567890123}]}]}`, true},
		"revision as a text": {start + `"group": {"id": "g"}, "models": [{"id": "m", "revision": "3"}]}]}`, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, byReader := sandbox.ReadCatalogue(strings.NewReader(test.text))
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(test.text))
			if err != nil {
				t.Fatal(err)
			}
			bySchema := schema.Validate(value)
			if (byReader == nil) != test.ok || (bySchema == nil) != test.ok {
				t.Errorf("the reader says %v, the schema %v; want both to take it: %t", byReader, bySchema, test.ok)
			}
		})
	}
}

// What a schema cannot say.
func TestTheReaderKnowsMore(t *testing.T) {
	const text = "{\n  \"organisations\": [{\"name\": \"O\", \"clientId\": \"o\", \"clientSecret\": \"s\"}],\n  \"modelGroups\": [\n    {\n      \"owner\": \"P\", \"group\": {\"id\": \"g\"}}]}"
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil || compiledSchema(t).Validate(value) != nil {
		t.Fatalf("the schema refuses it: %v", err)
	}
	_, err = sandbox.ReadCatalogue(strings.NewReader(text))
	if err == nil || err.Error() != `line 5, column 7: modelGroups[0].owner: no organisation is named "P"` {
		t.Errorf("the reader says %v", err)
	}
}

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(sandbox.CatalogueSchema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("catalogue.schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("catalogue.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
