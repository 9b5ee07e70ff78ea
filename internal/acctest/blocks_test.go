//go:build !windows

package acctest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"go.yaml.in/yaml/v4"
)

// TestBlocksOfThePages parses every block of code as it is printed, and the scripts within YAML. Other tests run what can
// be run.
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
					for _, script := range workflowScripts(t, b.text) {
						parseShell(t, script)
					}
				case "shell":
					parseShell(t, b.text)
				case "go":
					parseFile(t, "page.go", "package page\n"+b.text, "gofmt", "-e")
				case "javascript":
					parseFile(t, "page.mjs", b.text, "node", "--check")
				}
			}
		})
	}
}

// careless finds what no page may tell its readers to do.
var careless = map[string]*regexp.Regexp{
	"applies what nobody has seen":            regexp.MustCompile(`(?m)^.*-auto-approve.*$`),
	"takes jq's status for curl's":            regexp.MustCompile(`curl [^|\n]*\| *jq.*`),
	"destroys if the file of pins is missing": regexp.MustCompile(`(?m)^variable "pins" \{\n(?:  .*\n)*?  default .*`),
}

// TestPagesAreCareful: in the sandbox, anything may be applied.
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

// parseFile has a program check a text, if this machine has it.
func parseFile(t *testing.T, name, text string, checker ...string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath(checker[0]); err == nil {
		command(t, "", nil, checker[0], append(checker[1:], name)...)
	}
}

// parseShell has a script read by the shells of most images of CI systems.
func parseShell(t *testing.T, script string) {
	t.Helper()
	shells := [][]string{{plainShell()}}
	if busybox, err := exec.LookPath("busybox"); err == nil {
		shells = append(shells, []string{busybox, "sh"})
	}
	for _, shell := range shells {
		command(t, "", nil, shell[0], append(shell[1:], "-n", "-c", script)...)
	}
}

// workflowScripts returns the scripts of a workflow's steps, in order.
func workflowScripts(t *testing.T, workflow string) []string {
	t.Helper()
	var document any
	if err := yaml.Unmarshal([]byte(workflow), &document); err != nil {
		t.Fatalf("%v:\n%s", err, workflow)
	}
	return scriptsIn(document)
}

func scriptsIn(value any) (scripts []string) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			scripts = append(scripts, scriptsIn(element)...)
		}
	case map[string]any:
		if script, ok := value["run"].(string); ok {
			return []string{script}
		}
		for _, member := range value {
			scripts = append(scripts, scriptsIn(member)...)
		}
	}
	return scripts
}
