package acctest_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/acctest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// demonstration is the folder of examples/ that `make demo` runs. No page
// prints it.
const demonstration = "pin-docker-image"

// features are parts of the language that not every supported engine knows, by
// what shows them in a configuration, with the first releases that do.
var features = []struct {
	shownBy             *regexp.Regexp
	name                string
	terraform, openTofu string
}{
	{shownBy: regexp.MustCompile(`"terraform_data"`), name: "terraform_data", terraform: "1.4.0", openTofu: "1.6.0"},
	{shownBy: regexp.MustCompile(`(?m)^check "`), name: "check blocks", terraform: "1.5.0", openTofu: "1.6.0"},
	{shownBy: regexp.MustCompile(`(?m)^run "`), name: "the test command", terraform: "1.6.0", openTofu: "1.6.0"},
	{shownBy: regexp.MustCompile(`(?m)^mock_provider "`), name: "mock_provider", terraform: "1.7.0", openTofu: "1.8.0"},
	{shownBy: regexp.MustCompile(`provider::`), name: "provider functions", terraform: "1.8.0", openTofu: "1.7.0"},
	{shownBy: regexp.MustCompile(`(?m)^\s+ephemeral\s+=`), name: "ephemeral variables", terraform: "1.10.0", openTofu: "1.11.0"},
}

// ranAsAWhole are the sections that tests of their own run, most of them because
// their blocks are the files of one module.
var ranAsAWhole = map[string]bool{
	"docs/guides/test-your-module.md#lists-and-maps": true,
	"docs/guides/test-your-module.md#in-ci":          true,
	// Its plans always have something to do.
	"docs/guides/keep-pins-current.md#a-plan-that-survives-the-catalogue": true,
}

func skipUnlessKnown(tb testing.TB, files fs.FS) {
	tb.Helper()
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		for _, feature := range features {
			if feature.shownBy.Match(text) {
				underTest.needs(tb, feature.name, feature.terraform, feature.openTofu)
			}
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// TestAccPages does with every block of configuration on every page what the
// page tells its reader to: it is whole by itself, or added to the block that
// the text before it names. It is valid without a service, can be applied, and
// leaves nothing to do; a file of tests passes.
func TestAccPages(t *testing.T) {
	needEngine(t)
	t.Parallel()
	blocks := pages(t)
	run := 0
	for _, b := range blocks {
		if b.label != configuration || ranAsAWhole[b.page+"#"+b.section] {
			continue
		}
		run++
		t.Run(b.String(), func(t *testing.T) {
			t.Parallel()
			files := folder(t, blocks, b)
			skipUnlessKnown(t, files)
			catalogue, credentials := catalogueBeside(t, blocks, b)
			service := sandbox.New(catalogue)
			w := newWorkspace(t, files, sandboxtest.Start(t, service), credentials)
			if strings.Contains(savedName(b), ".tftest.") {
				w.expect(t, 0, "test", "-filter="+savedName(b))
				return
			}
			w.expect(t, 0, "validate")
			if n := service.Count(sandbox.RouteAny); n != 0 {
				t.Errorf("validate sent %d requests", n)
			}
			w.expect(t, 0, "apply", "-auto-approve")
			w.expect(t, 0, "plan", "-detailed-exitcode")
		})
	}
	if run < 15 {
		t.Errorf("only %d blocks were run", run)
	}
}

func savedName(b block) string {
	if found := savedAs.FindStringSubmatch(b.says); found != nil {
		return found[1]
	}
	return ""
}

// catalogueBeside is what the sandbox serves to the reader of b: the catalogue
// printed in the same section, as its first organisation, or the sandbox's own.
func catalogueBeside(t *testing.T, blocks []block, b block) (*sandbox.Catalogue, acctest.Credentials) {
	t.Helper()
	for _, other := range blocks {
		if other.page == b.page && other.section == b.section && other.label == "json" {
			catalogue, err := sandbox.ParseCatalogue(strings.NewReader(other.text))
			if err != nil {
				t.Fatal(err)
			}
			first := catalogue.Organisations()[0]
			return catalogue, acctest.Credentials{ID: first.ClientID, Secret: first.ClientSecret}
		}
	}
	return sandbox.Default(), acctest.Owner
}

// TestAccDemonstration applies what `make demo` does.
func TestAccDemonstration(t *testing.T) {
	t.Parallel()
	needEngine(t)
	url := sandboxtest.Start(t, sandbox.New(sandbox.Default()))
	w := newWorkspace(t, os.DirFS(filepath.Join(root, "examples", demonstration)), url, acctest.Owner)
	w.expect(t, 0, "apply", "-auto-approve")
	w.expect(t, 0, "plan", "-detailed-exitcode")
}

// TestEveryConfigurationPinsTheProvider: a provider about pinning pins itself.
func TestEveryConfigurationPinsTheProvider(t *testing.T) {
	t.Parallel()
	const source = `= "modelcatalogue/modelcatalogue"`
	const pinned = `source  ` + source + "\n      version = \"~> 0.1\"\n"
	for _, b := range pages(t) {
		if n := strings.Count(b.text, source); n != strings.Count(b.text, pinned) {
			t.Errorf("%s names the provider %d times and not each time with its version", b, n)
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "examples", demonstration, "main.tf"))
	if err != nil || !strings.Contains(string(text), pinned) {
		t.Errorf("the demonstration does not pin the provider: %v", err)
	}
}

func needEngine(tb testing.TB) {
	tb.Helper()
	if os.Getenv("TF_ACC") == "" {
		tb.Skip("TF_ACC is not set: acceptance tests need an engine")
	}
}

// section is what the reader of a guide's section has at its end.
func section(tb testing.TB, guide, anchor string) fs.FS {
	tb.Helper()
	needEngine(tb)
	blocks := pages(tb)
	own := sectionBlocks(blocks, fmt.Sprintf("docs/guides/%s.md", guide), anchor)
	if len(own) == 0 {
		tb.Fatalf("the guide %s has no configuration under #%s", guide, anchor)
	}
	files := folder(tb, blocks, own[len(own)-1])
	skipUnlessKnown(tb, files)
	return files
}
