package provider

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// The groups of the sandbox's own catalogue that tests name; see also mainGroup.
const (
	oddGroup    = "emea/power?v=1#β %41" // an id that needs escaping
	sparseGroup = "f0e5ad51-6c48-4e48-ba77-08713590fc28"
	emptyGroup  = "233191dc-5464-496a-8502-52b761ba36f7" // without models
	hydroGroup  = "2be23368-56c5-4eb6-b02b-966d046dc3ea" // public, of another organisation
)

// credentialsOf are the arguments for the sandbox at url, as an organisation of
// its own catalogue.
func credentialsOf(organisation, url string) arguments {
	return arguments{argBaseURL: url, argClientID: organisation, argClientSecret: organisation + "-sandbox-secret"}
}

// oddCatalogue holds what the interface leaves open and the sandbox's own
// catalogue does not have: values of every JSON type on an axis, values and
// fields that nobody knows yet, integers spelled as decimals, null elements.
const oddCatalogue = `{
"organisations": [
  {"name": "Northwind", "clientId": "northwind", "clientSecret": "northwind-sandbox-secret"},
  {"name": "Contoso", "clientId": "contoso-trading", "clientSecret": "contoso-trading-sandbox-secret"}
],
"timeHorizons": [{"key": "day_ahead"}],
"modelGroups": [
  {"owner": "Northwind",
   "group": {"id": "a b/ü\"'\\<&>;:@+$,=~..", "name": "Odd", "public": true, "createdAt": "some time ago", "unknown": {"a": [1]},
     "timeHorizon": {"name": "H", "shortName": null, "key": "in_a_century", "unknown": 1}},
   "models": [
     {"id": "m2", "revision": 2.0, "name": "odd", "createdAt": "2026-13-45", "runMode": "WEEKLY", "outputFileFormat": "avro",
      "displayTimezone": "Mars/Olympus",
      "notes": "", "dockerImage": "registry/odd:1", "unknown": [null],
      "modelMetadata": {"z": 1, "a": {"y": 1.10, "b": [3, 1, 2]}, "n": 1e400, "text": "<&> ä"},
      "outputVariables": [{"key": "v", "type": "decimal",
        "colours": [1, 1.50, true, null, {"light": "#fff", "dark": "#000"}, ["a", 1e2]], "unknown": 1},
        {}, null],
      "outputSpecification": ["column", {"name": "n", "at": 1.0}, 7],
      "inputs": [null, {}, {"key": "k", "z": 1.0, "a": {"d": 1, "c": 12345678901234567890.0}}],
      "datasets": [{"id": "d", "fileFormat": "orc"}],
      "tags": ["z", "a", null, "a"],
      "sensitivities": [{"id": "s", "extra": [1e-30]}], "inputAggregations": [{"id": "i", "name": "n", "extra": false}],
      "defaultComparisonModels": ["none"],
      "axes": [
        {"key": "number", "kind": "dynamic", "type": "number",
         "values": [1, 1.50, 1e3, 25e-4, 1.5E+1, -2.5e-1, 0, 123456789012345678901234567890.10],
         "default": 1e3},
        {"key": "string", "type": "string", "values": ["1e3", "true", "", "null", "ä <&>"], "default": ""},
        {"key": "boolean", "type": "boolean", "values": [true, false], "default": false},
        {"key": "object", "type": "range", "values": [{"to": 2.0, "from": {"b": 1, "a": "<"}}, [1, "a", null]],
         "default": {"to": 1, "from": 0}},
        {"key": "mixed", "type": "duration", "values": [null, "a", 1], "default": null},
        {"key": "bare"}, {"key": "nulls", "values": null}
      ]},
     {"id": "m1", "revision": 1e0, "inputs": [], "datasets": [], "axes": []}
   ]},
  {"owner": "Northwind", "group": {"id": "bare"}, "models": [{"id": "m5", "revision": 5}]},
  {"owner": "Northwind", "group": {"id": "nulls", "name": null, "public": null, "createdAt": null, "timeHorizon": null,
     "latestRevision": null, "models": null, "axes": null}, "models": [{"id": "m0", "revision": 0}]}
]}`

func TestEveryAttributeEqualsWhatTheServiceSends(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, test := range []struct {
		catalogue    *sandbox.Catalogue
		organisation string
	}{
		{catalogue: sandbox.Default(), organisation: "northwind"},
		{catalogue: sandbox.Default(), organisation: "contoso-trading"},
		{catalogue: sandbox.Default(), organisation: "fabrikam"},
		{catalogue: parse(t, oddCatalogue), organisation: "northwind"},
		{catalogue: parse(t, oddCatalogue), organisation: "contoso-trading"},
	} {
		service := sandbox.New(test.catalogue)
		credentials := credentialsOf(test.organisation, service.Start(t))
		compareAll(t, newEngine(t, credentials), logIn(t, credentials), seen)
	}
	// An attribute that was null throughout has not been compared at all.
	e := newEngine(t, northwind("http://localhost"))
	for name, typ := range e.types {
		for _, place := range places(name, typ) {
			if !seen[place] {
				t.Errorf("%s is null in every record", place)
			}
		}
	}
}

// compareAll reads all that there is, and compares it with the documents.
func compareAll(t *testing.T, e *engine, service caller, seen map[string]bool) {
	t.Helper()
	groups, dayAhead := sortedGroups(t, service, ""), sortedGroups(t, service, "?timeHorizon=day_ahead")
	check := func(name string, config arguments, document any, more map[string]any) {
		t.Helper()
		want := asObject(t, expected(t, name, e.types[name], document))
		maps.Copy(want, more)
		if all := allAttributes(e.types[name]); all != nil {
			// Naming all of them is the same as leaving the argument out.
			want["attributes"] = all
			compare(t, name, e.mustRead(t, name, config.with("attributes", all)), want, seen)
			want["attributes"] = nil
		}
		compare(t, name, e.mustRead(t, name, config), want, seen)
	}
	var latest, pinned fleetDocuments
	check("model_groups", nil, map[string]any{"modelGroups": groups}, nil)
	check(
		"model_groups", arguments{"time_horizon": "day_ahead"}, map[string]any{"modelGroups": dayAhead},
		map[string]any{"time_horizon": "day_ahead"},
	)
	for _, group := range groups {
		id := textOf(group, "id")
		path := "/v1/model-group/" + url.PathEscape(id)
		check("model_group", arguments{"id": id}, service.get(t, path), nil)
		models := asList(t, service.get(t, path+"/models"))
		slices.SortFunc(models, func(a, b any) int { return int(integer(t, b, "revision") - integer(t, a, "revision")) })
		configured := map[string]any{"model_group_id": id}
		check("model_group_models", arguments{"model_group_id": id}, map[string]any{"models": models}, configured)
		if len(models) == 0 {
			continue
		}
		newest := service.get(t, path+"/latest-model")
		check("latest_model", arguments{"model_group_id": id}, newest, configured)
		if where := conditionsOf(newest); where != nil {
			check("latest_model", arguments{"model_group_id": id, "where": where}, newest, plus(configured, "where", where))
		}
		latest.add(id, newest, nil)
		highest := integer(t, models[0], "revision")
		for _, model := range models {
			revision := integer(t, model, "revision")
			derived := map[string]any{"latest_revision": highest, "is_latest": revision == highest}
			check(
				"model", arguments{"model_group_id": id, "revision": revision, "accept_withdrawn": true}, model,
				plus(plus(derived, "model_group_id", id), "accept_withdrawn", true),
			)
			pinned.add(id, model, derived)
		}
	}
	compareFleets(t, e, dayAhead, latest, pinned, check)
}

// fleetDocuments are models by group id: one in each map that a block may read,
// and in as many maps as a group has models.
type fleetDocuments []map[string]fleetDocument

type fleetDocument struct {
	model   any
	derived map[string]any
}

func (f *fleetDocuments) add(id string, model any, derived map[string]any) {
	for _, documents := range *f {
		if _, known := documents[id]; !known {
			documents[id] = fleetDocument{model: model, derived: derived}
			return
		}
	}
	*f = append(*f, map[string]fleetDocument{id: {model: model, derived: derived}})
}

// models are documents as the service sends them, with the id that they were
// asked for.
func (f *fleetDocuments) models(t *testing.T) map[string]any {
	t.Helper()
	models := map[string]any{}
	for id, document := range (*f)[0] {
		models[id] = plus(asObject(t, document.model), "modelGroupId", id)
	}
	return models
}

// compareFleets reads the same models with one block for all groups.
func compareFleets(
	t *testing.T, e *engine, dayAhead []any, latest, pinned fleetDocuments, check func(string, arguments, any, map[string]any),
) {
	t.Helper()
	models := latest.models(t)
	nothing := map[string]any{"model_group_ids": nil, "time_horizon": nil, "where": nil}
	check("latest_models", nil, map[string]any{"models": models}, nothing)
	ids := []any{}
	for _, id := range slices.Sorted(maps.Keys(models)) {
		ids = append(ids, id)
	}
	named := slices.Concat(ids, ids[:1])
	check("latest_models", arguments{"model_group_ids": named}, map[string]any{"models": models}, plus(nothing, "model_group_ids", named))
	for id, model := range models {
		if where, only := conditionsOf(model), []any{id}; where != nil {
			check("latest_models", arguments{"model_group_ids": only, "where": where},
				map[string]any{"models": map[string]any{id: model}}, plus(plus(nothing, "model_group_ids", only), "where", where))
		}
	}
	near := map[string]any{}
	for _, group := range dayAhead {
		if id := textOf(group, "id"); models[id] != nil {
			near[id] = models[id]
		}
	}
	check("latest_models", arguments{"time_horizon": "day_ahead"}, map[string]any{"models": near}, plus(nothing, "time_horizon", "day_ahead"))
	for i := range pinned {
		revisions, images := map[string]any{}, map[string]any{}
		derived := map[string]map[string]any{}
		documents := pinned[i : i+1]
		models := documents.models(t)
		for id, document := range pinned[i] {
			revisions[id], derived[id] = integer(t, document.model, "revision"), document.derived
			if image := textOf(document.model, "dockerImage"); image != "" {
				images[id] = image
			}
		}
		want := asObject(t, expected(t, "models", asObjectType(t, e.types["pinned_models"])["models"], models))
		for id := range derived {
			maps.Copy(asObject(t, want[id]), derived[id])
		}
		nothing := map[string]any{}
		given := map[string]any{"revisions": revisions, "docker_images": images, "accept_withdrawn": true}
		check("pinned_models", given, map[string]any{"revisions": nothing, "dockerImages": nothing, "models": nothing},
			plus(given, "models", want))
	}
}

// conditionsOf are those of `where` that a document satisfies, nil where it lacks
// what they speak of.
func conditionsOf(document any) map[string]any {
	model, _ := document.(map[string]any)
	tags, _ := model["tags"].([]any)
	if model["enabled"] == nil || model["archived"] == nil || len(tags) == 0 || slices.Contains(tags, nil) {
		return nil
	}
	return map[string]any{"enabled": model["enabled"], "archived": model["archived"], "tags": tags[:1]}
}

// plus returns a copy with one more value.
func plus(values map[string]any, name string, value any) map[string]any {
	copied := maps.Clone(values)
	copied[name] = value
	return copied
}

func asObjectType(t *testing.T, typ tftypes.Type) map[string]tftypes.Type {
	t.Helper()
	object, ok := typ.(tftypes.Object)
	if !ok {
		t.Fatalf("no object type: %s", typ)
	}
	return object.AttributeTypes
}

// allAttributes are the names that the argument attributes of a data source
// takes, nil where it has none.
func allAttributes(typ tftypes.Type) []any {
	root, _ := typ.(tftypes.Object)
	if root.AttributeTypes["attributes"] == nil {
		return nil
	}
	names := []any{}
	for _, attribute := range root.AttributeTypes {
		var record tftypes.Type
		switch attribute := attribute.(type) {
		case tftypes.List:
			record = attribute.ElementType
		case tftypes.Map:
			record = attribute.ElementType
		}
		if object, ok := record.(tftypes.Object); ok {
			for _, name := range slices.Sorted(maps.Keys(object.AttributeTypes)) {
				names = append(names, name)
			}
		}
	}
	return names
}

func sortedGroups(t *testing.T, service caller, query string) []any {
	t.Helper()
	groups := asList(t, service.get(t, "/v1/model-group"+query))
	slices.SortFunc(groups, func(a, b any) int {
		// An absent name and "" sort alike here; no catalogue has both.
		return cmp.Or(strings.Compare(textOf(a, "name"), textOf(b, "name")), strings.Compare(textOf(a, "id"), textOf(b, "id")))
	})
	return groups
}

func TestImageAndNotesAreOnlyForTheOwner(t *testing.T) {
	t.Parallel()
	base := sandbox.New(sandbox.Default()).Start(t)
	pinned := arguments{"model_group_id": mainGroup, "revision": 0}
	group := arguments{"model_group_id": mainGroup}
	for organisation, want := range map[string]struct{ image, notes, owner any }{
		"northwind":       {image: "registry.northwind.example/forecasting/de-lu-day-ahead-price:0.9.0", notes: "First revision.", owner: true},
		"contoso-trading": {owner: false},
	} {
		e := newEngine(t, credentialsOf(organisation, base))
		listed := asList(t, e.mustRead(t, "model_group_models", group)["models"])
		for place, model := range map[string]map[string]any{
			"model":  e.mustRead(t, "model", pinned),
			"listed": asObject(t, listed[len(listed)-1]),
		} {
			if model["docker_image"] != want.image || model["notes"] != want.notes || model["is_owner"] != want.owner {
				t.Errorf("%s for %s: image %v, notes %v, is_owner %v", place, organisation, model["docker_image"], model["notes"], model["is_owner"])
			}
		}
		latest := e.mustRead(t, "latest_model", group)
		if latest["is_owner"] != want.owner || (latest["docker_image"] == nil) != (want.image == nil) ||
			(latest["notes"] == nil) != (want.notes == nil) {
			t.Errorf("latest for %s: image %v, notes %v", organisation, latest["docker_image"], latest["notes"])
		}
	}
}

func TestEveryDigitIsKept(t *testing.T) {
	t.Parallel()
	e, _ := sandboxEngine(t)
	model := e.mustRead(t, "model", arguments{"model_group_id": mainGroup, "revision": 3})
	want := `{"algorithm":"gradient boosting","approved":true,"backtest":null,` +
		`"features":[{"lags":[1,2,24,168],"name":"residual_load"},{"lags":[],"name":"gas_price"},["wind","solar"]],` +
		`"fingerprint":1234567890123456789012345678901234567890,"learningRate":0.0250000000000000013878,` +
		`"source":"https://wiki.northwind.example/models?id=17&view=<all>","tolerance":1.0E-9,` +
		`"trainedOn":{"from":"2019-01-01","rows":9007199254740993,"to":"2026-05-18"}}`
	if model["model_metadata"] != want {
		t.Errorf("model_metadata is %s", model["model_metadata"])
	}
	input := asObject(t, asList(t, model["inputs"])[0])
	want = `{"bounds":{"max":1e3,"min":0},"default":31.4159265358979323846264338327950288,"id":"f2eb677d-ad9b-4592-a1e8-62926d54c90c",` +
		`"key":"gas_price","name":"Gas price TTF","required":false,"unit":"EUR/MWh"}`
	if input["json"] != want {
		t.Errorf("inputs[0].json is %s", input["json"])
	}
}

func TestAxisValuesAreSpelledAsAQueryTakesThem(t *testing.T) {
	t.Parallel()
	service := sandbox.New(parse(t, oddCatalogue))
	e := newEngine(t, northwind(service.Start(t)))
	state := e.mustRead(t, "model", arguments{"model_group_id": `a b/ü"'\<&>;:@+$,=~..`, "revision": 2})
	want := map[string][]any{ // the default, then the values
		"number":  {"1000", "1", "1.50", "1000", "0.0025", "15", "-0.25", "0", "123456789012345678901234567890.10"},
		"string":  {"", "1e3", "true", "", "null", "ä <&>"},
		"boolean": {"false", "true", "false"},
		"object":  {`{"from":0,"to":1}`, `{"from":{"a":"<","b":1},"to":2.0}`, `[1,"a",null]`},
		"mixed":   {nil, nil, "a", "1"},
		"bare":    {nil},
		"nulls":   {nil},
	}
	axes := asList(t, state["axes"])
	if len(axes) != len(want) {
		t.Errorf("%d axes, want %d", len(axes), len(want))
	}
	for _, element := range axes {
		axis := asObject(t, element)
		got := append([]any{axis["default"]}, asList(t, axis["values"])...)
		if key := fmt.Sprint(axis["key"]); !slices.Equal(got, want[key]) {
			t.Errorf("axis %s: %q\nwant %q", key, got, want[key])
		}
	}
	variable := asObject(t, asList(t, state["output_variables"])[0])
	colours := []any{"1", "1.50", "true", nil, `{"dark":"#000","light":"#fff"}`, `["a",1e2]`}
	if got := asList(t, variable["colours"]); !slices.Equal(got, colours) {
		t.Errorf("colours %q", got)
	}
}

func TestAnUnknownValuePassesThrough(t *testing.T) {
	t.Parallel()
	service := sandbox.New(parse(t, oddCatalogue))
	e := newEngine(t, northwind(service.Start(t)))
	state := e.mustRead(t, "latest_model", arguments{"model_group_id": `a b/ü"'\<&>;:@+$,=~..`})
	for attribute, want := range map[string]any{
		"run_mode": "WEEKLY", "output_file_format": "avro", "display_timezone": "Mars/Olympus", "created_at": "2026-13-45", "revision": int64(2),
	} {
		if state[attribute] != want {
			t.Errorf("%s is %v, want %v", attribute, state[attribute], want)
		}
	}
}
