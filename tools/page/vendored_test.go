package page

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// installed is the folder of the packages that package-lock.json pins. npm compares them with the checksums there.
var installed = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp(scratch, "npm")
	if err == nil {
		err = os.CopyFS(dir, os.DirFS("."))
	}
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = dir
	if out, failed := install.CombinedOutput(); failed != nil {
		err = fmt.Errorf("npm: %w\n%s", failed, out)
	}
	return filepath.Join(dir, "node_modules"), err
})

// packageFile returns a file of a package. It skips the test without npm and its registry.
func packageFile(t *testing.T, name string) string {
	t.Helper()
	dir, err := installed()
	switch {
	case err != nil && strings.Contains(err.Error(), "EINTEGRITY"):
		t.Fatal(err)
	case err != nil:
		t.Skip(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestVendoredLibrary: the copies in the sandbox are the files of the package.
func TestVendoredLibrary(t *testing.T) {
	for name, vendored := range map[string]string{
		"idiomorph/dist/idiomorph.min.js": "idiomorph.min.js",
		"idiomorph/LICENSE":               "idiomorph.LICENSE",
	} {
		got, err := os.ReadFile(filepath.Join("../../internal/sandbox/page", vendored))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != packageFile(t, name) {
			t.Errorf("%s is not %s of the package", vendored, name)
		}
	}
}
