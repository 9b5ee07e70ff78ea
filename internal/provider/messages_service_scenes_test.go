package provider

import (
	"net/http"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

var oneGroup = reading{"model_group", arguments{"id": mainGroup}}

// blocked is the answer of a gateway in place of the service's.
var blocked = sandbox.Fault{
	Route:  sandbox.RouteGroup,
	Status: 403,
	Header: http.Header{"Content-Type": {"text/html"}},
	Body:   "<html><title>Request blocked</title></html>",
}

func credentialScenes() []scene {
	token := func(status int, contentType, body string) sandbox.Fault {
		return sandbox.Fault{Route: sandbox.RouteToken, Status: status, Header: http.Header{"Content-Type": {contentType}}, Body: body}
	}
	moved := func(status int, target string) sandbox.Fault {
		return sandbox.Fault{Route: sandbox.RouteToken, Status: status, Header: http.Header{"Location": {target}}}
	}
	return []scene{
		played(
			"a wrong secret, three times",
			faulty(),
			arguments{argClientSecret: "wrong-secret"},
			oneGroup,
			reading{"model_groups", nil},
			reading{"latest_model", arguments{"model_group_id": mainGroup}},
		),
		played(
			"a wrong secret, for a block and a fleet",
			faulty(),
			arguments{argClientSecret: "wrong-secret"},
			oneGroup,
			reading{"latest_models", arguments{"model_group_ids": []any{mainGroup, emptyGroup, oddGroup}}},
		),
		played(
			"a client_id that is the secret, which the service repeats",
			faulty(token(401, "application/json", `{"error":"invalid_client","error_description":"No client wrong-secret."}`)),
			arguments{argClientID: "wrong-secret"},
			oneGroup,
		),
		fails(
			"a client_id that is the secret, as a name of data",
			sandbox.Fault{
				Route:  sandbox.RouteGroup,
				Status: 409,
				Body:   `{"code":"NEW","data":{"northwind":["northwind-sandbox-secret"]}}`,
			},
		),
		played(
			"a secret with a line break",
			faulty(),
			arguments{argClientSecret: "northwind-sandbox-secret\n"},
			oneGroup,
		),
		played(
			"a very short secret, which is in every sentence",
			faulty(),
			arguments{argClientSecret: "the"},
			oneGroup,
		),
		fails(
			"a new token rejected",
			sandbox.Refuse(sandbox.RouteGroup, "UNAUTHORIZED", "Your token is no good here."),
		),
		played(
			"a disabled organisation, twice",
			faulty(),
			arguments{argClientID: "tailspin", argClientSecret: "tailspin-sandbox-secret"},
			oneGroup,
			oneGroup,
		),
		played(
			"an organisation that is not permitted, twice",
			faulty(),
			arguments{argClientID: "adventure-works", argClientSecret: "adventure-works-sandbox-secret"},
			oneGroup,
			reading{"latest_model", arguments{"model_group_id": emptyGroup}},
		),
		fails(
			"a token request refused",
			token(401, "application/json", `{"error":"brand_new","error_description":"Not today."}`),
		),
		fails("no token endpoint", token(404, "text/plain", "nothing here")),
		fails(
			"a page of HTML for a token",
			token(200, "text/html", "<html><title>Sign in to Example</title></html>"),
		),
		fails("JSON without a token", token(200, "application/json", `{"jwt":"abcdefgh","ttl":3600}`)),
		fails("a list for a token", token(200, "application/json", `["abcdefgh"]`)),
		fails("text for a token", token(200, "text/plain", "abcdefgh")),
		played(
			"a redirect of the token endpoint to a login page",
			faulty(moved(302, "https://login.example/?from=catalogue")),
			nil,
			oneGroup,
			oneGroup,
		),
		fails(
			"a token request answered without content",
			sandbox.Fault{Route: sandbox.RouteToken, Status: 204},
		),
		played(
			"forbidden by a gateway, twice",
			faulty(blocked),
			nil,
			oneGroup,
			oneGroup,
		),
		fails("forbidden, and a header says why", sandbox.Fault{
			Route:  sandbox.RouteGroup,
			Status: 403,
			Header: http.Header{"Www-Authenticate": {`Bearer error="insufficient_scope", scope="models.read"`}},
		}),
		fails(
			"forbidden with another code",
			sandbox.Fault{
				Route:  sandbox.RouteGroup,
				Status: 403,
				Body:   `{"code":"QUOTA_ENDED","message":"The quota of this month is used up.","data":{"quota":1000,"ends":"2026-12-01"}}`,
			},
		),
		fails(
			"a redirect of the token endpoint to a new address",
			moved(308, "https://new.example/api/v1/auth/token"),
		),
	}
}

func serviceScenes() []scene {
	on := func(status int, body string) sandbox.Fault {
		return sandbox.Fault{Route: sandbox.RouteGroup, Status: status, Body: body}
	}
	html := on(200, "\n<!doctype html>\n<!-- as it is -->\n<title lang=\"en\">Sign in to Example</title>")
	html.Header = http.Header{"Content-Type": {"text/html"}}
	conflict := sandbox.Refuse(sandbox.RouteGroup, "CONFLICT", "Words.")
	conflict.Times = 2
	limited := sandbox.Refuse(sandbox.RouteGroup, "RATE_LIMITED", "Too many requests.")
	limited.Header = http.Header{"Retry-After": {"14"}}
	return []scene{
		played(
			"a service that is down, twice",
			faulty(sandbox.Fault{Status: 503, Body: `{"code":"DOWN","message":"Closed for the night."}`}),
			nil,
			oneGroup,
			reading{"model_groups", nil},
		),
		played(
			"a wait that does not fit, twice",
			faulty(limited),
			arguments{argReadTimeout: "10s"},
			oneGroup,
			oneGroup,
		),
		played(
			"an attempt that times out",
			faulty(sandbox.Fault{Route: sandbox.RouteGroup, Hang: true}),
			arguments{argRequestTimeout: "1s"},
			oneGroup,
		),
		played(
			"a read that times out",
			faulty(sandbox.Fault{Route: sandbox.RouteGroup, Hang: true}),
			arguments{argReadTimeout: "20s"},
			oneGroup,
		),
		played(
			"a ceiling too low for read_timeout",
			faulty(),
			arguments{argMaxRequests: "1/1000s"},
			oneGroup,
		),
		played(
			"a ceiling that has nothing to do with it",
			faulty(sandbox.Fault{Route: sandbox.RouteGroup, Hang: true}),
			arguments{argMaxRequests: "2000/1s", argReadTimeout: "20s"},
			oneGroup,
		),
		played(
			"connections that break",
			faulty(sandbox.Fault{Route: sandbox.RouteGroup, Drop: true}),
			arguments{argMaxRetries: 1},
			oneGroup,
		),
		fails("an answer cut short", sandbox.Fault{Route: sandbox.RouteGroup, Cut: "json"}),
		fails(
			"a redirect of a read",
			sandbox.Fault{
				Route:  sandbox.RouteGroup,
				Status: 301,
				Header: http.Header{"Location": {"https://new.example" + mainPath}},
			},
		),
		played(
			"a request refused with fields",
			faulty(on(400, `{"code":"VALIDATION_FAILED","message":"1 field is not valid.",
			"data":{"issues":[{"field":"id","messages":["is too long","is not a UUID"]}]}}`)),
			nil,
			oneGroup,
		),
		played(
			"a request refused, and no argument at fault",
			faulty(sandbox.Refuse(sandbox.RouteGroups, "BAD_REQUEST", "Header X-Tenant is missing.")),
			nil,
			reading{"model_groups", nil},
		),
		played(
			"an unknown code for three blocks, with other words for the last",
			faulty(conflict, sandbox.Refuse(sandbox.RouteGroup, "CONFLICT", "Other words.")),
			nil,
			oneGroup,
			reading{"model_group", arguments{"id": oddGroup}},
			reading{"model_group", arguments{"id": sparseGroup}},
		),
		fails(
			"a redirect to the same address with a slash",
			sandbox.Fault{
				Route:  sandbox.RouteGroup,
				Status: 308,
				Header: http.Header{"Location": {mainPath + "/"}},
			},
		),
		played(
			"a very long id",
			faulty(sandbox.Refuse(sandbox.RouteLatest, "NOT_FOUND", "No such group.")),
			nil,
			reading{"latest_model", arguments{"model_group_id": strings.Repeat("x", 3000)}},
		),
		fails("a login page of the network", on(511, "<title>Guest network</title>")),
		fails("success without content", sandbox.Fault{Route: sandbox.RouteGroup, Status: 204}),
		fails("a redirect without a place", sandbox.Fault{Route: sandbox.RouteGroup, Status: 302}),
		played(
			"an answer of the wrong shape",
			faulty(respell(sandbox.RouteModels, `"revision":3,`, `"revision":"three",`)),
			nil,
			reading{"model_group_models", arguments{"model_group_id": mainGroup}},
		),
		fails("a page of HTML for a group", html),
		fails("text for a group", on(200, "All systems go.")),
		fails(
			"an answer too large",
			sandbox.Fault{
				Route:  sandbox.RouteGroup,
				Status: 200,
				Header: http.Header{"Content-Length": {"300000000"}},
				Body:   "{",
			},
		),
	}
}
