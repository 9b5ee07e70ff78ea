package provider

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

const docs = "../../docs"

// page is a generated page, by its sections: "" is all before the nested
// schemas, each of which is under its own path, such as axes.values.
func page(t *testing.T, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docs, name))
	if err != nil {
		t.Fatalf("%v: run make docs", err)
	}
	const heading = "### Nested Schema for `"
	parts := strings.Split(string(text), heading)
	sections := map[string]string{"": parts[0]}
	for _, part := range parts[1:] {
		path, rest, _ := strings.Cut(part, "`")
		sections[path] = rest
	}
	return sections
}

// TestEveryAttributeIsOnItsPage fails where docs/ lags behind the schema.
func TestEveryAttributeIsOnItsPage(t *testing.T) {
	t.Parallel()
	resp, err := newServer(&catalogueProvider{version: "test"}).GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string][]*tfprotov6.SchemaAttribute{"index.md": resp.Provider.Block.Attributes}
	descriptions := map[string]string{"index.md": resp.Provider.Block.Description}
	for name, schema := range resp.DataSourceSchemas {
		file := "data-sources/" + strings.TrimPrefix(name, typeName+"_") + ".md"
		pages[file], descriptions[file] = schema.Block.Attributes, schema.Block.Description
	}
	for file, attributes := range pages {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			sections := page(t, file)
			if !strings.Contains(sections[""], descriptions[file]) {
				t.Errorf("the page lacks its own description %q", descriptions[file])
			}
			checkSection(t, sections, "", attributes)
		})
	}
	for name, f := range resp.Functions {
		text := page(t, "functions/"+name+".md")[""]
		wanted := []string{f.Summary, f.Description}
		for _, parameter := range f.Parameters {
			wanted = append(wanted, "`"+parameter.Name+"`", parameter.Description)
		}
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				t.Errorf("the page of %s lacks %q", name, want)
			}
		}
	}
}

func checkSection(t *testing.T, sections map[string]string, path string, attributes []*tfprotov6.SchemaAttribute) {
	t.Helper()
	lines := strings.Split(sections[path], "\n")
	for _, attribute := range attributes {
		prefix := "- `" + attribute.Name + "` ("
		i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, prefix) })
		if i < 0 || attribute.Description == "" || !strings.Contains(lines[i], attribute.Description) {
			t.Errorf("section %q lacks %s with its description %q", path, attribute.Name, attribute.Description)
		}
		if attribute.NestedType != nil {
			checkSection(t, sections, strings.TrimPrefix(path+"."+attribute.Name, "."), attribute.NestedType.Attributes)
		}
	}
}

const registryPages = "https://registry.terraform.io/providers/modelcatalogue/modelcatalogue/latest/docs"

var (
	linkTo  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	inCode  = regexp.MustCompile("(?s)```.*?```|``.*?``|`[^`\n]*`")
	outside = regexp.MustCompile(`^https://`)
)

// TestLinksInPages follows the links between pages. They are whole addresses:
// the registry resolves relative ones against an address of its own making, in
// which what works on one page fails on another. Where a link leaves the
// documentation, only its form is checked.
func TestLinksInPages(t *testing.T) {
	t.Parallel()
	pages := registryPagesByPath(t)
	for name, text := range pages {
		for _, match := range linkTo.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			to := text
			switch rest, own := strings.CutPrefix(target, registryPages); {
			case own:
				page, known := pages[rest]
				if !known {
					t.Errorf("docs%s.md links to %s, which is no page", name, target)
					continue
				}
				to = page
			case outside.MatchString(target):
				continue
			case target != "":
				t.Errorf("docs%s.md has the link %s: write the whole address, below %s", name, target, registryPages)
				continue
			}
			if anchor != "" && !hasAnchor(to, anchor) {
				t.Errorf("docs%s.md links to %s, where there is no such heading", name, match[1])
			}
		}
	}
}

// registryPagesByPath are the pages by what follows registryPages in their
// addresses.
func registryPagesByPath(t *testing.T) map[string]string {
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
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	return pages
}

// TestLinksInTheRepository follows the links of the README and the other texts
// beside it, to files and to headings.
func TestLinksInTheRepository(t *testing.T) {
	t.Parallel()
	const root = "../.."
	files, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil || len(files) < 5 {
		t.Fatalf("%d texts: %v", len(files), err)
	}
	pages := registryPagesByPath(t)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range linkTo.FindAllStringSubmatch(inCode.ReplaceAllString(string(text), ""), -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			rest, own := strings.CutPrefix(target, registryPages)
			to, known := pages[rest]
			switch {
			case own:
			case outside.MatchString(target):
				continue
			case target == "":
				to, known = string(text), true
			default:
				linked, err := os.ReadFile(filepath.Join(root, target))
				info, statErr := os.Stat(filepath.Join(root, target))
				to, known = string(linked), err == nil || statErr == nil && info.IsDir()
			}
			if !known || anchor != "" && !hasAnchor(to, anchor) {
				t.Errorf("%s links to %s, which is not there", filepath.Base(file), match[1])
			}
		}
	}
}

func hasAnchor(text, anchor string) bool {
	if strings.Contains(text, `<a id="`+anchor+`"></a>`) {
		return true
	}
	for line := range strings.Lines(text) {
		if heading, found := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); found && line[0] == '#' {
			heading = strings.ToLower(strings.TrimSpace(heading))
			heading = regexp.MustCompile("[^a-z0-9 _-]").ReplaceAllString(heading, "")
			if strings.ReplaceAll(heading, " ", "-") == anchor {
				return true
			}
		}
	}
	return false
}

// TestEveryErrorIsExplained finds each summary that a user may meet on the page
// about errors.
func TestEveryErrorIsExplained(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../templates/guides/errors-and-limits.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	for _, summary := range summaries {
		if !strings.Contains(string(text), "\n### "+summary+"\n") && !strings.Contains(string(text), "**"+summary+"**") {
			t.Errorf("the page does not explain %q", summary)
		}
	}
}
