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

// Images of the sandbox's own catalogue.
const (
	firstImage = "registry.northwind.example/forecasting/de-lu-day-ahead-price:0.9.0" // of mainGroup, revision 0
	oddImage   = "registry.northwind.example/forecasting/emea-power-balance:7"        // of oddGroup, revision 7
)

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

func TestTheImageThatWasReviewed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		organisation string
		image        any
		summary      string
		says         []string
	}{
		"the same":  {organisation: "northwind", image: firstImage},
		"not given": {organisation: "northwind"},
		"another": {
			organisation: "northwind", image: "app:1", summary: explain.SummaryImageDiffers, says: []string{`"app:1"`, firstImage, "Revision 0"},
		},
		"in upper case": {organisation: "northwind", image: strings.ToUpper(firstImage), summary: explain.SummaryImageDiffers},
		"withheld": {
			organisation: "contoso-trading", image: firstImage, summary: explain.SummaryImageWithheld,
			says: []string{"is withheld", firstImage, "is_owner is false"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandbox.New(sandbox.Default())
			e := newEngine(t, credentialsOf(test.organisation, sandboxtest.Start(t, service)))
			want := outcome{summary: test.summary, says: test.says}
			if test.summary != "" {
				want.argument = "docker_image"
			}
			config := arguments{"model_group_id": mainGroup, "revision": 0, "docker_image": test.image}
			state, diagnostics := e.read(t.Context(), t, "model", config)
			want.expect(t, state, diagnostics)
			if test.summary == "" && state["docker_image"] != firstImage {
				t.Errorf("docker_image is %v", state["docker_image"])
			}
			images := map[string]any{}
			if test.image != nil {
				images[mainGroup] = test.image
			}
			if test.summary != "" {
				want.argument = fmt.Sprintf("docker_images[%q]", mainGroup)
			}
			state, diagnostics = e.read(t.Context(), t, "pinned_models", arguments{
				"revisions": map[string]any{mainGroup: 0, hydroGroup: 4}, "docker_images": images,
			})
			want.expect(t, state, diagnostics)
			// No request is sent for it.
			expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: 2})
		})
	}
}

// What is withheld is explained by is_owner.
func TestWhyAnImageIsWithheld(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		image *string
		owner *bool
		says  string
	}{
		"another organisation": {image: new(""), owner: new(false), says: "is_owner is false for these"},
		"not told":             {image: new(""), says: "is_owner is null for these"},
		"the owner":            {owner: new(true), says: "is_owner is true for these"},
		"null, of another":     {owner: new(false), says: "is_owner is false"},
	} {
		problem := pin{groupID: "g", revision: 1, image: new("app:1")}.reviewed(&catalogue.Model{DockerImage: test.image, IsOwner: test.owner})
		if problem == nil || problem.summary != explain.SummaryImageWithheld || !strings.Contains(problem.detail, test.says) {
			t.Errorf("%s: %+v", name, problem)
		}
	}
}

// TestWhyAnImageDiffers: a hint tells at most what the two say.
func TestWhyAnImageDiffers(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"app:1\t":       "The image that was given has white space around it.",
		"https://app:1": "The image that was given has a scheme; leave out the part up to ://.",
		"APP:1":         "The two differ only in upper and lower case.",
		"аpp:1":         `The image that was given has the character 'а' (U+0430) in it, which no image name can have.`,
		"app:2":         "",
	} {
		if got := imageHint(given, "app:1"); got != want {
			t.Errorf("%q: %s", given, got)
		}
	}
	const day, later = "2026-05-18T06:30:00.000Z", "2026-05-19T06:30:00.000Z"
	for _, test := range []struct {
		created, updated *string
		want             string
	}{
		{new(day), new(day), "The service says that the revision has not changed since it was published: check the image that was given."},
		{new(day), new(later), "The revision may have been re-published in place: the service says that it last changed at " + later + "."},
		{nil, new(day), ""},
		{new(day), nil, ""},
	} {
		if got := republished(&catalogue.Model{CreatedAt: test.created, UpdatedAt: test.updated}); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}

// Engines hand strings over in NFC. A reference may be longer than most texts
// that a message quotes.
func TestImagesAreComparedWhole(t *testing.T) {
	t.Parallel()
	composed := "registry.example/prévision:1"
	if problem := (pin{image: &composed}).reviewed(&catalogue.Model{DockerImage: new(norm.NFD.String(composed))}); problem != nil {
		t.Error(problem)
	}
	long := "registry.example/" + strings.Repeat("a/", 100) + "app@" + sha256Digest
	problem := pin{image: new(long + "0")}.reviewed(&catalogue.Model{DockerImage: &long})
	if problem == nil || !strings.Contains(problem.detail, `"`+long+`"`) {
		t.Error(problem)
	}
}

func TestARepublishedRevisionStopsThePlan(t *testing.T) {
	t.Parallel()
	service := sandbox.New(sandbox.Default())
	e := newEngine(t, northwind(sandboxtest.Start(t, service)).with(argSnapshot, false))
	config := arguments{"model_group_id": mainGroup, "revision": 0, "docker_image": firstImage}
	e.mustRead(t, "model", config)
	if _, err := service.Republish(mainGroup, 0, []byte(`{"dockerImage": "app@`+sha256Digest+`"}`)); err != nil {
		t.Fatal(err)
	}
	_, diagnostics := e.read(t.Context(), t, "model", config)
	expectError(t, diagnostics, "docker_image", explain.SummaryImageDiffers, firstImage, "app@"+sha256Digest, "last changed at 20")
}

// All that differ are told at once, however many, and what else fails as well.
func TestAllImagesThatDifferAreTold(t *testing.T) {
	t.Parallel()
	const groups = 30
	service := sandbox.New(manyGroups(t, groups))
	e := newEngine(t, northwind(sandboxtest.Start(t, service)))
	revisions, images := pins(groups, 1), map[string]any{}
	for i := range groups {
		images[groupID(i)] = "image:1"
		if i >= 5 {
			images[groupID(i)] = fmt.Sprintf("reviewed:%d", i)
		}
	}
	revisions[groupID(29)] = 9
	_, diagnostics := e.read(t.Context(), t, "pinned_models", arguments{"revisions": revisions, "docker_images": images})
	expectTold(t, diagnostics,
		outcome{argument: `docker_images["group-005"]`, summary: explain.SummaryImageDiffers, says: []string{
			`"reviewed:5"`, "23 more of 30 groups failed the same way:",
		}},
		outcome{argument: `revisions["group-029"]`, summary: explain.SummaryRevisionNotFound},
	)
	for i := 6; i < 29; i++ {
		line := fmt.Sprintf("\n  - \"group-%03d\": revision 1\n      given:   \"reviewed:%d\"\n      service: \"image:1\"", i, i)
		if !strings.Contains(diagnostics[0].Detail, line) {
			t.Errorf("the detail lacks %q", line)
		}
	}
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
	revisions := map[string]any{mainGroup: 0, oddGroup: 7}
	for _, images := range []any{nil, map[string]any{}, map[string]any{oddGroup: oddImage}} {
		for _, only := range []any{nil, []any{"revision"}} {
			state := e.mustRead(t, "pinned_models", arguments{"revisions": revisions, "docker_images": images, "attributes": only})
			if fmt.Sprint(state["docker_images"]) != fmt.Sprint(images) {
				t.Errorf("docker_images is %v, configured as %v", state["docker_images"], images)
			}
			want := any(oddImage)
			if only != nil {
				want = nil
			}
			if image := asObject(t, modelsOf(t, state)[oddGroup])["docker_image"]; image != want {
				t.Errorf("attributes %v: the image is %v", only, image)
			}
		}
	}
}

func TestAWithdrawnPinIsWarnedOf(t *testing.T) {
	t.Parallel()
	yes, no := new(true), new(false)
	for _, test := range []struct {
		archived, enabled *bool
		latest            int64
		want              string
	}{
		{archived: no, enabled: yes, latest: 2},
		{latest: 2},
		{archived: yes, latest: 1, want: "archived"},
		{enabled: no, latest: 2, want: "disabled (the latest is 2)"},
		{archived: yes, enabled: no, latest: 1, want: "archived and disabled"},
	} {
		own := catalogue.Model{Revision: new(catalogue.Integer(1)), Archived: test.archived, Enabled: test.enabled}
		if got := (&pinnedModel{Model: &own, latest: test.latest}).withdrawal(); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
	e, service := sandboxEngine(t)
	config := arguments{"model_group_id": mainGroup, "revision": 2}
	for _, accepted := range []any{nil, false, true} {
		state, diagnostics := e.read(t.Context(), t, "model", config.with("accept_withdrawn", accepted))
		if state["revision"] != int64(2) || state["accept_withdrawn"] != accepted {
			t.Errorf("revision %v, accept_withdrawn %v", state["revision"], state["accept_withdrawn"])
		}
		if accepted == true {
			expectNone(t, diagnostics)
			continue
		}
		expectWarning(t, diagnostics, "revision", explain.SummaryWithdrawn,
			"Revision 2 of model group", "is archived and disabled (the latest is 3).",
			"accept_withdrawn = true")
	}
	// That a newer one exists is no warning.
	e.mustRead(t, "model", config.with("revision", 1))
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: 1})
}

func TestAFleetWarnsOnceOfWithdrawnPins(t *testing.T) {
	t.Parallel()
	const groups = 40
	service := sandbox.New(manyGroups(t, groups))
	for i := range 23 {
		if _, err := service.SetArchived(groupID(i), 1, true); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := service.SetEnabled(groupID(0), 1, false); err != nil {
		t.Fatal(err)
	}
	e := newEngine(t, northwind(sandboxtest.Start(t, service)))
	// The attributes that are filled have no say.
	config := arguments{"revisions": pins(groups, 1), "attributes": []any{"id"}}
	state, diagnostics := e.read(t.Context(), t, "pinned_models", config)
	expectWarning(t, diagnostics, "revisions", explain.SummaryWithdrawn, "23 of 40 pinned revisions are withdrawn:",
		`"group-000": revision 1 is archived and disabled (the latest is 2)`, `"group-009": revision 1 is archived (`, "and 13 others")
	if strings.Contains(diagnostics[0].Detail, "group-010") || len(modelsOf(t, state)) != groups {
		t.Errorf("%d models, and\n%s", len(modelsOf(t, state)), diagnostics[0].Detail)
	}
	e.mustRead(t, "pinned_models", config.with("accept_withdrawn", true))
	e.mustRead(t, "pinned_models", config.with("revisions", pins(groups, 2)))
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: groups})
}

// A pin whose image differs fails, and is not warned of besides.
func TestAPinThatFailsIsNotWarnedOf(t *testing.T) {
	t.Parallel()
	e, _ := sandboxEngine(t)
	_, diagnostics := e.read(t.Context(), t, "model", arguments{"model_group_id": mainGroup, "revision": 2, "docker_image": "app"})
	expectError(t, diagnostics, "docker_image", explain.SummaryImageDiffers)
}

// A lookup that finds nothing may be of an answer from before the group was named
// or the revision published, so it hands the client what it looks for.
func TestNamesOfAModelGroup(t *testing.T) {
	t.Parallel()
	group := &catalogue.ModelGroup{Name: new("Wind")}
	if !isNamed(group, "Wind") || isNamed(group, "wind") || isNamed(&catalogue.ModelGroup{}, "") {
		t.Error("names")
	}
	names := []string{
		"Imbalance volume TenneT", "Day-ahead power price DE-LU", "Load Q1", "Load Q2", "Wind  North", "wind north", "Gas",
	}
	var groups []*catalogue.ModelGroup
	for _, name := range names {
		groups = append(groups, &catalogue.ModelGroup{ID: new("id of " + name), Name: &name})
	}
	for name, want := range map[string]string{
		"Imbalanse volume TenneT":     `Did you mean "Imbalance volume TenneT"?`,
		"Imbalance volmue TenneT":     `Did you mean "Imbalance volume TenneT"?`,
		"Day–ahead power price DE-LU": `Did you mean "Day-ahead power price DE-LU"?`,
		"day‑ahead power price de−lu": `Did you mean "Day-ahead power price DE-LU"?`,
		"Wind North":                  `Did you mean "Wind  North" or "wind north"?`,
		"Load Q3":                     `Did you mean "Load Q1" or "Load Q2"?`,
		"Coal":                        "",
		"Imbalance":                   "",
		"id of Gas":                   `It is the id of a group: write id = "id of Gas".`,
	} {
		if got := nameHint(groups, name); got != want {
			t.Errorf("%q: %s\nwant %s", name, got, want)
		}
	}
}
