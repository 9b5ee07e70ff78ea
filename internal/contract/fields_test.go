package contract_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
)

// TestTheRulesNameEveryField: a field of the document is in INTERFACE.md as well, except those of the token's answer,
// which are not shown.
func TestTheRulesNameEveryField(t *testing.T) {
	t.Parallel()
	var document struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(contract.OpenAPI(), &document); err != nil {
		t.Fatal(err)
	}
	rules, err := os.ReadFile("INTERFACE.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(document.Components.Schemas) < 10 {
		t.Fatalf("%d schemas", len(document.Components.Schemas))
	}
	delete(document.Components.Schemas, "Token")
	for schema, fields := range document.Components.Schemas {
		for field := range fields.Properties {
			if !strings.Contains(string(rules), "`"+field+"`") {
				t.Errorf("INTERFACE.md does not name %s of %s", field, schema)
			}
		}
	}
}
