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
		t.Errorf("the schema beside the guide is not the code's (%v): make it so by\n"+
			"go run ./cmd/modelcatalogue-sandbox schema >examples/guides/test-your-module/own-catalogue/catalogue.schema.json", err)
	}
	const start = `{"organisations": [{"name": "O", "clientId": "o", "clientSecret": "s"}], "timeHorizons": [{"key": "k"}],
		"modelGroups": [{"owner": "O", `
	group := func(text string) string { return start + `"group": ` + text + `}]}` }
	model := func(text string) string {
		return start + `"group": {"id": "g"}, "models": [{"id": "m", "revision": 0, ` + text + `}]}]}`
	}
	tests := map[string]struct {
		text string
		ok   bool
	}{
		"the built-in one": {text: string(sandbox.DefaultFile()), ok: true},
		"the guide's":      {text: readText(t, exampleFolder+"catalogue.json"), ok: true},
		"the least":        {text: `{"organisations": [{"name": "O", "clientId": "o", "clientSecret": "s"}]}`, ok: true},
		"for an editor": {
			text: `{"$schema": "catalogue.schema.json", "organisations": [{"name": "O", "clientId": "o", "clientSecret": "s"}]}`,
			ok:   true,
		},
		"nobody":       {text: `{"organisations": []}`, ok: false},
		"nothing":      {text: `{}`, ok: false},
		"a list":       {text: `[]`, ok: false},
		"unknown":      {text: strings.Replace(group(`{"id": "g"}`), "{", `{"extra": 1, `, 1), ok: false},
		"empty secret": {text: `{"organisations": [{"name": "O", "clientId": "o", "clientSecret": ""}]}`, ok: false},
		"no secret":    {text: `{"organisations": [{"name": "O", "clientId": "o"}]}`, ok: false},
		"forbidden, null": {
			text: `{"organisations": [{"name": "O", "clientId": "o", "clientSecret": "s", "forbidden": null}]}`,
			ok:   false,
		},
		"horizon of no key": {
			text: `{"organisations": [{"name": "O", "clientId": "o", "clientSecret": "s"}], "timeHorizons": [{}]}`,
			ok:   false,
		},
		"groups, null": {
			text: `{"organisations": [{"name": "O", "clientId": "o", "clientSecret": "s"}], "modelGroups": null}`,
			ok:   false,
		},
		"group of an id": {text: group(`{"id": "g"}`), ok: true},
		"group of no id": {text: group(`{}`), ok: false},
		"group of nulls": {
			text: group(`{"id": "g", "name": null, "public": null, "timeHorizon": null, "latestRevision": null, "axes": null}`),
			ok:   true,
		},
		"group with models": {text: group(`{"id": "g", "models": [{"id": "m", "revision": 1, "createdAt": "t"}]}`), ok: true},
		"group with axes": {
			text: group(`{"id": "g", "axes": [{"key": "a", "values": [{"value": [1], "historical": true}]}]}`),
			ok:   true,
		},
		"misspelt in axes": {
			text: group(`{"id": "g", "axes": [{"key": "a", "values": [{"value": 1, "historic": true}]}]}`),
			ok:   false,
		},
		"public, a text":     {text: group(`{"id": "g", "public": "yes"}`), ok: false},
		"misspelt horizon":   {text: group(`{"id": "g", "time_horizon": {}}`), ok: false},
		"misspelt in it":     {text: group(`{"id": "g", "timeHorizon": {"short_name": "x"}}`), ok: false},
		"model of no id":     {text: start + `"group": {"id": "g"}, "models": [{"revision": 1}]}]}`, ok: false},
		"model of none":      {text: start + `"group": {"id": "g"}, "models": [{"id": "m"}]}]}`, ok: false},
		"misspelt image":     {text: model(`"docker_image": "x"`), ok: false},
		"image, a number":    {text: model(`"dockerImage": 1`), ok: false},
		"image, null":        {text: model(`"dockerImage": null`), ok: true},
		"unknown run mode":   {text: model(`"runMode": "HOURLY"`), ok: false},
		"run mode, null":     {text: model(`"runMode": null`), ok: true},
		"unknown format":     {text: model(`"outputFileFormat": "xml"`), ok: false},
		"metadata":           {text: model(`"modelMetadata": {"any": [1, {"thing": null}]}`), ok: true},
		"metadata, a list":   {text: model(`"modelMetadata": []`), ok: false},
		"inputs":             {text: model(`"inputs": [{"id": "i", "key": "k", "unit": "EUR", "bounds": {}}]`), ok: true},
		"inputs, null":       {text: model(`"inputs": null`), ok: true},
		"input, key of none": {text: model(`"inputs": [{"id": "i", "key": 1}]`), ok: false},
		"datasets":           {text: model(`"datasets": [{"id": "i", "fileFormat": "parquet", "rows": 1}]`), ok: true},
		"tags":               {text: model(`"tags": ["a"]`), ok: true},
		"tags, numbers":      {text: model(`"tags": [1]`), ok: false},
		"axes":               {text: model(`"axes": [{"key": "a", "values": [1, "b", true], "default": 1}]`), ok: true},
		"axes, historical":   {text: model(`"axes": [{"key": "a", "historical": true}]`), ok: false},
		"colours":            {text: model(`"outputVariables": [{"key": "a", "seriesKey": true, "colours": ["red", 1]}]`), ok: true},
		"series key":         {text: model(`"outputVariables": [{"key": "a", "series_key": true}]`), ok: false},
		"revision of 3.0":    {text: start + `"group": {"id": "g"}, "models": [{"id": "m", "revision": 3.0}]}]}`, ok: true},
		"revision of 3.5":    {text: start + `"group": {"id": "g"}, "models": [{"id": "m", "revision": 3.5}]}]}`, ok: false},
		"revision of digits": {
			text: start + `"group": {"id": "g"}, "models": [{"id": "m", "revision": 12345678901234567890123}]}]}`,
			ok:   true,
		},
		"revision as a text": {text: start + `"group": {"id": "g"}, "models": [{"id": "m", "revision": "3"}]}]}`, ok: false},
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
	const text = `{
  "organisations": [{"name": "O", "clientId": "o", "clientSecret": "s"}],
  "modelGroups": [
    {
      "owner": "P", "group": {"id": "g"}}]}`
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
