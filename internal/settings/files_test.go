package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestContentOfAFile: it is the value, without one byte order mark before it and one line break at its end.
func TestContentOfAFile(t *testing.T) {
	t.Parallel()
	file, largest := filepath.Join(t.TempDir(), "file"), strings.Repeat("x", maxFile)
	for content, want := range map[string]string{
		"a\n":            "a",
		"a \r\n":         "a ",
		"two breaks\n\n": "two breaks\n",
		"\ufeffa\r\n":    "a",
		"\ufeff\ufeffa":  "\ufeffa",
		largest:          largest,
		largest + "x":    "",
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := readSmallFile(file); got != want || (err != nil) != (want == "") {
			t.Errorf("%.20q: %.20q, %v", content, got, err)
		}
	}
}

// TestNamesThatMayBeSecrets: a message never shows such a name of a file. TestMessages has names that are paths on
// this machine.
func TestNamesThatMayBeSecrets(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"aGVsbG8/hunter2==", "/hunter2", "c:/hunter2"} {
		if isPath(name) {
			t.Errorf("%s is shown", name)
		}
	}
}
