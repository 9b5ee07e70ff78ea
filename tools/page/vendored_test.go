package page

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestVendoredLibrary: the copies in the sandbox are the files of the package that package-lock.json pins. npm compares
// the package with the checksum there.
func TestVendoredLibrary(t *testing.T) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("not compared with its package: ", err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = dir
	if out, err := install.CombinedOutput(); bytes.Contains(out, []byte("EINTEGRITY")) {
		t.Fatalf("%s", out)
	} else if err != nil {
		t.Skipf("not compared with its package, because npm has no access to it: %v\n%s", err, out)
	}
	for name, vendored := range map[string]string{
		"dist/idiomorph.min.js": "idiomorph.min.js",
		"LICENSE":               "idiomorph.LICENSE",
	} {
		want, err := os.ReadFile(filepath.Join(dir, "node_modules/idiomorph", name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("../../internal/sandbox/page", vendored))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not %s of the package", vendored, name)
		}
	}
}
