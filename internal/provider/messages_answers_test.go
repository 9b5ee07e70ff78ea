package provider

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// answerScenes are about answers that the interface leaves open, or that something else gives in place of the service.
func answerScenes() []scene {
	return append(tokenAnswerScenes(), append(readAnswerScenes(), ageAndImageScenes()...)...)
}

func tokenAnswerScenes() []scene {
	token := func(title string, status int, body string) scene {
		header := http.Header{"Content-Type": {"application/json"}}
		return played(
			title,
			faulty(sandbox.Fault{Route: sandbox.RouteToken, Status: status, Header: header, Body: body}),
			nil,
			oneGroup,
		)
	}
	return []scene{
		token("invalid_client with 200", 200, `{"error":"invalid_client","error_description":"No such client."}`),
		token("an unknown error for a token, with 201", 201, `{"error":"brand_new","error_description":"Not today."}`),
		token("no token for now, with 200", 200, `{"error":"temporarily_unavailable"}`),
		token("null for a token", 200, `null`),
		token("a number for a token", 200, `{"access_token":123456789}`),
		token("an empty object for a token", 201, `{}`),
		token("a token of a different type", 200, `{"access_token":"abcdefgh","token_type":"DPoP"}`),
		token("an empty token", 200, `{"access_token":""}`),
		fails("a token labelled as gzip", labelledAsGzip(sandbox.RouteToken)),
	}
}

// labelledAsGzip returns a fault that says of an answer that it is gzip.
func labelledAsGzip(route sandbox.Route) sandbox.Fault {
	return sandbox.Fault{Route: route, Header: http.Header{"Content-Encoding": {"gzip"}}}
}

func readAnswerScenes() []scene {
	issues := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"field":"filters.%d","messages":["odd"]}`, i))
		}
		return `{"code":"VALIDATION_FAILED","message":"The request is not valid.","data":{"issues":[` + strings.Join(list, ",") + `]}}`
	}
	reviewed := reading{"model", pinned(3)}
	return []scene{
		fails("a group labelled as gzip", labelledAsGzip(sandbox.RouteGroup)),
		fails(
			"a 400 with an unknown code",
			status(400, `{"code":"TENANT_MISSING","message":"Say which."}`, 0),
		),
		fails("a 400 about a field that is not an argument", status(400, issues(1), 0)),
		fails("a 400 about 20,000 fields", status(400, issues(20_000), 0)),
		fails("a different group", respell(sandbox.RouteGroup, `"id":"`+mainGroup, `"id":"270c0fa6`)),
		played(
			"pinned revisions of the wrong shape, of two blocks",
			faulty(respell(sandbox.RouteModels, `"revision":3,`, `"revision":3,"tags":"a",`, `"revision":7,`, `"revision":7,"tags":"a",`)),
			nil,
			reviewed,
			reading{"model", arguments{"model_group_id": oddGroup, "revision": 7}},
		),
		played(
			"a pin that may be the record without a revision",
			faulty(respell(sandbox.RouteModels, `"revision":3,`, `"revision":"three",`)),
			nil,
			reviewed,
		),
		played(
			"two models of a pinned revision",
			faulty(respell(sandbox.RouteModels, `"revision":2,`, `"revision":3,`)),
			nil,
			reviewed,
		),
		played(
			"lists of another time horizon",
			faulty(respell(sandbox.RouteGroups, `"key":"day_ahead"`, `"key":"intraday"`)),
			nil,
			reading{"model_groups", arguments{"time_horizon": "day_ahead"}},
			reading{"latest_models", arguments{"time_horizon": "day_ahead"}},
		),
		played(
			"a part of a list",
			faulty(sandbox.Fault{Route: sandbox.RouteModels, Header: http.Header{"X-Next-Page": {"2"}}}),
			nil,
			reviewed,
		),
		played(
			"an empty object for a list",
			faulty(sandbox.Fault{Route: sandbox.RouteModels, Status: 200, Body: "{}"}),
			nil,
			reviewed,
		),
	}
}

func ageAndImageScenes() []scene {
	latest := func(conditions ...any) reading {
		return reading{"latest_model", arguments{"model_group_id": mainGroup, "where": where(conditions...)}}
	}
	return []scene{
		played(
			"a date that cannot be read",
			faulty(respell(sandbox.RouteAny, `edAt":"2`, `edAt":"on the 2`)),
			nil,
			latest("min_age", "1d"),
		),
		played(
			"no model that satisfies, and one of the wrong shape",
			faulty(respell(sandbox.RouteModels, `"archived":true`, `"archived":"yes"`)),
			nil,
			latest("run_mode", "WEEKLY"),
		),
		played(
			"an image that is withheld from its owner",
			faulty(respell(sandbox.RouteModels, firstImage, "")),
			nil,
			reading{"model", arguments{"model_group_id": mainGroup, "revision": 0, "docker_image": firstImage}},
		),
		parsed("parse_image: an image's id", hexDigits),
	}
}
