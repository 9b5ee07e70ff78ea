package provider

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

const (
	mocksFile   = "../../examples/mocks/modelcatalogue.tfmock.hcl"
	mocksHeader = `# Values for tests that send nothing: one model group, its two revisions, and revision 1 as a pin. For Terraform put
# this file into a folder that a mock_provider block names as its source. For OpenTofu paste the text into that block,
# and take out id, name or docker_image if a block of yours sets it.
`
)

// TestMocks: the file of mocks that ships has, for each data source, its state of the documents in testdata, so that
// every element of a list or a map is whole. With -update the test writes the file.
func TestMocks(t *testing.T) {
	t.Parallel()
	const documents = "testdata/mocks.json"
	e := newEngine(t, northwind(sandboxtest.Start(t, sandbox.New(withExamples(t, documents, 2)))))
	file, filled := hclwrite.NewEmptyFile(), map[string]bool{}
	for _, full := range slices.Sorted(maps.Keys(schemas.DataSourceSchemas)) {
		name := strings.TrimPrefix(full, typeName+"_")
		config := maps.Clone(readable[name])
		switch name {
		case "model":
			config["revision"] = 1
		case "pinned_models":
			config[argRevisions] = map[string]any{mainGroup: 1}
		}
		state := e.mustRead(t, name, config)
		for _, attribute := range schemas.DataSourceSchemas[full].Block.Attributes {
			if !attribute.Computed {
				delete(state, attribute.Name)
			}
		}
		delete(state, argWhere)
		noteFilled(name, state, filled)
		file.Body().AppendNewline()
		block := file.Body().AppendNewBlock("mock_data", []string{full})
		block.Body().SetAttributeValue("defaults", inHCL(t, state))
	}
	text := mocksHeader + string(hclwrite.Format(file.Bytes()))
	if *update {
		if err := os.WriteFile(mocksFile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(mocksFile)
	if err != nil || string(got) != text {
		t.Errorf("%v; %s -, states +:\n%s\n%s", err, mocksFile, difference(string(got), text), writtenBy(t))
	}
	expectFilled(t, documents, filled, "model_group_id", "revision", "accept_withdrawn", "other_fields", "output_specification")
}

// withExamples reads a catalogue file. In its first group, and in the first models of that, absent fields get the examples
// of the interface.
func withExamples(t *testing.T, file string, models int) *sandbox.Catalogue {
	t.Helper()
	type record map[string]json.RawMessage
	var documents struct {
		Organisations json.RawMessage `json:"organisations"`
		TimeHorizons  json.RawMessage `json:"timeHorizons"`
		ModelGroups   []struct {
			Owner  string   `json:"owner"`
			Group  record   `json:"group"`
			Models []record `json:"models"`
		} `json:"modelGroups"`
	}
	text, err := os.ReadFile(file)
	if err = errors.Join(err, json.Unmarshal(text, &documents)); err != nil {
		t.Fatal(err)
	}
	complete := func(schema string, records ...record) {
		for name, of := range interfaceSchema(schema).Properties {
			for _, one := range records {
				if one[name] == nil && of.Examples != nil {
					one[name] = of.Examples[0]
				}
			}
		}
	}
	first := documents.ModelGroups[0]
	complete("ModelGroup", first.Group)
	complete("Model", first.Models[:models]...)
	catalogue, err := sandbox.ParseCatalogue(strings.NewReader(indented(t, documents)))
	if err != nil {
		t.Fatal(err)
	}
	return catalogue
}

// inHCL returns a state as a value of the configuration language.
func inHCL(t *testing.T, state map[string]any) cty.Value {
	t.Helper()
	var value ctyjson.SimpleJSONValue
	if err := json.Unmarshal([]byte(indented(t, state)), &value); err != nil {
		t.Fatal(err)
	}
	return value.Value
}
