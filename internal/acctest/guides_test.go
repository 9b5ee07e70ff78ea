package acctest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// printedError returns the summary and the detail of the error that a guide prints. Between the two an engine prints
// the place.
func printedError(tb testing.TB, name string) []string {
	tb.Helper()
	for _, b := range blocks(page(tb, name)) {
		if strings.HasPrefix(b.text, "Error: ") {
			return strings.SplitN(b.text, "\n\n", 2)
		}
	}
	tb.Fatalf("%s prints no error", name)
	return nil
}

// TestAccGuidesAfterAChange plans what was applied, after the catalogue has changed.
func TestAccGuidesAfterAChange(t *testing.T) {
	t.Parallel()
	const (
		follow, anyElse = "follow-latest-revision/follow/main.tf", "follow-latest-revision/newest-that-satisfies/main.tf"
		touched         = `{"updatedAt": "2026-07-01T00:00:00.000Z"}`
		young           = `{"enabled": true}`
		// Each falls short in one thing, though it is a copy of the one before.
		disabled = `{"enabled": false}`
		archived = `{"enabled": true, "archived": true}`
		untagged = `{"enabled": true, "tags": ["FR"]}`
		csv      = `{"enabled": true, "tags": ["DE-LU"], "outputFileFormat": "csv"}`
	)
	for name, test := range map[string]struct {
		example     string
		republished string   // fields of revision 1
		published   []string // fields of new revisions
		status      int      // of plan -detailed-exitcode: 2 if something moves
		says        []string
	}{
		"a pin of another image": {
			"pin-docker-image/pin/main.tf", `{"dockerImage": "` + mainImage + `:1.0.4"}`, nil, 1, printedError(t, "pin-docker-image"),
		},
		"a pin that was touched": {
			"pin-docker-image/pin/updated.tf", touched, nil, 0,
			[]string{"Revision 1 was re-published, or its settings were changed, at 2026-07-01T00:00:00.000Z."},
		},
		"an archived latest": {follow, "", []string{archived}, 1, []string{"Revision 4 is the latest, and it is archived."}},
		"a format that moved": {
			"follow-latest-revision/follow/moved.tf", "",
			[]string{csv},
			2,
			[]string{
				`output_file_format = { + new = "csv" + old = "parquet" }`,
				`Revision 4 moved: {`, `"output_file_format":{"new":"csv","old":"parquet"}`,
			},
		},
		"too young":                   {"follow-latest-revision/where/main.tf", "", []string{young}, 0, nil},
		"the newest by anything else": {anyElse, "", []string{disabled, archived, untagged, csv}, 0, nil},
		"none with the tag": {
			anyElse, "",
			[]string{disabled, archived, csv},
			1,
			[]string{"No revision is enabled, not archived, tagged FR and delivered as parquet. Looked at: 6, 5, 4, 3, 2, 1, 0."},
		},
		"one of a fleet": {
			"follow-latest-revision/fleet/main.tf", "",
			[]string{`{"dockerImage": "registry.example/model:2.0.0"}`},
			2,
			[]string{
				`terraform_data.deployment["` + mainGroup + `"] will be updated in-place`,
				"Plan: 0 to add, 1 to change, 0 to destroy.",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := guide(t, owner, test.example)
			w.expect(t, 0, "apply", "-auto-approve")
			if test.republished != "" {
				w.republish(t, mainGroup, 1, test.republished)
			}
			for _, fields := range test.published {
				w.publish(t, mainGroup, fields)
			}
			if name == "none with the tag" {
				w.Env = append(w.Env, "TF_VAR_tag=FR")
			}
			wantText(t, w.expect(t, test.status, "plan", "-detailed-exitcode"), test.says...)
		})
	}
}

// Apply uses what the plan saw, without a further request. The service may be down for that, and for destroy
// -refresh=false, but not for destroy.
func TestAccGuideFollowAppliesWhatWasApproved(t *testing.T) {
	t.Parallel()
	w := guide(t, owner, "follow-latest-revision/follow/main.tf")
	w.expect(t, 0, "apply", "-auto-approve")
	w.publish(t, mainGroup, `{"dockerImage": "registry.example/model:2.0.0"}`)
	out := w.expect(t, 2, "plan", "-detailed-exitcode", "-out=next")
	wantText(t, out, `-> "registry.example/model:2.0.0"`, "revision = 3 -> 4")
	w.service.ResetRequests()
	w.publish(t, mainGroup, `{"dockerImage": "registry.example/model:3.0.0"}`)
	w.Env = append(w.Env, "MODELCATALOGUE_BASE_URL=http://127.0.0.1:1", "MODELCATALOGUE_ACCESS_TOKEN=unused")
	wantText(t, w.expect(t, 0, "apply", "next"), "revision = 4")
	wantText(t, w.expect(t, 1, "destroy", "-auto-approve"), "Error: Catalogue service not reached")
	w.expect(t, 0, "destroy", "-auto-approve", "-refresh=false")
	w.sent(t, sandbox.RouteAny, 0)
}

// asPrinted runs the blocks of shell of a guide that have this text. Before them come functions that they need.
func (w *workspace) asPrinted(t *testing.T, name, text string, functions ...string) (out string) {
	t.Helper()
	functions = append(functions, `terraform() { "`+underTest.Path+`" "$@"; }`)
	for _, b := range blocks(page(t, name)) {
		if b.label == "shell" && strings.Contains(b.text, text) {
			out += command(t, w.Dir, w.Env, plainShell(), "-euc", strings.Join(append(functions, b.text), "\n"))
		}
	}
	return out
}

const (
	pins     = "pin-docker-image/pins/behind.tf"
	pinsFile = "pins.auto.tfvars"
	behind   = "Day-ahead power price DE-LU: revision 1 is deployed, and revision 3 is published."
)

// pinned returns a workspace with an example of the guide about pins, and the file of its pins.
func pinned(t *testing.T, example string) (w *workspace, file string) {
	t.Helper()
	w = guide(t, owner, example)
	file = filepath.Join(w.Dir, pinsFile)
	writeText(t, file, printedPins(t))
	return w, file
}

func printedPins(t *testing.T) string {
	t.Helper()
	return readText(t, root+"/examples/guides/pin-docker-image/pins/"+pinsFile)
}

// rewrite puts text in the place of old, which is there once.
func rewrite(t *testing.T, name, old, text string) {
	t.Helper()
	before := readText(t, name)
	if strings.Count(before, old) != 1 {
		t.Fatalf("%q is not there once", old)
	}
	writeText(t, name, strings.Replace(before, old, text, 1))
}

// TestAccGuidePins: one plan warns of all pins that are behind, and another reports all that is wrong with them.
func TestAccGuidePins(t *testing.T) {
	t.Parallel()
	w, file := pinned(t, pins)
	wantText(t, w.expect(t, 0, "apply", "-auto-approve"), "Warning: Check block assertion failed", behind)
	w.publish(t, windGroup, "")
	wantText(t, w.expect(t, 0, "plan"), "Wind generation North Sea: revision 2 is deployed, and revision 3 is published. "+behind)

	rewrite(t, file, "revision = 2", "revision = 9")
	w.republish(t, mainGroup, 1, `{"dockerImage": "registry.example/another:1"}`)
	wantText(t, w.expect(t, 1, "plan"), "Error: Revision not found", "Error: Docker image differs")
}

// TestAccGuideStartsPins: the printed command writes the file of pins of all groups that show an image, from nothing.
func TestAccGuideStartsPins(t *testing.T) {
	t.Parallel()
	w := guide(t, owner, "pin-docker-image/pins/first.tf")
	file := filepath.Join(w.Dir, pinsFile)
	w.asPrinted(t, "pin-docker-image", "first_pins")
	if err := os.Remove(filepath.Join(w.Dir, "first.tf")); err != nil {
		t.Fatal(err)
	}
	w.expect(t, 0, "fmt", "-check", pinsFile)
	wantText(t, w.expect(t, 0, "apply", "-auto-approve"), `"`+mainGroup+`" = "`+latestImage+`"`)
	w.expect(t, 0, "plan", "-detailed-exitcode")

	var renovate struct {
		CustomManagers []struct{ MatchStrings []string }
	}
	if err := json.Unmarshal([]byte(readText(t, root+"/examples/guides/pin-docker-image/renovate.json")), &renovate); err != nil {
		t.Fatal(err)
	}
	entry := regexp.MustCompile(renovate.CustomManagers[0].MatchStrings[0])
	if found := len(entry.FindAllString(readText(t, file), -1)); found != 5 {
		t.Errorf("Renovate finds %d pins, want 5:\n%s", found, readText(t, file))
	}
}

// TestAccGuideStartsPinsOfSomeGroups: with the line that the guide prints, the latest models of the groups that it names are read.
func TestAccGuideStartsPinsOfSomeGroups(t *testing.T) {
	t.Parallel()
	const printed = `model_group_ids = ["ID", "ID"]`
	wantText(t, page(t, "pin-docker-image"), "`"+printed+"`")
	w, _ := pinned(t, "pin-docker-image/pins/first.tf")
	named := strings.Replace(strings.Replace(printed, "ID", mainGroup, 1), "ID", windGroup, 1)
	rewrite(t, filepath.Join(w.Dir, "first.tf"), "attributes =", named+"\n  attributes =")
	w.expect(t, 0, "plan")
	w.sent(t, sandbox.RouteLatest, 2)
}

// TestAccFunctionAndCredentials: Terraform calls a function without address and credentials. OpenTofu requires them if
// there is a provider block.
func TestAccFunctionAndCredentials(t *testing.T) {
	needEngine(t)
	t.Parallel()
	needs(t, "provider functions", "1.8.0", "1.7.0")
	w := reading(t, "provider \"modelcatalogue\" {}\noutput \"tag\" { value = provider::modelcatalogue::parse_image(\"a/b:1\").tag }\n")
	w.without("BASE_URL", "CLIENT_ID", "CLIENT_SECRET")
	status := 0
	if underTest.OpenTofu() {
		status = 1
	}
	w.expect(t, status, "plan")
	w.Env = append(w.Env, "MODELCATALOGUE_BASE_URL=https://unused.example", "MODELCATALOGUE_ACCESS_TOKEN=unused")
	w.expect(t, 0, "plan")
	w.sent(t, sandbox.RouteAny, 0)
}

// TestAccGuideFits: the check of the guide says what the latest revision lacks of the pinned one, and nothing if it fits.
func TestAccGuideFits(t *testing.T) {
	t.Parallel()
	w := guide(t, owner, "pin-docker-image/pin/fits.tf")
	w.republish(t, mainGroup, 1, `{"axes": [], "inputs": null, "outputVariables": [{"key": "price", "type": "string"}]}`)
	wantText(t, w.expect(t, 0, "plan"), "Revision 3 does not fit in place of 1: the output variable price (string) is gone; "+
		"the input gas_price is new; the input carbon_price is new.")
	w.publish(t, mainGroup, `{"inputs": []}`)
	w.republish(t, mainGroup, 1, `{"outputVariables": []}`)
	wantNone(t, w.expect(t, 0, "plan"), "Warning: Check")
}

// TestAccGuidePromotes: production accepts the pin that staging has applied, and older ones.
func TestAccGuidePromotes(t *testing.T) {
	t.Parallel()
	staging, staged := pinned(t, "pin-docker-image/pins/staging.tf")
	production, promoted := pinned(t, "pin-docker-image/pins/production.tf")
	if err := os.Symlink(staging.Dir, filepath.Join(filepath.Dir(production.Dir), "staging")); err != nil {
		t.Fatal(err)
	}
	staging.expect(t, 0, "apply", "-auto-approve")
	production.expect(t, 0, "apply", "-auto-approve")

	next := strings.NewReplacer("revision = 1", "revision = 3", reviewedImage, latestImage).Replace(printedPins(t))
	writeText(t, promoted, next)
	out := production.expect(t, 1, "plan")
	wantText(t, out, "Staging has not applied what production pins. "+
		mainGroup+" is pinned to revision 3, "+latestImage+"; staging has revision 1, "+reviewedImage+".")
	wantNone(t, out, windGroup+" is pinned")
	writeText(t, staged, next)
	staging.expect(t, 0, "apply", "-auto-approve")
	wantText(t, production.expect(t, 0, "apply", "-auto-approve"), latestImage)

	rewrite(t, promoted, latestImage, mainImage+":another")
	wantText(t, production.expect(t, 1, "plan"), mainImage+":another; staging has revision 3, "+latestImage)
	writeText(t, promoted, printedPins(t))
	production.expect(t, 0, "plan")
}

// TestAccGuideSurvives: if the catalogue is down or an image is another one, the plan warns and goes on, and deploys
// what git has.
func TestAccGuideSurvives(t *testing.T) {
	t.Parallel()
	w, _ := pinned(t, "pin-docker-image/survive/main.tf")
	apply := func(warning string) {
		t.Helper()
		out := w.expect(t, 0, "apply", "-auto-approve")
		wantText(t, out, warning)
		wantNone(t, out, "Error:")
		wantText(t, w.expect(t, 0, "output", "-json", "images"),
			`"`+windGroup+`":"registry.northwind.example/forecasting/north-sea-wind-week:2.1.0"`)
	}
	apply(behind)
	w.expect(t, 2, "plan", "-detailed-exitcode") // The page says so: data that a check reads is read again during the apply.
	w.republish(t, mainGroup, 1, `{"dockerImage": "registry.example/another:1"}`)
	apply("Warning: Docker image differs")
	w.Env = append(w.Env, "MODELCATALOGUE_BASE_URL=http://127.0.0.1:1", "MODELCATALOGUE_MAX_RETRIES=0")
	apply("Warning: Catalogue service not reached")
}

// TestAccWordsOfTheEngine provokes errors that an engine prints by itself. The table on the page about errors has the
// words of each case: says, or else the first summary.
func TestAccWordsOfTheEngine(t *testing.T) {
	needEngine(t)
	t.Parallel()
	const (
		outside = `data "modelcatalogue_latest_model" "a" { model_group_id = "` + mainGroup + `" }` + "\n"
		listed  = `data "modelcatalogue_latest_models" "a" { attributes = ["revision"] }` + "\n" +
			`locals { model = data.modelcatalogue_latest_models.a.models["` + mainGroup + `"] }` + "\n"
		plan = "$ENGINE plan"
		// It changes the first digit of the checksum, whatever that is.
		rebuild = "$ENGINE init && sed -i.old -e 's/h1:[^X]/h1:X/' -e t -e 's/h1:X/h1:Y/' .terraform.lock.hcl && "
	)
	for name, test := range map[string]struct{ config, script, says string }{
		"a required argument is null": {`data "modelcatalogue_latest_model" "a" { model_group_id = null }`, plan, ""},
		"no provider block":           {outside, "unset ${!MODELCATALOGUE_*}; " + plan, ""},
		"a group that was left out":   {listed + `output "o" { value = data.modelcatalogue_latest_models.a.models["x"].id }`, plan, ""},
		"an image that is withheld": {
			outside + `output "o" { value = "image ${data.modelcatalogue_latest_model.a.docker_image}" }`, plan, "",
		},
		"an index of null":     {listed + "output \"o\" { value = local.model.axes[0] }", plan, ""},
		"an attribute of null": {listed + "output \"o\" { value = local.model.horizon.key }", plan, ""},
		"a loop over null":     {listed + "output \"o\" { value = [for tag in local.model.tags : tag] }", plan, ""},
		"a splat of null":      {listed + "output \"o\" { value = local.model.axes[*].key }", plan, ""},
		"a condition of null":  {listed + "output \"o\" { value = local.model.enabled ? 1 : 2 }", plan, ""},
		"a function of null":   {listed + "output \"o\" { value = length(local.model.tags) }", plan, "argument must not be null"},
		"no mirror":            {outside, "$ENGINE init -plugin-dir=empty", ""},
		"no source": {
			"", "echo 'provider modelcatalogue {}' >main.tf; $ENGINE init -plugin-dir=empty", "hashicorp/modelcatalogue",
		},
		"an apply that failed before": {
			outside, "$ENGINE plan -out=p; (unset ${!MODELCATALOGUE_*}; $ENGINE apply p); $ENGINE apply p; echo", "Saved plan is stale",
		},
		"no init":                {outside, ": before init; $ENGINE validate", ""},
		"an empty lock file":     {outside, "$ENGINE init && : >.terraform.lock.hcl && " + plan, ""},
		"init after a rebuild":   {outside, rebuild + "rm -r .terraform && $ENGINE init", "match any of the checksums"},
		"a plan after a rebuild": {outside, rebuild + plan, "match any of the checksums"},
		"an engine without the function": {
			"output \"o\" {\n  value = provider::modelcatalogue::parse_image(\"a/b\")\n}\n", plan, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(test.config, "provider::") && !underTest.Version.LessThan(version.Must(version.NewVersion("1.8.0"))) {
				t.Skip("this engine has functions of providers")
			}
			w := newWorkspace(t, fromEnvironment(test.config), sandbox.New(sandbox.Default()), outsider)
			env := w.Env
			if strings.Contains(test.script, "init") {
				env = mirrored(t)
			}
			out := command(t, w.Dir, append(env, "ENGINE="+underTest.Path), "bash", "-c", test.script+" -no-color || true")
			wantText(t, out, test.says)
			_, words, _ := strings.Cut(page(t, "errors-and-limits"), "\n## Words of the engine\n")
			says := test.says
			if first := regexp.MustCompile(`(?m)^Error: (.+)$`).FindStringSubmatch(out); says == "" && first != nil {
				says = first[1]
			}
			if says == "" || !strings.Contains(words, "`"+says+"`") {
				t.Errorf("the page has no row of %q:\n%s", says, out)
			}
		})
	}
}
