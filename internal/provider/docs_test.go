package provider

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/settings"
)

const (
	docs          = "../../docs"
	registryPages = "https://registry.terraform.io/providers/modelcatalogue/modelcatalogue/latest/docs"
)

// pagesByPath returns the generated pages, by the rest of their addresses after registryPages.
func pagesByPath(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	err := filepath.WalkDir(docs, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		name, _ := strings.CutPrefix(filepath.ToSlash(file), docs)
		pages[strings.TrimSuffix(strings.TrimSuffix(name, ".md"), "/index")] = string(text)
		return err
	})
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages: %v: run make docs", len(pages), err)
	}
	return pages
}

var (
	linkTo = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fence  = regexp.MustCompile("(?ms)^```.*?\n```$")
	inCode = regexp.MustCompile("(?s)```.*?```|``.*?``|`[^`\n]*`")
	// elsewhere has the external addresses in texts, which the test does not follow. Any other address must be a page's.
	elsewhere = regexp.MustCompile(`^https://(docs\.renovatebot\.com$|www\.conftest\.dev$|cli\.github\.com$|` +
		`registry\.terraform\.io/providers/(kreuzwerker|chainguard-dev)/|` +
		`docs\.terragrunt\.com/|www\.runatlantis\.io/docs/|docs\.spacelift\.io/|` +
		`developer\.hashicorp\.com/terraform/cloud-docs/|` +
		`github\.com/modelcatalogue/terraform-provider-modelcatalogue/security/advisories/new$)`)
)

// TestLinks follows the links between pages, and those of the README and the texts beside it to files and headings.
// Links on pages are whole addresses, because the registry resolves relative ones wrongly.
func TestLinks(t *testing.T) {
	t.Parallel()
	const root = "../.."
	pages := pagesByPath(t)
	follow := func(from, text string, open func(target string) (content string, known bool)) {
		for _, match := range linkTo.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			to, known := text, true
			if target != "" && !elsewhere.MatchString(target) {
				to, known = open(target)
			}
			if !known || anchor != "" && !hasAnchor(to, anchor) {
				t.Errorf("%s links to %s, which is not there; pages link to whole addresses, other texts to files", from, match[1])
			}
		}
	}
	for name, text := range pages {
		follow("docs"+name+".md", text, func(target string) (string, bool) {
			page, own := strings.CutPrefix(target, registryPages)
			to, known := pages[page]
			return to, own && known
		})
	}
	files, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil || len(files) < 5 {
		t.Fatalf("%d texts: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		follow(filepath.Base(file), inCode.ReplaceAllString(string(text), ""), func(target string) (string, bool) {
			linked, err := os.ReadFile(filepath.Join(root, target))
			info, statErr := os.Stat(filepath.Join(root, target))
			return string(linked), err == nil || statErr == nil && info.IsDir()
		})
	}
}

func hasAnchor(text, anchor string) bool {
	if strings.Contains(text, `<a id="`+anchor+`"></a>`) {
		return true
	}
	for line := range strings.Lines(fence.ReplaceAllString(text, "")) {
		if heading, found := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); found && line[0] == '#' {
			heading = regexp.MustCompile("[^a-z0-9 _-]").ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
			if strings.ReplaceAll(heading, " ", "-") == anchor {
				return true
			}
		}
	}
	return false
}

// summaries has every summary of a diagnostic: the constants of package explain, and two for each argument.
var summaries = func() []string {
	var found []string
	for _, argument := range settings.Arguments {
		found = append(found, explain.SummaryMissing(argument), explain.SummaryInvalid(argument))
	}
	file, err := parser.ParseFile(token.NewFileSet(), "../explain/summaries.go", nil, 0)
	if err != nil {
		panic(err)
	}
	for _, declaration := range file.Decls {
		constants, ok := declaration.(*ast.GenDecl)
		if !ok || constants.Tok != token.CONST {
			continue
		}
		for _, spec := range constants.Specs {
			literal, _ := spec.(*ast.ValueSpec).Values[0].(*ast.BasicLit)
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				panic(err)
			}
			found = append(found, text)
		}
	}
	return found
}()

// TestWordsOfTheNetwork: the page's quotes of messages about a proxy or a certificate are in the code that prints
// them.
func TestWordsOfTheNetwork(t *testing.T) {
	t.Parallel()
	var printed strings.Builder
	for _, file := range []string{"../explain/faults.go", "../settings/proxy.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		printed.Write(text)
	}
	_, table, _ := strings.Cut(pagesByPath(t)["/guides/errors-and-limits"], "\n| The message has | ")
	table, _, _ = strings.Cut(table, "\n\n")
	quoted := regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(table, -1)
	if len(quoted) < 5 {
		t.Fatalf("the table has %d rows:\n%s", len(quoted), table)
	}
	for _, row := range quoted {
		if !strings.Contains(printed.String(), row[1]) {
			t.Errorf("no message has %q", row[1])
		}
	}
}

// TestFieldsOfTheGuide: the guide about data "http" has a row for each field of a group or a model other than a string,
// a number or a boolean, with its attribute and its type.
func TestFieldsOfTheGuide(t *testing.T) {
	t.Parallel()
	row := regexp.MustCompile("(?m)^\\| (`.*`) \\| (`.*`) \\| (.*) \\|$")
	names := func(cell string) []string {
		return strings.Split(strings.ReplaceAll(cell, "`", ""), ", ")
	}
	inGuide := map[string]string{}
	for _, cells := range row.FindAllStringSubmatch(pagesByPath(t)["/guides/from-data-http"], -1) {
		attributes := names(cells[2])
		for i, field := range names(cells[1]) {
			if attributeOf(field) != attributes[i] {
				t.Errorf("%s is said to be %s", field, attributes[i])
			}
			inGuide[attributes[i]] = cells[3]
		}
	}
	for attribute, typ := range table(interfaceSchema("ModelGroup").attributes(), interfaceSchema("Model").attributes()) {
		said := inGuide[attribute]
		if said == "" && attribute != "model_metadata" { // which is an object of the service
			said = typ
		}
		if !strings.HasPrefix(said, inWords(typ)) {
			t.Errorf("%s is of type %s, and the guide says %q", attribute, typ, said)
		}
	}
}

// inWords spells a type as the guide does.
func inWords(typ string) string {
	switch {
	case typ == "[string]":
		return "list of strings"
	case typ[0] == '[':
		return "list of objects"
	case typ[0] == '{':
		return "object of"
	}
	return typ
}

// TestSectionsOfErrors: each section on the page about errors, and each message in bold there, has a summary of the
// provider.
func TestSectionsOfErrors(t *testing.T) {
	t.Parallel()
	_, messages, _ := strings.Cut(pagesByPath(t)["/guides/errors-and-limits"], "\n## Messages\n")
	named := regexp.MustCompile(`(?m)^### (.+)$|\*\*(.+?)\*\*`).FindAllStringSubmatch(messages, -1)
	if len(named) < 5 {
		t.Errorf("the page explains %d messages", len(named))
	}
	for _, name := range named {
		if summary := name[1] + name[2]; !slices.Contains(summaries, summary) {
			t.Errorf("no message has the summary %q", summary)
		}
	}
}
