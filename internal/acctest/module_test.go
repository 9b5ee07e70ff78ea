//go:build !windows

package acctest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// module copies a module of the guide about tests, and returns its folder.
func module(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(root+"/examples/guides/test-your-module/"+name)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// shellRunsBeside maps a page to the files that its blocks of shell require. They are added to the module of the
// guide about tests.
var shellRunsBeside = map[string]map[string]string{
	"large-catalogues.md": {"main.tf": "large-catalogues/fleet/main.tf"},
	"pin-docker-image.md": {"main.tf": "pin-docker-image/pins/main.tf", "first.tf": "pin-docker-image/pins/first.tf"},
}

// TestAccShellOfThePages runs every block of shell in the guides and on the first page. A sandbox replaces the
// service, and the programs of testdata/shell replace others, such as clouds' and test runners. It skips `go
// install`, which requires a release.
func TestAccShellOfThePages(t *testing.T) {
	needEngine(t)
	t.Parallel()
	pages, err := filepath.Glob(root + "/docs/guides/*.md")
	if err != nil || len(pages) < 7 {
		t.Fatalf("%d guides: %v", len(pages), err)
	}
	for _, name := range append(pages, root+"/docs/index.md") {
		for i, b := range blocks(readText(t, name)) {
			if b.label != "shell" || strings.HasPrefix(b.text, "go install ") {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", filepath.Base(name), i), func(t *testing.T) {
				t.Parallel()
				if strings.Contains(b.text, "terraform test") {
					needs(t, "the test command", "1.6.0", "1.6.0")
				}
				dir := module(t, "module")
				err := errors.Join(os.Remove(filepath.Join(dir, "tests/mocked.tftest.hcl")), os.CopyFS(dir, os.DirFS("testdata/shell")))
				if err != nil {
					t.Fatal(err)
				}
				for file, example := range shellRunsBeside[filepath.Base(name)] {
					writeText(t, filepath.Join(dir, file), readText(t, root+"/examples/guides/"+example))
				}
				runShell(t, dir, b.text)
			})
		}
	}
}

func runShell(t *testing.T, dir, script string) {
	t.Helper()
	url := sandboxtest.Start(t, sandbox.New(sandbox.Default()))
	script = strings.NewReplacer("https://catalogue.example.com", url, "my-client-id", owner.id, "my-client-secret", owner.secret,
		"/run/secrets", dir, "=next.tfplan", "=next.tfplan || test $? = 2").Replace(script)
	if strings.Contains(script, "export ") {
		script += "\nterraform plan"
	}
	env := mirrored(t, append(engine.Service(url, owner.id, owner.secret), "ID="+owner.id, "SECRET="+owner.secret, "TF_VAR_pins={}",
		"PATH="+strings.Join([]string{dir + "/bin", plugins + "/bin", plugins, os.Getenv("PATH")}, ":"))...)
	if strings.Contains(script, "client-secret\"") {
		env = append(env, "MODELCATALOGUE_CLIENT_SECRET=")
	}
	command(t, dir, env, plainShell(), "-euc", "terraform init\n"+script)
}
