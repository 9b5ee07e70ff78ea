package sandbox_test

import (
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

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
		"the latest revision counts though it is archived": {
			group:  `{"id": "g"}`,
			models: `{"id": "1", "revision": 1}, {"id": "2", "revision": 2, "archived": true}`,
			want:   `{"id":"g","latestRevision":2,"models":[{"id":"1","revision":1}],"axes":[]}`,
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
		"an axis new in an older revision comes after": {
			group: `{"id": "g", "models": 0}`,
			models: `{"revision": 5, "axes": [{"key": "x", "values": ["\u0041"]}]},
			 {"revision": 6, "axes": [{"key": "y"}, {"key": "x", "values": ["A"]}]}`,
			want: `{"id":"g","models":0,"latestRevision":6,"axes":[{"key":"y","values":[]},` +
				`{"key":"x","values":[{"value":"A","historical":false}]}]}`,
		},
		"odd axes are passed over": {
			group:  `{"id": "g", "models": 0}`,
			models: `{"revision": 1, "axes": null}, {"revision": 2, "axes": "x"}, {"revision": 3, "axes": [1, {}, {"key": 2}]}`,
			want:   `{"id":"g","models":0,"latestRevision":3,"axes":[]}`,
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

func TestPublicGroups(t *testing.T) {
	for group, want := range map[string]int{
		`{"id": "g", "public": false}`: 404, `{"id": "g", "public": true}`: 200, `{"id": "g"}`: 200, `{"id": "g", "public": "false"}`: 200,
	} {
		c := direct(t, sandbox.New(parse(t, `{"owner": "Owner", "group": `+group+`}`)))
		c.as("other").get("/v1/model-group/g").wants(t, want, "")
		c.as("owner").get("/v1/model-group/g").wants(t, 200, "")
	}
}
