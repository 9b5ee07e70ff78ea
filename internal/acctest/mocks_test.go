//go:build !windows

package acctest_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readsAll reads each data source, by its name.
const readsAll = `
data "modelcatalogue_latest_model" "x" { model_group_id = "a" }
data "modelcatalogue_latest_models" "x" {}
data "modelcatalogue_model" "x" {
  model_group_id = "a"
  revision       = 1
}
data "modelcatalogue_model_group" "x" { name = "Day-ahead power price DE-LU" }
data "modelcatalogue_model_group_models" "x" { model_group_id = "a" }
data "modelcatalogue_model_groups" "x" {}
data "modelcatalogue_pinned_models" "x" { revisions = { a = 1 } }
`

// TestAccMocks uses each data source of the file of mocks as the guide does. By mock_data and by override_data every
// attribute has the file's value. No request is sent, because base_url is not set.
func TestAccMocks(t *testing.T) {
	needs(t, "a mock_provider that fills objects", "1.7.0", "1.10.3")
	t.Parallel()
	dir, env := module(t, "module"), mirrored(t)
	mocked, file := filepath.Join(dir, "tests/mocked.tftest.hcl"), readText(t, root+"/examples/"+mocks)
	tested := readText(t, mocked)
	if underTest.OpenTofu() { // it refuses a value for an argument that is set, and does not read the file
		file = regexp.MustCompile(`(?m)^    name +=.*\n(    other_fields = null\n    public)`).ReplaceAllString(file, "$1")
		tested = strings.Replace(tested, `source = "./tests/mocks"`, file, 1)
	} else {
		writeText(t, filepath.Join(dir, "tests/mocks/modelcatalogue.tfmock.hcl"), file)
	}
	var outputs, overrides strings.Builder
	run := "\nrun \"has_the_values\" {\n  command = plan\n"
	found := regexp.MustCompile(`(?ms)^mock_data "(\w+)" \{\n  defaults = (.*?)\n\}$`).FindAllStringSubmatch(file, -1)
	if len(found) != 7 {
		t.Fatalf("%d data sources, want 7", len(found))
	}
	for _, mock := range found {
		fmt.Fprintf(&outputs, "output %q { value = data.%[1]s.x }\n", mock[1])
		fmt.Fprintf(&overrides, "override_data {\n  target = data.%s.x\n  values = %s\n}\n", mock[1], mock[2])
		run += fmt.Sprintf(`  assert {
    condition     = alltrue([for name, value in %[2]s : jsonencode(output.%[1]s[name]) == jsonencode(value)])
    error_message = jsonencode(output.%[1]s)
  }
`, mock[1], mock[2])
	}
	run += "}\n"
	writeText(t, filepath.Join(dir, "all.tf"), readsAll+outputs.String())
	writeText(t, mocked, tested+run)
	writeText(t, filepath.Join(dir, "tests/overridden.tftest.hcl"), "mock_provider \"modelcatalogue\" {}\n"+overrides.String()+run)
	command(t, dir, env, underTest.Path, "init")
	out := command(t, dir, env, underTest.Path, "test", "-no-color",
		"-filter=tests/mocked.tftest.hcl", "-filter=tests/overridden.tftest.hcl")
	wantText(t, out, "Success! 4 passed, 0 failed.")
	wantNone(t, out, "Warning:")
}
