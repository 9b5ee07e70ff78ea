package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
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
	documents, err := os.Open("testdata/mocks.json")
	if err != nil {
		t.Fatal(err)
	}
	defer documents.Close()
	catalogue, err := sandbox.ParseCatalogue(documents)
	if err != nil {
		t.Fatal(err)
	}
	e := newEngine(t, northwind(sandboxtest.Start(t, sandbox.New(catalogue))))
	text, want, filled := mocksHeader, map[string]any{}, map[string]bool{}
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
		want[full] = state
		text += fmt.Sprintf("\nmock_data %q {\n  defaults = %s\n}\n", full, spelledHCL(state, "  "))
	}
	if *update {
		if err := os.WriteFile(mocksFile, hclwrite.Format([]byte(text)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := indented(t, parsedMocks(t)), indented(t, want); got != want {
		t.Errorf("states -, %s +:\n%s\n%s", mocksFile, difference(want, got), writtenBy(t))
	}
	expectFilled(t, filled, "model_group_id", "revision", "accept_withdrawn", "other_fields", "output_specification")
}

// parsedMocks returns the values in the file of mocks, by data source.
func parsedMocks(t *testing.T) map[string]any {
	t.Helper()
	file, problems := hclparse.NewParser().ParseHCLFile(mocksFile)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	content, problems := file.Body.Content(&hcl.BodySchema{
		Blocks: []hcl.BlockHeaderSchema{{Type: "mock_data", LabelNames: []string{"type"}}},
	})
	mocks := map[string]any{}
	for _, block := range content.Blocks {
		attributes, wrong := block.Body.JustAttributes()
		value, unfit := attributes["defaults"].Expr.Value(nil)
		text, err := json.Marshal(ctyjson.SimpleJSONValue{Value: value})
		var values any
		if err := errors.Join(err, json.Unmarshal(text, &values)); err != nil || wrong.HasErrors() || unfit.HasErrors() {
			t.Fatal(err, wrong, unfit)
		}
		mocks[block.Labels[0]] = values
	}
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	return mocks
}

// spelledHCL spells a value of a state.
func spelledHCL(value any, indent string) string {
	var parts []string
	inside := indent + "  "
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return string(hclwrite.TokensForValue(cty.StringVal(value)).Bytes())
	case []any:
		for _, element := range value {
			parts = append(parts, spelledHCL(element, inside))
		}
		return bracketed("[", parts, ",", "]", indent)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			key := name
			if !hclsyntax.ValidIdentifier(name) {
				key = spelledHCL(name, "")
			}
			parts = append(parts, key+" = "+spelledHCL(value[name], inside))
		}
		return bracketed("{ ", parts, "", " }", indent)
	}
	return fmt.Sprint(value)
}

// bracketed puts the parts of a list or an object on one line if that is short, else on a line each.
func bracketed(opening string, parts []string, comma, closing, indent string) string {
	line := opening + strings.Join(parts, ", ") + closing
	if len(indent+line) < 100 && !strings.Contains(line, "\n") {
		return line
	}
	lines := strings.Join(parts, comma+"\n"+indent+"  ") + comma
	return strings.TrimSpace(opening) + "\n" + indent + "  " + lines + "\n" + indent + strings.TrimSpace(closing)
}
