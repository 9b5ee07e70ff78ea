//go:build !windows

package acctest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// renovateVariable names the folder in which `make renovate` has installed Renovate and the Node that it runs on.
const renovateVariable = "MODELCATALOGUE_TEST_RENOVATE"

// TestRenovate runs Renovate as the guide prints it, against the sandbox: the files after it are as they should be, and
// a plan of them is clean.
func TestRenovate(t *testing.T) {
	installed := os.Getenv(renovateVariable)
	if installed == "" {
		t.Skip(renovateVariable + " is not set: `make renovate` runs this")
	}
	node := filepath.Join(installed, "node/node_modules/.bin/node")
	renovate := filepath.Join(installed, "renovate/node_modules/renovate")

	w, file := pinned(t, "pin-docker-image/pins/behind.tf")
	const folder = root + "/examples/guides/pin-docker-image/"
	writeText(t, filepath.Join(w.Dir, "renovate.json"),
		strings.ReplaceAll(readText(t, folder+"renovate.json"), "https://catalogue.example", w.url))

	const image = "registry.northwind.example/forecasting/north-sea-wind-week"
	w.expect(t, 0, "apply", "-auto-approve")
	w.republish(t, windGroup, 2, `{"dockerImage": "`+image+`:2.1.1"}`)
	wantText(t, w.expect(t, 1, "plan"), "Error: Docker image differs")

	// The job's step that gets a token, as it is printed.
	written := filepath.Join(t.TempDir(), "environment")
	env := append(engine.Environment(), "CATALOGUE="+w.url, "GITHUB_ENV="+written,
		"CLIENT_ID="+owner.id, "CLIENT_SECRET="+owner.secret)
	command(t, w.Dir, env, plainShell(), "-ec", workflowScripts(t, readText(t, folder+"workflow.yml"))[0])

	report := filepath.Join(t.TempDir(), "report.json")
	env = append(engine.Environment(), strings.TrimSpace(readText(t, written)),
		"LOG_LEVEL=warn", "RENOVATE_REPORT_TYPE=file", "RENOVATE_REPORT_PATH="+report)
	command(t, w.Dir, env, "git", "init", "--quiet")
	command(t, w.Dir, env, "git", "add", "renovate.json", pinsFile)
	w.service.ResetRequests()
	command(t, w.Dir, env, node, filepath.Join(renovate, "dist/renovate.js"),
		"--platform=local", "--onboarding=false", "--base-dir="+t.TempDir())
	w.sent(t, sandbox.RouteAny, 2) // one for each group

	script, err := filepath.Abs(filepath.Join(root, "tools/renovate/apply.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	command(t, w.Dir, env, node, script, renovate, report)
	// Revision 2 of the first group is archived and disabled, so it is passed over.
	after := strings.NewReplacer("revision = 1", "revision = 3", image+":2.1.0", image+":2.1.1",
		reviewedImage, latestImage).Replace(printedPins(t))
	if got := readText(t, file); got != after {
		t.Errorf("after Renovate the file is\n%s\nwant\n%s", got, after)
	}
	wantNone(t, w.expect(t, 0, "apply", "-auto-approve"), "Warning: Check", "Warning: Docker")
	w.expect(t, 0, "plan", "-detailed-exitcode")
}
