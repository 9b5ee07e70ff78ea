package sandbox_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestControlFaultAnswers(t *testing.T) {
	tests := map[string]struct {
		order      string
		status     int
		code       string
		retryAfter string
		contains   string
	}{
		"a code":               {`{"code": "REQUEST_TIMEOUT"}`, 408, "REQUEST_TIMEOUT", "", `"message":"A fault was injected into the sandbox."`},
		"a message":            {`{"code": "FORBIDDEN", "message": "Not today."}`, 403, "FORBIDDEN", "", `"message":"Not today."`},
		"a code and its own":   {`{"code": "FORBIDDEN", "status": 403}`, 403, "FORBIDDEN", "", ``},
		"a code of the future": {`{"code": "QUOTA_FROZEN", "status": 403}`, 403, "QUOTA_FROZEN", "", `"statusCode":403`},
		"a status":             {`{"status": 503}`, 503, "SERVICE_UNAVAILABLE", "", ``},
		"a status of a code":   {`{"status": 500}`, 500, "INTERNAL_ERROR", "", ``},
		"a status nobody has":  {`{"status": 599}`, 599, "STATUS_599", "", ``},
		"seconds":              {`{"code": "RATE_LIMITED", "retryAfter": 7}`, 429, "RATE_LIMITED", "7", ``},
		"a date":               {`{"status": 429, "retryAfter": "Fri, 01 Jan 2027 00:00:00 GMT"}`, 429, "RATE_LIMITED", "Fri, 01 Jan 2027 00:00:00 GMT", ``},
		"no Retry-After":       {`{"code": "RATE_LIMITED"}`, 429, "RATE_LIMITED", "", ``},
		"a page":               {`{"html": true, "message": "a < b"}`, 502, "", "", `<h1>Bad Gateway</h1>` + "\n<p>a &lt; b</p>"},
		"a page of a status":   {`{"html": true, "status": 200}`, 200, "", "", `<h1>OK</h1>`},
		"an error with 200":    {`{"code": "LATER", "status": 200}`, 200, "LATER", "", ``},
		"the route":            {`{"route": "groups", "status": 500}`, 500, "INTERNAL_ERROR", "", ``},
		"another route":        {`{"route": "models", "status": 500}`, 200, "", "", `[{"id":`},
		"the path":             {`{"path": "/v1/model-group", "status": 500}`, 500, "INTERNAL_ERROR", "", ``},
		"another path":         {`{"path": "/v1/model-group/x", "status": 500}`, 200, "", "", `[{"id":`},
		"skipped":              {`{"skip": 1, "status": 500}`, 200, "", "", `[{"id":`},
		"null says nothing":    {`{"status": 500, "route": null, "html": null}`, 500, "INTERNAL_ERROR", "", ``},
		"cut inside the JSON":  {`{"cut": "json"}`, 200, "", "", `[{"id":`},
		"an error that is cut": {`{"status": 500, "cut": "json"}`, 500, "", "", `{"code":"INTERNAL_ERROR"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := start(t, sandbox.New(sandbox.Default())).as("northwind")
			if got := c.do(http.MethodPost, "/control/faults", test.order); got.status != 201 {
				t.Fatalf("injecting it: %d %s", got.status, got.body)
			}
			got := c.get("/v1/model-group")
			got.wants(t, test.status, test.code)
			if got.header.Get("Retry-After") != test.retryAfter || !strings.Contains(got.body, test.contains) {
				t.Errorf("got Retry-After %q and %s", got.header.Get("Retry-After"), got.body)
			}
			isPage := strings.HasPrefix(got.header.Get("Content-Type"), "text/html")
			if isPage != strings.Contains(test.order, "html\": true") || isPage == json.Valid([]byte(got.body)) && !strings.Contains(test.order, "cut") {
				t.Errorf("got %s\n%s", got.header.Get("Content-Type"), got.body)
			}
		})
	}
}

func TestControlFaultsOfTheTokenEndpoint(t *testing.T) {
	for order, want := range map[string]int{
		`{"route": "token", "code": "temporarily_unavailable"}`: 502,
		`{"route": "token", "code": "invalid_client"}`:          401,
	} {
		c := start(t, sandbox.New(sandbox.Default()))
		c.do(http.MethodPost, "/control/faults", order).wants(t, 201, "")
		var asked struct{ Code string }
		_ = json.Unmarshal([]byte(order), &asked)
		got := c.form(credentials("northwind"))
		got.wants(t, want, asked.Code)
		if !strings.Contains(got.body, `"error_description"`) {
			t.Errorf("got %s", got.body)
		}
	}
}

func TestControlFaultsBreakAnswers(t *testing.T) {
	for order, want := range map[string]error{`{"drop": true, "times": 2}`: syscall.ECONNRESET, `{"cut": "length"}`: io.ErrUnexpectedEOF} {
		c := start(t, sandbox.New(sandbox.Default())).as("northwind")
		c.do(http.MethodPost, "/control/faults", order).wants(t, 201, "")
		if _, err := c.try(http.MethodGet, "/v1/model-group", ""); !errors.Is(err, want) {
			t.Errorf("%s: the error is %v, want %v", order, err, want)
		}
	}
}

func TestControlFaultsTakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := direct{t, sandbox.New(sandbox.Default())}
		token := d.token("northwind")
		if got := d.post("/control/faults", `{"delay": "1m30s"}`); got.Code != 201 {
			t.Fatal(got.Body)
		}
		begun := time.Now()
		if got := d.get("/v1/model-group", token); got.Code != 200 || time.Since(begun) != 90*time.Second {
			t.Errorf("%d after %s", got.Code, time.Since(begun))
		}
	})
}

func TestControlFaultHangs(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	t.Run("server", func(t *testing.T) {
		c := start(t, s).as("northwind")
		c.do(http.MethodPost, "/control/faults", `{"hang": true}`).wants(t, 201, "")
		answered := make(chan error, 1)
		go func() {
			_, err := c.try(http.MethodGet, "/v1/model-group", "")
			answered <- err
		}()
		for s.Count(sandbox.RouteGroups) == 0 {
			c.get("/control/ready") // it still answers this
		}
		select {
		case err := <-answered:
			t.Errorf("an answer, or %v", err)
		default:
		}
	})
}

func TestControlFaultsEnd(t *testing.T) {
	c := start(t, sandbox.New(sandbox.Default())).as("northwind")
	c.do(http.MethodPost, "/control/faults", `{"skip": 1, "times": 2, "status": 500}`).wants(t, 201, "")
	var got []int
	for range 5 {
		got = append(got, c.get("/v1/model-group").status)
	}
	if !slices.Equal(got, []int{200, 500, 500, 200, 200}) {
		t.Errorf("got %v", got)
	}
	if list := c.get("/control/faults").body; list != `[{"id":1,"hits":2,"skip":1,"times":2,"status":500}]` {
		t.Errorf("the list is %s", list)
	}
}

func TestControlFaultRefuses(t *testing.T) {
	tests := map[string]struct{ order, want string }{
		"nothing":              {``, "line 1, column 1: the JSON ends here, unfinished"},
		"no effect":            {`{}`, "this does nothing: give code, status, html, delay, drop, hang or cut"},
		"where only":           {`{"route": "models", "times": 3}`, "this does nothing"},
		"unknown field":        {`{"status": 500, "retry_after": 3}`, "line 1, column 17: retry_after: there is no such field; did you mean retryAfter?"},
		"another case":         {`{"Status": 500}`, "Status: there is no such field; did you mean status?"},
		"a field twice":        {`{"status": 500, "status": 501}`, "status: the field is there twice"},
		"status as text":       {`{"status": "500"}`, "status: an integer is expected"},
		"status of no final":   {`{"status": 100}`, "status: a status from 200 to 599 is expected"},
		"times as fraction":    {`{"times": 1.5, "status": 500}`, "times: an integer is expected"},
		"negative times":       {`{"times": -1, "status": 500}`, "times: it must not be negative; 0 is for good"},
		"negative skip":        {`{"skip": -1, "status": 500}`, "skip: it must not be negative"},
		"unknown route":        {`{"route": "model", "status": 500}`, `route: "model" is none of token, groups, group, latest, models, unknown, any`},
		"path of no service":   {`{"path": "model-group", "status": 500}`, "path: a path of the interface is expected, such as /v1/model-group"},
		"unknown code":         {`{"code": "TEAPOT"}`, "code: the interface has no such code, so a status is needed; known are BAD_GATEWAY, BAD_REQUEST"},
		"another's status":     {`{"code": "RATE_LIMITED", "status": 503}`, "line 1, column 26: status: the status of RATE_LIMITED is 429"},
		"OAuth elsewhere":      {`{"code": "invalid_client"}`, "code: it is an error of the token endpoint, so the route must be token"},
		"page with a code":     {`{"html": true, "code": "FORBIDDEN"}`, "html: a page has no code"},
		"drop and hang":        {`{"drop": true, "hang": true}`, "hang: a connection that is dropped does not hang"},
		"drop with an answer":  {`{"drop": true, "status": 500}`, "drop and hang give no answer"},
		"hang and cut":         {`{"hang": true, "cut": "json"}`, "drop and hang give no answer"},
		"message of nothing":   {`{"delay": "1s", "message": "m"}`, "message and retryAfter need a code or a status"},
		"wait of nothing":      {`{"retryAfter": 1}`, "message and retryAfter need a code or a status"},
		"wait in words":        {`{"status": 429, "retryAfter": "soon"}`, "retryAfter: whole seconds are expected, or an HTTP date in a string"},
		"wait in fractions":    {`{"status": 429, "retryAfter": 1.5}`, "retryAfter: whole seconds are expected"},
		"delay without a unit": {`{"delay": "2"}`, `delay: a time is expected, such as "500ms" or "2s"`},
		"delay as a number":    {`{"delay": 2}`, "delay: a time is expected"},
		"negative delay":       {`{"delay": "-2s"}`, "delay: a time is expected"},
		"cut where":            {`{"cut": "half"}`, `cut: "half" is none of length, json`},
		"drop as text":         {`{"drop": "yes"}`, "drop: true or false is expected"},
	}
	s := sandbox.New(sandbox.Default())
	c := start(t, s)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := c.do(http.MethodPost, "/control/faults", test.order)
			got.wants(t, 400, "VALIDATION_FAILED")
			var body struct{ Message string }
			if got.decode(t, &body); !strings.Contains(body.Message, test.want) {
				t.Errorf("got  %s\nwant %s", body.Message, test.want)
			}
		})
	}
	if list := c.get("/control/faults").body; list != "[]" {
		t.Errorf("faults that were refused are injected: %s", list)
	}
}
