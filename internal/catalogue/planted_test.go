package catalogue_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var plant = flag.Bool("planted", false, "run the simulation with each fault of testdata/planted.txt")

// plantedSeeds is the number of seeds within which a fault is noticed, the usual one of TestSimulation: most need fifty.
const plantedSeeds = "20000"

// plantedFault is a change of one function of the client, which testdata/planted.txt describes.
type plantedFault struct{ rule, name, function, old, added string }

func plantedFaults(t *testing.T) (faults []plantedFault) {
	t.Helper()
	text := readText(t, filepath.Join("testdata", "planted.txt"))
	for _, block := range strings.Split(text, "\n== ")[1:] {
		lines := strings.Split(block, "\n")
		f := plantedFault{function: lines[1]}
		f.rule, f.name, _ = strings.Cut(lines[0], ": ")
		for _, line := range lines[2:] {
			if removed, ok := strings.CutPrefix(line, "-"); ok {
				f.old = removed + "\n"
			}
			if added, ok := strings.CutPrefix(line, "+"); ok {
				f.added += added + "\n"
			}
		}
		faults = append(faults, f)
	}
	return faults
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// find returns the function of a fault in one of the files of the package, in two parts.
func (f plantedFault) find(t *testing.T, files map[string]string) (path, head, body string) {
	t.Helper()
	declaration := regexp.MustCompile(`(?ms)^(` + regexp.QuoteMeta(f.function) + `[\[(].*?\{\n)(.*?)^\}$`)
	for path, text := range files {
		if parts := declaration.FindStringSubmatch(text); parts != nil {
			return path, parts[1], parts[2]
		}
	}
	t.Fatalf("%s is not a function of the client", f.function)
	return "", "", ""
}

// plantedTests builds the tests of this package with all faults, and returns their program. The variable PLANTED selects
// one of them by name.
func plantedTests(t *testing.T, faults []plantedFault) string {
	t.Helper()
	sources := map[string]string{}
	paths, _ := filepath.Glob("*.go")
	for _, path := range paths {
		sources[path] = readText(t, path)
	}
	files := maps.Clone(sources)
	for _, f := range faults {
		path, head, body := f.find(t, sources)
		if f.old != "" && strings.Count(body, f.old) != 1 {
			t.Fatalf("%s does not contain %q once", f.function, f.old)
		}
		cases := head + "switch planted {\n"
		if !strings.Contains(files[path], cases) {
			files[path] = strings.Replace(files[path], head+body, cases+"default:\n"+body+"}\n", 1)
		}
		changed := strings.Replace(body, f.old, f.added, 1) // at its beginning, if f.old is empty
		files[path] = strings.Replace(files[path], cases, fmt.Sprintf("%scase %q:\n%s", cases, f.name, changed), 1)
	}
	files["planted.go"] = "package catalogue\nimport \"os\"\nvar planted = os.Getenv(\"PLANTED\")\n"
	dir, replaced := t.TempDir(), map[string]string{}
	for path, text := range files {
		replaced[path] = filepath.Join(dir, path)
		if err := os.WriteFile(replaced[path], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, tests := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "planted.test")
	text, _ := json.Marshal(map[string]any{"Replace": replaced})
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", overlay, "-o", tests, ".")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("some fault does not compile: %v\n%s", err, output)
	}
	return tests
}

// Each fault compiles, and each rule has one. With -planted, the simulation runs with each fault, and its rule must
// notice it.
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
