package tools_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestREADMENamesBothCommands: a newcomer finds, above what the demonstration prints, one command that shows the project
// and the one by which CI tests it, each with the time that it takes.
func TestREADMENamesBothCommands(t *testing.T) {
	t.Parallel()
	readme, readmeErr := os.ReadFile(root + "/README.md")
	ci, ciErr := os.ReadFile(root + "/.ci/run")
	if readmeErr != nil || ciErr != nil {
		t.Fatal(readmeErr, ciErr)
	}
	steps := regexp.MustCompile(`(?m)^tests=\(([^)]*)\)$`).FindStringSubmatch(string(ci))
	tested := regexp.MustCompile(`(?m)^tests\(\) \{ (make \S+)`).FindStringSubmatch(string(ci))
	if steps == nil || tested == nil || !slices.Contains(strings.Fields(steps[1]), "tests") {
		t.Fatal(".ci/run lacks a step that runs the tests by make")
	}
	top, _, _ := strings.Cut(string(readme), "<!-- demo: begin -->")
	for _, command := range []string{"make demo", tested[1]} {
		named := regexp.MustCompile(`(?m)^    ` + command + ` +# .*: (\d+ min )?\d+ s$`)
		if !named.MatchString(top) {
			t.Errorf("the first lines of README.md lack one with `%s` and its time", command)
		}
	}
}
