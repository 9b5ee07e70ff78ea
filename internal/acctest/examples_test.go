package acctest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/acctest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// features are parts of the language that not every supported engine knows, by
// what shows them in a configuration, with the first releases that do.
var features = []struct {
	shownBy             *regexp.Regexp
	name                string
	terraform, openTofu string
}{
	{regexp.MustCompile(`"terraform_data"`), "terraform_data", "1.4.0", "1.6.0"},
	{regexp.MustCompile(`(?m)^check "`), "check blocks", "1.5.0", "1.6.0"},
	{regexp.MustCompile(`(?m)^run "`), "the test command", "1.6.0", "1.6.0"},
	{regexp.MustCompile(`(?m)^mock_provider "`), "mock_provider", "1.7.0", "1.8.0"},
	{regexp.MustCompile(`provider::`), "provider functions", "1.8.0", "1.7.0"},
	{regexp.MustCompile(`(?m)^\s+ephemeral\s+=`), "ephemeral variables", "1.10.0", "1.11.0"},
}

func skipUnlessKnown(t *testing.T, configuration string) {
	t.Helper()
	for _, feature := range features {
		if feature.shownBy.MatchString(configuration) {
			underTest.needs(t, feature.name, feature.terraform, feature.openTofu)
		}
	}
}

// TestAccExamples applies every folder of examples/ that holds a configuration,
// wants the plan after it to be empty, and runs the folder's tests.
func TestAccExamples(t *testing.T) {
	needEngine(t)
	t.Parallel()
	for _, dir := range exampleFolders(t) {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			files := os.DirFS(filepath.Join(root, "examples", dir))
			if tests, err := fs.Glob(files, "tests/*.tftest.hcl"); err != nil || len(tests) > 0 {
				t.Run("test", func(t *testing.T) { testExample(t, files, tests) })
			}
			applyExample(t, files)
		})
	}
}

func applyExample(t *testing.T, files fs.FS) {
	t.Helper()
	skipUnlessKnown(t, configuration(t, files))
	w, _ := exampleWorkspace(t, files)
	w.expect(t, 0, "apply", "-auto-approve")
	w.expect(t, 0, "plan", "-detailed-exitcode")
}

func testExample(t *testing.T, files fs.FS, tests []string) {
	t.Helper()
	for _, name := range tests {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		skipUnlessKnown(t, string(text))
	}
	w, _ := exampleWorkspace(t, files)
	w.expect(t, 0, "test")
}

// exampleWorkspace serves the folder's own catalogue, where it has one.
func exampleWorkspace(t *testing.T, files fs.FS) (*workspace, *sandbox.Sandbox) {
	t.Helper()
	catalogue, credentials := sandbox.Default(), acctest.Owner
	if file, err := files.Open("catalogue.json"); err == nil {
		defer file.Close()
		if catalogue, err = sandbox.ParseCatalogue(file); err != nil {
			t.Fatal(err)
		}
		first := catalogue.Organisations()[0]
		credentials = acctest.Credentials{ID: first.ClientID, Secret: first.ClientSecret}
	}
	service := sandbox.New(catalogue)
	return newWorkspace(t, files, service.Start(t), credentials), service
}

// exampleFolders are the folders below examples/ that hold a configuration.
func exampleFolders(t *testing.T) []string {
	t.Helper()
	var folders []string
	examples := os.DirFS(filepath.Join(root, "examples"))
	err := fs.WalkDir(examples, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			if found, _ := fs.Glob(examples, name+"/*.tf"); len(found) > 0 {
				folders = append(folders, name)
			}
		}
		return err
	})
	if err != nil || len(folders) < 6 {
		t.Fatalf("%d folders of examples: %v", len(folders), err)
	}
	return folders
}

// TestAccReadme runs each configuration that the README prints.
func TestAccReadme(t *testing.T) {
	needEngine(t)
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)\n```terraform\n(.*?)\n```\n").FindAllSubmatch(readme, -1)
	if len(blocks) == 0 {
		t.Fatal("the README prints no configuration")
	}
	for _, block := range blocks {
		applyExample(t, fstest.MapFS{"main.tf": {Data: block[1], Mode: 0o600}})
	}
}

// TestConfigurationsInDocumentsAreFiles keeps every configuration that a page
// prints where TestAccExamples finds it.
func TestConfigurationsInDocumentsAreFiles(t *testing.T) {
	t.Parallel()
	literal := regexp.MustCompile("(?mi)^[ \t]*(```+|~~~+)[ \t]*\\{?\\.?(terraform|hcl|tf|tofu|opentofu)\\b")
	included := regexp.MustCompile(`\{\{-? *(?:tffile|codefile "(?:terraform|hcl)") "([^"]+)"`)
	printable := regexp.MustCompile(`\.(tf|tftest\.hcl|auto\.tfvars)$`)
	printed := map[string]bool{}
	templates := os.DirFS(filepath.Join(root, "templates"))
	err := fs.WalkDir(templates, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(templates, name)
		if err != nil {
			return err
		}
		if found := literal.Find(text); found != nil {
			t.Errorf("templates/%s has a configuration of its own (%s): make it a file under examples/ and include it with tffile", name, found)
		}
		for _, match := range included.FindAllSubmatch(text, -1) {
			file := string(match[1])
			printed[file] = true
			if !strings.HasPrefix(file, "examples/") || !printable.MatchString(file) {
				t.Errorf("templates/%s includes %s, which no test runs", name, file)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// And the other way: what is run for a guide is printed in one.
	for _, dir := range exampleFolders(t) {
		if !strings.HasPrefix(dir, "guides/") {
			continue
		}
		files, err := filepath.Glob(filepath.Join(root, "examples", dir, "*.tf"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if name := "examples/" + dir + "/" + filepath.Base(file); !printed[name] {
				t.Errorf("no template prints %s", name)
			}
		}
	}
	// The README's blocks are run as they stand, under that one label.
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range literal.FindAll(readme, -1) {
		if string(found) != "```terraform" {
			t.Errorf("README.md has a block that no test runs (%s): label it ```terraform", found)
		}
	}
}

func needEngine(t *testing.T) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set: acceptance tests need an engine")
	}
}
