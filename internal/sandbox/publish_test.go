package sandbox_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

const publishable = `{"owner": "Owner", "group": {"id": "g/1"}, "models": [
	{"id": "a", "revision": 9007199254740993, "modelGroupId": "g/1", "archived": true, "createdAt": "t", "x": 1.0, "notes": "N"},
	{"id": "b", "revision": 5, "axes": [{"key": "k", "values": [1]}]}
]}, {"owner": "Owner", "group": {"id": "none"}}, {"owner": "Owner", "group": {"id": "odd"}, "models": [{"revision": 1.5}]}`

func TestPublish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // whose clock starts at midnight, 1 January 2000
		s := sandbox.New(parse(t, publishable))
		got, err := s.Publish("g/1", json.RawMessage(`{"notes": "M", "axes": [{"key": "k", "values": [2]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		id := regexp.MustCompile(`"id":"([0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"`).FindSubmatch(got)
		if id == nil {
			t.Fatalf("no UUID in %s", got)
		}
		want := `{"id":"` + string(id[1]) + `","revision":9007199254740994,"modelGroupId":"g/1","archived":false,` +
			`"createdAt":"2000-01-01T00:00:00.000Z","x":1.0,"notes":"M","updatedAt":"2000-01-01T00:00:00.000Z",` +
			`"axes":[{"key":"k","values":[2]}],"isOwner":true}`
		if string(got) != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}

		d := direct{t, s}
		token := d.token("owner")
		if latest := d.get("/v1/model-group/g%2F1/latest-model", token); latest.Body.String() != want {
			t.Errorf("the latest is\n%s\nwant\n%s", latest.Body, want)
		}
		group := d.get("/v1/model-group/g%2F1", token).Body.String()
		wantGroup := `{"id":"g/1","latestRevision":9007199254740994,"models":[{"id":"` + string(id[1]) +
			`","revision":9007199254740994,"createdAt":"2000-01-01T00:00:00.000Z"},{"id":"b","revision":5}],` +
			`"axes":[{"key":"k","values":[{"value":2,"historical":false},{"value":1,"historical":true}]}]}`
		if group != wantGroup {
			t.Errorf("the group is\n%s\nwant\n%s", group, wantGroup)
		}

		again, err := sandbox.New(parse(t, publishable)).Publish("g/1", nil)
		if err != nil || !strings.Contains(string(again), string(id[1])) {
			t.Errorf("the same revision published elsewhere has another id: %s, %v", again, err)
		}
		next, err := s.Publish("g/1", json.RawMessage(`{"createdAt": "then", "archived": true}`))
		if err != nil || strings.Contains(string(next), string(id[1])) ||
			!strings.Contains(string(next), `"createdAt":"then"`) || !strings.Contains(string(next), `"archived":true`) {
			t.Errorf("the next revision is %s, %v", next, err)
		}
	})
}

func TestPublishFirst(t *testing.T) {
	got, err := sandbox.New(parse(t, publishable)).Publish("none", json.RawMessage(`{"name": "n"}`))
	if err != nil || !strings.Contains(string(got), `"revision":0,`) || !strings.Contains(string(got), `"name":"n"`) {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestPublishRefuses(t *testing.T) {
	tests := map[string]struct{ group, overrides, want string }{
		"unknown group": {"nope", ``, `no such model group: "nope"`},
		"revision":      {"g/1", `{"revision": 7}`, "revision is set by publishing"},
		"id":            {"g/1", `{"id": "x"}`, "id is set by publishing"},
		"group id":      {"g/1", `{"modelGroupId": "x"}`, "modelGroupId is set by publishing"},
		"no JSON":       {"g/1", `{`, "line 1, column 1"},
		"no object":     {"g/1", `[]`, "an object is expected"},
		"odd revision":  {"odd", ``, "is no integer"},
	}
	s := sandbox.New(parse(t, publishable))
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := s.Publish(test.group, json.RawMessage(test.overrides))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if errors.Is(err, sandbox.ErrUnknownGroup) != (test.group == "nope") {
				t.Errorf("ErrUnknownGroup is wrong for %v", err)
			}
		})
	}
}

func TestControlRoute(t *testing.T) {
	tests := map[string]struct {
		method, path, body string
		status             int
		code               string
		contains           string
	}{
		"no body":         {path: "/control/model-groups/g%2F1/publish", status: 201, contains: `"notes":"N"`},
		"overrides":       {path: "/control/model-groups/g%2F1/publish", body: `{"notes": "M"}`, status: 201, contains: `"notes":"M"`},
		"GET":             {method: http.MethodGet, path: "/control/model-groups/g%2F1/publish", status: 405, code: "METHOD_NOT_ALLOWED"},
		"unknown group":   {path: "/control/model-groups/nope/publish", status: 404, code: "NOT_FOUND"},
		"unknown route":   {path: "/control/model-groups/g%2F1", status: 404, code: "NOT_FOUND"},
		"no id":           {path: "/control/model-groups//publish", status: 404, code: "NOT_FOUND"},
		"no JSON":         {path: "/control/model-groups/g%2F1/publish", body: `x`, status: 400, code: "BAD_REQUEST"},
		"no object":       {path: "/control/model-groups/g%2F1/publish", body: `[]`, status: 400, code: "BAD_REQUEST"},
		"refused field":   {path: "/control/model-groups/g%2F1/publish", body: `{"id": "x"}`, status: 400, code: "VALIDATION_FAILED"},
		"nothing to copy": {path: "/control/model-groups/odd/publish", status: 409, code: "CONFLICT"},
		"not under /v1":   {path: "/v1/control/model-groups/g%2F1/publish", status: 404, code: "NOT_FOUND"},
		"much too large": {
			path: "/control/model-groups/g%2F1/publish", body: `{"x": "` + strings.Repeat("x", 16<<20) + `"}`,
			status: 413, code: "PAYLOAD_TOO_LARGE",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := sandbox.New(parse(t, publishable))
			s.Inject(sandbox.Fault{Status: 500})
			if test.method == "" {
				test.method = http.MethodPost
			}
			got := start(t, s).do(test.method, test.path, test.body)
			if strings.HasPrefix(test.path, "/v1/") {
				test.status, test.code = 500, "" // the fault: this is no control route
			}
			got.wants(t, test.status, test.code)
			if !strings.Contains(got.body, test.contains) {
				t.Errorf("no %s in %s", test.contains, got.body)
			}
			if got.header.Get("X-Request-Id") == "" {
				t.Error("no X-Request-Id")
			}
			if n := s.Count(sandbox.RouteAny); test.status != 500 && n != 0 {
				t.Errorf("%d control requests recorded", n)
			}
		})
	}
}
