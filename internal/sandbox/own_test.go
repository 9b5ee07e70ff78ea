package sandbox_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// What browsers send for a web page that is open beside the sandbox, and for a
// host name that somebody has pointed at it.
func TestControlRoutesAreNobodyElses(t *testing.T) {
	tests := map[string]struct {
		url, header string
		status      int
	}{
		"curl":                 {url: "http://127.0.0.1:8080", status: 200},
		"curl, IPv6":           {url: "http://[::1]:8080", status: 200},
		"localhost":            {url: "http://localhost", status: 200},
		"a name of -host":      {url: "https://sandbox:8443", status: 200},
		"its own page":         {url: "http://127.0.0.1:8080", header: "Origin: http://127.0.0.1:8080", status: 200},
		"its own page, https":  {url: "https://sandbox:8443", header: "Origin: https://sandbox:8443", status: 200},
		"typed by a person":    {url: "http://127.0.0.1:8080", header: "Sec-Fetch-Site: none", status: 200},
		"linked from itself":   {url: "http://127.0.0.1:8080", header: "Sec-Fetch-Site: same-origin", status: 200},
		"another page":         {url: "http://127.0.0.1:8080", header: "Origin: https://evil.example", status: 403},
		"a file":               {url: "http://127.0.0.1:8080", header: "Origin: null", status: 403},
		"another port":         {url: "http://127.0.0.1:8080", header: "Origin: http://127.0.0.1:3000", status: 403},
		"an image of a page":   {url: "http://127.0.0.1:8080", header: "Sec-Fetch-Site: cross-site", status: 403},
		"a neighbour's page":   {url: "http://127.0.0.1:8080", header: "Sec-Fetch-Site: same-site", status: 403},
		"a rebound name":       {url: "http://evil.example:8080", status: 403},
		"a rebound name, page": {url: "http://evil.example", header: "Origin: http://evil.example", status: 403},
		"another machine":      {url: "http://192.0.2.1", status: 403},
	}
	s := sandbox.New(sandbox.Default(), sandbox.WithHosts("sandbox"))
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, control := range []struct{ method, path string }{
				{http.MethodGet, "/control/requests"}, {http.MethodPost, "/control/model-groups/" + mainGroup + "/publish"},
			} {
				r := httptest.NewRequest(control.method, test.url+control.path, nil)
				if header, value, ok := strings.Cut(test.header, ": "); ok {
					r.Header.Set(header, value)
				}
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				if (w.Code == 403) != (test.status == 403) || w.Code == 403 && !strings.Contains(w.Body.String(), `"FORBIDDEN"`) {
					t.Errorf("%s is answered %d %s", control.path, w.Code, w.Body)
				}
			}
		})
	}
}

func TestReset(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := start(t, s).as("northwind")
	before := c.get("/v1/model-group").body + c.get(groupPath(mainGroup, "/models")).body
	for _, order := range []struct{ path, body string }{
		{"model-groups/" + mainGroup + "/publish", `{"dockerImage": "x"}`},
		{"model-groups/" + mainGroup + "/revisions/1/republish", `{"dockerImage": "y"}`},
		{"organisations/northwind/disable", ""},
		{"faults", `{"status": 500}`},
	} {
		if got := c.do(http.MethodPost, "/control/"+order.path, order.body); got.status >= 300 {
			t.Fatalf("%s: %d %s", order.path, got.status, got.body)
		}
	}
	last := c.get("/v1/model-group")
	last.wants(t, 500, "INTERNAL_ERROR")
	remove := s.Inject(sandbox.Fault{Route: sandbox.RouteToken, Status: 500})
	c.do(http.MethodPost, "/control/reset", "").wants(t, 204, "")
	defer s.Inject(sandbox.Fault{Route: sandbox.RouteUnknown, Status: 418})()
	remove() // a fault of before, not one of now
	c.get("/nope").wants(t, 418, "")
	s.ResetRequests()
	if n := s.Count(sandbox.RouteAny); n != 0 || len(s.Requests()) != 0 {
		t.Errorf("%d requests are left", n)
	}
	first := c.get("/v1/model-group")
	first.wants(t, 401, "UNAUTHORIZED") // the token is gone
	if first.header.Get("X-Request-Id") <= last.header.Get("X-Request-Id") {
		t.Error("the names of answers begin again")
	}
	c.token = ""
	c = c.as("northwind")
	if after := c.get("/v1/model-group").body + c.get(groupPath(mainGroup, "/models")).body; after != before {
		t.Errorf("the catalogue is another one:\n%s\n%s", before, after)
	}
}

func TestLoad(t *testing.T) {
	c := start(t, sandbox.New(sandbox.Default()))
	const another = `{"organisations": [{"name": "O", "clientId": "o", "clientSecret": "o-sandbox-secret"}],
		"modelGroups": [{"owner": "O", "group": {"id": "g"}}]}`
	c.do(http.MethodPut, "/control/catalogue", another).wants(t, 204, "")
	c.as("o").get("/v1/model-group/g").wants(t, 200, "")
	c.form(credentials("northwind")).wants(t, 401, "invalid_client")
	c.do(http.MethodPost, "/control/reset", "").wants(t, 204, "")
	c.as("northwind").get(groupPath(mainGroup, "")).wants(t, 200, "")
}

func TestMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Default(), sandbox.WithTokenLife(time.Minute))
		d := direct{t: t, s: s}
		old := d.token("northwind")
		time.Sleep(time.Hour)
		d.token("northwind")
		if got := d.get("/v1/model-group", old); got.Code != 401 {
			t.Errorf("an old token is answered %d", got.Code)
		}
		for i := range 10_100 {
			d.get(fmt.Sprintf("/v1/model-group/%d", i), "")
		}
		requests := s.Requests()
		if len(requests) != 10_000 || requests[9_999].Path != "/v1/model-group/10099" || s.Count(sandbox.RouteGroup) != 10_100 {
			t.Errorf("%d requests are kept, the last is %+v; %d counted", len(requests), requests[len(requests)-1], s.Count(sandbox.RouteGroup))
		}
	})
}

func TestListedRequestsHideWhatLooksLikeACredential(t *testing.T) {
	c := start(t, sandbox.New(sandbox.Default()))
	for _, name := range []string{
		"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "X-Amz-Security-Token", "X-Client-Secret", "X-Signature",
	} {
		c.do(http.MethodGet, "/v1/model-group?access_token=hide-me", "", name, "hide-me")
	}
	got := c.get("/control/requests").body
	if strings.Contains(got, "hide-me") || !strings.Contains(got, `"X-Api-Key":["(hidden)"]`) || !strings.Contains(got, `"User-Agent":["Go-`) {
		t.Errorf("listed are %s", got)
	}
}

// The catalogue's three mistakes, each with its place, in the order of the text.
func TestEveryMistakeIsTold(t *testing.T) {
	_, err := sandbox.ReadCatalogue(strings.NewReader(`{
  "organisations": [{"name": "O", "clientId": "o"}],
  "modelGroups": [
    {"owner": "P", "group": {"id": "g", "public": "yes"}, "models": [
      {"id": "m", "revision": 1, "docker_image": "x"}, {"id": "m", "revision": 1}
    ]}
  ]
}`))
	const want = `line 2, column 21: organisations[0].clientSecret: the field is required
line 4, column 6: modelGroups[0].owner: no organisation is named "P"
line 4, column 41: modelGroups[0].group.public: true or false is expected
line 5, column 34: modelGroups[0].models[0].docker_image: there is no such field; did you mean dockerImage?
line 5, column 57: modelGroups[0].models[1].id: the model id "m" is used before, at modelGroups[0].models[0].id
line 5, column 68: modelGroups[0].models[1].revision: revision 1 is used before, at modelGroups[0].models[0].revision`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}
