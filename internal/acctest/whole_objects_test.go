package acctest_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/acctest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// everything reads by every data source, and gives every object away whole.
const everything = `
terraform {
  required_providers {
    modelcatalogue = {
      source = "modelcatalogue/modelcatalogue"
    }
  }
}
data "modelcatalogue_model_groups" "it" {}
data "modelcatalogue_model_group" "it" {
  id = "` + acctest.MainGroup + `"
}
data "modelcatalogue_latest_model" "it" {
  model_group_id = "` + acctest.MainGroup + `"
}
data "modelcatalogue_model" "it" {
  model_group_id = "` + acctest.MainGroup + `"
  revision       = 1
}
data "modelcatalogue_model_group_models" "it" {
  model_group_id = "` + acctest.MainGroup + `"
}
data "modelcatalogue_latest_models" "it" {}
data "modelcatalogue_pinned_models" "it" {
  revisions = { "` + acctest.MainGroup + `" = 3 }
}
output "all" {
  value = {
    groups = data.modelcatalogue_model_groups.it
    group  = data.modelcatalogue_model_group.it
    latest = data.modelcatalogue_latest_model.it
    model  = data.modelcatalogue_model.it
    models = data.modelcatalogue_model_group_models.it
    fleet  = data.modelcatalogue_latest_models.it
    pins   = data.modelcatalogue_pinned_models.it
  }
}
output "specification" {
  value = data.modelcatalogue_model.it.output_specification
}
`

// TestAccWholeObjects: no engine has anything against an object that is used as
// a whole. Terraform warns from 1.15 on where a part of it is deprecated.
func TestAccWholeObjects(t *testing.T) {
	needEngine(t)
	t.Parallel()
	files := fstest.MapFS{"main.tf": {Data: []byte(everything), Mode: 0o600}}
	w := newWorkspace(t, files, sandboxtest.Start(t, sandbox.New(sandbox.Default())), acctest.Owner)
	for _, command := range []string{"validate", "plan", "apply"} {
		arguments := []string{command, "-json"}
		if command == "apply" {
			arguments = append(arguments, "-auto-approve")
		}
		expectNoDiagnostics(t, command, w.expect(t, 0, arguments...))
	}
	w.expect(t, 0, "plan", "-detailed-exitcode", "-out=saved")
	for _, arguments := range [][]string{{"show", "-json"}, {"show", "-json", "saved"}, {"output", "-json"}} {
		out := w.expect(t, 0, arguments...)
		if !json.Valid([]byte(out)) || !strings.Contains(out, "de-lu-day-ahead-price:1.0.3") {
			t.Errorf("%v: %.200s", arguments, out)
		}
	}
}

// expectNoDiagnostics reads what a command printed with -json: one document, or
// one for each line.
func expectNoDiagnostics(t *testing.T, command, out string) {
	t.Helper()
	type diagnostic struct{ Severity, Summary, Detail string }
	var found []diagnostic
	decoder := json.NewDecoder(strings.NewReader(out))
	for decoder.More() {
		var message struct {
			Diagnostic  *diagnostic
			Diagnostics []diagnostic
		}
		if err := decoder.Decode(&message); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		found = append(found, message.Diagnostics...)
		if message.Diagnostic != nil {
			found = append(found, *message.Diagnostic)
		}
	}
	for _, d := range found {
		// The tests themselves ask for that.
		if d.Summary != "Provider development overrides are in effect" {
			t.Errorf("%s: %s: %s\n%s", command, d.Severity, d.Summary, d.Detail)
		}
	}
}
