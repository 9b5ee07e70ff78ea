package sandbox_test

import (
	"encoding/json"
	"errors"
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

		d := direct{t: t, s: s}
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
		"unknown group": {group: "nope", want: `no such model group: "nope"`},
		"revision":      {group: "g/1", overrides: `{"revision": 7}`, want: "line 1, column 2: revision: the sandbox sets this field"},
		"id":            {group: "g/1", overrides: `{"id": "x"}`, want: "line 1, column 2: id: the sandbox sets this field"},
		"group id": {
			group:     "g/1",
			overrides: `{"modelGroupId": "x"}`,
			want:      "line 1, column 2: modelGroupId: the sandbox sets this field",
		},
		"no JSON": {group: "g/1", overrides: `{`, want: "line 1, column 2: the JSON ends here"},
		"unknown field": {
			group:     "g/1",
			overrides: "{\n  \"docker_image\": \"a\"}",
			want:      "line 2, column 3: docker_image: there is no such field; did you mean dockerImage?",
		},
		"wrong type": {
			group:     "g/1",
			overrides: `{"axes": [{"key": 1}]}`,
			want:      "line 1, column 12: axes[0].key: a string is expected",
		},
		"no object":    {group: "g/1", overrides: `[]`, want: "an object is expected"},
		"odd revision": {group: "odd", want: "is no integer"},
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
