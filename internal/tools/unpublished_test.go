//go:build !windows

package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const unpublished = "<!-- unpublished: begin -->\n"

// TestReleaseRefusesAnUnpublishedText: no tag passes while the changelog calls its version unreleased, or while the
// README says that no registry has the provider.
func TestReleaseRefusesAnUnpublishedText(t *testing.T) {
	t.Parallel()
	const (
		dated   = "## 1.2.0 (1 May 2026)\n\n* a change\n"
		refused = "README.md still says that no registry has the provider"
		missing = `lacks a section "## 1.2.0" with a date`
	)
	for name, test := range map[string]struct {
		changelog, readme string
		says              []string
		passes            bool
	}{
		"a release":      {dated, "# It\n", []string{"* a change"}, true},
		"no section":     {"## 1.1.0\n\n* a change\n", "# It\n", []string{missing}, false},
		"not dated":      {"## 1.2.0 (Unreleased)\n\n* a change\n", "# It\n", []string{missing}, false},
		"no registry":    {dated, "# It\n" + unpublished, []string{refused, "2:<!-- unpublished"}, false},
		"neither is fit": {"", unpublished, []string{missing, refused}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			script, err := os.ReadFile(root + "/tools/release-notes.sh")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(folder, "tools"), 0o700); err != nil {
				t.Fatal(err)
			}
			for file, text := range map[string]string{
				"tools/release-notes.sh": string(script),
				"CHANGELOG.md":           test.changelog,
				"README.md":              test.readme,
			} {
				if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			out, err := exec.CommandContext(t.Context(), "bash", filepath.Join(folder, "tools/release-notes.sh"), "v1.2.0").CombinedOutput()
			if passes := err == nil; passes != test.passes {
				t.Errorf("passes: %t, want %t", passes, test.passes)
			}
			for _, want := range test.says {
				if !strings.Contains(string(out), want) {
					t.Errorf("missing %q in:\n%s", want, out)
				}
			}
		})
	}
}

// TestOnlyTheREADMESaysThatItIsUnpublished, so that one edit makes every page true.
func TestOnlyTheREADMESaysThatItIsUnpublished(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"/*.md", "/docs/*.md", "/docs/*/*.md"} {
		names, err := filepath.Glob(root + pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			said, inPlace := strings.Count(string(text), "No registry has"), strings.Count(string(text), unpublished+"No registry has")
			if said != inPlace || inPlace > 0 && filepath.Base(name) != "README.md" {
				t.Errorf("%s says that no registry has the provider", name)
			}
		}
	}
}
