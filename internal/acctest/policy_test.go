//go:build !windows

package acctest_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

var updatePolicy = flag.Bool("update-refusals", false, "write what the policy says of the plans to testdata/plans/refused.txt")

const policyFolder = root + "/examples/guides/pin-docker-image/policy"

// TestPolicyOfPlans holds plans of many providers to the policy of the guide about pins: it refuses none of the folder
// fit, and each of the folder refused for the reasons of refused.txt. A plan is as `show -json` prints it, made small.
func TestPolicyOfPlans(t *testing.T) {
	program := variable(t, conftestVariable)
	const folder, reasons = "testdata/plans/", "testdata/plans/refused.txt"
	cmd := engine.Command(t.Context(), program, "test", "--policy="+policyFolder, "--output=json", folder+"fit", folder+"refused")
	out, err := cmd.Output()
	if refused := (*exec.ExitError)(nil); !errors.As(err, &refused) {
		t.Fatalf("conftest: %v\n%s", err, out)
	}
	type result struct {
		Filename string
		Failures []struct{ Msg string }
	}
	var results []result
	if err := json.Unmarshal(out, &results); err != nil || len(results) < 80 {
		t.Fatalf("%d plans: %v", len(results), err)
	}
	slices.SortFunc(results, func(a, b result) int { return strings.Compare(a.Filename, b.Filename) })
	var said strings.Builder
	for _, result := range results {
		name := strings.TrimSuffix(strings.TrimPrefix(result.Filename, folder), ".json")
		var found []string
		for _, failure := range result.Failures {
			found = append(found, failure.Msg)
		}
		slices.Sort(found)
		if refused := strings.HasPrefix(name, "refused/"); refused != (found != nil) {
			t.Errorf("%s is refused: %t\n%s", name, found != nil, strings.Join(found, "\n"))
		} else if refused {
			said.WriteString(filepath.Base(name) + "\n  " + strings.Join(found, "\n  ") + "\n")
		}
	}
	if *updatePolicy {
		writeText(t, reasons, said.String())
	}
	if want := readText(t, reasons); said.String() != want {
		t.Errorf("the policy says\n%s\nwant\n%s\nmake policy ARGS=-update-refusals writes it anew", said.String(), want)
	}
}
