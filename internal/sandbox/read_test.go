package sandbox_test

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestStrictRequests(t *testing.T) {
	main := groupPath(mainGroup, "")
	tests := map[string]struct {
		method, path, body string
		status             int
		code               string // unless told, the one that belongs to the status
		fields             string // of data.issues
	}{
		"known horizon":           {path: "/v1/model-group?timeHorizon=week_ahead", status: 200},
		"unknown horizon":         {path: "/v1/model-group?timeHorizon=fortnight", status: 400, code: "BAD_REQUEST"},
		"empty horizon":           {path: "/v1/model-group?timeHorizon=", status: 400, fields: "timeHorizon"},
		"repeated horizon":        {path: "/v1/model-group?timeHorizon=day_ahead&timeHorizon=day_ahead", status: 400, fields: "timeHorizon"},
		"horizon of a group":      {path: main + "?timeHorizon=day_ahead", status: 400, fields: "timeHorizon"},
		"parameter of the models": {path: main + "/models?archived=true", status: 400, fields: "archived"},
		"malformed query":         {path: main + "?a=%zz", status: 400, fields: "query"},
		"body":                    {path: main, body: "{}", status: 400, fields: "body"},
		"POST":                    {method: http.MethodPost, path: main, status: 405},
		"HEAD":                    {method: http.MethodHead, path: main, status: 405},
		"root, not to read":       {method: http.MethodPost, path: "/", status: 404},
		"other version":           {path: "/v2/model-group", status: 404},
		"model list":              {path: "/v1/model", status: 404},
		"no id":                   {path: "/v1/model-group//models", status: 404},
		"unknown tail":            {path: main + "/runs", status: 404},
		"dots are an id":          {path: "/v1/model-group/../model-group", status: 404},
		"unescaped id":            {path: "/v1/model-group/emea/power", status: 404},
		"id escaped twice":        {path: groupPath(strings.ReplaceAll(oddGroup, "/", "%2F"), ""), status: 404},
		"escaped id":              {path: groupPath(oddGroup, ""), status: 200},
		"unknown id":              {path: groupPath("nope", ""), status: 404},
		"no models, latest":       {path: groupPath(emptyGroup, "/latest-model"), status: 404},
	}
	c := start(t, sandbox.New(sandbox.Default())).as("northwind")
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := c.do(cmp.Or(test.method, http.MethodGet), test.path, test.body)
			if test.method != http.MethodHead { // whose answer has no body
				test.code = cmp.Or(test.code, codes[test.status])
			}
			got.wants(t, test.status, test.code)
			if fields := got.issues(t); fields != test.fields {
				t.Errorf("the issues are with %q, want %q", fields, test.fields)
			}
			if test.status == 405 && got.header.Get("Allow") != http.MethodGet {
				t.Errorf("Allow is %q", got.header.Get("Allow"))
			}
			if test.method == "" && got.status != 200 {
				expectNone(t, test.path, sandbox.RouteGroups, got)
			}
			if got.header.Get("X-Request-Id") == "" || got.header.Get("Content-Type") != "application/json" {
				t.Errorf("the header is %v", got.header)
			}
		})
	}
}

// issues returns the fields of data.issues, in their order.
func (r reply) issues(t *testing.T) string {
	t.Helper()
	if r.status != http.StatusBadRequest {
		return ""
	}
	var body struct {
		Data struct {
			Issues []struct {
				Field    string
				Messages []string
			}
		}
	}
	r.decode(t, &body)
	var names []string
	for _, issue := range body.Data.Issues {
		names = append(names, issue.Field)
		if len(issue.Messages) == 0 || issue.Messages[0] == "" {
			t.Errorf("no message for %s in %s", issue.Field, r.body)
		}
	}
	return strings.Join(names, " ")
}

func TestErrorBody(t *testing.T) {
	c := direct(t, sandbox.New(sandbox.Default())).as("northwind")
	for path, want := range map[string]string{
		"/v1/model-group/<nope>": `{"code":"NOT_FOUND","message":"No model group exists with the id \"<nope>\".",` +
			`"statusCode":404,"error":"Not Found"}`,
		"/v1/model-group?a=1": `{"code":"VALIDATION_FAILED","message":"The query parameters are not valid.",` +
			`"data":{"issues":[{"field":"a","messages":["is not a known query parameter"]}]},"statusCode":400,"error":"Bad Request"}`,
	} {
		if got := c.get(path); got.body != want {
			t.Errorf("got  %s\nwant %s", got.body, want)
		}
	}
}

func TestVisibility(t *testing.T) {
	c := direct(t, sandbox.New(sandbox.Default()))
	owner, other := c.as("northwind"), c.as("contoso-trading")
	for _, tail := range []string{"", "/latest-model", "/models"} {
		owner.get(groupPath(privateGroup, tail)).wants(t, 200, "")
		hidden, absent := other.get(groupPath(privateGroup, tail)), other.get(groupPath("nope", tail))
		if hidden.wants(t, 404, "NOT_FOUND"); strings.ReplaceAll(hidden.body, privateGroup, "nope") != absent.body {
			t.Errorf("a private group can be told from none: %s", hidden.body)
		}
	}
	seen, listed := owner.get("/v1/model-group").ids(t), other.get("/v1/model-group").ids(t)
	if !slices.Contains(seen, privateGroup) || slices.Contains(listed, privateGroup) || len(seen) != 8 || len(listed) != 7 {
		t.Errorf("the owner sees %v, another %v", seen, listed)
	}
	if got := other.get("/v1/model-group?timeHorizon=quarterly").ids(t); !slices.Equal(got, []string{emptyGroup}) {
		t.Errorf("on the horizon quarterly: %v", got)
	}
}

func TestWithheldFields(t *testing.T) {
	c := direct(t, sandbox.New(parse(t, `{"owner": "Owner", "group": {"id": "g"}, "models": [
		{"revision": 1, "notes": "N", "dockerImage": "D", "isOwner": "whatever", "x": 1.50},
		{"revision": 2}
	]}`)))
	tests := map[string]struct{ first, latest string }{
		"owner": {`{"revision":1,"notes":"N","dockerImage":"D","isOwner":true,"x":1.50}`, `{"revision":2,"isOwner":true}`},
		"other": {
			`{"revision":1,"notes":null,"dockerImage":"","isOwner":false,"x":1.50}`,
			`{"revision":2,"isOwner":false,"notes":null,"dockerImage":""}`,
		},
	}
	for who, want := range tests {
		c := c.as(who)
		if got := c.get("/v1/model-group/g/models").body; got != ordered(t, "["+want.first+","+want.latest+"]") {
			t.Errorf("%s gets\n%s\nwant\n%s\n%s", who, got, want.first, want.latest)
		}
		if got := c.get("/v1/model-group/g/latest-model").body; got != ordered(t, want.latest) {
			t.Errorf("%s gets as latest %s", who, got)
		}
	}
}

func TestModelsOrder(t *testing.T) {
	c := direct(t, sandbox.New(parse(t, `{"owner": "Owner", "group": {"id": "g"}, "models": [
		{"id": "b", "revision": 9007199254740993}, {"id": "odd", "revision": "ten"},
		{"id": "a", "revision": 9007199254740992, "archived": true}, {"id": "z", "revision": 0}
	]}`))).as("owner")
	want := []string{"odd", "z", "a", "b"}
	if got := c.get("/v1/model-group/g/models").ids(t); !slices.Equal(got, want) {
		t.Errorf("got %v, want the oldest first: %v", got, want)
	}
	if got := c.get("/v1/model-group/g/latest-model").body; !strings.Contains(got, `"id":"b"`) {
		t.Errorf("the latest is %s", got)
	}
}

// A list in pages says how many there are and where the next one is; without -page-size the parameter is refused as any other.
func TestPages(t *testing.T) {
	for size, want := range map[int]string{1: "1 1 1 1", 3: "3 1", 4: "4", 9: "4"} {
		c := direct(t, sandbox.New(sandbox.Default(), sandbox.WithPageSize(size))).as("northwind")
		whole, sizes := []string{}, []string{}
		for path := groupPath(mainGroup, "/models"); path != ""; {
			got := c.get(path)
			got.hasHeader(t, map[string]string{"X-Total-Count": "4"})
			ids := got.ids(t)
			whole, sizes = append(whole, ids...), append(sizes, strconv.Itoa(len(ids)))
			path, _ = strings.CutSuffix(strings.TrimPrefix(got.header.Get("Link"), "<"), `>; rel="next"`)
		}
		all := direct(t, sandbox.New(sandbox.Default())).as("northwind").get(groupPath(mainGroup, "/models")).ids(t)
		if strings.Join(sizes, " ") != want || !slices.Equal(whole, all) {
			t.Errorf("pages of %d have %v: %v", size, sizes, whole)
		}
		c.get("/v1/model-group?page=0").wants(t, 400, "VALIDATION_FAILED")
		c.get("/v1/model-group?page=99").wants(t, 400, "VALIDATION_FAILED")
		c.get(groupPath(mainGroup, "?page=1")).wants(t, 400, "VALIDATION_FAILED")
		horizon := c.get("/v1/model-group?timeHorizon=week_ahead")
		if link := horizon.header.Get("Link"); size == 1 && !strings.Contains(link, "page=2&timeHorizon=week_ahead") {
			t.Errorf("the next page is %s", link)
		}
	}
}
