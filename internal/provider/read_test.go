package provider

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"golang.org/x/text/unicode/norm"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
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
		if attribute.Name == "other_fields" {
			names := []string{}
			for _, attribute := range schemas.DataSourceSchemas[typeName+"_"+name].Block.Attributes {
				names = append(names, attribute.Name)
			}
			want[attribute.Name] = others(t, document, names)
		}
	}
	maps.Copy(want, config)
	c.note(typeName+"_"+name, typeOf(name), want)
	expectSame(t, c.e.readBothWays(t, name, config), want)
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
	return map[string]any{
		"enabled": model["enabled"], "archived": model["archived"], "tags": tags[:1], "run_mode": model["runMode"], "min_age": "1h",
	}
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

// Engines hand every string of a configuration over in NFC.
func TestANameInAnotherNormalFormIsFound(t *testing.T) {
	t.Parallel()
	const composed = "Prévision été"
	e, service := sandboxEngine(t)
	service.Inject(respell(sandbox.RouteGroups, "EMEA power balance", norm.NFD.String(composed)))
	state := e.mustRead(t, "model_group", arguments{"name": composed})
	if state["id"] != oddGroup || state["name"] != composed {
		t.Errorf("id %q, name %q", state["id"], state["name"])
	}
}

func TestAPinPicksItsRevision(t *testing.T) {
	t.Parallel()
	numbered := func(revisions ...int64) (models []*catalogue.Model) {
		for _, revision := range revisions {
			models = append(models, &catalogue.Model{Revision: new(catalogue.Integer(revision))})
		}
		return models
	}
	var many []int64
	for revision := range int64(103) {
		many = append(many, revision)
	}
	for _, test := range []struct {
		models          []*catalogue.Model
		revision        int64
		latest          int64
		summary, detail string
	}{
		{numbered(0, 1, 2), 0, 2, "", ""},
		{numbered(2, 1, 0), 2, 2, "", ""},
		{append(numbered(1), &catalogue.Model{}), 1, 1, "", ""},
		{numbered(1, 3, 1), 2, 0, "Revision not found", "It has: 3, 1."},
		{nil, 0, 0, "Revision not found", "it has no models yet"},
		{numbered(1, 2, 1), 1, 0, "Several models of that revision", "2 models of revision 1"},
		{numbered(many...), 500, 0, "Revision not found", "102, 101, 100, 99, 98, 97, 96, 95, 94, 93, and 93 older, down to 0."},
	} {
		model, problem := pin{groupID: "g", revision: test.revision, follow: "modelcatalogue_x"}.pick(test.models)
		switch {
		case test.summary == "":
			if problem != nil || int64(*model.Revision) != test.revision || model.latest != test.latest {
				t.Errorf("%+v: %+v, %v", test, model, problem)
			}
		case problem == nil || problem.summary != test.summary || !strings.Contains(problem.detail, test.detail):
			t.Errorf("%v, want %q with %q", problem, test.summary, test.detail)
		}
	}
}

// The service may spell what it was asked for in another way.
func TestArgumentsComeBackAsConfigured(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(respell(
		sandbox.RouteAny, `"id":"`+mainGroup, `"id":"OTHER-ID`, `"revision":0,`, `"revision":0.0,`, `"key":"day_ahead"`, `"key":"DAY_AHEAD"`,
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
}

// TestAPartOfAListIsNoAnswer: latest_revision and is_latest of a part of a list would be false.
func TestAPartOfAListIsNoAnswer(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(sandbox.Fault{Route: sandbox.RouteModels, Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		header.Set("X-Total-Count", "120")
		return status, header, body
	}})
	expectError(t, e.refused(t, "model", arguments{"model_group_id": mainGroup, "revision": 3}), "", explain.SummaryUnexpected,
		"X-Total-Count is 120, 4 came, and no Link names a next page; this version of the provider does not read such a list.")
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteModels: 1})
}

func TestAModelOfAnotherGroupIsNoAnswer(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(respell(sandbox.RouteAny, `"modelGroupId":"`+mainGroup, `"modelGroupId":"OTHER-ID`))
	for name, place := range map[string]string{"latest_model": "modelGroupId", "model_group_models": "models[0].modelGroupId"} {
		expectError(t, e.refused(t, name, arguments{"model_group_id": mainGroup}), "", explain.SummaryUnexpected,
			"At "+place, `: it is another group than the one asked for, "OTHER-ID"`)
	}
}

// TestAnyOrderGivesTheSame state and the same message, whatever order the service
// answers in.
func TestAnyOrderGivesTheSame(t *testing.T) {
	t.Parallel()
	readings := []reading{
		{"latest_models", nil},
		{"model_group", arguments{"name": "Wind generation North Sea"}},  // two groups have it
		{"model", arguments{"model_group_id": mainGroup, "revision": 4}}, // there is none
	}
	for name, config := range readable {
		readings = append(readings, reading{name, config})
	}
	var want []answer
	for seed := range int64(7) {
		service := sandbox.New(sandbox.Default())
		if seed > 0 {
			sandboxtest.Shuffle(service, seed)
		}
		// Requests have numbers, which messages show.
		got := newEngine(t, northwind(sandboxtest.Start(t, service))).readAll(t, 1, readings)
		if want == nil {
			want = got
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d: %v\nwant %v", seed, got, want)
		}
	}
}

// TestAFieldOfTheWrongTypeIsNamed by its attribute as well, where that is spelled
// in another way.
func TestAFieldOfTheWrongTypeIsNamed(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	service.Inject(respell(sandbox.RouteLatest, `"shortName":"DA price"`, `"shortName":{}`))
	service.Inject(respell(sandbox.RouteGroups, `"latestRevision":2`, `"latestRevision":true`))
	expectError(t, e.refused(t, "latest_model", readable["latest_model"]), "", "Unexpected answer", "/latest-model", "report this",
		"forecastVariable.shortName: a string is expected, the service sent an object.")
	expectError(t, e.refused(t, "model_groups", nil), "", "Unexpected answer", "/v1/model-group",
		"model_groups[1].latestRevision: a whole number is expected, the service sent a boolean.")
	expectError(t, e.refused(t, "model_group", arguments{"name": "a"}), "", "Unexpected answer", "model_groups[1].latestRevision")
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteLatest: 1, sandbox.RouteGroups: 2})
}
