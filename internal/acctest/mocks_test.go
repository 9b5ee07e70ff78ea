//go:build !windows

package acctest_test

import (
	"fmt"
	"os"
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

// TestAccMocks takes each data source of the file of mocks, as the guide says: by mock_data and by override_data every
// attribute has the file's value. Nothing is sent, because base_url is not set.
func TestAccMocks(t *testing.T) {
	needs(t, "a mock_provider that fills objects", "1.7.0", "1.10.3")
	t.Parallel()
	dir, env := module(t, "module"), mirrored(t)
	file := readText(t, root+"/examples/"+mocks)
	if underTest.OpenTofu() { // it refuses an argument that is set
		file = regexp.MustCompile(`(?m)^    name +=.*\n(    other_fields = null\n    public)`).ReplaceAllString(file, "$1")
		rewrite(t, filepath.Join(dir, "tests/mocked.tftest.hcl"), `source = "./tests/mocks"`, file)
	} else {
		if err := os.Mkdir(filepath.Join(dir, "tests/mocks"), 0o700); err != nil {
			t.Fatal(err)
		}
		writeText(t, filepath.Join(dir, "tests/mocks/modelcatalogue.tfmock.hcl"), file)
	}
	var outputs, asserted, overrides strings.Builder
	for _, mock := range regexp.MustCompile(`(?ms)^mock_data "(\w+)" \{\n  defaults = (.*?)\n\}$`).FindAllStringSubmatch(file, -1) {
		fmt.Fprintf(&outputs, "output %q { value = data.%[1]s.x }\n", mock[1])
		fmt.Fprintf(&overrides, "override_data {\n  target = data.%s.x\n  values = %s\n}\n", mock[1], mock[2])
		fmt.Fprintf(&asserted, `  assert {
    condition     = alltrue([for name, value in %[2]s : jsonencode(output.%[1]s[name]) == jsonencode(value)])
    error_message = jsonencode(output.%[1]s)
  }
`, mock[1], mock[2])
	}
	if count := strings.Count(outputs.String(), "output"); count != 7 {
		t.Fatalf("%d data sources, want 7", count)
	}
	writeText(t, filepath.Join(dir, "all.tf"), readsAll+outputs.String())
	run := "\nrun \"has_the_values\" {\n  command = plan\n" + asserted.String() + "}\n"
	mocked := filepath.Join(dir, "tests/mocked.tftest.hcl")
	writeText(t, mocked, readText(t, mocked)+run)
	writeText(t, filepath.Join(dir, "tests/overridden.tftest.hcl"), "mock_provider \"modelcatalogue\" {}\n"+overrides.String()+run)
	command(t, dir, env, underTest.Path, "init")
	out := command(t, dir, env, underTest.Path, "test", "-no-color",
		"-filter=tests/mocked.tftest.hcl", "-filter=tests/overridden.tftest.hcl")
	wantText(t, out, "Success! 4 passed, 0 failed.")
	wantNone(t, out, "Warning:")
}

// TestAccGuideMocksOfAFleet runs the guide's test that names a part of each element, and checks its table of engines.
func TestAccGuideMocksOfAFleet(t *testing.T) {
	needs(t, "a mock_provider that fills objects", "1.7.0", "1.10.3")
	t.Parallel()
	dir, env := module(t, "fleet"), mirrored(t)
	command(t, dir, env, underTest.Path, "init")
	tested := func() string {
		return command(t, dir, env, "bash", "-c", `"$0" test -no-color || true`, underTest.Path)
	}
	const passes, refused = "Success!", "incompatible types"
	says := func(terraform, openTofu string) string {
		if underTest.OpenTofu() {
			return openTofu
		}
		return terraform
	}
	wantText(t, tested(), says("Success! 2 passed, 0 failed.", "are required"))
	if err := os.Remove(filepath.Join(dir, "tests/mocked.tftest.hcl")); err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(dir, "group.tf"), `data "modelcatalogue_model_group" "x" { id = "a" }`)
	for values, want := range map[string]string{
		`axes = [{ key = "quantile" }]`: says(passes, "are required"),
		`time_horizon = { key = "a" }`:  says(passes, "are required"),
		`lates_revision = 3`:            says(passes, "The field is unknown"),
		`axes = []`:                     passes,
		`axes = null`:                   says(refused, passes),
		`time_horizon = null`:           says(refused, passes),
		`public = null`:                 passes,
	} {
		writeText(t, filepath.Join(dir, "tests/limits.tftest.hcl"), `
mock_provider "modelcatalogue" {}
override_data {
  target = data.modelcatalogue_model_group.x
  values = { `+values+` }
}
run "limits" { command = plan }
`)
		wantText(t, tested(), want)
	}
}
