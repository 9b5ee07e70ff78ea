package acctest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/acctest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// The guides promise more than that their examples can be applied.

func guide(t *testing.T, name string, credentials acctest.Credentials) (*workspace, *sandbox.Sandbox) {
	t.Helper()
	needEngine(t)
	files := os.DirFS(filepath.Join(root, "examples/guides", name))
	skipUnlessKnown(t, configuration(t, files))
	service := sandbox.New(sandbox.Default())
	return newWorkspace(t, files, service.Start(t), credentials), service
}

func wantText(t *testing.T, out, want string) {
	t.Helper()
	if !strings.Contains(joined(out), want) {
		t.Errorf("there is no %q in:\n%s", want, out)
	}
}

func TestAccGuidePinStopsWhereTheImageIsWithheld(t *testing.T) {
	t.Parallel()
	w, _ := guide(t, "pin-docker-image/pin", acctest.Outsider)
	wantText(t, w.expect(t, 1, "plan"), "The image of revision 1 is withheld: these credentials are not of the organisation that owns the model.")
}

func TestAccGuidePinWarnsWhenBehind(t *testing.T) {
	t.Parallel()
	w, _ := guide(t, "pin-docker-image/pin", acctest.Owner)
	const warning = "Revision 1 is deployed, and revision 3 is published."
	out := w.expect(t, 0, "apply", "-auto-approve")
	wantText(t, out, "Warning: Check block assertion failed")
	wantText(t, out, warning)
	if out := w.expect(t, 0, "apply", "-auto-approve", "-var=revision=3"); strings.Contains(joined(out), "is published") {
		t.Errorf("it warns though the pin is the latest revision:\n%s", out)
	}
}

func TestAccGuidePinRefusesAnImageWithoutDigest(t *testing.T) {
	t.Parallel()
	w, service := guide(t, "pin-docker-image/digest", acctest.Owner)
	w.expect(t, 0, "plan")
	remove := service.Inject(sandbox.Fault{Route: sandbox.RouteModels, Mutate: withoutDigest})
	defer remove()
	wantText(t, w.expect(t, 1, "plan"), "The image of revision 3 has no digest, so its tag may be moved to other content.")
}

func TestAccGuideHelmValues(t *testing.T) {
	t.Parallel()
	w, _ := guide(t, "pin-docker-image/helm-values", acctest.Owner)
	w.expect(t, 0, "apply", "-auto-approve")
	wantText(t, w.expect(t, 0, "output", "values"), strings.Join([]string{
		`"image":`,
		`"digest": "sha256:50a04d3c554ef71e2a2610973618480a4fd29da566828de8f13df3570710e322"`,
		`"registry": "registry.northwind.example"`,
		`"repository": "forecasting/tennet-imbalance-volume"`,
		`"tag": "0.3.1-rc.2"`,
	}, " "))
}

func TestAccGuideFollowShowsTheMove(t *testing.T) {
	t.Parallel()
	w, service := guide(t, "follow-latest-revision/follow", acctest.Owner)
	w.expect(t, 0, "apply", "-auto-approve")
	w.expect(t, 0, "plan", "-detailed-exitcode")
	if _, err := service.Publish(acctest.MainGroup, []byte(`{"dockerImage": "registry.example/model:2.0.0"}`)); err != nil {
		t.Fatal(err)
	}
	out := w.expect(t, 2, "plan", "-detailed-exitcode", "-out=next")
	wantText(t, out, `-> "registry.example/model:2.0.0"`)
	wantText(t, out, "revision = 3 -> 4")

	// What the plan saw is what is applied, without a further request.
	service.ResetRequests()
	if _, err := service.Publish(acctest.MainGroup, []byte(`{"dockerImage": "registry.example/model:3.0.0"}`)); err != nil {
		t.Fatal(err)
	}
	wantText(t, w.expect(t, 0, "apply", "next"), "revision = 4")
	if n := service.Count(sandbox.RouteAny); n != 0 {
		t.Errorf("applying the saved plan sent %d requests, want none", n)
	}
}

func TestAccGuidePinManyWarnsOfAllThatAreBehind(t *testing.T) {
	t.Parallel()
	w, service := guide(t, "pin-docker-image/fleet", acctest.Owner)
	const behind = "Day-ahead power price DE-LU: revision 1 is deployed, and revision 3 is published."
	out := w.expect(t, 0, "apply", "-auto-approve")
	wantText(t, out, "Warning: Check block assertion failed")
	wantText(t, out, behind)
	if _, err := service.Publish("270c0fa6-6a8c-4874-8f76-da0680bcda61", nil); err != nil {
		t.Fatal(err)
	}
	wantText(t, w.expect(t, 0, "plan"), "Wind generation North Sea: revision 2 is deployed, and revision 3 is published. "+behind)
	wantText(t, w.expect(t, 1, "plan", `-var=revisions={"nowhere"=1,"`+acctest.MainGroup+`"=9}`),
		`Model group "`+acctest.MainGroup+`" has no revision 9. It has: 3, 2, 1, 0.`)
}

func TestAccGuidePinManyStopsWhereAnImageIsWithheld(t *testing.T) {
	t.Parallel()
	w, _ := guide(t, "pin-docker-image/fleet", acctest.Outsider)
	wantText(t, w.expect(t, 1, "plan", `-var=revisions={"`+acctest.MainGroup+`"=1}`),
		"The images of these groups are withheld from these credentials: "+acctest.MainGroup+".")
}

func TestAccGuideFollowManyShowsTheMove(t *testing.T) {
	t.Parallel()
	w, service := guide(t, "follow-latest-revision/fleet", acctest.Owner)
	w.expect(t, 0, "apply", "-auto-approve")
	w.expect(t, 0, "plan", "-detailed-exitcode")
	if _, err := service.Publish(acctest.MainGroup, []byte(`{"dockerImage": "registry.example/model:2.0.0"}`)); err != nil {
		t.Fatal(err)
	}
	out := w.expect(t, 2, "plan", "-detailed-exitcode")
	wantText(t, out, `terraform_data.deployment["`+acctest.MainGroup+`"] will be updated in-place`)
	wantText(t, out, "Plan: 0 to add, 1 to change, 0 to destroy.")
}

func TestAccGuideLargeCataloguesCost(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plural", "for-each"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, service := guide(t, "large-catalogues/"+name, acctest.Owner)
			w.expect(t, 0, "validate")
			if n := service.Count(sandbox.RouteAny); n != 0 {
				t.Errorf("validate sent %d requests", n)
			}
			w.expect(t, 0, "plan", "-out=saved")
			sent := service.Count(sandbox.RouteAny)
			w.expect(t, 0, "apply", "saved")
			if n := service.Count(sandbox.RouteAny); n != sent {
				t.Errorf("applying the saved plan sent %d requests", n-sent)
			}
			var groups map[string]int
			if err := json.Unmarshal([]byte(w.expect(t, 0, "output", "-json", "latest_revisions")), &groups); err != nil || len(groups) < 5 {
				t.Fatalf("%d groups: %v", len(groups), err)
			}
			want := 2 // a token, the list
			if name == "for-each" {
				want += len(groups)
			}
			if sent != want {
				t.Errorf("the plan sent %d requests over %d groups, want %d", sent, len(groups), want)
			}
		})
	}
}

// withoutDigest turns each digest of an answer into a tag.
func withoutDigest(status int, header http.Header, body []byte) (int, http.Header, []byte) {
	return status, header, []byte(strings.ReplaceAll(string(body), "@sha256:", ":sha256-"))
}

// BenchmarkGroups plans over as many groups, read at once and one by one:
//
//	tools/with-engine.sh go test ./internal/acctest -run '^$' -bench Groups -benchtime 3x
func BenchmarkGroups(b *testing.B) {
	if os.Getenv("TF_ACC") == "" {
		b.Skip("TF_ACC is not set: the benchmark needs an engine")
	}
	for _, groups := range []int{10, 100, 300, 1000} {
		for _, way := range []string{"plural", "for-each"} {
			b.Run(fmt.Sprintf("%s/%d", way, groups), func(b *testing.B) {
				service := sandbox.New(manyGroups(b, groups))
				w := newWorkspace(b, os.DirFS(filepath.Join(root, "examples/guides/large-catalogues", way)), service.Start(b), acctest.Credentials{ID: "owner", Secret: "secret"})
				b.ResetTimer()
				for b.Loop() {
					service.ResetRequests()
					w.expect(b, 0, "plan")
				}
				b.ReportMetric(float64(service.Count(sandbox.RouteAny)), "requests/plan")
				b.ReportMetric(w.cpu.Seconds()/float64(b.N), "CPU-s/plan")
			})
		}
	}
}

// manyGroups is a catalogue of groups with one axis and three revisions each.
func manyGroups(b *testing.B, n int) *sandbox.Catalogue {
	b.Helper()
	var text strings.Builder
	text.WriteString(`{"organisations": [{"name": "Owner", "clientId": "owner", "clientSecret": "secret"}], "timeHorizons": [], "modelGroups": [`)
	for i := range n {
		if i > 0 {
			text.WriteString(",")
		}
		fmt.Fprintf(&text, `{"owner": "Owner", "group": {"id": "group-%[1]d", "name": "Group %[1]d", "public": true, "createdAt": "2026-01-05T08:00:00.000Z"}, "models": [`, i)
		for revision := range 3 {
			if revision > 0 {
				text.WriteString(",")
			}
			fmt.Fprintf(&text, `{"id": "model-%[1]d-%[2]d", "modelGroupId": "group-%[1]d", "revision": %[2]d, "dockerImage": "registry.example/model-%[1]d:%[2]d", "createdAt": "2026-01-05T08:00:00.000Z", "archived": false,
				"axes": [{"key": "quantile", "kind": "static", "label": "Quantile", "type": "number", "values": [0.1, 0.5, 0.9], "default": 0.5}]}`, i, revision)
		}
		text.WriteString("]}")
	}
	text.WriteString("]}")
	catalogue, err := sandbox.ParseCatalogue(strings.NewReader(text.String()))
	if err != nil {
		b.Fatal(err)
	}
	return catalogue
}
