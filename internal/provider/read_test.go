package provider

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// The groups of the sandbox's own catalogue that tests name; see also mainGroup.
const (
	oddGroup    = "emea/power?v=1#β %41" // an id that needs escaping
	sparseGroup = "f0e5ad51-6c48-4e48-ba77-08713590fc28"
	emptyGroup  = "233191dc-5464-496a-8502-52b761ba36f7" // without models
	hydroGroup  = "2be23368-56c5-4eb6-b02b-966d046dc3ea" // public, of another organisation
)

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
		{sandbox.Default(), "northwind"},
		{sandbox.Default(), "contoso-trading"},
		{sandbox.Default(), "fabrikam"},
		{parse(t, oddCatalogue), "northwind"},
		{parse(t, oddCatalogue), "contoso-trading"},
	} {
		credentials := credentialsOf(test.organisation, sandboxtest.Start(t, sandbox.New(test.catalogue)))
		compareAll(t, comparison{e: newEngine(t, credentials), seen: seen}, logIn(t, credentials))
	}
	// An attribute that was null or empty throughout has not been compared at all.
	for name, schema := range schemas.DataSourceSchemas {
		walk(name, schema.Block.Attributes, func(place string, _ *tfprotov6.SchemaAttribute) {
			if !seen[place] {
				t.Errorf("%s is null in every record", place)
			}
		})
	}
}

// comparison reads data sources and compares them with documents of the service.
// It notes which attributes had a value.
type comparison struct {
	e    *engine
	seen map[string]bool
}

// check reads one data source, whose arguments have to come back as configured,
// and the rest of it as the document has it.
func (c comparison) check(t *testing.T, name string, config arguments, document map[string]any) {
	t.Helper()
	want := map[string]any{}
	for _, attribute := range schemas.DataSourceSchemas[typeName+"_"+name].Block.Attributes {
		want[attribute.Name] = nil
		if attribute.Computed {
			want[attribute.Name] = expected(t, attribute.Name, attribute.ValueType(), document[camelCase(attribute.Name)])
		}
	}
	maps.Copy(want, config)
	c.note(typeName+"_"+name, typeOf(name), want)
	expectSame(t, c.e.mustRead(t, name, config), want)
	if all := allAttributes(name); all != nil {
		// Naming all of them is the same as leaving the argument out.
		want["attributes"] = all
		c.note(typeName+"_"+name, typeOf(name), want)
		expectSame(t, c.e.mustRead(t, name, config.with("attributes", all)), want)
	}
}

// note notes the attributes that have a value, and lists and maps that have one in
// an element.
func (c comparison) note(place string, typ tftypes.Type, value any) {
	switch typ := typ.(type) {
	case tftypes.Object:
		record, _ := value.(map[string]any)
		for name, attribute := range typ.AttributeTypes {
			c.note(place+"."+name, attribute, record[name])
		}
	case tftypes.Map:
		elements, _ := value.(map[string]any)
		for _, element := range elements {
			c.note(place, typ.ElementType, element)
		}
	case tftypes.List:
		elements, _ := value.([]any)
		for _, element := range elements {
			c.note(place, typ.ElementType, element)
		}
	}
	switch value := value.(type) {
	case nil, []any:
	case map[string]any:
		c.seen[place] = c.seen[place] || len(value) > 0
	default:
		c.seen[place] = true
	}
}

// compareAll reads all that there is.
func compareAll(t *testing.T, c comparison, service caller) {
	t.Helper()
	groups, dayAhead := sortedGroups(t, service, ""), sortedGroups(t, service, "?timeHorizon=day_ahead")
	c.check(t, "model_groups", nil, map[string]any{"modelGroups": groups})
	c.check(t, "model_groups", arguments{"time_horizon": "day_ahead"}, map[string]any{"modelGroups": dayAhead})
	named := map[string]int{}
	for _, group := range groups {
		named[textOf(group, "name")]++
	}
	latest, near, pinned := map[string]any{}, map[string]any{}, map[string][]map[string]any{}
	for _, group := range groups {
		id, name := textOf(group, "id"), textOf(group, "name")
		path, block := "/v1/model-group/"+url.PathEscape(id), arguments{"model_group_id": id}
		whole := asObject(t, service.get(t, path))
		c.check(t, "model_group", arguments{"id": id}, whole)
		if name != "" && named[name] == 1 {
			c.check(t, "model_group", arguments{"name": name}, whole)
		}
		models := asList(t, service.get(t, path+"/models"))
		slices.SortFunc(models, func(a, b any) int { return int(integer(t, b, "revision") - integer(t, a, "revision")) })
		c.check(t, "model_group_models", block, map[string]any{"models": models})
		if len(models) == 0 {
			continue
		}
		newest := plus(service.get(t, path+"/latest-model"), "modelGroupId", id)
		c.check(t, "latest_model", block, newest)
		if where := conditionsOf(newest); where != nil {
			c.check(t, "latest_model", block.with("where", where), newest)
			c.check(t, "latest_models", arguments{"model_group_ids": []any{id}, "where": where},
				map[string]any{"models": map[string]any{id: newest}})
		}
		latest[id] = newest
		if slices.ContainsFunc(dayAhead, func(group any) bool { return textOf(group, "id") == id }) {
			near[id] = newest
		}
		highest := integer(t, models[0], "revision")
		for _, model := range models {
			revision := integer(t, model, "revision")
			model := plus(model, "modelGroupId", id, "latestRevision", json.Number(strconv.FormatInt(highest, 10)), "isLatest", revision == highest)
			c.check(t, "model", block.merge(arguments{"revision": revision, "accept_withdrawn": true}), model)
			pinned[id] = append(pinned[id], model)
		}
	}
	c.check(t, "latest_models", nil, map[string]any{"models": latest})
	c.check(t, "latest_models", arguments{"time_horizon": "day_ahead"}, map[string]any{"models": near})
	ids := []any{}
	for _, id := range slices.Sorted(maps.Keys(latest)) {
		ids = append(ids, id)
	}
	c.check(t, "latest_models", arguments{"model_group_ids": slices.Concat(ids, ids[:1])}, map[string]any{"models": latest})
	// A block pins one revision of a group, so there are as many as a group has revisions.
	for round := 0; ; round++ {
		models, revisions, images := map[string]any{}, map[string]any{}, map[string]any{}
		for id, list := range pinned {
			if round < len(list) {
				models[id], revisions[id] = list[round], integer(t, list[round], "revision")
				if image := textOf(list[round], "dockerImage"); image != "" {
					images[id] = image
				}
			}
		}
		if len(models) == 0 {
			break
		}
		c.check(t, "pinned_models", arguments{"revisions": revisions, "docker_images": images, "accept_withdrawn": true},
			map[string]any{"models": models})
	}
}

// conditionsOf are those of `where` that a model satisfies, nil where it lacks
// what they speak of.
func conditionsOf(model map[string]any) map[string]any {
	tags, _ := model["tags"].([]any)
	if model["enabled"] == nil || model["archived"] == nil || len(tags) == 0 || slices.Contains(tags, nil) {
		return nil
	}
	return map[string]any{"enabled": model["enabled"], "archived": model["archived"], "tags": tags[:1]}
}

// plus returns a copy of a document with more fields: a name, its value, and so on.
func plus(document any, fields ...any) map[string]any {
	record, _ := document.(map[string]any)
	copied := maps.Clone(record)
	for i := 0; i < len(fields); i += 2 {
		copied[fmt.Sprint(fields[i])] = fields[i+1]
	}
	return copied
}

// allAttributes are the names that the argument attributes of a data source
// takes, nil where it has none.
func allAttributes(name string) (names []any) {
	attributes := schemas.DataSourceSchemas[typeName+"_"+name].Block.Attributes
	if !slices.ContainsFunc(attributes, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == "attributes" }) {
		return nil
	}
	for _, attribute := range attributes {
		if attribute.NestedType != nil && attribute.Computed {
			for _, nested := range attribute.NestedType.Attributes {
				names = append(names, nested.Name)
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

// What follows is spelled out, so that a mistake in expected cannot hide one in
// the provider.

func TestImageAndNotesAreOnlyForTheOwner(t *testing.T) {
	t.Parallel()
	base := sandboxtest.Start(t, sandbox.New(sandbox.Default()))
	for organisation, want := range map[string]struct{ image, notes, owner any }{
		"northwind":       {firstImage, "First revision.", true},
		"contoso-trading": {nil, nil, false},
	} {
		e := newEngine(t, credentialsOf(organisation, base))
		listed := asList(t, e.mustRead(t, "model_group_models", arguments{"model_group_id": mainGroup})["models"])
		for place, model := range map[string]map[string]any{
			"model":  e.mustRead(t, "model", arguments{"model_group_id": mainGroup, "revision": 0}),
			"listed": asObject(t, listed[len(listed)-1]),
		} {
			if model["docker_image"] != want.image || model["notes"] != want.notes || model["is_owner"] != want.owner {
				t.Errorf("%s for %s: image %v, notes %v, is_owner %v", place, organisation, model["docker_image"], model["notes"], model["is_owner"])
			}
		}
	}
}

// TestAPinBehindTheLatest, in a block of its own and in one of several.
func TestAPinBehindTheLatest(t *testing.T) {
	t.Parallel()
	e, _ := sandboxEngine(t)
	fleet := modelsOf(t, e.mustRead(t, "pinned_models", arguments{
		"revisions": map[string]any{mainGroup: 2, sparseGroup: 1}, "accept_withdrawn": true,
	}))
	for id, want := range map[string]map[string]any{
		mainGroup:   {"revision": int64(2), "latest_revision": int64(3), "is_latest": false, "archived": true, "model_group_id": mainGroup},
		sparseGroup: {"revision": int64(1), "latest_revision": int64(1), "is_latest": true, "model_group_id": sparseGroup},
	} {
		single := e.mustRead(t, "model", arguments{"model_group_id": id, "revision": want["revision"], "accept_withdrawn": true})
		for name, value := range want {
			if got := asObject(t, fleet[id])[name]; got != value || single[name] != value {
				t.Errorf("%s: %s is %v and %v, want %v", id, name, got, single[name], value)
			}
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
	e := newEngine(t, northwind(sandboxtest.Start(t, sandbox.New(parse(t, oddCatalogue)))))
	state := e.mustRead(t, "model", arguments{"model_group_id": `a b/ü"'\<&>;:@+$,=~..`, "revision": 2})
	got := map[string][]any{}
	for _, element := range asList(t, state["axes"]) {
		axis := asObject(t, element)
		got[fmt.Sprint(axis["key"])] = append([]any{axis["default"]}, asList(t, axis["values"])...)
	}
	got["colours"] = asList(t, asObject(t, asList(t, state["output_variables"])[0])["colours"])
	expectSame(t, got, map[string][]any{ // the default, then the values
		"number":  {"1000", "1", "1.50", "1000", "0.0025", "15", "-0.25", "0", "123456789012345678901234567890.10"},
		"string":  {"", "1e3", "true", "", "null", "ä <&>"},
		"boolean": {"false", "true", "false"},
		"object":  {`{"from":0,"to":1}`, `{"from":{"a":"<","b":1},"to":2.0}`, `[1,"a",null]`},
		"mixed":   {nil, nil, "a", "1"},
		"bare":    {nil},
		"nulls":   {nil},
		"colours": {"1", "1.50", "true", nil, `{"dark":"#000","light":"#fff"}`, `["a",1e2]`},
	})
}
