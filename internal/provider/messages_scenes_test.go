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

// played returns a scene of reads on a service, one after another on a fake clock, and
// the diagnostics of each.
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

// argumentScenes returns scenes of `validate` on data sources, and of the function.
// validated returns a scene of `validate` on a data source.
func validated(title, name string, config arguments) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		return (&engine{server: newServer(&catalogueProvider{version: "test"})}).validate(t, name, config)
	}}
}

// parsed returns a scene of parse_image, with the words that engines put around its message.
func parsed(title string, image any) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		_, failure := callParseImage(t, image)
		return []*tfprotov6.Diagnostic{{
			Summary: "Invalid function argument", Detail: `Invalid value for "image" parameter: ` + failure.Text + ".",
		}}
	}}
}

func argumentScenes() []scene {
	return []scene{
		validated("neither id nor name", "model_group", nil),
		validated("both id and name", "model_group", arguments{"id": "a", "name": "b"}),
		validated("an empty name", "model_group", arguments{"name": ""}),
		validated("an empty id", "latest_model", arguments{"model_group_id": ""}),
		validated("an empty time_horizon", "model_groups", arguments{"time_horizon": ""}),
		validated("a negative revision", "model", arguments{"model_group_id": "a", "revision": -1}),
		validated("a revision that is too large", "model", arguments{"model_group_id": "a", "revision": 1e23}),
		validated("pins without a revision", "pinned_models", arguments{"revisions": map[string]any{"a": nil, "b": -1, "c": 1.5, "": 1}}),
		validated("ids that are none", "latest_models", arguments{"model_group_ids": []any{"a", "", nil, ".."}}),
		validated("a name that is not an attribute", "model_group_models",
			arguments{"model_group_id": "a", "attributes": []any{"models.docker_image"}}),
		validated("twelve names that are not attributes", "latest_models", arguments{"attributes": []any{
			"docker", "tag", "id", "foo", nil, "models", "*", "id,name", "a", "b", "c", "d", "e",
		}}),
		validated("attributes: all of them", "model_groups", arguments{"attributes": []any{"*"}}),
		validated("attributes: two names in one", "model_groups", arguments{"attributes": []any{"id, name"}}),
		validated("attributes: a part of a name", "latest_models", arguments{"attributes": []any{"image"}}),
		validated("attributes: the list itself", "latest_models", arguments{"attributes": []any{"models"}}),
		validated("attributes: null", "model_groups", arguments{"attributes": []any{"id", nil}}),
		validated("an empty docker_image", "model", arguments{"model_group_id": "a", "revision": 1, "docker_image": ""}),
		validated("docker_images of no pin, empty and null", "pinned_models", arguments{
			"revisions": map[string]any{"a": 1, "b": 1}, "docker_images": map[string]any{"a": "", "b": nil, "B": "app:1", "d": "app:1"},
		}),
		validated("tags that are none", "latest_model", arguments{
			"model_group_id": "a", "where": map[string]any{"tags": []any{"", nil, "offshore"}},
		}),
		validated("an age that is none", "latest_model", arguments{
			"model_group_id": "a", "where": where("run_mode", "", "min_age", "3 days"),
		}),
		validated("where without a condition", "latest_model", arguments{"model_group_id": "a", "where": map[string]any{}}),
		parsed("parse_image: null", nil),
		parsed("parse_image: a digest of three digits", "registry.example/app@sha256:abc"),
		parsed("parse_image: a tag that cannot be one", "registry.example/app:1.0+build"),
		parsed("parse_image: two slashes", "registry.example:5000//app"),
		parsed("parse_image: an underscore at the start", "_a/b"),
		parsed("parse_image: a relative path", "../a"),
		parsed("parse_image: not ASCII", "registry.example/é"),
		parsed("parse_image: two digests", "app@"+sha256Digest+"@"+sha256Digest),
	}
}

func lookupScenes() []scene { return slices.Concat(findingScenes(), pinScenes(), fleetScenes()) }

func findingScenes() []scene {
	sandboxed := faulty()
	group := func(config arguments) reading { return reading{"model_group", config} }
	return []scene{
		played("unknown ids, of several blocks", sandboxed, nil, group(arguments{"id": "3f0c"}), group(arguments{"id": "3f0d"}),
			reading{"latest_model", arguments{"model_group_id": emptyGroup}},
			reading{"latest_model", arguments{"model_group_id": strings.Repeat("0d", 50)}},
			group(arguments{"id": "A name"}), group(arguments{"id": "Another name"})),
		played("names that no group has, of several blocks", sandboxed, nil, group(arguments{"name": "Rainfall"}),
			group(arguments{"name": "Snowfall"}), group(arguments{"name": "day-ahead power price DE-LU"}),
			group(arguments{"name": mainGroup})),
		played("revisions that are not there, of several blocks", sandboxed, nil,
			reading{"model", arguments{"model_group_id": mainGroup, "revision": 9}},
			reading{"model", arguments{"model_group_id": mainGroup, "revision": 8}},
			reading{"model", arguments{"model_group_id": emptyGroup, "revision": 0}},
			reading{"model", arguments{"model_group_id": oddGroup, "revision": 8}}),
		played("an id with a space before it", sandboxed, nil, group(arguments{"id": " " + mainGroup})),
		played("an id with a space behind it", sandboxed, nil,
			reading{"model_group_models", arguments{"model_group_id": mainGroup + " "}}),
		played("a name given as an id", sandboxed, nil,
			reading{"latest_model", arguments{"model_group_id": "Day-ahead power price DE-LU"}}),
		played("an id given as a name", sandboxed, nil, group(arguments{"name": mainGroup})),
		played("a name in another case", sandboxed, nil, group(arguments{"name": "day-ahead  Power Price de-lu"})),
		played("a name that several groups have", func(*testing.T) http.Handler { return sandbox.New(sandbox.Default()) }, nil,
			group(arguments{"name": "Wind generation North Sea"})),
		played("an unknown time horizon", sandboxed, nil, reading{"model_groups", arguments{"time_horizon": "fortnight"}}),
		played("a group without models", sandboxed, nil, reading{"latest_model", arguments{"model_group_id": emptyGroup}}),
		played("a name with a letter wrong", sandboxed, nil, group(arguments{"name": "Imbalanse volume TenneT"})),
		played("a name with another hyphen", sandboxed, nil, group(arguments{"name": "Day–ahead power price DE-LU"})),
		played("a time horizon with a space before it", sandboxed, nil, reading{"model_groups", arguments{"time_horizon": " day_ahead"}}),
		played("a 404 that the catalogue did not send", faulty(sandbox.Fault{
			Route: sandbox.RouteGroup, Status: 404, Body: "<title>404 Not Found</title>",
			Header: http.Header{"Content-Type": {"text/html"}},
		}), nil, oneGroup),
		played("groups of a fleet that are not there", faulty(oneRequestID), nil, reading{"latest_models", arguments{
			"model_group_ids": []any{mainGroup, emptyGroup, " " + mainGroup, "Imbalance volume TenneT", "nowhere"},
		}}),
		played("revisions of a fleet that are not there", sandboxed, nil,
			reading{"pinned_models", arguments{"revisions": map[string]any{mainGroup: 9, oddGroup: 1}}}),
	}
}

// oneRequestID is a fault that fails nothing: questions of a fleet arrive in any
// order, and with them their ids.
var oneRequestID = sandbox.Fault{
	Route: sandbox.RouteLatest, Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		header.Set("X-Request-Id", "any")
		return status, header, body
	},
}

// pinScenes returns scenes of pins, and of the newest model that satisfies.
func pinScenes() []scene {
	sandboxed := faulty()
	pinned := func(title string, more arguments) scene {
		return played(title, sandboxed, nil, reading{"model", arguments{"model_group_id": mainGroup}.merge(more)})
	}
	latest := func(title string, conditions ...any) scene {
		return played(title, sandboxed, nil, reading{"latest_model", arguments{"model_group_id": mainGroup, "where": where(conditions...)}})
	}
	return []scene{
		pinned("an image that differs", arguments{"revision": 0, "docker_image": "registry.northwind.example/forecasting/app:0.8"}),
		pinned("an image with a scheme, which differs", arguments{"revision": 0, "docker_image": "https://" + firstImage}),
		pinned("an image with white space before it", arguments{"revision": 0, "docker_image": " " + firstImage}),
		pinned("an image with a Cyrillic letter", arguments{"revision": 0, "docker_image": strings.Replace(firstImage, "a", "а", 1)}),
		pinned("an image in another case", arguments{"revision": 0, "docker_image": strings.ToUpper(firstImage)}),
		played("an image of a revision that was re-published", func(t *testing.T) http.Handler {
			service := sandbox.New(sandbox.Default())
			if _, err := service.Republish(mainGroup, 0, []byte(`{"dockerImage": "app:2", "updatedAt": "2026-01-02T03:04:05Z"}`)); err != nil {
				t.Fatal(err)
			}
			return service
		}, nil, reading{"model", arguments{"model_group_id": mainGroup, "revision": 0, "docker_image": "app:1"}}),
		played("an image that is withheld", sandboxed, credentialsOf("contoso-trading", "http://localhost"),
			reading{"model", arguments{"model_group_id": mainGroup, "revision": 0, "docker_image": firstImage}}),
		played("images of a fleet that differ, or are withheld", sandboxed, nil, reading{"pinned_models", arguments{
			"revisions":     map[string]any{mainGroup: 0, oddGroup: 7, hydroGroup: 4},
			"docker_images": map[string]any{mainGroup: "app:1", oddGroup: "app:7", hydroGroup: "app:4"},
		}}),
		pinned("a pin that is withdrawn", arguments{"revision": 2}),
		played("pins of a fleet that are withdrawn", sandboxed, nil,
			reading{"pinned_models", arguments{"revisions": map[string]any{mainGroup: 2, oddGroup: 7}}}),
		latest("no model that satisfies", "enabled", true, "tags", []any{"POWER", "gold"}),
		latest("no model of a run mode", "run_mode", "automatic", "archived", false),
		latest("no model of an age", "min_age", "9000d"),
		played("no model that satisfies, and flags that the service leaves out", faulty(
			respell(sandbox.RouteAny, `"archived":false,`, "", `"archived":true,`, "", `"enabled":true,`, "", `"enabled":false,`, ""),
		), nil, reading{"latest_model", arguments{"model_group_id": oddGroup, "where": where("enabled", true, "tags", []any{"gold"})}}),
		played("revisions that are not there, of groups with many", func(t *testing.T) http.Handler {
			service := sandbox.New(sandbox.Default())
			for i := range 40 {
				if _, err := service.Publish([]string{mainGroup, oddGroup}[i%2], []byte("{}")); err != nil {
					t.Fatal(err)
				}
			}
			return service
		}, nil, reading{"pinned_models", arguments{"revisions": map[string]any{mainGroup: 501, oddGroup: 501}}}),
		played("no model of some groups that satisfies", sandboxed, nil, reading{"latest_models", arguments{
			"model_group_ids": []any{mainGroup, oddGroup, sparseGroup}, "where": where("enabled", true, "tags", []any{"power", "DE-LU", "gold"}),
		}}),
	}
}

func fleetScenes() []scene {
	return []scene{
		played("a service that is down for a fleet", faulty(
			sandbox.Fault{
				Route: sandbox.RouteLatest, Path: mainPath + "/latest-model", Status: 503,
				Header: http.Header{"X-Request-Id": {"the-first"}},
			},
			sandbox.Fault{Route: sandbox.RouteLatest, Status: 503, Delay: sec},
		), arguments{argMaxRetries: 0}, reading{"latest_models", nil}),
	}
}

var oneGroup = reading{"model_group", arguments{"id": mainGroup}}

func credentialScenes() []scene {
	token := func(status int, contentType, body string) sandbox.Fault {
		return sandbox.Fault{Route: sandbox.RouteToken, Status: status, Header: http.Header{"Content-Type": {contentType}}, Body: body}
	}
	gateway := sandbox.Fault{
		Route: sandbox.RouteGroup, Status: 403, Header: http.Header{"Content-Type": {"text/html"}},
		Body: "<html><title>Request blocked</title></html>",
	}
	moved := func(status int, target string) sandbox.Fault {
		return sandbox.Fault{Route: sandbox.RouteToken, Status: status, Header: http.Header{"Location": {target}}}
	}
	return []scene{
		played("a wrong secret, three times", faulty(), arguments{argClientSecret: "wrong-secret"},
			oneGroup, reading{"model_groups", nil}, reading{"latest_model", arguments{"model_group_id": mainGroup}}),
		played("a wrong secret, for a block and a fleet", faulty(), arguments{argClientSecret: "wrong-secret"},
			oneGroup, reading{"latest_models", arguments{"model_group_ids": []any{mainGroup, emptyGroup, oddGroup}}}),
		played("a client_id that is the secret, which the service repeats",
			faulty(token(401, "application/json", `{"error":"invalid_client","error_description":"No client wrong-secret."}`)),
			arguments{argClientID: "wrong-secret"}, oneGroup),
		played("a client_id that is the secret, as a name of data",
			faulty(sandbox.Fault{
				Route: sandbox.RouteGroup, Status: 409,
				Body: `{"code":"NEW","data":{"northwind":["northwind-sandbox-secret"]}}`,
			}), nil, oneGroup),
		played("a secret with a line break", faulty(), arguments{argClientSecret: "northwind-sandbox-secret\n"}, oneGroup),
		played("a very short secret, which is in every sentence", faulty(), arguments{argClientSecret: "the"}, oneGroup),
		played("a new token rejected", faulty(sandbox.Refuse(sandbox.RouteGroup, "UNAUTHORIZED", "Your token is no good here.")), nil,
			oneGroup),
		played("a disabled organisation, twice", faulty(), arguments{argClientID: "tailspin", argClientSecret: "tailspin-sandbox-secret"},
			oneGroup, oneGroup),
		played("an organisation that is not permitted, twice", faulty(),
			arguments{argClientID: "adventure-works", argClientSecret: "adventure-works-sandbox-secret"},
			oneGroup, reading{"latest_model", arguments{"model_group_id": emptyGroup}}),
		played("a token request refused",
			faulty(token(400, "application/json", `{"error":"brand_new","error_description":"Not today."}`)), nil, oneGroup),
		played("no token endpoint", faulty(token(404, "text/plain", "nothing here")), nil, oneGroup),
		played("a page of HTML for a token", faulty(token(200, "text/html", "<html><title>Sign in to Example</title></html>")), nil,
			oneGroup),
		played("JSON without a token", faulty(token(200, "application/json", `{"jwt":"abcdefgh","ttl":3600}`)), nil, oneGroup),
		played("a list for a token", faulty(token(200, "application/json", `["abcdefgh"]`)), nil, oneGroup),
		played("text for a token", faulty(token(200, "text/plain", "abcdefgh")), nil, oneGroup),
		played("a redirect of the token endpoint to a login page", faulty(moved(302, "https://login.example/?from=catalogue")), nil,
			oneGroup, oneGroup),
		played("a token request answered without content", faulty(sandbox.Fault{Route: sandbox.RouteToken, Status: 204}), nil, oneGroup),
		played("forbidden by a gateway", faulty(gateway), nil, oneGroup),
		played("forbidden with another code", faulty(sandbox.Fault{
			Route: sandbox.RouteGroup, Status: 403,
			Body: `{"code":"QUOTA_ENDED","message":"The quota of this month is used up.","data":{"quota":1000,"ends":"2026-12-01"}}`,
		}), nil, oneGroup),
		played("a redirect of the token endpoint to a new address", faulty(moved(308, "https://new.example/api/v1/auth/token")), nil,
			oneGroup),
	}
}

func serviceScenes() []scene {
	on := func(status int, body string) sandbox.Fault {
		return sandbox.Fault{Route: sandbox.RouteGroup, Status: status, Body: body}
	}
	html := on(200, "<html><title>Sign in to Example</title></html>")
	html.Header = http.Header{"Content-Type": {"text/html"}}
	limited := sandbox.Refuse(sandbox.RouteGroup, "RATE_LIMITED", "Too many requests.")
	limited.Header = http.Header{"Retry-After": {"14"}}
	return []scene{
		played("a service that is down, twice",
			faulty(sandbox.Fault{Status: 503, Body: `{"code":"DOWN","message":"Closed for the night."}`}), nil,
			oneGroup, reading{"model_groups", nil}),
		played("a wait that does not fit, twice", faulty(limited), arguments{argReadTimeout: "10s"}, oneGroup, oneGroup),
		played("an attempt that times out", faulty(sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang}),
			arguments{argRequestTimeout: "1s"}, oneGroup),
		played("a read that times out", faulty(sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang}),
			arguments{argReadTimeout: "20s"}, oneGroup),
		played("a ceiling too low for read_timeout", faulty(), arguments{argMaxRequests: "1/1000s"}, oneGroup),
		played("a ceiling that has nothing to do with it", faulty(sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Hang}),
			arguments{argMaxRequests: "2000/1s", argReadTimeout: "20s"}, oneGroup),
		played("connections that break", faulty(sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.Reset}), arguments{argMaxRetries: 1},
			oneGroup),
		played("an answer cut short", faulty(sandbox.Fault{Route: sandbox.RouteGroup, Kind: sandbox.CutJSON}), nil, oneGroup),
		played("a redirect of a read", faulty(sandbox.Fault{
			Route: sandbox.RouteGroup, Status: 301, Header: http.Header{"Location": {"https://new.example" + mainPath}},
		}), nil, oneGroup),
		played("a request refused with fields", faulty(on(400, `{"code":"VALIDATION_FAILED","message":"1 field is not valid.",
			"data":{"issues":[{"field":"id","messages":["is too long","is no UUID"]}]}}`)), nil, oneGroup),
		played("a request refused, and no argument at fault",
			faulty(sandbox.Refuse(sandbox.RouteGroups, "BAD_REQUEST", "Header X-Tenant is missing.")), nil, reading{"model_groups", nil}),
		played("a redirect to the same address with a slash", faulty(sandbox.Fault{
			Route: sandbox.RouteGroup, Status: 308, Header: http.Header{"Location": {mainPath + "/"}},
		}), nil, oneGroup),
		played("a very long id", faulty(sandbox.Refuse(sandbox.RouteLatest, "NOT_FOUND", "No such group.")), nil,
			reading{"latest_model", arguments{"model_group_id": strings.Repeat("x", 3000)}}),
		played("success without content", faulty(sandbox.Fault{Route: sandbox.RouteGroup, Status: 204}), nil, oneGroup),
		played("an answer of the wrong shape", faulty(respell(sandbox.RouteModels, `"revision":3,`, `"revision":"three",`)), nil,
			reading{"model_group_models", arguments{"model_group_id": mainGroup}}),
		played("a page of HTML for a group", faulty(html), nil, oneGroup),
		played("an answer too large", faulty(sandbox.Fault{
			Route: sandbox.RouteGroup, Status: 200, Header: http.Header{"Content-Length": {"300000000"}}, Body: "{",
		}), nil, oneGroup),
	}
}
