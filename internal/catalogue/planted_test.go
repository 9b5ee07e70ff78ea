package catalogue_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var plant = flag.Bool("planted", false, "build the client with each fault of testdata/planted.txt, and want the simulation to notice it")

// plantedFault is the client with one mechanism removed or wrong.
type plantedFault struct {
	name, rule string // the rule of the simulation that has to notice it
	file       string // from the directory of this package
	old, new   string
}

// plantedSeeds is within how many seeds a fault has to be noticed.
const plantedSeeds = "3000"

// readPlantedFaults reads testdata/planted.txt, which says how it is written.
func readPlantedFaults(t *testing.T) (faults []plantedFault) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "planted.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(text), "\n== ")[1:] {
		head, body, _ := strings.Cut(block, "\n")
		var f plantedFault
		f.rule, f.name, _ = strings.Cut(head, ": ")
		f.file, body, _ = strings.Cut(body, "\n")
		var removed, added []string
		for line := range strings.SplitSeq(body, "\n") {
			if old, ok := strings.CutPrefix(line, "-"); ok {
				removed = append(removed, old)
			} else if line, ok := strings.CutPrefix(line, "+"); ok {
				added = append(added, line)
			} else if strings.TrimSpace(line) != "" {
				t.Fatalf("%s: %q is neither what to remove nor what to add", f.name, line)
			}
		}
		f.old, f.new = strings.Join(removed, "\n"), strings.Join(added, "\n")
		faults = append(faults, f)
	}
	return faults
}

// source is the file of a fault and its text.
func (f plantedFault) source(t *testing.T) (path, text string) {
	t.Helper()
	path, err := filepath.Abs(f.file)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, string(content)
}

// Each fault can be planted: the text that it changes stands once in its file. And
// each rule has a fault.
func TestPlantedFaultsApply(t *testing.T) {
	t.Parallel()
	noticed := map[string]bool{}
	for _, f := range readPlantedFaults(t) {
		noticed[f.rule] = true
		if _, text := f.source(t); f.old == "" || strings.Count(text, f.old) != 1 {
			t.Errorf("%s: what it changes stands %d times in %s", f.name, strings.Count(text, f.old), f.file)
		}
		if !slices.ContainsFunc(simRules, func(r simRule) bool { return r.name == f.rule }) {
			t.Errorf("%s: there is no rule %q", f.name, f.rule)
		}
	}
	for _, r := range simRules {
		if !noticed[r.name] {
			t.Errorf("no planted fault breaks the rule %q", r.name)
		}
	}
}

// The simulation notices each planted fault. `make simulate` runs this.
func TestPlantedFaultsAreNoticed(t *testing.T) {
	if !*plant {
		t.Skip("it builds the client once for each fault: give -planted")
	}
	for _, f := range readPlantedFaults(t) {
		t.Run(f.name, func(t *testing.T) {
			output, err := f.simulation(t).CombinedOutput()
			noticed := regexp.MustCompile(`seed \d+ \(`).FindString(string(output))
			if err == nil || noticed == "" {
				t.Fatalf("%s seeds and the rule %q did not notice it: %v\n%s", plantedSeeds, f.rule, err, output)
			}
			t.Logf("noticed by %q, %s", f.rule, strings.TrimSuffix(noticed, " ("))
		})
	}
}

// simulation builds the tests of this package with the fault, and returns the
// command that simulates.
func (f plantedFault) simulation(t *testing.T) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	path, text := f.source(t)
	patched, overlay, tests := filepath.Join(dir, "patched.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "planted.test")
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {path: patched}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{patched: strings.Replace(text, f.old, f.new, 1), overlay: string(replaced)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", overlay, "-o", tests, ".")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return exec.CommandContext(t.Context(), tests, "-test.run=^TestSimulation$", "-test.timeout=5m",
		"-seeds="+plantedSeeds, "-stop-after=1", "-rule="+f.rule)
}
