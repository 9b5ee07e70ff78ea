//go:build !windows

package acctest_test

import (
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/acctest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

const (
	keepPins  = "keep-pins-current"
	pinsFile  = "pins.auto.tfvars"
	windGroup = "270c0fa6-6a8c-4874-8f76-da0680bcda61"
)

// printedPins is the file of pins as the guide prints it.
func printedPins(t *testing.T) string {
	t.Helper()
	return readText(t, filepath.Join(root, "examples/guides", keepPins, "pins", pinsFile))
}

func TestAccGuidePinsWarnOfAllThatAreBehind(t *testing.T) {
	t.Parallel()
	w, service := guide(t, keepPins, "keep-the-pins-in-a-file", acctest.Owner)
	writeText(t, filepath.Join(w.Dir, pinsFile), printedPins(t))
	const behind = "Day-ahead power price DE-LU: revision 1 is deployed, and revision 3 is published."
	out := w.expect(t, 0, "apply", "-auto-approve")
	wantText(t, out, "Warning: Check block assertion failed")
	wantText(t, out, behind)
	if _, err := service.Publish(windGroup, nil); err != nil {
		t.Fatal(err)
	}
	wantText(t, w.expect(t, 0, "plan"), "Wind generation North Sea: revision 2 is deployed, and revision 3 is published. "+behind)
}

// TestAccGuidePinsStop: all that is wrong with the pins is told at once.
func TestAccGuidePinsStop(t *testing.T) {
	t.Parallel()
	w, service := guide(t, keepPins, "keep-the-pins-in-a-file", acctest.Owner)
	writeText(t, filepath.Join(w.Dir, pinsFile), strings.Replace(printedPins(t), "revision = 2", "revision = 9", 1))
	republish(t, service, 1, `{"dockerImage": "registry.example/another:1"}`)
	out := w.expect(t, 1, "plan")
	wantText(t, out, "Error: Revision not found")
	wantText(t, out, "Error: Docker image differs")
}

// TestAccGuideSurvives: with the catalogue down, a revision that is missing or
// an image that is another, the plan warns and goes on, and deploys what git has.
func TestAccGuideSurvives(t *testing.T) {
	t.Parallel()
	files := section(t, keepPins, "a-plan-that-survives-the-catalogue")
	for name, test := range map[string]struct {
		change  func(*testing.T, *sandbox.Sandbox, *httptest.Server, *workspace)
		warning string
	}{
		"as it was": {
			warning: "Day-ahead power price DE-LU: revision 1 is deployed, and revision 3 is published.",
		},
		"another image": {
			change: func(t *testing.T, service *sandbox.Sandbox, _ *httptest.Server, _ *workspace) {
				republish(t, service, 1, `{"dockerImage": "registry.example/another:1"}`)
			},
			warning: "Warning: Docker image differs",
		},
		"a missing revision": {
			change: func(t *testing.T, _ *sandbox.Sandbox, _ *httptest.Server, w *workspace) {
				writeText(t, filepath.Join(w.Dir, pinsFile), strings.Replace(printedPins(t), "revision = 2", "revision = 9", 1))
			},
			warning: "Warning: Revision not found",
		},
		"an outage": {
			change: func(_ *testing.T, _ *sandbox.Sandbox, server *httptest.Server, _ *workspace) {
				server.CloseClientConnections()
				server.Close()
			},
			warning: "Warning: Catalogue service not reached",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandbox.New(sandbox.Default())
			server := httptest.NewServer(service)
			t.Cleanup(server.Close)
			w := newWorkspace(t, files, server.URL, acctest.Owner)
			writeText(t, filepath.Join(w.Dir, pinsFile), printedPins(t))
			if test.change != nil {
				test.change(t, service, server, w)
			} else {
				// The page says so: what a check reads is read again during the apply.
				w.expect(t, 2, "plan", "-detailed-exitcode")
			}
			out := w.expect(t, 0, "apply", "-auto-approve")
			wantText(t, out, test.warning)
			if strings.Contains(out, "Error:") {
				t.Errorf("it fails:\n%s", out)
			}
			var images map[string]string
			const want = "registry.northwind.example/forecasting/north-sea-wind-week:2.1.0"
			err := json.Unmarshal([]byte(w.expect(t, 0, "output", "-json", "images")), &images)
			if err != nil || images[windGroup] != want {
				t.Errorf("images %v, want %s: %v", images, want, err)
			}
		})
	}
}

// TestAccGuideFirstApplied: a re-publication does not reach the deployment, and
// another revision does.
func TestAccGuideFirstApplied(t *testing.T) {
	t.Parallel()
	w, service := guide(t, keepPins, "keep-the-image-of-the-first-apply", acctest.Owner)
	const image = "registry.northwind.example/forecasting/de-lu-day-ahead-price"
	w.expect(t, 0, "apply", "-auto-approve")
	republish(t, service, 1, `{"dockerImage": "`+image+`:1.0.4"}`)
	w.expect(t, 0, "plan", "-detailed-exitcode")
	wantText(t, w.expect(t, 0, "output", "image"), image+":1.0.3")

	rewrite(t, w, "revision       = 1", "revision       = 3")
	w.expect(t, 0, "apply", "-auto-approve")
	wantText(t, w.expect(t, 0, "output", "image"), image+"@sha256:")
	w.expect(t, 0, "plan", "-detailed-exitcode")
}

// rewrite changes the one file of configuration that has the text.
func rewrite(t *testing.T, w *workspace, old, text string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(w.Dir, "*.tf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if before := readText(t, file); strings.Count(before, old) == 1 {
			writeText(t, file, strings.Replace(before, old, text, 1))
			return
		}
	}
	t.Fatalf("%q is not there", old)
}
