package provider

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// played returns a scene of reads on a service, one after another on a fake clock, and the diagnostics of each.
func played(title string, service func(*testing.T) http.Handler, more arguments, reads ...reading) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		var diagnostics []*tfprotov6.Diagnostic
		synctest.Test(t, func(t *testing.T) {
			for _, a := range inMemory(t, service(t), more).readAll(t, 1, reads) {
				diagnostics = append(diagnostics, a.diagnostics...)
			}
		})
		return diagnostics
	}}
}

// onSandbox returns a scene of reads on a sandbox that never fails.
func onSandbox(title string, reads ...reading) scene { return played(title, faulty(), nil, reads...) }

// fails returns a scene of one read that meets a fault.
func fails(title string, fault sandbox.Fault) scene {
	return played(title, faulty(fault), nil, oneGroup)
}

// faulty returns a sandbox of the default catalogue with faults.
func faulty(faults ...sandbox.Fault) func(*testing.T) http.Handler {
	return func(*testing.T) http.Handler {
		service := sandbox.New(sandbox.Default())
		for _, fault := range faults {
			service.Inject(fault)
		}
		return service
	}
}

// configured returns a scene of `validate` on the provider block.
func configured(title string, more arguments) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		return validateProvider(t, northwind("https://catalogue.example").merge(more))
	}}
}

// validated returns a scene of `validate` on a data source.
func validated(title, name string, config arguments) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		return (&engine{server: newServer(&catalogueProvider{version: "test"})}).validate(t, name, config)
	}}
}

// parsed returns a scene of parse_image, with the words that engines put around its message.
func parsed(title string, image any) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		_, problem := callParseImage(t, image)
		return []*tfprotov6.Diagnostic{{
			Summary: "Invalid function argument",
			Detail:  `Invalid value for "image" parameter: ` + problem.Text + ".",
		}}
	}}
}

// argumentScenes returns scenes of `validate` on data sources, and of the function.
func argumentScenes() []scene {
	return []scene{
		validated("neither id nor name", "model_group", nil),
		validated("both id and name", "model_group",
			arguments{"id": "a", "name": "b"}),
		validated("an empty name", "model_group", arguments{"name": ""}),
		validated("an empty id", "latest_model", arguments{"model_group_id": ""}),
		validated("a relative path for an id", "model_group", arguments{"id": ".."}),
		validated("an id with a line break", "latest_model", arguments{"model_group_id": "a\nb"}),
		validated("ids, and a time horizon", "latest_models",
			arguments{"model_group_ids": []any{}, "time_horizon": "b"}),
		validated("an empty time_horizon", "model_groups", arguments{"time_horizon": ""}),
		validated("a negative revision", "model",
			arguments{"model_group_id": "a", "revision": -1}),
		validated("a revision that is too large", "model",
			arguments{"model_group_id": "a", "revision": 1e23}),
		validated("pins without a revision", "pinned_models",
			arguments{"revisions": map[string]any{"a": nil, "b": -1, "c": 1.5, "": 1}}),
		validated("ids that cannot be ids", "latest_models",
			arguments{"model_group_ids": []any{"a", "", nil, ".."}}),
		validated("a name that is not an attribute", "model_group_models",
			arguments{"model_group_id": "a", "attributes": []any{"docker_imgae"}}),
		validated("twelve names that are not attributes", "latest_models", arguments{"attributes": []any{
			"docker", "tag", "id", "foo", nil, "models", "*", "id,name", "a", "b", "c", "d", "e",
		}}),
		validated("attributes: null", "model_groups", arguments{"attributes": []any{"id", nil}}),
		validated("an empty docker_image", "model",
			arguments{"model_group_id": "a", "revision": 1, "docker_image": ""}),
		validated("docker_images of no pin, empty and null", "pinned_models", arguments{
			"revisions":     map[string]any{"a": 1, "b": 1},
			"docker_images": map[string]any{"a": "", "b": nil, "B": "app:1", "d": "app:1"},
		}),
		validated("a group in two spellings", "pinned_models", arguments{"revisions": map[string]any{"g-own": 2, "G-OWN": 3}}),
		validated("groups in two spellings", "latest_models", arguments{
			"model_group_ids": []any{"a", "b", "A", "é", "a", "B", "É"},
		}),
		validated("tags that are empty or null", "latest_model", arguments{
			"model_group_id": "a",
			"where":          map[string]any{"tags": []any{"", nil, "offshore"}},
		}),
		validated("an age in words, and an empty run mode", "latest_model", arguments{
			"model_group_id": "a",
			"where":          where("run_mode", "", "min_age", "3 days"),
		}),
		parsed("parse_image: null", nil),
		parsed("parse_image: a digest of three digits", "registry.example/app@sha256:abc"),
		parsed("parse_image: a tag that cannot be one", "registry.example/app:1.0+build"),
		parsed("parse_image: two slashes", "registry.example:5000//app"),
		parsed("parse_image: an underscore at the start", "_a/b"),
		parsed("parse_image: a relative path", "../a"),
		parsed("parse_image: not ASCII", "registry.example/é"),
	}
}

func lookupScenes() []scene { return slices.Concat(findingScenes(), pinScenes(), fleetScenes()) }

func findingScenes() []scene {
	group := func(config arguments) reading { return reading{"model_group", config} }
	return []scene{
		onSandbox(
			"unknown ids, of several blocks",
			group(arguments{"id": "3f0c"}),
			group(arguments{"id": "3f0d"}),
			reading{"latest_model", arguments{"model_group_id": emptyGroup}},
			reading{"latest_model", arguments{"model_group_id": strings.Repeat("0d", 50)}},
			group(arguments{"id": "A name"}),
			group(arguments{"id": "Another name"}),
		),
		onSandbox(
			"names that no group has, of several blocks",
			group(arguments{"name": "Rainfall"}),
			group(arguments{"name": "Snowfall"}),
			group(arguments{"name": "day-ahead power price DE-LU"}),
			group(arguments{"name": mainGroup}),
		),
		onSandbox(
			"names of 3,000 characters, of two blocks",
			group(arguments{"name": strings.Repeat("n", 3000)}),
			group(arguments{"name": strings.Repeat("n", 3000)}),
		),
		onSandbox(
			"missing revisions, of several blocks",
			reading{"model", arguments{"model_group_id": mainGroup, "revision": 9}},
			reading{"model", arguments{"model_group_id": mainGroup, "revision": 8}},
			reading{"model", arguments{"model_group_id": emptyGroup, "revision": 0}},
			reading{"model", arguments{"model_group_id": emptyGroup, "revision": 1}},
			reading{"model", arguments{"model_group_id": oddGroup, "revision": 8}},
		),
		onSandbox(
			"an id in capitals, after the groups were listed",
			reading{"model_groups", nil},
			group(arguments{"id": strings.ToUpper(mainGroup)}),
		),
		onSandbox("an id with a space before it", group(arguments{"id": " " + mainGroup})),
		onSandbox(
			"an id with a space behind it",
			reading{"model_group_models", arguments{"model_group_id": mainGroup + " "}},
		),
		onSandbox(
			"a name given as an id",
			reading{"latest_model", arguments{"model_group_id": "Day-ahead power price DE-LU"}},
		),
		onSandbox("an id given as a name", group(arguments{"name": mainGroup})),
		onSandbox("a name in another case", group(arguments{"name": "day-ahead  Power Price de-lu"})),
		onSandbox("a name that several groups have", group(arguments{"name": "Wind generation North Sea"})),
		onSandbox(
			"unknown time horizons, of several blocks",
			reading{"model_groups", arguments{"time_horizon": "fortnight"}},
			reading{"latest_models", arguments{"time_horizon": "decade"}},
		),
		onSandbox("a group without models", reading{"latest_model", arguments{"model_group_id": emptyGroup}}),
		played(
			"a name, if the groups may not be listed",
			faulty(sandbox.Refuse(sandbox.RouteGroups, "FORBIDDEN", "No groups.")),
			nil,
			group(arguments{"name": "a"}),
		),
		onSandbox("a name with a letter wrong", group(arguments{"name": "Imbalanse volume TenneT"})),
		onSandbox("a name with another hyphen", group(arguments{"name": "Day–ahead power price DE-LU"})),
		onSandbox(
			"a time horizon with a space before it",
			reading{"model_groups", arguments{"time_horizon": " day_ahead"}},
		),
		played(
			"a 404 that the catalogue did not send, twice",
			faulty(sandbox.Fault{
				Route:  sandbox.RouteGroup,
				Status: 404,
				Header: http.Header{"Content-Type": {"text/html"}},
				Body:   "<title>404 Not Found</title>",
			}),
			nil,
			oneGroup,
			oneGroup,
		),
		played(
			"missing groups of a fleet",
			faulty(oneRequestID),
			nil,
			reading{"latest_models", arguments{
				"model_group_ids": []any{mainGroup, emptyGroup, " " + mainGroup, "Imbalance volume TenneT", "nowhere"},
			}},
		),
		onSandbox(
			"missing revisions of a fleet",
			reading{"pinned_models", arguments{"revisions": map[string]any{
				"10ab405e-fef7-45c5-9684-bc287f03345c": 9,
				emptyGroup:                             0,
				mainGroup:                              9,
				oddGroup:                               1,
			}}},
		),
	}
}

// oneRequestID is a fault that fails nothing: questions of a fleet arrive in any order, and with them their ids.
var oneRequestID = sandbox.Fault{
	Route: sandbox.RouteLatest,
	Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		header.Set("X-Request-Id", "any")
		return status, header, body
	},
}

// republishedService returns a service with a revision that was re-published in place.
func republishedService(t *testing.T) http.Handler {
	t.Helper()
	service := sandbox.New(sandbox.Default())
	const changes = `{"dockerImage": "app:2", "updatedAt": "2026-01-02T03:04:05Z"}`
	if _, err := service.Republish(mainGroup, 0, []byte(changes)); err != nil {
		t.Fatal(err)
	}
	return service
}

// manyRevisions returns a service with two groups of more than twenty revisions.
func manyRevisions(t *testing.T) http.Handler {
	t.Helper()
	service := sandbox.New(sandbox.Default())
	for i := range 40 {
		if _, err := service.Publish([]string{mainGroup, oddGroup}[i%2], []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	return service
}

// pinScenes returns scenes of pins, and of the newest model that satisfies.
func pinScenes() []scene {
	pinned := func(title string, more arguments) scene {
		return onSandbox(title, reading{"model", arguments{"model_group_id": mainGroup}.merge(more)})
	}
	latest := func(title string, conditions ...any) scene {
		return onSandbox(
			title,
			reading{"latest_model", arguments{"model_group_id": mainGroup, "where": where(conditions...)}},
		)
	}
	disabled := reading{"latest_model", arguments{"model_group_id": mainGroup, "where": where("enabled", false)}}
	return []scene{
		pinned("an image that differs", arguments{"revision": 0, "docker_image": "registry.northwind.example/forecasting/app:0.8"}),
		pinned("an image with a scheme, which differs", arguments{"revision": 0, "docker_image": "https://" + firstImage}),
		pinned("an image with white space before it", arguments{"revision": 0, "docker_image": " " + firstImage}),
		pinned("an image with a Cyrillic letter", arguments{"revision": 0, "docker_image": strings.Replace(firstImage, "a", "а", 1)}),
		pinned("an image with a digest, unlike the service's", arguments{"revision": 0, "docker_image": firstImage + "@" + sha256Digest}),
		pinned("an image in another case", arguments{"revision": 0, "docker_image": strings.ToUpper(firstImage)}),
		played(
			"an image of a revision that was re-published",
			republishedService,
			nil,
			reading{"model", arguments{"model_group_id": mainGroup, "revision": 0, "docker_image": "app:1"}},
		),
		played(
			"an image that is withheld",
			faulty(),
			credentialsOf("contoso-trading", "http://localhost"),
			reading{"model", arguments{"model_group_id": mainGroup, "revision": 0, "docker_image": firstImage}},
		),
		onSandbox(
			"images of a fleet that differ, or are withheld",
			reading{"pinned_models", arguments{
				"revisions":     map[string]any{mainGroup: 0, oddGroup: 7, hydroGroup: 4},
				"docker_images": map[string]any{mainGroup: "app:1", oddGroup: "app:7", hydroGroup: "app:4"},
			}},
		),
		pinned("a pin that is withdrawn", arguments{"revision": 2}),
		onSandbox(
			"pins of a fleet that are withdrawn",
			reading{"pinned_models", arguments{"revisions": map[string]any{mainGroup: 2, oddGroup: 7}}},
		),
		manyPins(),
		latest("no model that satisfies", "enabled", true, "tags", []any{"POWER", "gold"}),
		latest("a run mode in lower case", "run_mode", "automatic", "archived", false),
		latest("no model of an age", "min_age", "9000d"),
		played(
			"no model that satisfies, and flags that the service leaves out",
			faulty(
				respell(sandbox.RouteAny, `"archived":false,`, "", `"archived":true,`, "", `"enabled":true,`, "", `"enabled":false,`, ""),
			),
			nil,
			reading{"latest_model", arguments{"model_group_id": oddGroup, "where": where("enabled", true, "tags", []any{"gold"})}},
		),
		played(
			"settings and tags that the service leaves out, of a fleet and blocks",
			faulty(respell(sandbox.RouteAny, `"enabled":true,`, "", `"enabled":false,`, "", `"tags":[`, `"labels":[`)),
			nil,
			reading{"latest_models", arguments{"where": where("enabled", true)}},
			disabled,
			reading{"latest_models", arguments{
				"model_group_ids": []any{mainGroup},
				"where":           where("enabled", true, "archived", false, "tags", []any{"gold"}),
			}},
		),
		played(
			"no latest model that satisfies, if the models may not be listed",
			faulty(sandbox.Refuse(sandbox.RouteModels, "FORBIDDEN", "No models.")),
			nil,
			disabled,
		),
		played(
			"two models of one revision that satisfy",
			faulty(respell(sandbox.RouteModels, `"revision":1,`, `"revision":2,`, `"enabled":true`, `"enabled":false`)),
			nil,
			disabled,
		),
		played(
			"missing revisions, of groups with many",
			manyRevisions,
			nil,
			reading{"pinned_models", arguments{"revisions": map[string]any{mainGroup: 501, oddGroup: 501}}},
		),
		onSandbox(
			"no model of some groups that satisfies",
			reading{"latest_models", arguments{
				"model_group_ids": []any{mainGroup, oddGroup, sparseGroup},
				"where":           where("enabled", true, "tags", []any{"power", "DE-LU", "gold"}),
			}},
		),
	}
}

func fleetScenes() []scene {
	latest := func(ids ...any) reading { return reading{"latest_models", arguments{"model_group_ids": ids}} }
	return []scene{
		onSandbox(
			"missing groups of two fleets and a block",
			latest("a"),
			latest("b", "c"),
			reading{"latest_model", arguments{"model_group_id": "d"}},
		),
		onSandbox(
			"missing revisions of two fleets",
			reading{"pinned_models", arguments{"revisions": map[string]any{mainGroup: 9}}},
			reading{"pinned_models", arguments{"revisions": map[string]any{mainGroup: 8, oddGroup: 1}}},
		),
		played(
			"an organisation that is not permitted, for a fleet and a block",
			faulty(),
			arguments{argClientID: "adventure-works", argClientSecret: "adventure-works-sandbox-secret"},
			latest(mainGroup),
			oneGroup,
		),
		played("several causes of a fleet", failingFleet, nil, latest(append(idsOf(16), "nowhere")...)),
		played(
			"a service that is down for a fleet",
			func(t *testing.T) http.Handler {
				t.Helper()
				service := sandbox.New(manyGroups(t, 40))
				service.Inject(sandbox.Fault{
					Route:  sandbox.RouteLatest,
					Status: 503,
					Header: http.Header{"X-Request-Id": {"any"}},
					Delay:  sec,
				})
				return service
			},
			arguments{argMaxRetries: 0},
			reading{"latest_models", nil},
		),
	}
}
