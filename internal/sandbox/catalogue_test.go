package sandbox_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

const (
	exampleFolder = "../../examples/guides/test-your-module/own-catalogue/"
	organisations = `"organisations": [{"name": "O", "clientId": "o", "clientSecret": "s"}]`
)

// file is a catalogue file with these groups.
func file(groups string) string { return `{` + organisations + `, "modelGroups": [` + groups + `]}` }

// group is a file with that document of a group.
func group(document string) string { return file(`{"owner": "O", "group": ` + document + `}`) }

// model is a file of one model with those members.
func model(members string) string {
	return file(`{"owner": "O", "group": {"id": "g"}, "models": [{"id": "m", "revision": 0, ` + members + `}]}`)
}

type catalogueTest struct {
	refuses    int // who does
	text, want string
}

// A catalogue file is read strictly, leniently (its documents may be anything),
// and by editors, with a schema that says the same as the strict reader.
func TestCatalogueFiles(t *testing.T) {
	const (
		nobody, strict, lenient, editor = 0, 1, 2, 4 // who refuses it
		readers, documents, all         = strict | lenient, strict | editor, strict | lenient | editor
	)
	models := func(list string) string {
		return file(`{"owner": "O", "group": {"id": "g"}, "models": [` + list + `]}`)
	}
	another := func(members string) string {
		return `{` + strings.TrimSuffix(organisations, "]") + `, {` + members + `, "clientSecret": "s"}]}`
	}
	tests := []catalogueTest{
		{readers, "", "line 1, column 1: the JSON ends here, unfinished"},
		{readers, "{\n  \"a\": 1,\n  }", "line 3, column 3: invalid character"},
		{readers, `{} {}`, "line 1, column 4: invalid character"},
		{readers, "{\n\"a\": [", "line 2, column 7: a: the JSON ends here, unfinished"},
		{readers, `{` + organisations + `,` + organisations + `}`, "line 1, column 73: organisations: the field is there twice"},

		// What a schema cannot say.
		{
			readers, another(`"name": "O", "clientId": "b"`),
			`organisations[1].name: the organisation "O" is used before, at organisations[0].name`,
		},
		{
			readers, another(`"name": "P", "clientId": "o"`),
			`organisations[1].clientId: the client id "o" is used before, at organisations[0].clientId`,
		},
		{readers, `{` + organisations + `, "timeHorizons": [{"key": "a"}, {"key": "a"}]}`, `timeHorizons[1].key: the time horizon "a"`},
		{
			readers, file("\n  {\n    \"owner\": \"P\", \"group\": {\"id\": \"g\"}}"),
			`line 3, column 5: modelGroups[0].owner: no organisation is named "P"`,
		},
		{readers, file(`{"owner": "O", "group": {"id": "g"}}, {"owner": "O", "group": {"id": "g"}}`), `group.id: the model group id "g" is`},
		{
			readers, file(`{"owner": "O", "group": {"id": "g"}, "models": [{"id": "m", "revision": 1}]},
				{"owner": "O", "group": {"id": "h"}, "models": [{"id": "m", "revision": 1}]}`),
			`modelGroups[1].models[0].id: the model id "m" is used before, at modelGroups[0].models[0].id`,
		},
		{
			readers, models(`{"id": "m", "revision": 1}, {"id": "n", "revision": 1.0}`), // spelled differently
			"modelGroups[0].models[1].revision: revision 1 is used before, at modelGroups[0].models[0].revision",
		},

		{all, `[]`, "an object is expected"},
		{all, `{}`, "line 1, column 1: organisations: the field is required"},
		{all, `{"organisations": []}`, "line 1, column 2: organisations: at least one"},
		{all, `{"organisations": null}`, "organisations: a list is expected"},
		{all, `{"Organisations": []}`, "Organisations: there is no such field; did you mean organisations?"},
		{
			all, `{` + organisations + `, "extra": 1}`,
			"line 1, column 74: extra: there is no such field; known are $schema, modelGroups, organisations, timeHorizons",
		},
		{
			all, `{"organisations": [{"name": "O", "client_id": "x"}]}`,
			"line 1, column 34: organisations[0].client_id: there is no such field; did you mean clientId?",
		},
		{all, `{"organisations": [{"name": "O", "clientId": "x"}]}`, "organisations[0].clientSecret: the field is required"},
		{all, `{"organisations": [{"name": ""}]}`, "organisations[0].name: a string that is not empty"},
		{all, `{"organisations": [{"clientSecret": ""}]}`, "organisations[0].clientSecret: a string that is not empty"},
		{all, `{"organisations": [{"disabled": null}]}`, "organisations[0].disabled: a string"},
		{all, `{"organisations": [{"forbidden": null}]}`, "organisations[0].forbidden: true or false"},
		{all, `{` + organisations + `, "timeHorizons": [{"name": "a"}]}`, "timeHorizons[0].key: the field is required"},
		{all, `{` + organisations + `, "modelGroups": null}`, "modelGroups: a list is expected"},
		{all, file(`{"group": {"id": "g"}}`), "line 1, column 90: modelGroups[0].owner: the field is required"},
		{all, group(`[]`), "modelGroups[0].group: an object is expected"},
		{all, group(`{}`), "modelGroups[0].group.id: the field is required"},
		{all, group(`{"id": 1}`), "modelGroups[0].group.id: a string"},
		{all, models(`{"id": "m", "revision": 1}, 1`), "modelGroups[0].models[1]: an object"},

		{documents, group(`{"id": "g", "axes": [{"values": [{"historic": true}]}]}`), "historic: there is no such field"},
		{documents, group(`{"id": "g", "public": "yes"}`), "group.public: true or false is expected"},
		{documents, group(`{"id": "g", "time_horizon": {}}`), "time_horizon: there is no such field; did you mean timeHorizon?"},
		{documents, group(`{"id": "g", "timeHorizon": {"short_name": "x"}}`), "timeHorizon.short_name: there is no such field"},
		{documents, models(`{"revision": 1}`), "models[0].id: the field is required"},
		{documents, models(`{"id": "m"}`), "models[0].revision: the field is required"},
		{documents, models(`{"id": "m", "revision": 3.5}`), "models[0].revision: an integer is expected"},
		{documents, models(`{"id": "m", "revision": "3"}`), "models[0].revision: an integer is expected"},
		{documents, model(`"docker_image": "x"`), "models[0].docker_image: there is no such field; did you mean dockerImage?"},
		{documents, model(`"dockerImage": 1`), "dockerImage: a string is expected"},
		{documents, model(`"runMode": "HOURLY"`), `runMode: "HOURLY" is none of AUTOMATIC, ON_DEMAND`},
		{documents, model(`"outputFileFormat": "xml"`), `outputFileFormat: "xml" is none of json, csv, parquet`},
		{documents, model(`"modelMetadata": []`), "modelMetadata: an object is expected"},
		{documents, model(`"inputs": [{"id": "i", "key": 1}]`), "inputs[0].key: a string is expected"},
		{documents, model(`"tags": [1]`), "tags[0]: a string is expected"},
		{documents, model(`"axes": [{"key": "a", "historical": true}]`), "axes[0].historical: there is no such field"},
		{documents, model(`"outputVariables": [{"key": "a", "series_key": true}]`), "series_key: there is no such field"},
	}
	for _, text := range []string{
		string(sandbox.DefaultFile()),
		readText(t, exampleFolder+"catalogue.json"),
		`{` + organisations + `}`,
		`{"$schema": "catalogue.schema.json", ` + organisations + `}`,
		group(`{"id": "g"}`),
		group(`{"id": "g", "name": null, "public": null, "timeHorizon": null, "latestRevision": null, "axes": null}`),
		group(`{"id": "g", "models": [{"id": "m", "revision": 1, "createdAt": "t"}]}`),
		group(`{"id": "g", "axes": [{"key": "a", "values": [{"value": [1], "historical": true}]}]}`),
		model(`"dockerImage": null, "runMode": null, "inputs": null, "tags": ["a"]`),
		model(`"modelMetadata": {"any": [1, {"thing": null}]}`),
		model(`"inputs": [{"id": "i", "key": "k", "unit": "EUR", "bounds": {}}]`),
		model(`"datasets": [{"id": "i", "fileFormat": "parquet", "rows": 1}]`),
		model(`"axes": [{"key": "a", "values": [1, "b", true], "default": 1}]`),
		model(`"outputVariables": [{"key": "a", "seriesKey": true, "colours": ["red", 1]}]`),
		models(`{"id": "m", "revision": 3.0}, {"id": "n", "revision": 12345678901234567890123}`),
	} {
		tests = append(tests, catalogueTest{nobody, text, ""})
	}
	schema := compiledSchema(t)
	for _, test := range tests {
		_, byStrict := sandbox.ReadCatalogue(strings.NewReader(test.text))
		_, byLenient := sandbox.ParseCatalogue(strings.NewReader(test.text))
		for who, err := range map[int]error{strict: byStrict, lenient: byLenient} {
			if (err != nil) != (test.refuses&who > 0) || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s\nreader %d says %v, want %s", test.text, who, err, test.want)
			}
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(test.text))
		if err != nil && test.refuses&editor == 0 {
			continue // an editor tells of it without a schema
		}
		if err = schema.Validate(value); (err != nil) != (test.refuses&editor > 0) {
			t.Errorf("%s\nthe schema says %v", test.text, err)
		}
	}
	if want := readText(t, exampleFolder+"catalogue.schema.json"); want != string(sandbox.CatalogueSchema()) {
		t.Error("the schema beside the guide is not the code's: make it so by\n" +
			"go run ./cmd/modelcatalogue-sandbox schema >examples/guides/test-your-module/own-catalogue/catalogue.schema.json")
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
	return compiler.MustCompile("catalogue.schema.json")
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each mistake has its place, in the order of the text.
func TestEveryMistakeIsTold(t *testing.T) {
	_, err := sandbox.ReadCatalogue(strings.NewReader(`{
  "organisations": [{"name": "O", "clientId": "o"}],
  "modelGroups": [
    {"owner": "P", "group": {"id": "g", "public": "yes"}, "models": [
      {"id": "m", "revision": 1, "docker_image": "x"}, {"id": "m", "revision": 1}
    ]}
  ]
}`))
	const want = `line 2, column 21: organisations[0].clientSecret: the field is required
line 4, column 6: modelGroups[0].owner: no organisation is named "P"
line 4, column 41: modelGroups[0].group.public: true or false is expected
line 5, column 34: modelGroups[0].models[0].docker_image: there is no such field; did you mean dockerImage?
line 5, column 57: modelGroups[0].models[1].id: the model id "m" is used before, at modelGroups[0].models[0].id
line 5, column 68: modelGroups[0].models[1].revision: revision 1 is used before, at modelGroups[0].models[0].revision`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestParseCatalogueKeepsDocuments(t *testing.T) {
	const document = `{"id":5,"revision":"x","modelGroupId":null,` +
		`"modelMetadata":{"z":9007199254740993,"a":[1.0,1E+2,1e400,-0,{"é":"<&>\u0041"}]},"unheardOf":[{}]`
	c := direct(t, sandbox.New(parse(t,
		`{"owner": "Owner", "group": {"id": "g"}, "models": [`+document+`}, {"revision": 3.5}, {"id": 5}]}`)))
	want := document + `,"isOwner":true}`
	if got := c.as("owner").get("/v1/model-group/g/models"); !strings.Contains(got.body, want) {
		t.Errorf("got\n%s\nwant in it\n%s", got.body, want)
	}
}
