package sandbox_test

import (
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestParseCatalogueRefuses(t *testing.T) {
	const (
		organisations = `"organisations": [{"name": "O", "clientId": "o", "clientSecret": "s"}]`
		groups        = organisations + `, "modelGroups": `
	)
	tests := map[string]struct{ text, want string }{
		"empty":               {want: "line 1, column 1: the JSON ends here, unfinished"},
		"syntax":              {text: "{\n  \"a\": 1,\n  }", want: "line 3, column 3: invalid character"},
		"more than one value": {text: `{} {}`, want: "line 1, column 4: invalid character"},
		"cut short":           {text: "{\n\"a\": [", want: "line 2, column 7: a: the JSON ends here, unfinished"},
		"no object":           {text: `[]`, want: "an object is expected"},
		"nothing in it":       {text: `{}`, want: "line 1, column 1: organisations: the field is required"},
		"nobody":              {text: `{"organisations": []}`, want: "line 1, column 2: organisations: at least one"},
		"unknown field": {
			text: `{` + organisations + `, "extra": 1}`,
			want: "line 1, column 74: extra: there is no such field; known are $schema, modelGroups, organisations, timeHorizons",
		},
		"field in another case": {
			text: `{"Organisations": []}`,
			want: "Organisations: there is no such field; did you mean organisations?",
		},
		"field twice": {
			text: `{` + organisations + `,` + organisations + `}`,
			want: "line 1, column 73: organisations: the field is there twice",
		},
		"no list": {text: `{"organisations": null}`, want: "organisations: a list is expected"},
		"unknown in a list": {
			text: `{"organisations": [{"name": "O", "client_id": "x"}]}`,
			want: "line 1, column 34: organisations[0].client_id: there is no such field; did you mean clientId?",
		},
		"no secret": {
			text: `{"organisations": [{"name": "O", "clientId": "x"}]}`,
			want: "organisations[0].clientSecret: the field is required",
		},
		"empty name": {text: `{"organisations": [{"name": ""}]}`, want: "organisations[0].name: a string that is not empty"},
		"null reason": {
			text: `{"organisations": [{"name": "O", "disabled": null}]}`,
			want: "organisations[0].disabled: a string",
		},
		"no boolean": {text: `{"organisations": [{"forbidden": null}]}`, want: "organisations[0].forbidden: true or false"},
		"organisation twice": {
			text: `{"organisations": [{"name": "O", "clientId": "a", "clientSecret": "s"},
				{"name": "O", "clientId": "b", "clientSecret": "s"}]}`,
			want: `organisations[1].name: the organisation "O" is used before, at organisations[0].name`,
		},
		"client id twice": {
			text: `{"organisations": [{"name": "O", "clientId": "a", "clientSecret": "s"},
				{"name": "P", "clientId": "a", "clientSecret": "s"}]}`,
			want: `organisations[1].clientId: the client id "a" is used before`,
		},
		"horizon twice": {
			text: `{` + organisations + `, "timeHorizons": [{"key": "a"}, {"key": "a"}]}`,
			want: "timeHorizons[1].key: the time horizon",
		},
		"horizon of no key": {
			text: `{` + organisations + `, "timeHorizons": [{"name": "a"}]}`,
			want: "timeHorizons[0].key: the field is required",
		},
		"unknown owner": {
			text: `{` + groups + `[{"owner": "P", "group": {"id": "g"}}]}`,
			want: `modelGroups[0].owner: no organisation is named "P"`,
		},
		"no owner": {
			text: `{` + groups + `[{"group": {"id": "g"}}]}`,
			want: "line 1, column 90: modelGroups[0].owner: the field is required",
		},
		"group of no id": {text: `{` + groups + `[{"owner": "O", "group": {"id": 1}}]}`, want: "modelGroups[0].group.id: a string"},
		"group is a list": {
			text: `{` + groups + `[{"owner": "O", "group": []}]}`,
			want: "modelGroups[0].group: an object is expected",
		},
		"group twice": {
			text: `{` + groups + `[{"owner": "O", "group": {"id": "g"}}, {"owner": "O", "group": {"id": "g"}}]}`,
			want: "modelGroups[1].group.id: the model group id",
		},
		"model is no object": {
			text: `{` + groups + `[{"owner": "O", "group": {"id": "g"}, "models": [{}, 1]}]}`,
			want: "modelGroups[0].models[1]: an object",
		},
		"model twice": {
			text: `{` + groups + `[{"owner": "O", "group": {"id": "g"}, "models": [{"id": "m"}]},
				{"owner": "O", "group": {"id": "h"}, "models": [{"id": "m"}]}]}`,
			want: `modelGroups[1].models[0].id: the model id "m" is used before, at modelGroups[0].models[0].id`,
		},
		"revision twice, spelled differently": {
			text: `{` + groups + `[{"owner": "O", "group": {"id": "g"}, "models": [{"revision": 1}, {"revision": 1.0}]}]}`,
			want: "modelGroups[0].models[1].revision: revision 1 is used before, at modelGroups[0].models[0].revision",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := sandbox.ParseCatalogue(strings.NewReader(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestParseCatalogueKeepsDocuments(t *testing.T) {
	const document = `{"id":5,"revision":"x","modelGroupId":null,` +
		`"modelMetadata":{"z":9007199254740993,"a":[1.0,1E+2,1e400,-0,{"é":"<&>\u0041"}]},"unheardOf":[{}]`
	c := start(t, sandbox.New(parse(t,
		`{"owner": "Owner", "group": {"id": "g"}, "models": [`+document+`}, {"revision": 3.5}, {"id": 5}]}`)))
	want := document + `,"isOwner":true}`
	if got := c.as("owner").get("/v1/model-group/g/models"); !strings.Contains(got.body, want) {
		t.Errorf("got\n%s\nwant in it\n%s", got.body, want)
	}
}

func TestCatalogueIsNotChanged(t *testing.T) {
	catalogue := sandbox.Default()
	one, two := sandbox.New(catalogue), sandbox.New(catalogue)
	one.Disable(northwind, "Unpaid.")
	if _, err := one.Publish(mainGroup, nil); err != nil {
		t.Fatal(err)
	}
	c := start(t, two).as("northwind")
	var group struct{ LatestRevision int }
	c.get(groupPath(mainGroup, "")).decode(t, &group)
	if group.LatestRevision != 3 {
		t.Errorf("what is published in one sandbox is in another: %d", group.LatestRevision)
	}
}
