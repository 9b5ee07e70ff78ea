package catalogue_test

import (
	"flag"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var plant = flag.Bool("planted", false, "build the client with each fault of testdata/planted.txt, and want the simulation to notice it")

// plantedSeeds is how many seeds may pass until a fault is noticed: most need fifty, one some thousands.
const plantedSeeds = "12000"

// plantedFault is the client with one mechanism broken: testdata/planted.txt says how it is written.
type plantedFault struct{ rule, name, function, old, added string }

func plantedFaults(t *testing.T) (faults []plantedFault) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "planted.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(text), "\n== ")[1:] {
		lines := strings.Split(block, "\n")
		f := plantedFault{function: strings.TrimPrefix(lines[1], "func ")}
		f.rule, f.name, _ = strings.Cut(lines[0], ": ")
		for _, line := range lines[2:] {
			if removed, ok := strings.CutPrefix(line, "-"); ok {
				f.old = strings.TrimSpace(removed)
			}
			if added, ok := strings.CutPrefix(line, "+"); ok {
				f.added += added + "\n"
			}
		}
		faults = append(faults, f)
	}
	return faults
}

// plantedFunction is the function of a fault.
type plantedFunction struct {
	path          string // of its file
	before, after string // the file, up to the function and from its end on
	text          string // with the fault
}

// planted returns the function of a fault.
func (f plantedFault) planted(t *testing.T) plantedFunction {
	t.Helper()
	dir, function := ".", f.function
	if inPace, ok := strings.CutPrefix(function, "pace."); ok {
		dir, function = "../pace", inPace
	}
	if receiver, name, ok := strings.Cut(function, "."); ok {
		function = `\(\w+ \*?` + receiver + `\) ` + name
	}
	declaration := regexp.MustCompile(`(?ms)^func ` + function + `[\[(].*?\{$(.*?)^\}$`)
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		at := declaration.FindSubmatchIndex(source)
		if at == nil {
			continue
		}
		head, body := string(source[at[0]:at[2]]), string(source[at[2]:at[3]])
		changed := "\n" + f.added + body
		if f.old != "" {
			line := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(f.old) + `$`)
			if found := line.FindAllString(body, -1); len(found) != 1 {
				t.Fatalf("%q stands %d times in %s", f.old, len(found), f.function)
			}
			changed = line.ReplaceAllLiteralString(body, f.added)
		}
		whole, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		return plantedFunction{whole, string(source[:at[0]]), string(source[at[1]:]), head + changed + "}"}
	}
	t.Fatalf("there is no function %s", f.function)
	return plantedFunction{}
}

// whole returns the file with the fault.
func (p plantedFunction) whole() string { return p.before + p.text + p.after }

// unusedImport returns the name of a package that a file imports and does not use, "" if there is none.
func unusedImport(t *testing.T, text string) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, imported := range file.Imports {
		name := path.Base(strings.Trim(imported.Path.Value, `"`))
		if !strings.Contains(text, name+".") {
			return name
		}
	}
	return ""
}

// renamed returns the function under a name of its own, so that it can stand beside the one without the fault.
func (p plantedFunction) renamed(n int) string {
	return regexp.MustCompile(`^func (\(.*?\) )?\w+`).ReplaceAllString(p.text, "func ${1}planted"+strconv.Itoa(n))
}

// Each fault compiles, and each rule has one; -planted builds the client with each, and the rule must notice it.
func TestPlantedFaults(t *testing.T) {
	t.Parallel()
	rules, files := map[string]bool{}, map[string]string{}
	for i, f := range plantedFaults(t) {
		rules[f.rule] = true
		t.Run(f.name, func(t *testing.T) {
			p := f.planted(t)
			if name := unusedImport(t, p.whole()); name != "" {
				t.Errorf("with the fault, package %s is not used", name)
			}
			if files[p.path] == "" {
				files[p.path] = p.whole() // the other faults stand beside it
			}
			files[p.path] += "\n" + p.renamed(i) + "\n"
			if !*plant {
				return
			}
			output, err := f.simulation(t, p).CombinedOutput()
			if noticed := regexp.MustCompile(`seed \d+ `).FindString(string(output)); err == nil || noticed == "" {
				t.Errorf("%s seeds and the rule %q did not notice it: %v\n%s", plantedSeeds, f.rule, err, output)
			} else {
				t.Logf("noticed by %q, %s", f.rule, noticed)
			}
		})
	}
	if output, err := overlaid(t, files, "build", "-o", os.DevNull, ".", "../pace").CombinedOutput(); err != nil {
		t.Errorf("some fault does not compile: %v\n%s", err, output)
	}
	for _, r := range simRules {
		if !rules[r.name] {
			t.Errorf("no planted fault breaks the rule %q", r.name)
		}
	}
}

// simulation builds the tests of this package with the fault, and returns the command that simulates.
func (f plantedFault) simulation(t *testing.T, p plantedFunction) *exec.Cmd {
	t.Helper()
	tests := filepath.Join(t.TempDir(), "planted.test")
	files := map[string]string{p.path: p.whole()}
	if output, err := overlaid(t, files, "test", "-c", "-o", tests, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return exec.CommandContext(t.Context(), tests,
		"-test.run=^TestSimulation$", "-seeds="+plantedSeeds, "-stop-after=1", "-rule="+f.rule)
}

// overlaid returns a command of go that finds these texts in the place of the files.
func overlaid(t *testing.T, files map[string]string, command string, args ...string) *exec.Cmd {
	t.Helper()
	dir, replaced := t.TempDir(), map[string]string{}
	for path, text := range files {
		replaced[path] = filepath.Join(dir, filepath.Base(filepath.Dir(path))+"-"+filepath.Base(path))
		if err := os.WriteFile(replaced[path], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, inJSON(map[string]any{"Replace": replaced}), 0o600); err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(t.Context(), "go", append([]string{command, "-overlay", overlay}, args...)...)
}
