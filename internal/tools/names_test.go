package tools_test

import (
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	aWord = regexp.MustCompile(`\w+`)
	// fenced matches a block of a page. Its commands and workflows make files on the reader's machine.
	fenced = regexp.MustCompile("(?ms)^ *```.*?\n *```$")
	// cited matches names of code and files in comments and pages.
	cited = regexp.MustCompile(strings.Join([]string{
		`\b\.[A-Z]\w+\]`,      // a link of godoc, such as [Sandbox.Publish]
		`\[[A-Z][a-z]\w+\]\s`, // or [New]
		`\b(?:Test|Benchmark|Fuzz)[A-Z]\w*\b`,
		`\b[a-z]+[A-Z][a-z]\w*\b`, // unexported
		`[\w./-]*\w\.(?:go|js|json|md|mjs|sh|tf|tmpl|txt|yml)\b`,
	}, "|"))
)

// TestCitedNamesExist: the functions, tests and files named in comments and pages exist.
func TestCitedNamesExist(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	comments := map[string]string{}
	for _, name := range tracked(t) {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			continue // removed, but still in git's index
		}
		known[path.Base(name)] = true
		switch path.Ext(name) {
		case ".go":
			code, comment := split(text)
			comments[name] = comment
			text = []byte(code)
		case ".md":
			comments[name] = fenced.ReplaceAllString(string(text), "")
			continue
		}
		for _, word := range aWord.FindAllString(string(text), -1) {
			known[word] = true
		}
	}
	for name, comment := range comments {
		for _, mention := range cited.FindAllString(comment, -1) {
			isElsewhere := strings.HasPrefix(mention, "/") || strings.HasPrefix(mention, "_") || // several names with one ending
				strings.HasPrefix(name, "docs/") && strings.HasPrefix(mention, ".github/") // the reader's own
			mention, isLink := strings.CutSuffix(strings.TrimSpace(mention), "]")
			if isLink {
				mention = strings.TrimLeft(mention, "[.")
			}
			if !known[path.Base(mention)] && !isElsewhere {
				t.Errorf("%s names %s, which is not there", name, mention)
			}
		}
	}
}

// tracked returns the files that git tracks or would add.
func tracked(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard").CombinedOutput()
	if err != nil {
		t.Skipf("git lists no files here: %v: %s", err, out) // in a tarball, or in another user's clone
	}
	return strings.Fields(string(out))
}

// split separates the code of a file from its comments.
func split(text []byte) (code, comment string) {
	files := token.NewFileSet()
	var found scanner.Scanner
	var codes, comments strings.Builder
	found.Init(files.AddFile("", -1, len(text)), text, nil, scanner.ScanComments)
	for {
		_, kind, literal := found.Scan()
		switch kind {
		case token.EOF:
			return codes.String(), comments.String()
		case token.COMMENT:
			comments.WriteString(literal + "\n")
		default:
			codes.WriteString(literal + " ")
		}
	}
}
