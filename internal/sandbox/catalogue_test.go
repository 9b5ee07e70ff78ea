package sandbox_test

import (
	"os"
	"strconv"
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

// group returns a catalogue file with this document of a group.
func group(document string) string { return file(`{"owner": "O", "group": ` + document + `}`) }

// models returns a catalogue file of one group, "g", with these models.
func models(list string) string {
	return file(`{"owner": "O", "group": {"id": "g"}, "models": [` + list + `]}`)
}

// TestCatalogueFiles reads the files of testdata/files/catalogues.txt as what people write, and as one whose documents may be
// anything.
func TestCatalogueFiles(t *testing.T) {
	const two = `{"id": "m", "revision": 4, "axes": [{"key": "a", "values": [1, 2], "default": 1}]},
		{"id": "n", "revision": 5, "axes": [{"key": "a", "values": [1], "default": 1}], "archived": true}`
	whole := map[string]func(string) string{
		"all":    func(members string) string { return `{` + members + `}` },
		"file":   func(members string) string { return `{` + organisations + `, ` + members + `}` },
		"groups": file,
		"group":  group,
		"models": models,
		"model":  func(members string) string { return models(`{"id": "m", "revision": 0, ` + members + `}`) },
		"two": func(members string) string {
			return file(`{"owner": "O", "group": {"id": "g", ` + members + `}, "models": [` + two + `]}`)
		},
		"text": func(quoted string) string {
			text, err := strconv.Unquote(quoted)
			if err != nil {
				t.Fatal(err, quoted)
			}
			return text
		},
	}
	count := map[string]int{}
	for line := range strings.Lines(strings.ReplaceAll(readText(t, "testdata/files/catalogues.txt"), "\n  ", " ")) {
		line, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " → ")
		refused, rest, _ := strings.Cut(line, " ")
		shape, content, _ := strings.Cut(rest, " ")
		if whole[shape] == nil {
			continue
		}
		count[refused]++
		text := whole[shape](content)
		catalogue, byStrict := sandbox.ReadCatalogue(strings.NewReader(text))
		_, byLenient := sandbox.ParseCatalogue(strings.NewReader(text))
		if (byStrict != nil) != (refused != "right") || (byLenient != nil) != (refused == "wrong") ||
			byStrict != nil && !strings.Contains(byStrict.Error(), want) {
			t.Errorf("%s\nstrictly: %v\nleniently: %v", line, byStrict, byLenient)
		} else if byStrict == nil {
			expectInterface(t, sandbox.New(catalogue), catalogue.Organisations())
		}
	}
	if count["right"] < 15 || count["refused"]+count["wrong"] < 40 {
		t.Errorf("there are too few: %v", count)
	}
}

// TestOwnFiles: what the program prints and what the guide shows can be served, and the schema beside it is the code's.
func TestOwnFiles(t *testing.T) {
	for _, text := range []string{string(sandbox.DefaultFile()), readText(t, exampleFolder+"catalogue.json")} {
		catalogue, err := sandbox.ReadCatalogue(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		expectInterface(t, sandbox.New(catalogue), catalogue.Organisations())
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
    {"owner": "P", "group": {"id": "g", "public": "é"}, "colour": 1, "size": 2},
    {"owner": "O", "group": {"id": "g"}, "models": [{"id": "m", "revision": "x"}]},
    {"group": {"id": "h"}},
    {"owner": "O", "group": {"ID": "k"}, "models": [{"id": "n", "revision": 1, "modelGroupId": "k"}]}
  ]
}`))
	const want = `9 mistakes:
line 2, column 73: organisations[0].client_id: unknown field; did you mean clientId?
line 4, column 6: modelGroups[0].owner: the catalogue has no organisation "P"; it has O
line 4, column 41: modelGroups[0].group.public: true or false is expected
line 4, column 57: modelGroups[0].colour: unknown field; there are group, models and owner
line 4, column 70: modelGroups[0].size: unknown field
line 5, column 30: modelGroups[1].group.id: "g" is used twice: modelGroups[0].group.id has it too
line 5, column 65: modelGroups[1].models[0].revision: an integer is expected
line 6, column 5: modelGroups[2].owner: the field is missing
line 7, column 30: modelGroups[3].group.ID: unknown field; did you mean id?`
	if err == nil || err.Error() != want {
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
