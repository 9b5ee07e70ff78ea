package acctest_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// block is one fenced block of a page, as its reader finds it.
type block struct {
	page    string // its file below the root, such as docs/index.md
	line    int
	section string // the anchor of the heading above it
	label   string // the language of the fence
	says    string // the text between the block before it and this one
	text    string
}

func (b block) String() string { return fmt.Sprintf("%s:%d", b.page, b.line) }

// What the text before a block can say of it. A block that is added to nothing
// is whole by itself.
var (
	addedTo = regexp.MustCompile(`(?:Add this to|beside) (?:the block above|the \[[^]]+\]\(([^)]*)#([^)]+)\))`)
	savedAs = regexp.MustCompile("Save (?:this|it) as `([^`]+)`")
)

const (
	registry      = "https://registry.terraform.io/providers/modelcatalogue/modelcatalogue/latest/docs"
	configuration = "terraform" // the label of every block that an engine reads
)

var (
	fence   = regexp.MustCompile("^\\s*```+\\s*([a-z]*)")
	heading = regexp.MustCompile(`^#+ (.+)$`)
)

// parsePage finds the blocks of a page.
func parsePage(name, text string) []block {
	var blocks []block
	var section, says string
	open := -1
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		found := fence.FindStringSubmatch(line)
		switch {
		case found != nil && open < 0:
			open = i
			blocks = append(blocks, block{
				page: name, line: i + 1, section: section, label: found[1], says: strings.Join(strings.Fields(says), " "),
			})
			says = ""
		case found != nil:
			blocks[len(blocks)-1].text = strings.Join(lines[open+1:i], "\n") + "\n"
			open = -1
		case open >= 0:
		case heading.MatchString(line):
			section, says = anchor(heading.FindStringSubmatch(line)[1]), ""
		default:
			says += line + "\n"
		}
	}
	return blocks
}

var notInAnchors = regexp.MustCompile("[^a-z0-9 _-]")

// anchor is what the registry and GitHub call a heading in an address.
func anchor(heading string) string {
	return strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), ""), " ", "-")
}

// pages are the blocks of the README and of all pages below docs/.
func pages(tb testing.TB) []block {
	tb.Helper()
	var blocks []block
	files := os.DirFS(root)
	read := func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		blocks = append(blocks, parsePage(name, string(text))...)
		return err
	}
	for _, name := range []string{"README.md", "docs"} {
		if err := fs.WalkDir(files, name, read); err != nil {
			tb.Fatal(err)
		}
	}
	return blocks
}

// sectionBlocks are the configurations of a section.
func sectionBlocks(blocks []block, page, section string) []block {
	var own []block
	for _, b := range blocks {
		if b.page == page && b.section == section && b.label == configuration {
			own = append(own, b)
		}
	}
	return own
}

// extends is the block that b is added to, nil where b is whole by itself.
func extends(blocks []block, b block) (*block, error) {
	found := addedTo.FindStringSubmatch(b.says)
	if found == nil {
		return nil, nil
	}
	if section := found[2]; section != "" {
		page := b.page
		if found[1] != "" {
			rest, own := strings.CutPrefix(found[1], registry)
			if !own {
				return nil, fmt.Errorf("%s is added to a block at %s, which is none of our pages", b, found[1])
			}
			page = "docs" + cmp.Or(rest, "/index") + ".md"
		}
		own := sectionBlocks(blocks, page, section)
		if len(own) == 0 {
			return nil, fmt.Errorf("%s has no configuration under #%s", page, section)
		}
		return &own[0], nil
	}
	i := slices.Index(blocks, b)
	for i--; i >= 0 && blocks[i].page == b.page; i-- {
		if blocks[i].label == configuration {
			return &blocks[i], nil
		}
	}
	return nil, fmt.Errorf("%s is added to the block above, and there is none", b)
}

// folder is what the reader of b has in the end: b and every block that it
// extends, each a file.
func folder(tb testing.TB, blocks []block, b block) fstest.MapFS {
	tb.Helper()
	files := fstest.MapFS{}
	for next := &b; next != nil; {
		name := fmt.Sprintf("%d.tf", next.line)
		if saved := savedName(*next); saved != "" {
			name = saved
		}
		if files[name] != nil {
			tb.Fatalf("%s: %s is in the way of another block", b, next)
		}
		files[name] = &fstest.MapFile{Data: []byte(next.text), Mode: 0o600}
		to, err := extends(blocks, *next)
		if err != nil {
			tb.Fatal(err)
		}
		next = to
	}
	return files
}

// TestParsePage holds what the pages are read by.
func TestParsePage(t *testing.T) {
	t.Parallel()
	page := func(text string) []block {
		return parsePage("docs/guides/a.md", strings.ReplaceAll(text, "'''", "```"))
	}
	blocks := slices.Concat(
		parsePage("docs/index.md", "## Example Usage\n\n```terraform\nindex\n```\n"),
		page(`
# A page

'''terraform
whole
'''

'''shell
# no heading
'''

## Below, in "it"

Add this to
the block above:

'''terraform
below
'''

## Elsewhere

Save this as 'x.tf' and so on. Add this to the [words](#below-in-it):

'''terraform
elsewhere
'''

Add this to the [provider block](`+registry+`#example-usage):

'''terraform
index's
'''

Add this to the [other](#nowhere).

'''terraform
lost
'''
`))
	want := map[string]string{
		"index\n":     "",
		"whole\n":     "",
		"below\n":     "whole\n",
		"elsewhere\n": "below\n",
		"index's\n":   "index\n",
		"lost\n":      "docs/guides/a.md has no configuration under #nowhere",
	}
	for _, b := range blocks {
		if b.label != configuration {
			continue
		}
		got := ""
		switch to, err := extends(blocks, b); {
		case err != nil:
			got = err.Error()
		case to != nil:
			got = to.text
		}
		if wanted, known := want[b.text]; !known || got != wanted {
			t.Errorf("%s: %q is added to %q, want %q", b, b.text, got, wanted)
		}
		delete(want, b.text)
	}
	if len(want) > 0 {
		t.Errorf("not found: %q", want)
	}
}

// readByEngines are the files that an engine reads.
var readByEngines = regexp.MustCompile(`\.(tf|hcl|tfvars)$`)

// TestBlocksAndExamples keeps every configuration of a page in examples/, where
// `make fmt` and `make docs-check` hold its form, and every example on a page.
func TestBlocksAndExamples(t *testing.T) {
	t.Parallel()
	printed := map[string]bool{}
	for _, b := range pages(t) {
		switch b.label {
		case "hcl", "tf", "tofu", "opentofu", "":
			t.Errorf("%s is labelled %q: call a configuration terraform, and give anything else its own label", b, b.label)
		}
		printed[strings.TrimSpace(b.text)] = true
	}
	files := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(root, "examples"), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		files[strings.TrimSpace(string(text))] = true
		if readByEngines.MatchString(name) && !printed[strings.TrimSpace(string(text))] && filepath.Base(filepath.Dir(name)) != demonstration {
			t.Errorf("no page prints %s", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range pages(t) {
		if b.label == configuration && strings.HasPrefix(b.page, "docs/") && !files[strings.TrimSpace(b.text)] {
			t.Errorf("%s is no file of examples/: make it one, and include it with tffile", b)
		}
	}
}
