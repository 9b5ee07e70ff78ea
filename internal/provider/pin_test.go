package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"golang.org/x/text/unicode/norm"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// firstImage is the image of revision 0 of mainGroup.
const firstImage = "registry.northwind.example/forecasting/de-lu-day-ahead-price:0.9.0"

// expectWarning wants exactly one warning with that summary, on that argument.
func expectWarning(t *testing.T, diagnostics []*tfprotov6.Diagnostic, argument, summary string, fragments ...string) {
	t.Helper()
	if len(diagnostics) != 1 || diagnostics[0].Severity != tfprotov6.DiagnosticSeverityWarning {
		t.Fatalf("want one warning %q, got %d: %+v", summary, len(diagnostics), diagnostics)
	}
	d := *diagnostics[0]
	d.Severity = tfprotov6.DiagnosticSeverityError
	expectError(t, []*tfprotov6.Diagnostic{&d}, argument, summary, fragments...)
}

// TestTheImageThatWasReviewed has what TestMessages does not show. Engines send strings in NFC, is_owner says why an
// image is withheld, and a reference is quoted whole.
func TestTheImageThatWasReviewed(t *testing.T) {
	t.Parallel()
	composed, long := "registry.example/prévision:1", "registry.example/"+strings.Repeat("a/", 100)+"app@"+sha256Digest
	const withheld = explain.SummaryImageWithheld
	for name, test := range map[string]struct {
		given         *string
		model         catalogue.Model
		summary, says string
	}{
		"no image given":    {model: catalogue.Model{DockerImage: &long}},
		"the same":          {given: &long, model: catalogue.Model{DockerImage: &long}},
		"in another form":   {given: &composed, model: catalogue.Model{DockerImage: new(norm.NFD.String(composed))}},
		"another, and long": {new(long + "0"), catalogue.Model{DockerImage: &long}, explain.SummaryImageDiffers, `"` + long + `"`},
		"nobody knows":      {&long, catalogue.Model{DockerImage: new("")}, withheld, "does not say whether these credentials"},
	} {
		problem := pin{groupID: "g", revision: 1, image: test.given}.reviewed(&test.model)
		if test.summary == "" && problem == nil {
			continue
		}
		if problem == nil || problem.Summary != test.summary || !strings.Contains(problem.Detail, test.says) {
			t.Errorf("%s: %+v", name, problem)
		}
	}
}

// Nothing is said if nothing is known. TestMessages shows each hint.
func TestWhyAnImageDiffers(t *testing.T) {
	t.Parallel()
	if got := imageHint("app:2", "app:1"); got != "" {
		t.Error(got)
	}
	for _, model := range []catalogue.Model{{CreatedAt: new("then")}, {UpdatedAt: new("then")}} {
		if got := republished(&model); got != "" {
			t.Errorf("%+v: %s", model, got)
		}
	}
}

// All images that differ are listed, more than ten of them, and what else fails.
func TestAllImagesThatDifferAreListed(t *testing.T) {
	t.Parallel()
	const groups = 14
	service := sandbox.New(manyGroups(t, groups))
	e := newEngine(t, northwind(sandboxtest.Start(t, service)))
	revisions, images := pins(groups, 1), map[string]any{groupID(0): "image:1"}
	for i := 1; i < groups; i++ {
		images[groupID(i)] = fmt.Sprintf("reviewed:%d", i)
	}
	revisions[groupID(groups-1)] = 9
	diagnostics := e.reports(t, "pinned_models", arguments{"revisions": revisions, "docker_images": images})
	says := []string{`"reviewed:1"`, "11 more of 14 groups failed the same way:"}
	for i := 2; i < groups-1; i++ {
		line := fmt.Sprintf("\n  - \"group-%03d\": revision 1\n      given:   \"reviewed:%d\"", i, i)
		says = append(says, line+"\n      service: \"image:1\"")
	}
	expectOutcomes(t, diagnostics,
		outcome{argument: `docker_images["group-001"]`, summary: explain.SummaryImageDiffers, says: says},
		outcome{argument: `revisions["group-013"]`, summary: explain.SummaryRevisionNotFound},
	)
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: groups})
}

func TestImagesComeBackAsConfigured(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	const composed = "registry.example/prévision:1"
	if _, err := service.Republish(mainGroup, 0, []byte(`{"dockerImage": "`+norm.NFD.String(composed)+`"}`)); err != nil {
		t.Fatal(err)
	}
	state := e.mustRead(t, "model", arguments{"model_group_id": mainGroup, "revision": 0, "docker_image": composed})
	if state["docker_image"] != composed {
		t.Errorf("docker_image is %q", state["docker_image"])
	}
	images := map[string]any{mainGroup: composed}
	state = e.mustRead(t, "pinned_models", arguments{"revisions": map[string]any{mainGroup: 0}, "docker_images": images})
	expectSame(t, state["docker_images"], images)
}

func TestAWithdrawnPinIsWarnedOf(t *testing.T) {
	t.Parallel()
	yes, no := new(true), new(false)
	for _, test := range []struct {
		archived, enabled *bool
		latest            *int64
		want              string
	}{
		{archived: no, enabled: yes, latest: new(int64(2))},
		{latest: new(int64(2))},
		{archived: yes, latest: new(int64(1)), want: "archived"},
		{archived: yes, latest: nil, want: "archived"},
		{enabled: no, latest: new(int64(2)), want: "disabled (the latest is 2)"},
		{archived: yes, enabled: no, latest: new(int64(1)), want: "archived and disabled"},
	} {
		own := catalogue.Model{Revision: new(catalogue.Integer(1)), Archived: test.archived, Enabled: test.enabled}
		if got := (&pinnedModel{Model: &own, latest: test.latest}).withdrawal(); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
	e, service := sandboxEngine(t)
	config := arguments{"model_group_id": mainGroup, "revision": 2}
	expectWarning(t, e.reports(t, "model", config.with("accept_withdrawn", false)), "revision", explain.SummaryWithdrawn)
	e.mustRead(t, "model", config.with("accept_withdrawn", true))
	// A newer revision is worth no warning, and a pin that fails is an error only.
	e.mustRead(t, "model", config.with("revision", 1))
	expectError(t, e.reports(t, "model", config.with("docker_image", "app")), "docker_image", explain.SummaryImageDiffers)
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: 1})
}

func TestAFleetWarnsOnceOfWithdrawnPins(t *testing.T) {
	t.Parallel()
	const groups = 14
	service := sandbox.New(manyGroups(t, groups))
	for i := range groups - 1 {
		if _, err := service.Republish(groupID(i), 1, []byte(`{"archived": true}`)); err != nil {
			t.Fatal(err)
		}
	}
	e := newEngine(t, northwind(sandboxtest.Start(t, service)))
	// The warning needs no attribute that is filled.
	config := arguments{"revisions": pins(groups, 1), "attributes": []any{"id"}}
	expectWarning(t, e.reports(t, "pinned_models", config), "revisions", explain.SummaryWithdrawn,
		"13 of 14 pinned revisions are withdrawn:", `"group-009": revision 1 is archived (the latest is 2)`, "and 3 more")
	e.mustRead(t, "pinned_models", config.with("accept_withdrawn", true))
	e.mustRead(t, "pinned_models", config.with("revisions", pins(groups, 2)))
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: groups})
}

// TestNamesOfAModelGroup: which name a group has, and which one a mistaken name may be meant for.
func TestNamesOfAModelGroup(t *testing.T) {
	t.Parallel()
	group := &catalogue.ModelGroup{Name: new("Wind")}
	if !isNamed(group, "Wind") || isNamed(group, "wind") || isNamed(&catalogue.ModelGroup{}, "") {
		t.Error("a name is not matched exactly")
	}
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
		"Wind North":                  `Did you mean "Wind  North" or "wind north"?`,
		"Load Q3":                     `Did you mean "Load Q1" or "Load Q2" or "Load Q4"?`,
		"Coal":                        "",
		"Imbalance":                   "",
	} {
		if got := nameHint(groups, name); got != want {
			t.Errorf("%q: %s\nwant %s", name, got, want)
		}
	}
}
