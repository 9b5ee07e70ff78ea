package sandbox_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// What browsers send for a web page that is open beside the sandbox, and for a host name that somebody has pointed at it.
func TestControlRoutesAreNobodyElses(t *testing.T) {
	const own = "http://127.0.0.1:8080"
	tests := map[string]struct {
		url, header string
		isForeign   bool
	}{
		"curl":               {own, "", false},
		"localhost":          {"http://localhost", "", false},
		"a name of -host":    {"https://sandbox:8443", "", false},
		"its own page":       {own, "Origin: " + own, false},
		"typed by a person":  {own, "Sec-Fetch-Site: none", false},
		"a capital letter":   {"https://SANDBOX:8443", "", false},
		"another page":       {own, "Origin: https://evil.example", true},
		"another port":       {own, "Origin: http://127.0.0.1:3000", true},
		"an image of a page": {own, "Sec-Fetch-Site: cross-site", true},
		"a rebound name":     {"http://evil.example:8080", "", true},
		"another machine":    {"http://192.0.2.1", "", true},
	}
	c := direct(t, sandbox.New(sandbox.Default(), sandbox.WithHosts("sandbox")))
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c.base = test.url
			var header []string
			if name, value, ok := strings.Cut(test.header, ": "); ok {
				header = []string{name, value}
			}
			for request, want := range map[string]int{
				"GET /": 200, "GET /control/requests": 200, "POST /control/model-groups/" + mainGroup + "/publish": 201,
			} {
				method, path, _ := strings.Cut(request, " ")
				code := ""
				if test.isForeign {
					want, code = 403, "FORBIDDEN"
				}
				c.do(method, path, "", header...).wants(t, want, code)
			}
		})
	}
}

func TestReset(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := direct(t, s).as("northwind")
	before := c.get(groupPath(mainGroup, "/models")).body
	c.do(http.MethodPost, "/control/model-groups/"+mainGroup+"/publish", `{"dockerImage": "x"}`).wants(t, 201, "")
	c.fault(`{"status": 500}`)
	last := c.get("/v1/model-group")
	remove := s.Inject(sandbox.Fault{Route: sandbox.RouteToken, Status: 500})
	c.do(http.MethodPost, "/control/reset", "").wants(t, 204, "")
	defer s.Inject(sandbox.Fault{Route: sandbox.RouteUnknown, Status: 418})()
	remove() // a fault of before, not one of now
	c.get("/nope").wants(t, 418, "")
	first := c.get("/v1/model-group")
	first.wants(t, 401, "UNAUTHORIZED") // the token is gone
	if first.header.Get("X-Request-Id") <= last.header.Get("X-Request-Id") {
		t.Error("the names of answers begin again")
	}
	c.token = ""
	if after := c.as("northwind").get(groupPath(mainGroup, "/models")).body; after != before {
		t.Errorf("the catalogue is another one:\n%s\n%s", before, after)
	}
}

// Nobody takes an answer of the sandbox for the service's, whatever becomes of it, nor its tokens for real ones.
func TestEveryAnswerNamesTheSandbox(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := start(t, s).as("northwind")
	if !strings.HasPrefix(c.token, "sandbox-") {
		t.Errorf("the token is %q", c.token)
	}
	nothing := func(int, http.Header, []byte) (int, http.Header, []byte) { return 200, nil, nil }
	faults := []sandbox.Fault{{Times: 1, Status: 500, Header: http.Header{"X-Other": {"1"}}}, {Times: 1, Mutate: nothing}}
	for _, fault := range faults {
		s.Inject(fault)
	}
	const list = "/v1/model-group"
	for _, path := range []string{list, list, list, "/v1/nope", "/", "/control/ready", "/control/nope"} {
		got := c.get(path)
		if name := got.header.Get(sandbox.Header); name != "This is a sandbox, not the service." {
			t.Errorf("%s is answered %d: the header is %q", path, got.status, name)
		}
	}
	page := c.get("/")
	for _, want := range []string{
		"not the service", `action="/control/model-groups/emea%2Fpower%3Fv=1%23%CE%B2%20%2541/publish"`, "northwind", "GET /v1/nope",
		"de-lu-day-ahead-price:1.0.3", "/revisions/3/disable", "/revisions/2/unarchive",
	} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the page has no %s:\n%s", want, page.body)
		}
	}
	if page.header.Get("Content-Type") != "text/html; charset=utf-8" || strings.Contains(page.body, "-sandbox-secret") {
		t.Errorf("the page is %v\n%s", page.header, page.body)
	}
}
