package sandbox_test

import (
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

const publishable = `{"owner": "Owner", "group": {"id": "g/1"}, "models": [
	{"id": "a", "revision": 9007199254740993, "modelGroupId": "g/1", "archived": true, "createdAt": "t", "x": 1.0, "notes": "N"},
	{"id": "b", "revision": 5, "axes": [{"key": "k", "values": [1]}]}
]}, {"owner": "Owner", "group": {"id": "none"}}, {"owner": "Owner", "group": {"id": "odd"}, "models": [{"revision": 1.5}]}`

// What is refused is among the tests of the control routes.
func TestPublish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // whose clock starts at midnight, 1 January 2000
		s := sandbox.New(parse(t, publishable))
		published := func(s *sandbox.Sandbox, fields string) (document, id string) {
			t.Helper()
			got, err := s.Publish("g/1", []byte(fields))
			found := regexp.MustCompile(`"id":"([0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"`).FindSubmatch(got)
			if found == nil {
				t.Fatalf("no UUID in %s, %v", got, err)
			}
			return string(got), string(found[1])
		}
		got, id := published(s, `{"notes": "M", "axes": [{"key": "k", "values": [2]}]}`)
		want := `{"id":"` + id + `","revision":9007199254740994,"modelGroupId":"g/1","archived":false,` +
			`"createdAt":"2000-01-01T00:00:00.000Z","x":1.0,"notes":"M","updatedAt":"2000-01-01T00:00:00.000Z",` +
			`"axes":[{"key":"k","values":[2]}],"isOwner":true}`
		want = ordered(t, want)
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		c := direct(t, s).as("owner")
		for path, want := range map[string]string{
			"/v1/model-group/g%2F1/latest-model": want,
			"/v1/model-group/g%2F1": `{"id":"g/1","latestRevision":9007199254740994,"models":[{"id":"` + id +
				`","revision":9007199254740994,"createdAt":"2000-01-01T00:00:00.000Z"},{"id":"b","revision":5}],` +
				`"axes":[{"key":"k","values":[{"value":2,"historical":false},{"value":1,"historical":true}]}]}`,
		} {
			if got, want := ordered(t, c.get(path).body), ordered(t, want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		}
		if _, again := published(sandbox.New(parse(t, publishable)), ""); again != id {
			t.Errorf("the same revision published elsewhere has another id: %s", again)
		}
		next, nextID := published(s, `{"createdAt": "then", "archived": true}`)
		if nextID == id || !strings.Contains(next, `"createdAt":"then"`) || !strings.Contains(next, `"archived":true`) {
			t.Errorf("the next revision is %s", next)
		}
	})
}

// What the catalogue dates in the future is still older than what is changed.
func TestChangesAreNeverOlder(t *testing.T) {
	s := sandbox.New(parse(t, `{"owner": "Owner", "group": {"id": "g"},
		"models": [{"revision": 0, "updatedAt": "2999-12-31T23:59:59.999Z"}]}`))
	for _, want := range []string{"3000-01-01T00:00:00.000Z", "3000-01-01T00:00:00.001Z"} {
		got, err := s.Republish("g", 0, nil)
		if err != nil || !strings.Contains(string(got), `"updatedAt":"`+want+`"`) {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}

func TestArchivedUnlisted(t *testing.T) {
	c := direct(t, sandbox.New(sandbox.Default(), sandbox.WithArchivedUnlisted())).as("northwind")
	got := c.get(groupPath(mainGroup, "/models")).body
	if strings.Contains(got, `"archived":true`) || strings.Count(got, `"archived":false`) != 3 {
		t.Errorf("got %s", got)
	}
}

// For the race detector, and for revisions that must not be published twice.
func TestConcurrentUse(t *testing.T) {
	s := sandbox.New(sandbox.Default(), sandbox.WithAllowance(sandbox.Allowance{Requests: 1000, Per: time.Second}))
	c := start(t, s).as("northwind")
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			defer s.Inject(sandbox.Fault{Route: sandbox.RouteUnknown, Delay: time.Millisecond})()
			for _, path := range []string{"/v1/model-group", groupPath(mainGroup, "/models"), "/nope", "/", "/control/requests"} {
				if _, err := c.try("GET", path, ""); err != nil {
					t.Error(err)
				}
			}
			if _, err := s.Publish(mainGroup, nil); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got := c.get(groupPath(mainGroup, "")); !strings.Contains(got.body, `"latestRevision":11`) {
		t.Errorf("the group is %s", got.body)
	}
}

func TestDerivedFields(t *testing.T) {
	tests := map[string]struct{ group, models, want string }{
		"no models": {group: `{"id": "g"}`, want: `{"id":"g","latestRevision":0,"models":[],"axes":[]}`},
		"archived revisions are left out, the newest comes first": {
			group: `{"id": "g"}`,
			models: `{"id": "0", "revision": 0, "createdAt": "t0", "name": "n"},
			 {"id": "2", "revision": 2, "createdAt": "t2", "archived": false},
			 {"id": "1", "revision": 1, "createdAt": "t1", "archived": true}`,
			want: `{"id":"g","latestRevision":2,"models":[{"id":"2","revision":2,"createdAt":"t2"},` +
				`{"id":"0","revision":0,"createdAt":"t0"}],"axes":[]}`,
		},
		"stated values win, wrong ones too": {
			group:  `{"id": "g", "axes": null, "latestRevision": "x", "models": {"y": 1.0}, "extra": 1E2}`,
			models: `{"id": "1", "revision": 1}`,
			want:   `{"id":"g","axes":null,"latestRevision":"x","models":{"y":1.0},"extra":1E2}`,
		},
		"axes are the union, with historical values": {
			group: `{"id": "g", "models": 0}`,
			models: `{"revision": 1, "axes": [
				{"key": "gone", "type": "boolean", "values": [true]},
				{"key": "a", "kind": "static", "label": "Old", "description": "D", "type": "number",
				 "values": [3, 1.0, 4], "default": 3}]},
			 {"revision": 2, "axes": [
				{"key": "b", "type": "string", "values": ["1", "é"]},
				{"key": "a", "kind": "static", "label": "New", "description": "D", "type": "number",
				 "values": [2, 1], "default": 1, "other": 5}]}`,
			want: `{"id":"g","models":0,"latestRevision":2,"axes":[` +
				`{"key":"b","type":"string","values":[{"value":"1","historical":false},{"value":"é","historical":false}]},` +
				`{"key":"a","kind":"static","label":"New","description":"D","type":"number","values":[` +
				`{"value":2,"historical":false},{"value":1,"historical":false},` +
				`{"value":3,"historical":true},{"value":4,"historical":true}]},` +
				`{"key":"gone","type":"boolean","values":[{"value":true,"historical":true}]}]}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			catalogue := parse(t, `{"owner": "Owner", "group": `+test.group+`, "models": [`+test.models+`]}`)
			c := direct(t, sandbox.New(catalogue)).as("owner")
			for path, want := range map[string]string{"/v1/model-group/g": test.want, "/v1/model-group": "[" + test.want + "]"} {
				if got, want := ordered(t, c.get(path).body), ordered(t, want); got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			}
		})
	}
}
