package sandbox_test

import (
	"os"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

const (
	exampleFolder = "../../examples/guides/sandbox/own-catalogue/"
	organisations = `"organisations": [{"name": "O", "clientId": "o", "clientSecret": "o-sandbox-secret"}]`
)

// file returns a catalogue file with these groups.
func file(groups string) string { return `{` + organisations + `, "modelGroups": [` + groups + `]}` }

// group returns a catalogue file with that document of a group.
func group(document string) string { return file(`{"owner": "O", "group": ` + document + `}`) }

// model returns a catalogue file of one model with those members.
func model(members string) string {
	return file(`{"owner": "O", "group": {"id": "g"}, "models": [{"id": "m", "revision": 0, ` + members + `}]}`)
}

type catalogueTest struct {
	refuses    int // who does
	text, want string
}

// TestCatalogueFiles reads each file strictly, and leniently, which accepts any documents.
func TestCatalogueFiles(t *testing.T) {
	const (
		nobody, strict, lenient = 0, 1, 2 // who refuses it
		readers, documents, all = strict | lenient, strict, strict | lenient
	)
	models := func(list string) string {
		return file(`{"owner": "O", "group": {"id": "g"}, "models": [` + list + `]}`)
	}
	another := func(members string) string {
		return `{` + strings.TrimSuffix(organisations, "]") + `, {` + members + `, "clientSecret": "s"}]}`
	}
	tests := []catalogueTest{
		{readers, " \n", "line 2, column 1: the text is empty"},
		{readers, "{\n  \"a\": 1,\n  }", "line 3, column 3: invalid character '}' at start of string"},
		{readers, "{\n  \"é\": [1 2]}", "line 2, column 11: invalid character '2' after array element"},
		{readers, `{"organisations": [`, "line 1, column 20: the text ends before its last bracket"},
		{readers, "\xff\xfe{\x00}\x00", `a JSON object in UTF-8 is expected, and the text begins with "\xff\xfe{\x00}\x00"`},
		{readers, "\n<!DOCTYPE html>", `line 2, column 1: a JSON object in UTF-8 is expected, and the text begins with "<!DOCTYPE html>"`},
		{readers, "# Ours.\norganisations:\n  - name: O\n", `the text begins with "# Ours."`},
		{readers, `{` + organisations + `,` + organisations + `}`, "the field organisations is there twice"},

		// Rules that a schema cannot express.
		{
			readers, another(`"name": "O", "clientId": "b"`),
			`organisations[1].name: "O" is used twice: organisations[0].name has it too`,
		},
		{
			readers, another(`"name": "P", "clientId": "o"`),
			`organisations[1].clientId: "o" is used twice: organisations[0].clientId has it too`,
		},
		{readers, file(`{"owner": "P", "group": {"id": "g"}}`), `modelGroups[0].owner: no organisation is named "P"`},
		{
			readers, file(`{"owner": "O", "group": {"id": "g"}}, {"owner": "O", "group": {"id": "g"}}`),
			`modelGroups[1].group.id: "g" is used twice: modelGroups[0].group.id has it too`,
		},
		{
			readers, file(`{"owner": "O", "group": {"id": "g"}, "models": [{"id": "m", "revision": 1}]},
				{"owner": "O", "group": {"id": "h"}, "models": [{"id": "m", "revision": 1}]}`),
			`modelGroups[1].models[0].id: "m" is used twice: modelGroups[0].models[0].id has it too`,
		},
		{readers, models(`{"id": "m", "revision": 1}, {"id": "n", "revision": 1.0}`), `models[1].revision: "1" is used twice`},

		{all, `[]`, `line 1, column 1: a JSON object in UTF-8 is expected, and the text begins with "[]"`},
		{all, `{}`, "organisations: the field is missing"},
		{all, `{"organisations": []}`, "organisations: must not be empty"},
		{all, `{"organisations": [{"client_id": "x"}]}`, "organisations[0].client_id: unknown field; did you mean clientId?"},
		{all, `{"organisations": [{"name": ""}]}`, "organisations[0].name: must not be empty"},
		{all, `{` + organisations + `, "timeHorizons": [{"name": "a"}]}`, "timeHorizons[0].key: the field is missing"},
		{all, file(`{"group": {"id": "g"}}`), "modelGroups[0].owner: the field is missing"},
		{all, group(`{}`), "modelGroups[0].group.id: the field is missing"},
		{all, models(`{"id": "m", "revision": 1}, 1`), "modelGroups[0].models[1]: an object is expected"},

		{documents, group(`{"id": "g", "public": "yes"}`), "group.public: true or false is expected"},
		{documents, group(`{"id": "g", "time_horizon": {}}`), "time_horizon: unknown field; did you mean timeHorizon?"},
		{documents, models(`{"revision": 1}`), "models[0].id: the field is missing"},
		{documents, models(`{"id": "m", "revision": 3.5}`), "models[0].revision: an integer is expected"},
		{documents, models(`{"id": "m", "revision": -1}`), "models[0].revision: a number of 0 or more is expected"},
		{documents, model(`"runMode": "HOURLY"`), "runMode: AUTOMATIC or ON_DEMAND is expected"},
		{documents, model(`"axes": [{"key": "a", "historical": true}]`), "unknown field; there are default, description, key,"},
		{documents, model(`"modelGroupId": "h"`), `models[0].modelGroupId: the model is in the group "g"`},
		{documents, model(`"createdAt": "2026-13-01"`), "createdAt: an ISO 8601 time such as 2026-01-05T08:00:00Z is expected"},
		{documents, model(`"createdAt": "2026-02-30"`), "createdAt: an ISO 8601 time"},
		{documents, model(`"createdAt": "2026-04-31T08:00:00Z"`), "createdAt: an ISO 8601 time"},
		{documents, group(`{"id": ".."}`), "group.id: must be a part of a path: "},
		{documents, models(`{"id": "a\nb", "revision": 1}`), "models[0].id: must be a part of a path: "},
		{documents, model(`"dockerImage": "A B"`), `models[0].dockerImage: "A B" is not a container image such as`},
		{
			documents, file(`{"owner": "O", "group": {"id": "g", "timeHorizon": {"name": "Week", "key": "week"}}, "models": [
				{"id": "m", "revision": 0, "horizon": {"key": "hourly"}}]}, {"owner": "O", "group": {"id": "h"}}`),
			`models[0].horizon.key: "hourly" is not a time horizon of the catalogue, which has week`,
		},
		{
			documents, file(`{"owner": "O", "group": {"id": "g", "name": "Wind"}, "models": [
				{"id": "m", "revision": 0, "defaultComparisonModels": ["h", "Wind"]}]}`),
			`defaultComparisonModels[1]: "Wind" is the name of a group; its id is "g"`,
		},
		{documents, group(`{"id": "g", "createdAt": "soon"}`), "group.createdAt: an ISO 8601 time"},
		{documents, group(`{"id": "g", "models": [{"createdAt": "2026-01-05T25:00:00Z"}]}`), "group.models[0].createdAt: an ISO 8601 time"},
	}
	for _, text := range []string{
		string(sandbox.DefaultFile()),
		readText(t, exampleFolder+"catalogue.json"),
		`{` + organisations + `}`,
		`{"$schema": "catalogue.schema.json", ` + organisations + `}`,
		group(`{"id": "g"}`),
		group(`{"id": "g", "name": null, "public": null, "timeHorizon": null, "latestRevision": null, "axes": null}`),
		group(`{"id": "g", "models": [{"id": "m", "revision": 1, "createdAt": "2026-01-05T08:00"}]}`),
		model(`"modelGroupId": "g", "createdAt": "2026-01-05", "updatedAt": "2026-01-05 08:00:00.5+0100"`),
		group(`{"id": "g", "axes": [{"key": "a", "values": [{"value": [1], "historical": true}]}]}`),
		model(`"createdAt": "2024-02-29", "updatedAt": "2026-12-31T23:59:59Z"`),
		model(`"dockerImage": null, "runMode": null, "inputs": null, "tags": ["a"]`),
		model(`"modelMetadata": {"any": [1, {"thing": null}]}`),
		model(`"inputs": [{"id": "i", "key": "k", "unit": "EUR", "bounds": {}}]`),
		model(`"datasets": [{"id": "i", "fileFormat": "parquet", "rows": 1}]`),
		model(`"axes": [{"key": "a", "values": [1, "b", true], "default": 1}]`),
		model(`"outputVariables": [{"key": "a", "seriesKey": true, "colours": ["red", 1]}]`),
		models(`{"id": "m", "revision": 3.0}`),
	} {
		tests = append(tests, catalogueTest{nobody, text, ""})
	}
	for _, test := range tests {
		_, byStrict := sandbox.ReadCatalogue(strings.NewReader(test.text))
		_, byLenient := sandbox.ParseCatalogue(strings.NewReader(test.text))
		for who, err := range map[int]error{strict: byStrict, lenient: byLenient} {
			if (err != nil) != (test.refuses&who > 0) || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s\nreader %d says %v, want %s", test.text, who, err, test.want)
			}
		}
	}
	if want := readText(t, exampleFolder+"catalogue.schema.json"); want != string(sandbox.CatalogueSchema()) {
		t.Error("the schema beside the guide is not the code's: make it so by\n" +
			"go run ./cmd/modelcatalogue-sandbox schema >examples/guides/sandbox/own-catalogue/catalogue.schema.json")
	}
}

// TestAllMistakesAreTold: each mistake is reported once, with its place, and below their number.
func TestAllMistakesAreTold(t *testing.T) {
	_, err := sandbox.ReadCatalogue(strings.NewReader(`{
  "organisations": [{"name": "O", "clientId": "o", "clientSecret": "s", "client_id": 1}],
  "modelGroups": [
    {"owner": "P", "group": {"id": "g", "public": "é", "colour": 1, "size": 2}},
    {"owner": "O", "group": {"id": "g"}, "models": [{"id": "m", "revision": "x"}]},
    {"group": {"id": "h"}},
    {"owner": "O", "group": {"ID": "k"}, "models": [{"id": "n", "revision": 1, "modelGroupId": "k"}]}
  ]
}`))
	const want = `9 mistakes:
line 2, column 73: organisations[0].client_id: unknown field; did you mean clientId?
line 4, column 6: modelGroups[0].owner: no organisation is named "P"
line 4, column 41: modelGroups[0].group.public: true or false is expected
line 4, column 56: modelGroups[0].group.colour: unknown field; there are KNOWN
line 4, column 69: modelGroups[0].group.size: unknown field
line 5, column 30: modelGroups[1].group.id: "g" is used twice: modelGroups[0].group.id has it too
line 5, column 65: modelGroups[1].models[0].revision: an integer is expected
line 6, column 5: modelGroups[2].owner: the field is missing
line 7, column 30: modelGroups[3].group.ID: unknown field; did you mean id?`
	known := "axes, createdAt, id, latestRevision, models, name, public and timeHorizon"
	if err == nil || strings.Replace(err.Error(), known, "KNOWN", 1) != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	var list strings.Builder
	for range 150 {
		list.WriteString(`, {"owner": 1}`)
	}
	_, err = sandbox.ReadCatalogue(strings.NewReader(file(list.String()[2:])))
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 102 || lines[0] != "300 mistakes:" || lines[101] != "and 200 more" {
		t.Errorf("of 300 mistakes: %v", err)
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRecordedDocumentsAreServedAsTheyCame, unknown fields included.
func TestRecordedDocumentsAreServedAsTheyCame(t *testing.T) {
	const document = `{"dockerImage":null,"id":"m","revision":1,"tomorrow":[1.50]}`
	text := file(`{"owner": "O", "group": {"id": "g", "latestRevision": 1, "tomorrow": 1, "timeHorizon": {"key": "hourly"}},
		"models": [` + document + `]}`)
	catalogue, err := sandbox.ReadCatalogue(strings.NewReader(`{"recorded": "Yes.", ` + text[1:]))
	if err != nil {
		t.Fatal(err)
	}
	s := sandbox.New(catalogue)
	c := direct(t, s).as("o")
	if got := c.get("/v1/model-group/g/latest-model").body; got != document {
		t.Errorf("got %s", got)
	}
	if got := c.get("/v1/model-group?timeHorizon=hourly").ids(t); len(got) != 1 {
		t.Errorf("on its time horizon there are %q", got)
	}
	if _, err := s.Publish("g", nil); err != nil || !strings.Contains(c.get("/v1/model-group/g").body, `"latestRevision":2,`) {
		t.Errorf("after a publication the group is %s, %v", c.get("/v1/model-group/g").body, err)
	}
}
