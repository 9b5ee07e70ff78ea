package sandbox_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

const (
	controlled = "/control/model-groups/g%2F1"
	revision   = controlled + "/revisions/5"
	huge       = controlled + "/revisions/9007199254740993"
)

// controlTests has each control route, what it answers, and what a client sees
// afterwards.
var controlTests = map[string]struct {
	method, path, body string
	status             int
	code               string
	contains           string
	then, shows        string // a path, and what is in its answer then
}{
	"ready": {method: http.MethodGet, path: "/control/ready", status: 200, contains: `{"ready":true}`},

	"publish": {
		path:     controlled + "/publish",
		status:   201,
		contains: `"notes":"N"`,
		then:     "/v1/model-group/g%2F1",
		shows:    `"latestRevision":9007199254740994`,
	},
	"publish, changed": {path: controlled + "/publish", body: `{"notes": "M"}`, status: 201, contains: `"notes":"M"`},
	"publish the first": {
		path:     "/control/model-groups/none/publish",
		body:     `{"name": "n"}`,
		status:   201,
		contains: `"revision":0,`,
		then:     "/v1/model-group/none",
		shows:    `"latestRevision":0,`,
	},

	"republish": {
		path: revision + "/republish", body: `{"dockerImage": "moved"}`, status: 200, contains: `{"id":"b","revision":5,`,
		then: "/v1/model-group/g%2F1/models", shows: `"dockerImage":"moved"`,
	},
	"republish the same": {path: revision + "/republish", status: 200, contains: `"updatedAt":"20`},
	"archive": {
		path:     revision + "/archive",
		status:   200,
		contains: `"archived":true,"updatedAt":"20`,
		then:     "/v1/model-group/g%2F1",
		shows:    `"models":[]`,
	},
	"archive again": {
		path:     huge + "/archive",
		status:   200,
		contains: `"archived":true,"createdAt":"t","x":1.0,"notes":"N","isOwner":true}`,
	},
	"unarchive": {
		path:     huge + "/unarchive",
		status:   200,
		contains: `"archived":false,`,
		then:     "/v1/model-group/g%2F1",
		shows:    `"models":[{"id":"a"`,
	},
	"disable": {
		path:     revision + "/disable",
		status:   200,
		contains: `"enabled":false,"updatedAt":"20`,
		then:     "/v1/model-group/g%2F1/models",
		shows:    `"enabled":false`,
	},
	"enable": {path: revision + "/enable", status: 200, contains: `"enabled":true,"updatedAt":"20`},

	"disable an organisation": {
		path:   "/control/organisations/Owner/disable",
		body:   `{"reason": "Unpaid."}`,
		status: 204,
		then:   "/v1/model-group",
		shows:  `"message":"Unpaid."`,
	},
	"disable without a reason": {
		path:   "/control/organisations/owner/disable",
		status: 204,
		then:   "/v1/model-group",
		shows:  `"code":"ORGANISATION_DISABLED"`,
	},
	"disable somebody else": {
		path:   "/control/organisations/Other/disable",
		status: 204,
		then:   "/v1/model-group/none",
		shows:  `"id":"none"`,
	},
	"enable an organisation": {
		path:   "/control/organisations/Owner/enable",
		status: 204,
		then:   "/v1/model-group/none",
		shows:  `"id":"none"`,
	},
	"disable nobody": {
		path:     "/control/organisations/Nobody/disable",
		status:   404,
		code:     "NOT_FOUND",
		contains: `No organisation has the name or the client id \"Nobody\".`,
	},
	"enable nobody": {path: "/control/organisations/Nobody/enable", status: 404, code: "NOT_FOUND"},
	"disable, reason of no text": {
		path:     "/control/organisations/Owner/disable",
		body:     `{"reason": 1}`,
		status:   400,
		code:     "VALIDATION_FAILED",
		contains: `"field":"reason"`,
	},
	"revoke tokens": {path: "/control/tokens/revoke", status: 204, then: "/v1/model-group", shows: `"code":"UNAUTHORIZED"`},

	"inject a fault": {
		path:     "/control/faults",
		body:     `{"route": "groups", "status": 503}`,
		status:   201,
		contains: `{"id":2}`,
		then:     "/v1/model-group",
		shows:    `"code":"SERVICE_UNAVAILABLE"`,
	},
	"list faults": {
		method:   http.MethodGet,
		path:     "/control/faults",
		status:   200,
		contains: `[{"id":1,"hits":0,"route":"latest","code":"NOT_FOUND","times":2}]`,
	},
	"remove a fault": {
		method: http.MethodDelete,
		path:   "/control/faults/1",
		status: 204,
		then:   "/v1/model-group/g%2F1/latest-model",
		shows:  `"id":"a"`,
	},
	"remove no fault": {method: http.MethodDelete, path: "/control/faults/9", status: 404, code: "NOT_FOUND"},
	"remove all faults": {
		method: http.MethodDelete,
		path:   "/control/faults",
		status: 204,
		then:   "/v1/model-group/g%2F1/latest-model",
		shows:  `"id":"a"`,
	},
	"list requests": {
		method:   http.MethodGet,
		path:     "/control/requests",
		status:   200,
		contains: `"route":"token","method":"POST","path":"/v1/auth/token","query":"","status":200`,
	},
	"forget requests": {
		method: http.MethodDelete,
		path:   "/control/requests",
		status: 204,
		then:   "/control/requests",
		shows:  `[]`,
	},
	"the interface": {
		method:   http.MethodGet,
		path:     "/control/openapi.json",
		status:   200,
		contains: `"openapi": "3.1.0"`,
	},
	"load a catalogue": {
		method: http.MethodPut,
		path:   "/control/catalogue",
		body:   `{"organisations": [{"name": "N", "clientId": "n", "clientSecret": "s"}]}`,
		status: 204,
		then:   "/v1/model-group",
		shows:  `"code":"UNAUTHORIZED"`,
	},
	"load one with mistakes": {
		method:   http.MethodPut,
		path:     "/control/catalogue",
		body:     `{"organisations": [], "groups": []}`,
		status:   400,
		code:     "VALIDATION_FAILED",
		contains: `"issues":[{"field":"organisations","messages":["at least one is required"]},{"field":"groups",`,
	},
	"reset":                  {path: "/control/reset", status: 204, then: "/control/faults", shows: "[]"},
	"GET to publish":         {method: http.MethodGet, path: controlled + "/publish", status: 405, code: "METHOD_NOT_ALLOWED"},
	"DELETE to be ready":     {method: http.MethodDelete, path: "/control/ready", status: 405, code: "METHOD_NOT_ALLOWED"},
	"unknown group":          {path: "/control/model-groups/nope/publish", status: 404, code: "NOT_FOUND"},
	"unknown group, archive": {path: "/control/model-groups/nope/revisions/0/archive", status: 404, code: "NOT_FOUND"},
	"unknown revision": {
		path:     controlled + "/revisions/6/archive",
		status:   404,
		code:     "NOT_FOUND",
		contains: `No such revision: the model group \"g/1\" has no revision 6.`,
	},
	"no revision": {
		path:     controlled + "/revisions/latest/archive",
		status:   400,
		code:     "VALIDATION_FAILED",
		contains: `"field":"revision"`,
	},
	"unknown route": {path: controlled, status: 404, code: "NOT_FOUND"},
	"nothing":       {path: "/control", status: 404, code: "NOT_FOUND"},
	"no id":         {path: "/control/model-groups//publish", status: 404, code: "NOT_FOUND"},
	"no JSON": {
		path:     controlled + "/publish",
		body:     `x`,
		status:   400,
		code:     "VALIDATION_FAILED",
		contains: `"field":"body"`,
	},
	"no object": {
		path:     controlled + "/publish",
		body:     `[]`,
		status:   400,
		code:     "VALIDATION_FAILED",
		contains: `an object is expected`,
	},
	"refused field": {
		path:     controlled + "/publish",
		body:     `{"id": "x"}`,
		status:   400,
		code:     "VALIDATION_FAILED",
		contains: `"field":"id"`,
	},
	"unknown field": {
		path: controlled + "/publish", body: "{\n  \"docker_image\": \"x\"}", status: 400, code: "VALIDATION_FAILED",
		contains: `"message":"line 2, column 3: docker_image: there is no such field; did you mean dockerImage?",` +
			`"data":{"issues":[{"field":"docker_image",`,
	},
	"unknown field below": {
		path:     revision + "/republish",
		body:     `{"horizon": {"short_name": "x"}}`,
		status:   400,
		code:     "VALIDATION_FAILED",
		contains: `"field":"horizon.short_name"`,
	},
	"wrong type": {
		path:     revision + "/republish",
		body:     `{"tags": ["a", 1]}`,
		status:   400,
		code:     "VALIDATION_FAILED",
		contains: `"field":"tags[1]","messages":["a string is expected"]`,
	},
	"none of the values": {
		path:     revision + "/republish",
		body:     `{"runMode": "automatic"}`,
		status:   400,
		code:     "VALIDATION_FAILED",
		contains: `\"automatic\" is none of AUTOMATIC, ON_DEMAND`,
	},
	"a body where there is none": {
		path:     revision + "/archive",
		body:     `{}`,
		status:   400,
		code:     "VALIDATION_FAILED",
		contains: `"field":"body"`,
	},
	"a query where there is none": {
		path:     revision + "/archive?force=true",
		status:   400,
		code:     "VALIDATION_FAILED",
		contains: `"field":"query"`,
	},
	"nothing to copy": {path: "/control/model-groups/odd/publish", status: 409, code: "CONFLICT"},
	"records may have more fields": {
		path:     revision + "/republish",
		body:     `{"inputs": [{"id": "i", "key": "k", "unit": "EUR"}]}`,
		status:   200,
		contains: `"unit":"EUR"`,
	},
	"much too large": {
		path: controlled + "/publish", body: `{"notes": "` + strings.Repeat("x", 16<<20) + `"}`,
		status: 413, code: "PAYLOAD_TOO_LARGE",
	},
}

func TestControlRoutes(t *testing.T) {
	for name, test := range controlTests {
		t.Run(name, func(t *testing.T) {
			s := sandbox.New(parse(t, publishable))
			c := start(t, s).as("owner")
			if got := c.do(http.MethodPost, "/control/faults", `{"route": "latest", "code": "NOT_FOUND", "times": 2}`); got.status != 201 {
				t.Fatalf("injecting a fault: %d %s", got.status, got.body)
			}
			if test.method == "" {
				test.method = http.MethodPost
			}
			before := s.Count(sandbox.RouteAny)
			got := c.do(test.method, test.path, test.body)
			got.wants(t, test.status, test.code)
			if !strings.Contains(got.body, test.contains) {
				t.Errorf("no %s in %s", test.contains, got.body)
			}
			if got.header.Get("X-Request-Id") == "" || got.header.Get(sandbox.Header) == "" {
				t.Errorf("the header is %v", got.header)
			}
			if n := s.Count(sandbox.RouteAny); n > before {
				t.Errorf("%d control requests recorded", n-before)
			}
			if test.then == "" {
				return
			}
			if got := c.get(test.then); !strings.Contains(got.body, test.shows) {
				t.Errorf("%s then has no %s: %s", test.then, test.shows, got.body)
			}
		})
	}
}

// Every route that the index page lists is tested above.
func TestControlRoutesAreTested(t *testing.T) {
	page := start(t, sandbox.New(sandbox.Default())).get("/").body
	routes := regexp.MustCompile(`<code>(\w+) (/control/[^<]+)</code>`).FindAllStringSubmatch(page, -1)
	if len(routes) < 10 {
		t.Fatalf("the page lists %d routes:\n%s", len(routes), page)
	}
	for _, route := range routes {
		pattern := regexp.MustCompile("^" + regexp.MustCompile(`\{\w+\}`).ReplaceAllString(route[2], `[^/]+`) + "$")
		tested := false
		for _, test := range controlTests {
			method := test.method
			if method == "" {
				method = http.MethodPost
			}
			tested = tested || test.status < 300 && method == route[1] && pattern.MatchString(test.path)
		}
		if !tested {
			t.Errorf("%s %s is not tested", route[1], route[2])
		}
	}
}

// Nothing that a client sent as a credential is told to whoever lists requests.
func TestListedRequestsHoldNoCredentials(t *testing.T) {
	c := start(t, sandbox.New(sandbox.Default())).as("northwind")
	c.get("/v1/model-group?timeHorizon=day_ahead")
	got := c.get("/control/requests")
	if strings.Contains(got.body, c.token) || strings.Contains(got.body, "northwind-sandbox-secret") {
		t.Errorf("a credential is listed: %s", got.body)
	}
	var list []struct {
		ID, At, Route, Method, Path, Query, ClientID string
		Status                                       int
		Header                                       http.Header
	}
	if err := json.Unmarshal([]byte(got.body), &list); err != nil || len(list) != 2 {
		t.Fatalf("%v in %s", err, got.body)
	}
	if list[0].ClientID != "northwind" || list[1].Query != "timeHorizon=day_ahead" || list[1].Route != "groups" || list[1].Status != 200 ||
		list[1].Header.Get("User-Agent") == "" || list[1].At < list[0].At || list[1].ID == list[0].ID {
		t.Errorf("got %+v", list)
	}
}
