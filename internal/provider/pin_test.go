package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"golang.org/x/text/unicode/norm"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// firstImage is the image of revision 0 of mainGroup.
const firstImage = "registry.northwind.example/forecasting/de-lu-day-ahead-price:0.9.0"

// expectWarning expects exactly one warning with that summary, on that argument.
func expectWarning(t *testing.T, diagnostics []*tfprotov6.Diagnostic, argument, summary string, fragments ...string) {
	t.Helper()
	if len(diagnostics) != 1 || diagnostics[0].Severity != tfprotov6.DiagnosticSeverityWarning {
		t.Fatalf("want one warning %q, got %d:\n%s", summary, len(diagnostics), rendered(diagnostics))
	}
	d := *diagnostics[0]
	d.Severity = tfprotov6.DiagnosticSeverityError
	expectError(t, []*tfprotov6.Diagnostic{&d}, argument, summary, fragments...)
}

// TestTheImageThatWasReviewed: a long reference is quoted whole, and is_owner may be missing from a model without an
// image. The scenes of TestMessages have the rest.
func TestTheImageThatWasReviewed(t *testing.T) {
	t.Parallel()
	long := "registry.example/" + strings.Repeat("a/", 100) + "app@" + sha256Digest
	longer := pin{groupID: "g", image: new(long + "0")}
	differs := longer.reviewed(&catalogue.Model{DockerImage: &long})
	if differs == nil || differs.summary != explain.SummaryImageDiffers || !strings.Contains(differs.detail, `"`+long+`"`) {
		t.Errorf("%+v", differs)
	}
	for _, blank := range []*string{nil, new(""), new(" \t")} {
		withheld := longer.reviewed(&catalogue.Model{DockerImage: blank})
		if withheld == nil || !strings.Contains(withheld.detail, "its is_owner is null") {
			t.Errorf("%+v", withheld)
		}
	}
	// A short message shows the beginnings of two images with the same end, such as a digest.
	brief := bothImages("", "one/"+long, "other/"+long, maxBriefImage)
	if !strings.Contains(brief, `"one/registry`) || !strings.Contains(brief, `"other/registry`) {
		t.Error(brief)
	}
}

// TestWhyAnImageDiffers: a hint is printed only if the references or the dates prove it.
func TestWhyAnImageDiffers(t *testing.T) {
	t.Parallel()
	const sum = "@" + sha256Digest
	for _, test := range []struct{ given, has, want string }{
		{"app:2", "app:1", ""},
		{"app:2" + sum, "application:2" + sum, ""},
		{"nginx", "docker.io/library/nginx:latest", "The two name the same image, spelled in two ways."},
		{"app:2" + sum, "app" + sum, "The two name the same image, spelled in two ways."},
		{"Registry.example/app:2", "registry.example/app:2", "The two name the same image, spelled in two ways."},
		{"app:2" + sum, "app:2", "They differ in the digest only."},
		{"app:2", "app:3" + sum, ""},
	} {
		if got := whyDifferent(test.given, test.has, &catalogue.Model{}); got != test.want {
			t.Errorf("%s and %s: %q, want %q", test.given, test.has, got, test.want)
		}
	}
	if got := whyDifferent("app:2", "\u0430pp:2", nil); !strings.Contains(got, "U+0430") {
		t.Errorf("a letter of the service's image that looks like another: %q", got)
	}
	for _, model := range []catalogue.Model{{CreatedAt: new("then")}, {UpdatedAt: new("then")}} {
		if got := republished(&model); got != "" {
			t.Errorf("%+v: %s", model, got)
		}
	}
}

func TestImagesComeBackAsConfigured(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	const composed = "registry.example/prévision:1"
	service.Inject(respell(sandbox.RouteModels, firstImage, norm.NFD.String(composed)))
	state := e.mustRead(t, "model", pinned(0).with("docker_image", composed))
	if state["docker_image"] != composed {
		t.Errorf("docker_image is %q", state["docker_image"])
	}

	revisions := arguments{"revisions": map[string]any{mainGroup: 0}}
	images := map[string]any{mainGroup: composed}
	state = e.mustRead(t, "pinned_models", revisions.with("docker_images", images))
	expectSame(t, state["docker_images"], images)

	// The case of ids does not count.
	images = map[string]any{strings.ToUpper(mainGroup): "registry.example/other:1"}
	diagnostics := e.reports(t, "pinned_models", revisions.with("docker_images", images))
	expectError(t, diagnostics, `docker_images["`+mainGroup+`"]`, explain.SummaryImageDiffers)
}

// manyPins returns a scene of fleets of fourteen groups: twelve have a different image than the reviewed one, and
// thirteen an archived first revision.
func manyPins() scene {
	const groups = 14
	service := func(t *testing.T) http.Handler {
		t.Helper()
		service := sandbox.New(manyGroups(t, groups))
		for i := range groups - 1 {
			if _, err := service.Republish(groupID(i), 1, []byte(`{"archived": true}`)); err != nil {
				t.Fatal(err)
			}
		}
		return service
	}
	revisions, images := pins(groups, 1), map[string]any{groupID(0): "image:1"}
	for i := 1; i < groups; i++ {
		images[groupID(i)] = fmt.Sprintf("reviewed:%d", i)
	}
	revisions[groupID(groups-1)] = 9
	withdrawn := arguments{"revisions": pins(groups, 1), "attributes": []any{"id"}}
	return played("images and withdrawn pins of a fleet, more than ten",
		service,
		nil,
		reading{"pinned_models", arguments{"revisions": revisions, "docker_images": images}},
		reading{"pinned_models", withdrawn},
		reading{"pinned_models", withdrawn.with("accept_withdrawn", true)},
		reading{"pinned_models", withdrawn.with("revisions", pins(groups, 2))},
	)
}

// TestNamesOfAModelGroup: the names suggested for a mistaken one.
func TestNamesOfAModelGroup(t *testing.T) {
	t.Parallel()
	names := []string{
		"Imbalance volume TenneT", "Day-ahead power price DE-LU", "Load Q1", "Load Q2", "Load Q5", "Load Q4", "Wind  North", "wind north",
	}
	var groups []*catalogue.ModelGroup
	for _, name := range names {
		groups = append(groups, &catalogue.ModelGroup{ID: new("id of " + name), Name: &name})
	}
	for name, want := range map[string]string{
		"Imbalance volmue TenneT":     `Did you mean "Imbalance volume TenneT"?`,
		"day‑ahead power price de−lu": `Did you mean "Day-ahead power price DE-LU"?`,
		"Wind North":                  `Did you mean "Wind  North", "wind north"?`,
		"Load Q3":                     `Did you mean "Load Q1", "Load Q2", "Load Q4"?`,
		"Coal":                        "",
		"Imbalance":                   "",
	} {
		if got := nameHint(groups, name); got != want {
			t.Errorf("%q: %s\nwant %s", name, got, want)
		}
	}
}
