package acctest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/acctest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// The guides promise more than that their examples can be applied.

// guide is a section of a guide, in the hands of a reader with credentials.
func guide(t *testing.T, name, anchor string, credentials acctest.Credentials) (*workspace, *sandbox.Sandbox) {
	t.Helper()
	files := section(t, name, anchor)
	service := sandbox.New(sandbox.Default())
	return newWorkspace(t, files, sandboxtest.Start(t, service), credentials), service
}

func wantText(t *testing.T, out, want string) {
	t.Helper()
	if !strings.Contains(joined(out), want) {
		t.Errorf("there is no %q in:\n%s", want, out)
	}
}

func TestAccGuidePinStopsWhereTheImageIsWithheld(t *testing.T) {
	t.Parallel()
	w, _ := guide(t, "pin-docker-image", "pin-a-revision", acctest.Outsider)
	wantText(t, w.expect(t, 1, "plan"), "Error: Docker image withheld")
}

// What a pin without its image would not hold: the revision is re-published in
// place.
func TestAccGuidePinStopsWhereTheImageIsAnother(t *testing.T) {
	t.Parallel()
	const image = "registry.northwind.example/forecasting/de-lu-day-ahead-price"
	w, service := guide(t, "pin-docker-image", "pin-a-revision", acctest.Owner)
	w.expect(t, 0, "apply", "-auto-approve")
	republish(t, service, 1, `{"dockerImage": "`+image+`:1.0.4"}`)
	printed := w.expect(t, 1, "plan")
	for _, b := range pages(t) {
		if b.page == "docs/guides/pin-docker-image.md" && b.section == "pin-a-revision" && b.label == "text" {
			summary, detail, _ := strings.Cut(b.text, "\n\n")
			wantText(t, printed, summary)
			wantText(t, printed, joined(detail))
			return
		}
	}
	t.Error("the guide does not print the error")
}

func TestAccGuidePinWarnsWhenBehind(t *testing.T) {
	t.Parallel()
	w, _ := guide(t, "pin-docker-image", "be-warned-when-the-pin-falls-behind", acctest.Owner)
	out := w.expect(t, 0, "apply", "-auto-approve")
	wantText(t, out, "Warning: Check block assertion failed")
	wantText(t, out, "Revision 1 is deployed, and revision 3 is published.")
}

func TestAccGuidePinWarnsOfARepublication(t *testing.T) {
	t.Parallel()
	w, service := guide(t, "pin-docker-image", "watch-for-a-re-publication", acctest.Owner)
	if out := w.expect(t, 0, "apply", "-auto-approve"); strings.Contains(out, "Warning: Check block") {
		t.Errorf("it warns of a revision that nobody touched:\n%s", out)
	}
	republish(t, service, 1, `{"updatedAt": "2026-07-01T00:00:00.000Z"}`)
	wantText(t, w.expect(t, 0, "plan"), "Revision 1 was re-published, or its settings were changed, at 2026-07-01T00:00:00.000Z.")
}

func TestAccGuideTagToContent(t *testing.T) {
	t.Parallel()
	w, _ := guide(t, "pin-docker-image", "from-a-tag-to-content", acctest.Owner)
	w.expect(t, 0, "apply", "-auto-approve")
	wantText(t, w.expect(t, 0, "output", "image"), "registry.northwind.example/forecasting/de-lu-day-ahead-price@sha256:")
}

// The guide's annotations tell Kubernetes of a re-publication that keeps the
// reference.
func TestAccGuideDeployToKubernetes(t *testing.T) {
	t.Parallel()
	w, service := guide(t, "pin-docker-image", "deploy-to-kubernetes", acctest.Owner)
	wantText(t, w.expect(t, 0, "apply", "-auto-approve"), `+ image = "registry.northwind.example/forecasting/de-lu-day-ahead-price:1.0.3"`)
	republish(t, service, 1, `{"updatedAt": "2026-07-01T00:00:00.000Z"}`)
	wantText(t, w.expect(t, 2, "plan", "-detailed-exitcode"),
		`~ "modelcatalogue/updated-at" = "2025-11-17T08:12:44.120Z" -> "2026-07-01T00:00:00.000Z"`)
}

func republish(t *testing.T, service *sandbox.Sandbox, revision int64, overrides string) {
	t.Helper()
	if _, err := service.Republish(acctest.MainGroup, revision, []byte(overrides)); err != nil {
		t.Fatal(err)
	}
}

func TestAccGuideHelmValues(t *testing.T) {
	t.Parallel()
	w, _ := guide(t, "pin-docker-image", "give-the-parts-to-a-helm-chart", acctest.Owner)
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
	w, service := guide(t, "follow-latest-revision", "see-it-move", acctest.Owner)
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

func TestAccGuideFollowStopsWhereTheLatestIsNotFit(t *testing.T) {
	t.Parallel()
	w, service := guide(t, "follow-latest-revision", "see-it-move", acctest.Owner)
	for what, overrides := range map[string]string{"archived": `{"archived": true}`, "disabled": `{"enabled": false}`} {
		document, err := service.Publish(acctest.MainGroup, []byte(overrides))
		if err != nil {
			t.Fatal(err)
		}
		var published struct{ Revision int }
		if err := json.Unmarshal(document, &published); err != nil {
			t.Fatal(err)
		}
		wantText(t, w.expect(t, 1, "plan"), fmt.Sprintf("Revision %d is the latest, and it is %s.", published.Revision, what))
	}
}

func TestAccGuideFollowWhere(t *testing.T) {
	t.Parallel()
	w, service := guide(t, "follow-latest-revision", "choose-the-newest-that-satisfies", acctest.Owner)
	for _, overrides := range []string{`{"enabled": false}`, `{"archived": true}`, `{"tags": []}`} {
		w.expect(t, 0, "apply", "-auto-approve")
		if _, err := service.Publish(acctest.MainGroup, []byte(overrides)); err != nil {
			t.Fatal(err)
		}
		w.expect(t, 0, "plan", "-detailed-exitcode")
	}
	wantText(t, w.expect(t, 0, "output", "deploy"), `"revision" = 3`)
}

func TestAccGuideFollowTakesTheNewestThatSatisfies(t *testing.T) {
	t.Parallel()
	w, service := guide(t, "follow-latest-revision", "by-anything-else", acctest.Owner)
	for _, overrides := range []string{`{"enabled": false}`, `{"archived": true}`, `{"tags": []}`, `{"outputFileFormat": "csv"}`} {
		if _, err := service.Publish(acctest.MainGroup, []byte(overrides)); err != nil {
			t.Fatal(err)
		}
	}
	w.expect(t, 0, "apply", "-auto-approve")
	wantText(t, w.expect(t, 0, "output", "deploy"), `"revision" = 3`)
	wantText(t, w.expect(t, 1, "plan", "-var=tag=FR"),
		"No revision is enabled, not archived, tagged FR and delivered as parquet. Looked at: 7, 6, 5, 4, 3, 2, 1, 0.")
}

func TestAccGuideFollowManyShowsTheMove(t *testing.T) {
	t.Parallel()
	w, service := guide(t, "follow-latest-revision", "follow-many-groups", acctest.Owner)
	w.expect(t, 0, "apply", "-auto-approve")
	w.expect(t, 0, "plan", "-detailed-exitcode")
	if _, err := service.Publish(acctest.MainGroup, []byte(`{"dockerImage": "registry.example/model:2.0.0"}`)); err != nil {
		t.Fatal(err)
	}
	out := w.expect(t, 2, "plan", "-detailed-exitcode")
	wantText(t, out, `terraform_data.deployment["`+acctest.MainGroup+`"] will be updated in-place`)
	wantText(t, out, "Plan: 0 to add, 1 to change, 0 to destroy.")
}

// The two sections of the guide that read the same.
const aList, aBlockForEach = "with-a-list", "with-a-block-for-each-group"

func TestAccGuideLargeCataloguesCost(t *testing.T) {
	t.Parallel()
	for _, way := range []string{aList, aBlockForEach} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			w, service := guide(t, "large-catalogues", way, acctest.Owner)
			w.expect(t, 0, "plan", "-out=saved")
			sent := service.Count(sandbox.RouteAny)
			w.expect(t, 0, "apply", "saved")
			if n := service.Count(sandbox.RouteAny); n != sent {
				t.Errorf("applying the saved plan sent %d requests", n-sent)
			}
			var groups map[string]int
			read := w.expect(t, 0, "output", "-json", "latest_revisions")
			if err := json.Unmarshal([]byte(read), &groups); err != nil || len(groups) < 5 {
				t.Fatalf("%d groups: %v", len(groups), err)
			}
			want := 2 // a token, the list
			if way == aBlockForEach {
				want += len(groups)
			}
			if sent != want {
				t.Errorf("the plan sent %d requests over %d groups, want %d", sent, len(groups), want)
			}
		})
	}
}

func TestAccGuideLargeCataloguesOneBlock(t *testing.T) {
	t.Parallel()
	w, service := guide(t, "large-catalogues", "read-the-models-of-many-groups-in-one-block", acctest.Owner)
	w.expect(t, 0, "apply", "-auto-approve")
	var images map[string]string
	if err := json.Unmarshal([]byte(w.expect(t, 0, "output", "-json", "images")), &images); err != nil || len(images) != 7 {
		t.Errorf("%d images: %v", len(images), err)
	}
	// A question for each of the groups, one of which has no model.
	if lists, models := service.Count(sandbox.RouteGroups), service.Count(sandbox.RouteLatest); lists != 1 || models != 8 {
		t.Errorf("%d lists and %d models were asked for", lists, models)
	}
}

// BenchmarkGroups plans over as many groups, read at once and one by one:
//
//	tools/with-engine.sh go test ./internal/acctest -run '^$' -bench Groups -benchtime 3x
func BenchmarkGroups(b *testing.B) {
	needEngine(b)
	for _, groups := range []int{10, 100, 300, 1000} {
		for _, way := range []string{aList, aBlockForEach} {
			b.Run(fmt.Sprintf("%s/%d", way, groups), func(b *testing.B) {
				service := sandbox.New(manyGroups(b, groups))
				owner := acctest.Credentials{ID: "owner", Secret: "secret"}
				w := newWorkspace(b, section(b, "large-catalogues", way), sandboxtest.Start(b, service), owner)
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
	text.WriteString(`{"organisations": [{"name": "Owner", "clientId": "owner", "clientSecret": "secret"}],
		"timeHorizons": [], "modelGroups": [`)
	for i := range n {
		if i > 0 {
			text.WriteString(",")
		}
		fmt.Fprintf(&text, `{"owner": "Owner", "models": [`)
		for revision := range 3 {
			if revision > 0 {
				text.WriteString(",")
			}
			fmt.Fprintf(&text, `{"id": "model-%[1]d-%[2]d", "modelGroupId": "group-%[1]d", "revision": %[2]d,
				"dockerImage": "registry.example/model-%[1]d:%[2]d", "createdAt": "2026-01-05T08:00:00.000Z", "archived": false,
				"axes": [{"key": "quantile", "kind": "static", "label": "Quantile", "type": "number",
					"values": [0.1, 0.5, 0.9], "default": 0.5}]}`, i, revision)
		}
		fmt.Fprintf(&text, `], "group": {"id": "group-%[1]d", "name": "Group %[1]d", "public": true,
			"createdAt": "2026-01-05T08:00:00.000Z"}}`, i)
	}
	text.WriteString("]}")
	catalogue, err := sandbox.ParseCatalogue(strings.NewReader(text.String()))
	if err != nil {
		b.Fatal(err)
	}
	return catalogue
}
