package acctest_test

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// examples contains every configuration of the pages.
var examples = os.DirFS(root + "/examples")

// Examples without a page: the configuration of `make demo`, a file of mocks to copy, and a file that completes
// others.
const (
	demonstration = "pin-docker-image/main.tf"
	mocks         = "mocks/modelcatalogue.tfmock.hcl"
	behindGateway = "gateways/main.tf" // a read for each provider block of the folder
)

// features are parts of the language unknown to some supported engines. Each has the expression that finds it in a
// configuration, and the first release of either engine with it.
var features = []struct {
	shownBy                   *regexp.Regexp
	name, terraform, openTofu string
}{
	{regexp.MustCompile(`"terraform_data"`), "terraform_data", "1.4.0", "1.6.0"},
	{regexp.MustCompile(`(?m)^check "`), "check blocks", "1.5.0", "1.6.0"},
	{regexp.MustCompile(`(?m)^run "`), "the test command", "1.6.0", "1.6.0"},
	{regexp.MustCompile(`provider::`), "provider functions", "1.8.0", "1.7.0"},
	{regexp.MustCompile(`(?m)^\s+ephemeral\s+=`), "ephemeral variables", "1.10.0", "1.11.0"},
}

// ranAsAWhole matches examples with separate tests, most of them files of one module.
var ranAsAWhole = regexp.MustCompile(
	`^(mocks/|guides/(test-your-module/(module|fleet)/tests/|pin-docker-image/(survive/|pins/production)))`)

// promised is what applying an example prints, according to the guides.
var promised = map[string]string{
	"authentication/two-organisations/main.tf": `only_theirs = toset([ "32411cc9-f7e2-4180-a875-cec7d0e36c14", ])`,
	"guides/pin-docker-image/pin/behind.tf":    "Revision 1 is deployed, and revision 3 is published.",
	"guides/pin-docker-image/pin/fits.tf":      "Revision 3 does not fit in place of 1: the axis quantile has no 0.25;",
	"guides/pin-docker-image/registry/main.tf": `image = "registry.northwind.example/forecasting/de-lu-day-ahead-price@` + reviewedDigest,
}

// costs is the number of requests that applying an example sends, according to the guides. The sandbox has eight
// groups.
var costs = map[string]int{
	"provider/provider.tf":                     0,
	"authentication/two-organisations/main.tf": 4, // a token and a list for each
	"guides/large-catalogues/plural/main.tf":   2,
	"guides/large-catalogues/fleet/main.tf":    2 + 8,

	"guides/follow-latest-revision/mixed/mixed.tf": 1 + 1 + 1, // a token, a followed group, a pinned one
}

// warns lists the examples whose check warns about the sandbox's catalogue.
var warns = []string{"guides/pin-docker-image/pin/behind.tf", "guides/pin-docker-image/pin/fits.tf"}

// configuration returns a reader's folder with these examples. To each it adds the main.tf beside it, or above its
// folder of tests. Without a main.tf, as for the example of a data source or a function, it adds the provider's
// block.
func configuration(tb testing.TB, names ...string) fstest.MapFS {
	tb.Helper()
	files := fstest.MapFS{}
	add := func(as, name string) {
		text, err := fs.ReadFile(examples, name)
		if err != nil {
			tb.Fatal(err)
		}
		for _, feature := range features {
			if feature.shownBy.Match(text) {
				needs(tb, feature.name, feature.terraform, feature.openTofu)
			}
		}
		files[as] = &fstest.MapFile{Data: text, Mode: 0o600}
	}
	for _, name := range names {
		folder, file := path.Split(name)
		if parent, ok := strings.CutSuffix(folder, "tests/"); ok {
			folder, file = parent, "tests/"+file
		}
		add(file, name)
		if _, err := fs.Stat(examples, folder+"main.tf"); err == nil {
			add("main.tf", folder+"main.tf")
		} else {
			add("provider.tf", "provider/provider.tf")
		}
	}
	return files
}

// configurations returns the examples written for an engine, by name.
func configurations(tb testing.TB) map[string]string {
	tb.Helper()
	found, readByEngines := map[string]string{}, regexp.MustCompile(`\.(tf|hcl|tfvars)$`)
	err := fs.WalkDir(examples, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !readByEngines.MatchString(name) {
			return err
		}
		text, err := fs.ReadFile(examples, name)
		found[name] = string(text)
		return err
	})
	if err != nil || len(found) < 15 {
		tb.Fatalf("%d examples: %v", len(found), err)
	}
	return found
}

// TestAccExamples runs every example as its page instructs: alone, or added to other files. Applying it succeeds, and
// a second plan has no changes; a file of tests passes.
func TestAccExamples(t *testing.T) {
	needEngine(t)
	t.Parallel()
	for name := range configurations(t) {
		if ranAsAWhole.MatchString(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := configuration(t, name)
			w := newWorkspace(t, files, sandbox.New(catalogueBeside(t, name)), owner)
			w.Env = append(w.Env, ofGateways(t)...)
			if strings.HasSuffix(name, ".tftest.hcl") {
				w.expect(t, 0, "test", "-filter=tests/"+path.Base(name))
				return
			}
			if strings.HasPrefix(name, "guides/deploy-a-model/") { // a stand-in plans, but does not apply
				w.expect(t, 0, "plan")
				return
			}
			out := w.expect(t, 0, "apply", "-auto-approve")
			if requests, ok := costs[name]; ok {
				w.sent(t, sandbox.RouteAny, requests)
			}
			w.expect(t, 0, "plan", "-detailed-exitcode")
			wantText(t, out, promised[name])
			if warned := strings.Contains(out, "Warning: Check block assertion failed"); warned != slices.Contains(warns, name) {
				t.Errorf("a check warns: %t\n%s", warned, out)
			}
		})
	}
}

// catalogueBeside returns the catalogue in the folder of an example, or else the sandbox's default.
func catalogueBeside(t *testing.T, name string) *sandbox.Catalogue {
	t.Helper()
	file, err := examples.Open(path.Dir(name) + "/catalogue.json")
	if err != nil {
		return sandbox.Default()
	}
	defer file.Close()
	catalogue, err := sandbox.ReadCatalogue(file)
	if err != nil {
		t.Fatal(err)
	}
	return catalogue
}

// block is a block of code on a page. If it is indented rather than fenced, it contains commands.
type block struct{ label, text string }

var (
	fenced   = regexp.MustCompile("(?ms)^[ \t]*```+[ \t]*([a-z]*)[^\n]*\n(.*?)\n[ \t]*```+$")
	indented = regexp.MustCompile(`\n\n((?: {4,}\S.*\n)+)`)
)

func blocks(text string) []block {
	var found []block
	for _, match := range fenced.FindAllStringSubmatch(text, -1) {
		found = append(found, block{label: match[1], text: match[2]})
	}
	for _, match := range indented.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		found = append(found, block{label: "shell", text: match[1]})
	}
	return found
}

// texts returns the Markdown of the root, of .github and of docs/, by name.
func texts(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pattern := range []string{"/*.md", "/.github/*.md", "/docs/*.md", "/docs/*/*.md"} {
		names, err := filepath.Glob(root + pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("no text is %s: %v", pattern, err)
		}
		for _, name := range names {
			found[strings.TrimPrefix(name, root+"/")] = readText(t, name)
		}
	}
	return found
}

// namesVersions reports whether each mention of the provider comes with its version, and with the oldest supported
// engine.
func namesVersions(text string) bool {
	const source = `= "modelcatalogue/modelcatalogue"`
	const versioned = "source  " + source + "\n      version = \"~> 0.1\"\n"
	const engine = "terraform {\n  required_version = \">= "
	mentions := strings.Count(text, source)
	return mentions == strings.Count(text, versioned) && mentions == strings.Count(text, engine)
}

// printedConfigurations returns the configurations on pages, each with the name of its page.
func printedConfigurations(t *testing.T) map[string]string {
	t.Helper()
	printed := map[string]string{}
	for name, text := range texts(t) {
		for _, b := range blocks(text) {
			switch b.label {
			case "hcl", "tf", "tofu", "opentofu", "":
				t.Errorf("%s has a block labelled %q: call a configuration terraform, and give anything else its own label", name, b.label)
			case "terraform":
				printed[b.text] = name
			}
			if !namesVersions(b.text) {
				t.Errorf("%s names the provider without its version or without the engine's:\n%s", name, b.text)
			}
		}
	}
	return printed
}

// TestPagesAndExamples compares pages and examples: every configuration on a page is a file of examples/, where `make
// lint` checks it, and every example is on a page. Each states the versions of the provider and the engine.
func TestPagesAndExamples(t *testing.T) {
	t.Parallel()
	printed, files := printedConfigurations(t), configurations(t)
	for _, name := range slices.Concat(slices.Collect(maps.Keys(promised)), slices.Collect(maps.Keys(costs)), warns) {
		if files[name] == "" {
			t.Errorf("the guides promise something about %s, which is not there", name)
		}
	}
	for name, text := range files {
		if _, ok := printed[strings.TrimSpace(text)]; !ok && !slices.Contains([]string{demonstration, mocks, behindGateway}, name) {
			t.Errorf("no page prints %s as it is: make docs", name)
		}
		delete(printed, strings.TrimSpace(text))
		if !namesVersions(text) {
			t.Errorf("%s names the provider without its version or without the engine's", name)
		}
	}
	for text, name := range printed {
		if name != "README.md" { // the script install.txtar applies it
			t.Errorf("%s prints a configuration that is not a file of examples/: make it one, include it with tffile, and run make docs\n%.300s…",
				name, text)
		}
	}
}
