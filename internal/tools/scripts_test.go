//go:build !windows

package tools_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the scripts of testdata. They check what make, the steps of CI and the scripts of a release refuse.
func TestScripts(t *testing.T) {
	t.Parallel()
	project, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Dir: "testdata", Setup: func(env *testscript.Env) error {
		env.Setenv("ROOT", project)
		return nil
	}})
}

// TestVersionsAreProposed: Renovate finds the versions of all tools, and of the newest Go.
func TestVersionsAreProposed(t *testing.T) {
	t.Parallel()
	var bot struct {
		CustomManagers []struct{ ManagerFilePatterns, MatchStrings []string }
	}
	if err := json.Unmarshal([]byte(text(t, ".github/renovate.json")), &bot); err != nil {
		t.Fatal(err)
	}
	var proposed []string
	for _, manager := range bot.CustomManagers {
		pattern := regexp.MustCompile(manager.MatchStrings[0])
		proposed = append(proposed, pattern.FindAllString(text(t, manager.ManagerFilePatterns[0]), -1)...)
	}
	pinned := regexp.MustCompile(`(?m)\S+@\S+$`).FindAllString(text(t, "tools/versions.txt"), -1)
	pinned = append(pinned, regexp.MustCompile(`newest=go[\d.]+`).FindString(text(t, ".ci/run")))
	if !slices.Equal(proposed, pinned) {
		t.Errorf("the bot reads\n%q\nof\n%q", proposed, pinned)
	}
}
