package catalogue_test

import (
	"errors"
	"flag"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// planted returns the file of the fault's function, and its text with the fault.
func (f plantedFault) planted(t *testing.T) (path, text string) {
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
		body := string(source[at[2]:at[3]])
		changed := "\n" + f.added + body
		if f.old != "" {
			line := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(f.old) + `$`)
			if found := line.FindAllString(body, -1); len(found) != 1 {
				t.Fatalf("%q stands %d times in %s", f.old, len(found), f.function)
			}
			changed = line.ReplaceAllLiteralString(body, f.added)
		}
		if path, err = filepath.Abs(file); err != nil {
			t.Fatal(err)
		}
		return path, string(source[:at[2]]) + changed + string(source[at[3]:])
	}
	t.Fatalf("there is no function %s", f.function)
	return "", ""
}

// Each fault can be planted, and each rule has one; -planted builds the client with each, and the rule must notice it.
func TestPlantedFaults(t *testing.T) {
	t.Parallel()
	rules := map[string]bool{}
	for _, f := range plantedFaults(t) {
		rules[f.rule] = true
		t.Run(f.name, func(t *testing.T) {
			path, text := f.planted(t)
			if _, err := parser.ParseFile(token.NewFileSet(), path, text, 0); err != nil {
				t.Fatal(err)
			}
			if !*plant {
				return
			}
			output, err := f.simulation(t, path, text).CombinedOutput()
			if noticed := regexp.MustCompile(`seed \d+ `).FindString(string(output)); err == nil || noticed == "" {
				t.Errorf("%s seeds and the rule %q did not notice it: %v\n%s", plantedSeeds, f.rule, err, output)
			} else {
				t.Logf("noticed by %q, %s", f.rule, noticed)
			}
		})
	}
	for _, r := range simRules {
		if !rules[r.name] {
			t.Errorf("no planted fault breaks the rule %q", r.name)
		}
	}
}

// simulation builds the tests of this package with the fault, and returns the command that simulates.
func (f plantedFault) simulation(t *testing.T, path, text string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	patched := filepath.Join(dir, "patched.go")
	overlay := filepath.Join(dir, "overlay.json")
	tests := filepath.Join(dir, "planted.test")
	replaced := inJSON(map[string]map[string]string{"Replace": {path: patched}})
	err := errors.Join(
		os.WriteFile(patched, []byte(text), 0o600),
		os.WriteFile(overlay, replaced, 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", overlay, "-o", tests, ".")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return exec.CommandContext(t.Context(), tests,
		"-test.run=^TestSimulation$", "-seeds="+plantedSeeds, "-stop-after=1", "-rule="+f.rule)
}
