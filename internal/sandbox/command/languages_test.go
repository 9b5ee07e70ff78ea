package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The guide's tests in other languages, each where its language is at hand.
func TestOtherLanguages(t *testing.T) {
	bin := t.TempDir()
	program := filepath.Join(bin, "modelcatalogue-sandbox")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../../../cmd/modelcatalogue-sandbox")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tests := map[string]struct {
		file    string
		command []string
		says    string
	}{
		"Python":     {file: "test_catalogue.py", command: []string{"python3", "-m", "unittest"}, says: "Ran 2 tests"},
		"JavaScript": {file: "catalogue.test.mjs", command: []string{"node", "--test", "catalogue.test.mjs"}, says: "pass 2"},
		"Go":         {file: "_go/catalogue_test.go", command: []string{"go", "test", "-v", "catalogue_test.go"}, says: "ok"},
	}
	for language, test := range tests {
		t.Run(language, func(t *testing.T) {
			if _, err := exec.LookPath(test.command[0]); err != nil {
				t.Skip(err)
			}
			text, err := os.ReadFile(filepath.Join("../../../examples/guides/test-in-any-language", test.file))
			if err != nil {
				t.Fatal(err)
			}
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, filepath.Base(test.file)), text, 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), test.command[0], test.command[1:]...)
			cmd.Dir = folder
			cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), test.says) {
				t.Errorf("%v\n%s", err, out)
			}
			if _, err := os.Stat(filepath.Join(folder, "sandbox.json")); !os.IsNotExist(err) {
				t.Errorf("the sandbox was not stopped: %v", err)
			}
		})
	}
}
