package tools_test

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/modelcatalogue/terraform-provider-modelcatalogue"
)

// TestHouse compares the drawing in DESIGN.md with the imports of the code: each room has a line with its imports.
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
	text, err := os.ReadFile(root + "/DESIGN.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n## "+title+"\n")
	chapter, _, _ := strings.Cut(rest, "\n## ")
	return chapter
}

// TestLibraries: a module that the code imports was chosen, and DESIGN.md says for what.
func TestLibraries(t *testing.T) {
	t.Parallel()
	file, err := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json", root+"/go.mod").Output()
	if err != nil {
		t.Fatal(err)
	}
	var required struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(file, &required); err != nil || len(required.Require) == 0 {
		t.Fatalf("%v in %s", err, file)
	}
	majorVersion := regexp.MustCompile(`/v[0-9]+$`)
	chapter := design(t, "Libraries")
	for _, module := range required.Require {
		name := path.Base(majorVersion.ReplaceAllString(module.Path, ""))
		if !module.Indirect && !strings.Contains(chapter, name) {
			t.Errorf("DESIGN.md, Libraries, does not name %s", module.Path)
		}
	}
}

// TestNothingIsCompiledAtStart: an engine starts the provider three times for a plan, so a pattern is compiled when it is
// used.
func TestNothingIsCompiledAtStart(t *testing.T) {
	t.Parallel()
	for _, room := range []string{"catalogue", "contract", "encode", "explain", "pace", "provider", "redact"} {
		files, err := filepath.Glob(root + "/internal/" + room + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", room, err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, declaration := range file.Decls {
				if !strings.HasSuffix(name, "_test.go") && compilesAtStart(declaration) {
					t.Errorf("%s compiles a regular expression when the process starts", name)
				}
			}
		}
	}
}

// compilesAtStart reports whether a declaration of variables compiles a regular expression, other than in a function.
func compilesAtStart(declaration ast.Decl) (compiles bool) {
	variables, ok := declaration.(*ast.GenDecl)
	if !ok {
		return false
	}
	ast.Inspect(variables, func(node ast.Node) bool {
		if called, ok := node.(*ast.SelectorExpr); ok {
			from, _ := called.X.(*ast.Ident)
			compiles = compiles || from != nil && from.Name == "regexp" && strings.HasPrefix(called.Sel.Name, "MustCompile")
		}
		_, isFunction := node.(*ast.FuncLit)
		return !isFunction
	})
	return compiles
}

// imports returns the rooms that each room imports, sorted, without its tests.
func imports(t *testing.T) map[string]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return skip(path, entry.Name())
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		from := room(filepath.ToSlash(dir))
		arrows := slices.Clone(found[from])
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if to, ours := strings.CutPrefix(imported, module+"/"); ours {
				arrows = append(arrows, room(to))
			}
		}
		slices.Sort(arrows)
		found[from] = slices.Compact(arrows)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	joined := map[string]string{}
	for room, arrows := range found {
		joined[room] = strings.Join(arrows, " ")
	}
	return joined
}

// skip returns fs.SkipDir for a folder that is not part of this module.
func skip(path, name string) error {
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	if path != root && (err == nil || name == "testdata" || strings.HasPrefix(name, ".")) {
		return fs.SkipDir
	}
	return nil
}

// room returns the name of a package in the drawing.
func room(path string) string {
	return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(path, "."), "internal/"), "main")
}
