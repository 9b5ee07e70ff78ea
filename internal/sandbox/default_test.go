package sandbox_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// What documentation and other tests rely on.
func TestDefaultCatalogue(t *testing.T) {
	catalogue := sandbox.Default()
	if owned := catalogue.Owned(northwind); len(owned) != 7 || owned[0] != mainGroup {
		t.Errorf("%s owns %v", northwind, owned)
	}
	if owned := catalogue.Owned("Contoso Trading"); owned != nil {
		t.Errorf("Contoso Trading owns %v", owned)
	}
	var roles []string
	for _, o := range catalogue.Organisations() {
		role := o.ClientID
		if o.Disabled != "" {
			role += " disabled"
		}
		if o.Forbidden {
			role += " forbidden"
		}
		roles = append(roles, role)
	}
	want := []string{"northwind", "contoso-trading", "fabrikam", "tailspin disabled", "adventure-works forbidden"}
	if !slices.Equal(roles, want) {
		t.Errorf("the organisations are %q", roles)
	}

	c := direct(t, sandbox.New(catalogue)).as("northwind")
	holds := func(path string, texts ...string) {
		t.Helper()
		got := c.get(path)
		for _, text := range texts {
			if !strings.Contains(got.body, text) {
				t.Errorf("%s has no %s", path, text)
			}
		}
	}
	holds(groupPath(mainGroup, ""), `"name":"Day-ahead power price DE-LU"`, `"latestRevision":3`,
		`{"value":0.25,"historical":true}`, `{"value":"FR","historical":true}`, `{"value":true,"historical":true}`,
		`{"value":0.1,"historical":false}`, `"type":"number"`, `"type":"string"`, `"type":"boolean"`)
	holds(groupPath(mainGroup, "/models"), `"revision":0,`, `"archived":true`,
		`9007199254740993`, `1234567890123456789012345678901234567890`, `31.4159265358979323846264338327950288`,
		`de-lu-day-ahead-price:1.0.3`, `de-lu-day-ahead-price@sha256:`)
	holds(groupPath(oddGroup, "/latest-model"), `"datasets":null`, `"inputs":[]`)
	holds(groupPath(sparseGroup, "/latest-model"), `"modelMetadata":{}`, `"tags":[]`, `"inputs":null`, `"dockerImage":""`)
	if got := c.get("/v1/model-group"); strings.Count(got.body, `"name":"Wind generation North Sea"`) != 2 {
		t.Error("no two groups have the same name")
	}
}
