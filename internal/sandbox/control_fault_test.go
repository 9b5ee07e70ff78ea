package sandbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestControlFaultAnswers(t *testing.T) {
	tests := map[string]struct { // by what is ordered
		status                     int
		code, retryAfter, contains string
	}{
		`{"code": "REQUEST_TIMEOUT"}`:                           {408, "REQUEST_TIMEOUT", "", `"message":"A fault was injected into the sandbox."`},
		`{"code": "FORBIDDEN", "message": "Not today."}`:        {403, "FORBIDDEN", "", `"message":"Not today."`},
		`{"code": "QUOTA_FROZEN", "status": 403}`:               {403, "QUOTA_FROZEN", "", `"statusCode":403`}, // of the future
		`{"code": "RATE_LIMITED", "retryAfter": 7}`:             {429, "RATE_LIMITED", "7", ""},
		`{"status": 503}`:                                       {503, "SERVICE_UNAVAILABLE", "", ""},
		`{"status": 599}`:                                       {599, "UNKNOWN", "", ""},
		`{"status": 500, "cut": "json"}`:                        {500, "", "", `{"code":"INTERNAL_ERROR"`},
		`{"html": true, "message": "a < b"}`:                    {502, "", "", "<h1>Bad Gateway</h1>\n<p>a &lt; b</p>"},
		`{"route": "token", "code": "temporarily_unavailable"}`: {502, "temporarily_unavailable", "", `"error_description"`},
	}
	for order, test := range tests {
		t.Run(order, func(t *testing.T) {
			c := direct(t, sandbox.New(sandbox.Default())).as("northwind")
			c.fault(order)
			got := c.get("/v1/model-group")
			if strings.Contains(order, "token") {
				got = c.form(credentials("northwind"))
			}
			got.wants(t, test.status, test.code)
			if got.header.Get("Retry-After") != test.retryAfter || !strings.Contains(got.body, test.contains) {
				t.Errorf("got Retry-After %q and %s", got.header.Get("Retry-After"), got.body)
			}
			isPage := strings.HasPrefix(got.header.Get("Content-Type"), "text/html")
			isJSON := !isPage && !strings.Contains(order, "cut")
			if isPage != strings.Contains(order, "html\": true") || isJSON != json.Valid([]byte(got.body)) {
				t.Errorf("got %s\n%s", got.header.Get("Content-Type"), got.body)
			}
		})
	}
}

func TestFaultsSelect(t *testing.T) {
	paths := map[string]string{
		"list": "/v1/model-group", "main": groupPath(mainGroup, ""), "odd": groupPath(oddGroup, ""),
		"odd/models": groupPath(oddGroup, "/models"), "nope": "/nope",
	}
	tests := map[string]struct{ orders, asks, want, hits string }{
		"a route":       {`{"route": "groups", "status": 500}`, "list,main,list", "500 200 500", "2"},
		"two after one": {`{"route": "group", "skip": 1, "times": 2, "status": 500}`, "main,list,main,main,main", "200 200 500 500 200", "2"},
		"in turn":       {`{"times": 1, "status": 500}&{"times": 1, "status": 502}`, "list,list,list", "500 502 200", "1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := direct(t, sandbox.New(sandbox.Default())).as("northwind")
			for order := range strings.SplitSeq(test.orders, "&") {
				c.fault(order)
			}
			var got []int
			for ask := range strings.SplitSeq(test.asks, ",") {
				got = append(got, c.get(paths[ask]).status)
			}
			if fmt.Sprint(got) != "["+test.want+"]" {
				t.Errorf("got %v, want %s", got, test.want)
			}
			if list := c.get("/control/faults").body; !strings.HasPrefix(list, `[{"hits":`+test.hits+`,"id":1,`) {
				t.Errorf("the list is %s", list)
			}
		})
	}
}

func TestFaultsBreakAnswers(t *testing.T) {
	tests := map[string]struct {
		order  string
		err    error
		isJSON bool
		status int // that is recorded
	}{
		// Twice, as a client repeats a GET once by itself where the connection had served before.
		"reset":           {`{"drop": true, "times": 2}`, syscall.ECONNRESET, false, 0},
		"length":          {`{"cut": "length"}`, io.ErrUnexpectedEOF, true, 200},
		"inside the JSON": {`{"cut": "json"}`, nil, false, 200},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := sandbox.New(sandbox.Default())
			c := start(t, s).as("northwind")
			whole := c.get("/v1/model-group").body
			c.fault(test.order)
			got, err := c.try(http.MethodGet, "/v1/model-group", "")
			if !errors.Is(err, test.err) {
				t.Errorf("the error is %v, want %v", err, test.err)
			}
			if json.Valid([]byte(got.body)) != test.isJSON || !strings.HasPrefix(whole, got.body) {
				t.Errorf("got %d of %d bytes, valid: %t", len(got.body), len(whole), !test.isJSON)
			}
			if status := s.Requests()[2].Status; status != test.status {
				t.Errorf("recorded is the status %d", status)
			}
		})
	}
}

func TestControlFaultRefuses(t *testing.T) {
	tests := map[string]string{ // by what is ordered
		`{}`:                                    "this does nothing: give code, status, html, delay, drop, hang, cut or page",
		`{"status": 500, "retry_after": 3}`:     "retry_after: there is no such field; did you mean retryAfter?",
		`{"status": 500, "status": 501}`:        "the field status is there twice",
		`{"status": 100}`:                       "status: minimum: got 100, want 200",
		`{"times": -1, "status": 500}`:          "times: minimum: got -1, want 0",
		`{"route": "model", "status": 500}`:     `route: value must be one of 'token', 'groups'`,
		`{"status": 429, "retryAfter": "soon"}`: "retryAfter: got string, want integer",
		`{"delay": "2"}`:                        `delay: a time is expected, such as "500ms" or "2s"`,
		`{"delay": "-2s"}`:                      "delay: a time is expected",
		`{"code": "TEAPOT"}`:                    "code: the interface has no such code, so a status is needed; known are [\"BAD_GATEWAY\" \"BAD_REQUEST\"",
	}
	c := direct(t, sandbox.New(sandbox.Default()))
	for order, want := range tests {
		t.Run(order, func(t *testing.T) {
			got := c.do(http.MethodPost, "/control/faults", order)
			got.wants(t, 400, "VALIDATION_FAILED")
			var body struct{ Message string }
			if got.decode(t, &body); !strings.Contains(body.Message, want) {
				t.Errorf("got  %s\nwant %s", body.Message, want)
			}
		})
	}
	if list := c.get("/control/faults").body; list != "[]" {
		t.Errorf("faults that were refused are injected: %s", list)
	}
}

// The ways in which a list can say that there is more, and be wrong.
func TestWrongPages(t *testing.T) {
	tests := map[string]struct{ link, count, body string }{
		"origin":   {link: `<https://elsewhere.example/v1/model-group?page=2>; rel="next"`, body: "["},
		"loop":     {link: `<>; rel="next"`, body: "["},
		"count":    {count: "9", body: "["},
		"envelope": {body: `{"items":[{`},
	}
	for page, want := range tests {
		c := direct(t, sandbox.New(sandbox.Default())).as("northwind")
		c.fault(`{"page": "` + page + `"}`)
		got := c.get("/v1/model-group")
		got.hasHeader(t, map[string]string{"Link": want.link, "X-Total-Count": want.count})
		if !strings.HasPrefix(got.body, want.body) || got.status != 200 {
			t.Errorf("%s: %d %.100s", page, got.status, got.body)
		}
		c.get(groupPath(mainGroup, "")).hasHeader(t, map[string]string{"Link": "", "X-Total-Count": ""})
	}
}
