package catalogue_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var plant = flag.Bool("planted", false, "have the simulation notice each fault of testdata/planted.txt")

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

// plantable is a function that faults change.
type plantable struct {
	path       string // of its file
	head, body string
	cases      string // the bodies with each fault
}

// findPlantable returns the function of a fault.
func findPlantable(t *testing.T, function string) *plantable {
	t.Helper()
	dir, name := ".", function
	if inPace, ok := strings.CutPrefix(name, "pace."); ok {
		dir, name = "../pace", inPace
	}
	if receiver, method, ok := strings.Cut(name, "."); ok {
		name = `\(\w+ \*?` + receiver + `\) ` + method
	}
	declaration := regexp.MustCompile(`(?ms)^(func ` + name + `[\[(].*?\{$)(.*?)^\}$`)
	paths, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if parts := declaration.FindSubmatch(source); parts != nil {
			return &plantable{path: path, head: string(parts[1]), body: string(parts[2])}
		}
	}
	t.Fatalf("%s is not a function of the client", function)
	return nil
}

// plant adds the body with a fault.
func (p *plantable) plant(t *testing.T, f plantedFault) {
	t.Helper()
	changed := "\n" + f.added + p.body
	if f.old != "" {
		line := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(f.old) + `$`)
		if found := line.FindAllString(p.body, -1); len(found) != 1 {
			t.Fatalf("%q stands %d times in %s", f.old, len(found), f.function)
		}
		changed = line.ReplaceAllLiteralString(p.body, f.added)
	}
	p.cases += fmt.Sprintf("case %q:%s", f.name, changed)
}

// plantedTests builds the tests of this package with all faults, and returns their program. The variable PLANTED names
// the fault that is in force.
func plantedTests(t *testing.T, faults []plantedFault) string {
	t.Helper()
	functions := map[string]*plantable{}
	for _, f := range faults {
		if functions[f.function] == nil {
			functions[f.function] = findPlantable(t, f.function)
		}
		functions[f.function].plant(t, f)
	}
	const variable = "import \"os\"\nvar planted = os.Getenv(\"PLANTED\")\n"
	files := map[string]string{
		"planted.go":         "package catalogue\n" + variable,
		"../pace/planted.go": "package pace\n" + variable,
	}
	for _, p := range functions {
		if files[p.path] == "" {
			source, err := os.ReadFile(p.path)
			if err != nil {
				t.Fatal(err)
			}
			files[p.path] = string(source)
		}
		whole := p.head + "\nswitch planted {\n" + p.cases + "default:" + p.body + "}\n"
		files[p.path] = strings.Replace(files[p.path], p.head+p.body, whole, 1)
	}
	dir, replaced := t.TempDir(), map[string]string{}
	for path, text := range files {
		replaced[path] = filepath.Join(dir, strings.ReplaceAll(path, "/", "-"))
		if err := os.WriteFile(replaced[path], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, tests := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "planted.test")
	if err := os.WriteFile(overlay, inJSON(map[string]any{"Replace": replaced}), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", overlay, "-o", tests, ".")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("some fault does not compile: %v\n%s", err, output)
	}
	return tests
}

// Each fault compiles, and each rule has one; -planted runs the simulation with each, and the rule must notice it.
func TestPlantedFaults(t *testing.T) {
	t.Parallel()
	faults := plantedFaults(t)
	for _, r := range simRules {
		if !slices.ContainsFunc(faults, func(f plantedFault) bool { return f.rule == r.name }) {
			t.Errorf("no planted fault breaks the rule %q", r.name)
		}
	}
	tests := plantedTests(t, faults)
	for _, f := range faults {
		if *plant {
			t.Run(f.name, func(t *testing.T) { f.isNoticed(t, tests) })
		}
	}
}

func (f plantedFault) isNoticed(t *testing.T, tests string) {
	t.Helper()
	simulation := exec.CommandContext(t.Context(), tests,
		"-test.run=^TestSimulation$", "-seeds="+plantedSeeds, "-stop-after=1", "-rule="+f.rule)
	simulation.Env = append(os.Environ(), "PLANTED="+f.name)
	output, err := simulation.CombinedOutput()
	if noticed := regexp.MustCompile(`seed \d+ `).FindString(string(output)); err == nil || noticed == "" {
		t.Errorf("%s seeds and the rule %q did not notice it: %v\n%s", plantedSeeds, f.rule, err, output)
	} else {
		t.Logf("noticed by %q, %s", f.rule, noticed)
	}
}
