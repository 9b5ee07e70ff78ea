package acctest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// An engine refuses a misspelt condition and a second block, and takes nulls and no value for no condition.
func TestAccConditionsAreABlock(t *testing.T) {
	t.Parallel()
	refused := map[string]string{
		`where { tag = ["reviewed"] }`:                          `An argument named "tag" is not expected here. Did you mean "tags"?`,
		"where { enabled = true }\n  where { archived = true }": "where",
		`where = { enabled = true }`:                            "where",
	}
	const block = "data \"modelcatalogue_latest_model\" \"this\" {\n  model_group_id = %q\n  %s\n}\n" +
		"output \"revision\" { value = data.modelcatalogue_latest_model.this.revision }\n"
	for conditions, says := range refused {
		w := reading(t, fmt.Sprintf(block, mainGroup, conditions))
		wantText(t, w.expect(t, 1, "validate"), "Error: ", says)
	}
	for _, none := range []string{"", "where {}", "where { enabled = null }"} {
		w := reading(t, fmt.Sprintf(block, mainGroup, none))
		wantText(t, w.expect(t, 0, "apply", "-auto-approve"), "revision = 3")
		w.sent(t, sandbox.RouteLatest, 1)
		w.sent(t, sandbox.RouteModels, 0)
	}
}

// Conditions in JSON, and one that is known only after another change.
func TestAccConditionsInJSON(t *testing.T) {
	t.Parallel()
	const configuration = `{
  "resource": {"terraform_data": {"archived": {"input": true}}},
  "data": {"modelcatalogue_latest_model": {"this": {
    "model_group_id": "GROUP",
    "where": {"archived": "${terraform_data.archived.output}"}
  }}},
  "output": {"revision": {"value": "${data.modelcatalogue_latest_model.this.revision}"}}
}`
	needs(t, "terraform_data", "1.4.0", "1.6.0")
	text := strings.Replace(configuration, "GROUP", mainGroup, 1)
	w := reading(t, "")
	if err := os.WriteFile(filepath.Join(w.Dir, "this.tf.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	wantText(t, w.expect(t, 0, "apply", "-auto-approve"), "revision = 2")
	wantText(t, w.expect(t, 0, "plan", "-detailed-exitcode"), "No changes")
}
