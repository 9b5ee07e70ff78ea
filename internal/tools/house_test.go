package tools_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

const (
	root   = "../.."
	module = "github.com/modelcatalogue/terraform-provider-modelcatalogue"
)

// TestHouse compares the drawing in DESIGN.md, with a line for each room, with the imports of the code.
func TestHouse(t *testing.T) {
	t.Parallel()
	drawn := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^ +(\S+) +→(.*)$`).FindAllStringSubmatch(design(t, "The house"), -1) {
		drawn[line[1]] = strings.Join(strings.Fields(line[2]), " ")
	}
	built := imports(t)
	for room, arrows := range built {
		if got, ok := drawn[room]; !ok || got != arrows {
			t.Errorf("DESIGN.md draws %q, but the code is\n  %s → %s", got, room, arrows)
		}
		delete(drawn, room)
	}
	for room := range drawn {
		t.Errorf("DESIGN.md draws %s, which does not exist", room)
	}
}

// design returns a chapter of DESIGN.md.
func design(t *testing.T, title string) string {
	t.Helper()
	_, rest, _ := strings.Cut(text(t, "DESIGN.md"), "\n## "+title+"\n")
	chapter, _, _ := strings.Cut(rest, "\n## ")
	return chapter
}

// TestLibraries: the chapter about libraries in DESIGN.md names each directly required module.
func TestLibraries(t *testing.T) {
	t.Parallel()
	file, err := modfile.Parse("go.mod", []byte(text(t, "go.mod")), nil)
	if err != nil || len(file.Require) == 0 {
		t.Fatalf("go.mod requires %d modules: %v", len(file.Require), err)
	}
	majorVersion := regexp.MustCompile(`/v[0-9]+$`)
	chapter := design(t, "Libraries")
	for _, one := range file.Require {
		name := path.Base(majorVersion.ReplaceAllString(one.Mod.Path, ""))
		if !one.Indirect && !strings.Contains(chapter, name) {
			t.Errorf("DESIGN.md, Libraries, does not name %s", one.Mod.Path)
		}
	}
}

// TestNothingIsCompiledAtStart: an engine starts the provider three times for a plan, so patterns are compiled on use.
func TestNothingIsCompiledAtStart(t *testing.T) {
	t.Parallel()
	for _, room := range []string{"catalogue", "contract", "encode", "explain", "pace", "provider", "redact", "settings"} {
		files, err := filepath.Glob(root + "/internal/" + room + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", room, err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(name, "_test.go") && compilesAtStart(file) {
				t.Errorf("%s compiles a regular expression when the process starts", name)
			}
		}
	}
}

// compilesAtStart reports whether a file compiles a regular expression outside of functions.
func compilesAtStart(file *ast.File) (compiles bool) {
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			compiles = compiles || strings.HasPrefix(node.Sel.Name, "MustCompile")
		}
		return true
	})
	return compiles
}

// text returns the content of a file of the project.
func text(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// imports maps each room to the rooms that its code imports, sorted. Tests do not count.
func imports(t *testing.T) map[string]string {
	t.Helper()
	const line = `{{if .GoFiles}}{{.ImportPath}} {{join .Imports " "}}{{end}}`
	listed, err := exec.CommandContext(t.Context(), "go", "list", "-buildvcs=false", "-f", line, module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for line := range strings.Lines(string(listed)) {
		var rooms []string
		for name := range strings.FieldsSeq(line) {
			if ours, ok := strings.CutPrefix(name, module); ok {
				rooms = append(rooms, cmp.Or(strings.TrimPrefix(strings.TrimPrefix(ours, "/"), "internal/"), "main"))
			}
		}
		found[rooms[0]] = strings.Join(rooms[1:], " ")
	}
	return found
}
