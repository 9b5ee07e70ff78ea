//go:build !windows

package acctest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/acctest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// renovateVariable names the folder in which `make renovate` has installed
// Renovate and the Node that it runs on.
const renovateVariable = "MODELCATALOGUE_TEST_RENOVATE"

// TestRenovate runs Renovate as the guide prints it, against the sandbox: what
// it finds, the files after it, and a plan of these files that is clean.
func TestRenovate(t *testing.T) {
	installed := os.Getenv(renovateVariable)
	if installed == "" {
		t.Skip(renovateVariable + " is not set: `make renovate` runs this")
	}
	node := filepath.Join(installed, "node/node_modules/.bin/node")
	renovate := filepath.Join(installed, "renovate/node_modules/renovate")

	service := sandbox.New(sandbox.Default())
	url := sandboxtest.Start(t, service)
	w := newWorkspace(t, section(t, keepPins, "keep-the-pins-in-a-file"), url, acctest.Owner)
	writeText(t, filepath.Join(w.Dir, pinsFile), printedPins(t))
	var workflow string
	for _, b := range pages(t) {
		switch {
		case b.page != "docs/guides/keep-pins-current.md" || b.section != "let-renovate-move-them":
		case b.label == "yaml":
			workflow = b.text
		case b.label == "json":
			writeText(t, filepath.Join(w.Dir, "renovate.json"), strings.ReplaceAll(b.text, "https://catalogue.example", url))
		}
	}

	const image = "registry.northwind.example/forecasting/north-sea-wind-week"
	w.expect(t, 0, "apply", "-auto-approve")
	if _, err := service.Republish(windGroup, 2, []byte(`{"dockerImage": "`+image+`:2.1.1"}`)); err != nil {
		t.Fatal(err)
	}
	wantText(t, w.expect(t, 1, "plan"), "Error: Docker image differs")

	// The job's step that gets a token, as it is printed.
	written := filepath.Join(t.TempDir(), "environment")
	env := append(engine.Environment(), "CATALOGUE="+url, "GITHUB_ENV="+written,
		"CLIENT_ID="+acctest.Owner.ID, "CLIENT_SECRET="+acctest.Owner.Secret)
	run(t, w.Dir, env, "bash", "-eo", "pipefail", "-c", workflowScripts(workflow)[0])

	report := filepath.Join(t.TempDir(), "report.json")
	env = append(engine.Environment(), strings.TrimSpace(readText(t, written)),
		"LOG_LEVEL=warn", "RENOVATE_REPORT_TYPE=file", "RENOVATE_REPORT_PATH="+report)
	run(t, w.Dir, env, "git", "init", "--quiet")
	run(t, w.Dir, env, "git", "add", "renovate.json", pinsFile)
	service.ResetRequests()
	run(t, w.Dir, env, node, filepath.Join(renovate, "dist/renovate.js"),
		"--platform=local", "--onboarding=false", "--base-dir="+t.TempDir())
	if n := service.Count(sandbox.RouteAny); n != 2 {
		t.Errorf("Renovate sent %d requests, want one for each group", n)
	}

	const latest = "registry.northwind.example/forecasting/de-lu-day-ahead-price" +
		"@sha256:e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479"
	// Revision 2 of the first group is archived and disabled.
	want := []string{
		"major Day-ahead power price DE-LU 1 -> 3 " + latest,
		"digest Wind generation North Sea 2 -> 2 " + image + ":2.1.1",
	}
	if got := updatesFound(t, report); !slices.Equal(got, want) {
		t.Errorf("Renovate found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	script, err := filepath.Abs(filepath.Join(root, "tools/renovate/apply.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	run(t, w.Dir, env, node, script, renovate, report)
	after := strings.NewReplacer("revision = 1", "revision = 3", image+":2.1.0", image+":2.1.1",
		"registry.northwind.example/forecasting/de-lu-day-ahead-price:1.0.3", latest).Replace(printedPins(t))
	if got := readText(t, filepath.Join(w.Dir, pinsFile)); got != after {
		t.Errorf("after Renovate the file is\n%s\nwant\n%s", got, after)
	}
	out := w.expect(t, 0, "apply", "-auto-approve")
	if strings.Contains(out, "Warning: Check") || strings.Contains(out, "Warning: Docker") {
		t.Errorf("it warns:\n%s", out)
	}
	w.expect(t, 0, "plan", "-detailed-exitcode")
}

// updatesFound are the updates of a report, in the order of the file.
func updatesFound(t *testing.T, name string) []string {
	t.Helper()
	var report struct {
		Repositories struct {
			Local struct {
				PackageFiles struct {
					Regex []struct {
						Deps []struct {
							DepName, CurrentValue string
							Updates               []struct{ UpdateType, NewValue, NewDigest string }
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(readText(t, name)), &report); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range report.Repositories.Local.PackageFiles.Regex {
		for _, dep := range file.Deps {
			for _, update := range dep.Updates {
				found = append(found, strings.Join([]string{
					update.UpdateType, dep.DepName, dep.CurrentValue, "->", update.NewValue, update.NewDigest,
				}, " "))
			}
		}
	}
	return found
}
