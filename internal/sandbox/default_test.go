package sandbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// What documentation and other tests rely on.
func TestDefaultCatalogue(t *testing.T) {
	catalogue := sandbox.Default()
	var standing []string
	for _, o := range catalogue.Organisations() {
		standing = append(standing, fmt.Sprintf("%s owns %d, %t, %t", o.ClientID, len(catalogue.Owned(o.Name)), o.Disabled != "", o.Forbidden))
	}
	want := []string{ // whether it is disabled, whether it is forbidden
		"northwind owns 7, false, false", "contoso-trading owns 0, false, false", "fabrikam owns 2, false, false",
		"tailspin owns 0, true, false", "adventure-works owns 0, false, true",
	}
	if !slices.Equal(standing, want) || catalogue.Owned("Northwind Forecasting")[0] != mainGroup {
		t.Errorf("the organisations are %q", standing)
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
