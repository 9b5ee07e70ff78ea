package provider

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestAGroupIsFoundByItsName(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	byName := e.mustRead(t, "model_group", arguments{"name": "EMEA power balance"})
	if byID := e.mustRead(t, "model_group", arguments{"id": oddGroup}); !reflect.DeepEqual(byName, byID) {
		t.Errorf("by name %v\nby id %v", byName, byID)
	}
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroups: 1, sandbox.RouteGroup: 1})
}

func TestANameIsMatchedExactly(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	for _, name := range []string{"EMEA power", "emea power balance", "EMEA power balance ", oddGroup} {
		_, diagnostics := e.read(t.Context(), t, "model_group", arguments{"name": name})
		expectError(t, diagnostics, "name", "Model group not found", fmt.Sprintf("no model group named %q", name), "modelcatalogue_model_groups")
	}
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroups: 1})
}

func TestSeveralGroupsOfOneNameAreNamedByID(t *testing.T) {
	t.Parallel()
	service := sandbox.New(sandbox.Default())
	url := service.Start(t)
	const ids = `"10ab405e-fef7-45c5-9684-bc287f03345c" (day_ahead), "270c0fa6-6a8c-4874-8f76-da0680bcda61" (week_ahead).`
	for seed := range int64(4) {
		service.Shuffle(seed)
		_, diagnostics := newEngine(t, northwind(url)).read(t.Context(), t, "model_group", arguments{"name": "Wind generation North Sea"})
		expectError(t, diagnostics, "name", "Several model groups of that name", "2 model groups", ids)
	}
}

// Engines hand every string of a configuration over in NFC.
func TestANameInAnotherNormalFormIsFound(t *testing.T) {
	t.Parallel()
	const composed = "Prévision été"
	decomposed := norm.NFD.String(composed)
	if decomposed == composed {
		t.Fatal("one form only")
	}
	e, service := sandboxEngine(t)
	service.Inject(respell(sandbox.RouteGroups, "EMEA power balance", decomposed))
	state := e.mustRead(t, "model_group", arguments{"name": composed})
	if state["id"] != oddGroup || state["name"] != composed {
		t.Errorf("id %q, name %q", state["id"], state["name"])
	}
}

func TestAPinnedRevision(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	for _, test := range []struct {
		revision         int64
		image            string
		archived, latest bool
	}{
		{revision: 0, image: "de-lu-day-ahead-price:0.9.0"},
		{revision: 2, image: "de-lu-day-ahead-price:1.1.0", archived: true},
		{revision: 3, image: "de-lu-day-ahead-price@sha256:e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479", latest: true},
	} {
		state := e.mustRead(t, "model", arguments{
			"model_group_id": mainGroup, "revision": test.revision, "accept_withdrawn": test.archived,
		})
		want := map[string]any{
			"revision": test.revision, "docker_image": "registry.northwind.example/forecasting/" + test.image,
			"archived": test.archived, "is_latest": test.latest, "latest_revision": int64(3),
		}
		for attribute, value := range want {
			if state[attribute] != value {
				t.Errorf("revision %d: %s is %v, want %v", test.revision, attribute, state[attribute], value)
			}
		}
	}
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: 1})
}

func TestAMissingRevisionListsThoseThatAre(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Shuffle(1)
	_, diagnostics := e.read(t.Context(), t, "model", arguments{"model_group_id": mainGroup, "revision": 4})
	expectError(t, diagnostics, "revision", "Revision not found", "no revision 4", "It has: 3, 2, 1, 0.")
}

func TestAPinPicksItsRevision(t *testing.T) {
	t.Parallel()
	numbered := func(revisions ...int64) []*catalogue.Model {
		var models []*catalogue.Model
		for _, revision := range revisions {
			models = append(models, &catalogue.Model{Revision: new(catalogue.Integer(revision))})
		}
		return models
	}
	var many []int64
	for revision := range int64(103) {
		many = append(many, revision)
	}
	withoutNumber := append(numbered(1), &catalogue.Model{})
	for name, test := range map[string]struct {
		models          []*catalogue.Model
		revision        int64
		latest          int64
		summary, detail string
	}{
		"first":              {models: numbered(0, 1, 2), revision: 0, latest: 2},
		"newest first":       {models: numbered(2, 1, 0), revision: 2, latest: 2},
		"one without number": {models: withoutNumber, revision: 1, latest: 1},
		"missing":            {models: numbered(1, 3, 1), revision: 2, summary: "Revision not found", detail: "It has: 3, 1."},
		"none at all":        {models: nil, revision: 0, summary: "Revision not found", detail: "has no models yet"},
		"twice": {
			models: numbered(1, 2, 1), revision: 1, summary: "Several models of that revision", detail: "2 models of revision 1",
		},
		"too many to list": {models: numbered(many...), revision: 500, summary: "Revision not found", detail: "102, 101, 100, 99, 98"},
		"the oldest of many": {
			models: numbered(many...), revision: 500, summary: "Revision not found", detail: "3, and 3 older ones, down to 0.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model, problem := pin{groupID: "g", revision: test.revision, follow: "modelcatalogue_x"}.pick(test.models)
			if test.summary == "" {
				if problem != nil || int64(*model.Revision) != test.revision || model.latest != test.latest {
					t.Errorf("%+v, %v", model, problem)
				}
				return
			}
			if problem == nil || problem.summary != test.summary || !strings.Contains(problem.detail, test.detail) {
				t.Errorf("%v, want %q with %q", problem, test.summary, test.detail)
			}
		})
	}
}

func TestAGroupWithoutModels(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	_, diagnostics := e.read(t.Context(), t, "latest_model", arguments{"model_group_id": emptyGroup})
	expectError(
		t, diagnostics, "model_group_id", "Model group not found, or without models", emptyGroup, "no models yet",
		"404 Not Found, code NOT_FOUND", "contains no models",
	)
	_, diagnostics = e.read(t.Context(), t, "model", arguments{"model_group_id": emptyGroup, "revision": 0})
	expectError(t, diagnostics, "revision", "Revision not found", "has no models yet")
	state := e.mustRead(t, "model_group_models", arguments{"model_group_id": emptyGroup})
	if len(asList(t, state["models"])) != 0 {
		t.Errorf("models %v", state["models"])
	}
	state = e.mustRead(t, "model_group", arguments{"id": emptyGroup})
	if len(asList(t, state["models"])) != 0 || len(asList(t, state["axes"])) != 0 {
		t.Errorf("models %v, axes %v", state["models"], state["axes"])
	}
	expectRequests(
		t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteLatest: 1, sandbox.RouteModels: 1, sandbox.RouteGroup: 1},
	)
}

// The service may spell what it was asked for in another way.
func TestArgumentsComeBackAsConfigured(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(respell(
		sandbox.RouteAny, mainGroup, "OTHER-ID", `"revision":0,`, `"revision":0.0,`, `"key":"day_ahead"`, `"key":"DAY_AHEAD"`,
	))
	for name, config := range readable {
		if name == "model_groups" {
			config = arguments{"time_horizon": "day_ahead"}
		}
		state := e.mustRead(t, name, config)
		for argument, value := range config {
			if fmt.Sprint(state[argument]) != fmt.Sprint(value) {
				t.Errorf("%s: %s is %v, configured as %v", name, argument, state[argument], value)
			}
		}
	}
	// Below the root nothing was configured.
	models := asList(t, e.mustRead(t, "model_group_models", arguments{"model_group_id": mainGroup})["models"])
	if id := asObject(t, models[0])["model_group_id"]; id != "OTHER-ID" {
		t.Errorf("models[0].model_group_id is %v", id)
	}
	if state := e.mustRead(t, "model_groups", nil); state["time_horizon"] != nil {
		t.Errorf("time_horizon is %v", state["time_horizon"])
	}
}

func TestAnotherOrderGivesTheSameState(t *testing.T) {
	t.Parallel()
	want := map[string]map[string]any{}
	for seed := range int64(7) {
		service := sandbox.New(sandbox.Default())
		if seed > 0 {
			service.Shuffle(seed)
		}
		e := newEngine(t, northwind(service.Start(t)))
		for name, config := range readable {
			state := e.mustRead(t, name, config)
			if seed == 0 {
				want[name] = state
			} else if !reflect.DeepEqual(state, want[name]) {
				t.Errorf("%s, seed %d: %v\nwant %v", name, seed, state, want[name])
			}
		}
	}
}
