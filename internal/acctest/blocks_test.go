//go:build !windows

package acctest_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"go.yaml.in/yaml/v4"
)

// TestBlocksOfThePages parses every block of code on a page, and the scripts inside YAML. Other tests run
// configurations and commands.
func TestBlocksOfThePages(t *testing.T) {
	t.Parallel()
	for name, text := range texts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, b := range blocks(text) {
				switch b.label {
				case "json":
					var value any
					if err := json.Unmarshal([]byte(b.text), &value); err != nil {
						t.Errorf("%v:\n%s", err, b.text)
					}
				case "yaml":
					for _, step := range workflowSteps(t, b.text) {
						parseFile(t, "step.sh", fmt.Sprint(step["run"]), plainShell(), "-n")
					}
				case "shell":
					parseFile(t, "page.sh", b.text, plainShell(), "-n")
				case "go":
					parseFile(t, "page.go", "package page\n"+b.text, "gofmt", "-e")
				case "javascript":
					parseFile(t, "page.mjs", b.text, "node", "--check")
				}
			}
		})
	}
}

// careless matches careless advice.
var careless = map[string]*regexp.Regexp{
	"applies what nobody has seen":            regexp.MustCompile(`(?m)^.*-auto-approve.*$`),
	"takes jq's status for curl's":            regexp.MustCompile(`curl [^|\n]*\| *jq.*`),
	"destroys if the file of pins is missing": regexp.MustCompile(`(?m)^variable "pins" \{\n(?:  .*\n)*?  default .*`),
}

// TestPagesAreCareful looks for careless advice on the pages. Against the sandbox anything may be applied.
func TestPagesAreCareful(t *testing.T) {
	t.Parallel()
	for name, text := range texts(t) {
		text = strings.ReplaceAll(text, "\\\n", " ")
		for what, pattern := range careless {
			for _, found := range pattern.FindAllString(text, -1) {
				if !strings.Contains(found, "modelcatalogue-sandbox exec ") {
					t.Errorf("%s %s: %s", name, what, found)
				}
			}
		}
	}
}

// parseFile checks the syntax of a text by a program, if it is installed.
func parseFile(t *testing.T, name, text string, checker ...string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	writeText(t, name, text)
	if _, err := exec.LookPath(checker[0]); err == nil {
		command(t, "", nil, checker[0], append(checker[1:], name)...)
	}
}

// workflowSteps returns the steps of a workflow with a script. Those of one job are in order.
func workflowSteps(tb testing.TB, workflow string) []map[string]any {
	tb.Helper()
	var document any
	if err := yaml.Unmarshal([]byte(workflow), &document); err != nil {
		tb.Fatalf("%v:\n%s", err, workflow)
	}
	return stepsIn(document)
}

func stepsIn(value any) (steps []map[string]any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			steps = append(steps, stepsIn(element)...)
		}
	case map[string]any:
		if value["run"] != nil {
			return []map[string]any{value}
		}
		for _, member := range value {
			steps = append(steps, stepsIn(member)...)
		}
	}
	return steps
}
