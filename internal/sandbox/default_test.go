package sandbox_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// TestTheDefaultCatalogueHasEveryField, so that examples have something to read.
func TestTheDefaultCatalogueHasEveryField(t *testing.T) {
	t.Parallel()
	var document struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(contract.OpenAPI(), &document); err != nil {
		t.Fatal(err)
	}
	var catalogue struct {
		ModelGroups []struct {
			Group  map[string]any
			Models []map[string]any
		}
	}
	if err := json.Unmarshal(sandbox.DefaultFile(), &catalogue); err != nil {
		t.Fatal(err)
	}
	// The first is always empty; the sandbox makes the others from the models.
	served := map[string]any{"outputSpecification": nil, "latestRevision": nil, "models": nil}
	for _, listed := range catalogue.ModelGroups {
		maps.Copy(served, listed.Group)
		for _, fields := range listed.Models {
			maps.Copy(served, fields)
		}
	}
	for _, schema := range []string{"Model", "ModelGroup"} {
		for field := range document.Components.Schemas[schema].Properties {
			if _, ok := served[field]; !ok {
				t.Errorf("no %s of catalogue.json has %s", schema, field)
			}
		}
	}
}
