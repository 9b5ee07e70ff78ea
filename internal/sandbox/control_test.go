package sandbox_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

const g = "/v1/model-group/g%2F1"

// controlTests has what is sent below /control/, what is answered, and what a client sees afterwards.
var controlTests = map[string]struct {
	status      int
	says        string
	then, shows string // a path, and what is in its answer then
}{
	`GET ready`:        {status: 200, says: `{"ready":true}`},
	`GET openapi.json`: {status: 200, says: `"openapi": "3.1.0"`},
	`DELETE ready`:     {status: 404},

	`POST model-groups/g%2F1/publish`:                {201, `"notes":"N"`, g, `"latestRevision":9007199254740994`},
	`POST model-groups/g%2F1/publish {"notes": "M"}`: {status: 201, says: `"notes":"M"`},
	`POST model-groups/none/publish {"name": "n"}`:   {201, `"revision":0,`, "/v1/model-group/none", `"latestRevision":0,`},
	`POST model-groups/odd/publish`:                  {status: 409, says: `is no integer`},
	`POST model-groups/nope/publish`:                 {status: 404, says: `no such model group: \"nope\"`},
	`POST model-groups/g%2F1`:                        {status: 404},
	`GET model-groups/g%2F1/publish`:                 {status: 404},
	`POST model-groups/g%2F1/publish {`:              {status: 400, says: `line 1, column 2: unexpected EOF`},
	`POST model-groups/g%2F1/publish a=b`:            {status: 400, says: `line 1, column 1: invalid character`},
	`POST model-groups/g%2F1/publish {"revision": 7}`: {
		status: 400, says: `"field":"revision","messages":["the sandbox sets this field"]`,
	},
	`POST model-groups/g%2F1/publish {"docker_image": "x"}`: {
		status: 400, says: `"message":"docker_image: there is no such field; did you mean dockerImage?",` +
			`"data":{"issues":[{"field":"docker_image",`,
	},
	`POST model-groups/g%2F1/revisions/5/republish {"dockerImage": "moved"}`: {
		200, `"dockerImage":"moved","id":"b"`, g + "/models", `"dockerImage":"moved"`,
	},
	`POST model-groups/g%2F1/revisions/5/republish`: {status: 200, says: `"updatedAt":"20`},
	`POST model-groups/g%2F1/revisions/5/republish {"horizon": {"short_name": "x"}}`: {
		status: 400, says: `"field":"horizon.short_name"`,
	},

	`POST model-groups/g%2F1/revisions/5/archive`: {200, `"archived":true,`, g, `"models":[]`},
	`POST model-groups/g%2F1/revisions/9007199254740993/archive`: { // as it is already
		status: 200, says: `"archived":true,"createdAt":"t","id":"a","isOwner":true,"modelGroupId":"g/1","notes":"N","revision"`,
	},
	`POST model-groups/g%2F1/revisions/9007199254740993/unarchive`: {200, `"archived":false,`, g, `"models":[{"createdAt":"t","id":"a"`},
	`POST model-groups/g%2F1/revisions/5/disable`:                  {200, `"enabled":false,`, g + "/models", `"enabled":false`},
	`POST model-groups/g%2F1/revisions/5/enable`:                   {status: 200, says: `"updatedAt":"20`},
	`POST model-groups/nope/revisions/0/archive`:                   {status: 404},
	`POST model-groups/g%2F1/revisions/6/archive`: {
		status: 404, says: `no such revision: the model group \"g/1\" has no revision 6`,
	},
	`POST model-groups/g%2F1/revisions/latest/archive`: {status: 400, says: `"field":"revision"`},

	`POST tokens/revoke`: {204, "", "/v1/model-group", `"code":"UNAUTHORIZED"`},

	`POST faults {"route": "groups", "status": 503}`: {201, `{"id":2}`, "/v1/model-group", `"code":"SERVICE_UNAVAILABLE"`},
	`GET faults`:      {status: 200, says: `[{"code":"NOT_FOUND","hits":0,"id":1,"route":"latest","times":2}]`},
	`DELETE faults`:   {204, "", g + "/latest-model", `"id":"a"`},
	`GET requests`:    {status: 200, says: `"route":"token","method":"POST","path":"/v1/auth/token","query":""`},
	`DELETE requests`: {204, "", "/control/requests", `[]`},
	`POST reset`:      {204, "", "/control/faults", "[]"},
}

func TestControlRoutes(t *testing.T) {
	for sent, test := range controlTests {
		t.Run(sent[:min(len(sent), 100)], func(t *testing.T) {
			s := sandbox.New(parse(t, publishable))
			c := direct(t, s).as("owner")
			c.fault(`{"route": "latest", "code": "NOT_FOUND", "times": 2}`)
			before := s.Count(sandbox.RouteAny)
			method, path, _ := strings.Cut(sent, " ")
			path, body, _ := strings.Cut(path, " ")
			got := c.do(method, "/control/"+path, body)
			got.wants(t, test.status, codes[test.status])
			if !strings.Contains(got.body, test.says) {
				t.Errorf("no %s in %s", test.says, got.body)
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
	direct(t, sandbox.New(sandbox.Default())).get("/control").wants(t, 404, "NOT_FOUND")
}

// Nothing that a client sent as a credential is told to whoever lists requests, nor what looks like one.
func TestListedRequestsHoldNoCredentials(t *testing.T) {
	c := direct(t, sandbox.New(sandbox.Default())).as("northwind")
	c.do(http.MethodGet, "/v1/model-group?timeHorizon=day_ahead", "", "User-Agent", "test/1")
	for _, name := range []string{"Proxy-Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "X-Client-Secret", "X-Signature"} {
		c.do(http.MethodGet, "/v1/model-group?access_token=hide-me", "", name, "hide-me")
	}
	got := c.get("/control/requests").body
	if regexp.MustCompile("hide-me|-sandbox-secret|" + c.token).MatchString(got) {
		t.Errorf("a credential is listed: %s", got)
	}
	for _, want := range []string{`"query":"timeHorizon=day_ahead"`, `"User-Agent":["test/1"]`, `"Cookie":["(hidden)"]`, `"clientId":"northwind"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}
