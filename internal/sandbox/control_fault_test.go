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
		"a code": {
			order:    `{"code": "REQUEST_TIMEOUT"}`,
			status:   408,
			code:     "REQUEST_TIMEOUT",
			contains: `"message":"A fault was injected into the sandbox."`,
		},
		"a message": {
			order:    `{"code": "FORBIDDEN", "message": "Not today."}`,
			status:   403,
			code:     "FORBIDDEN",
			contains: `"message":"Not today."`,
		},
		"a code and its own": {
			order:  `{"code": "FORBIDDEN", "status": 403}`,
			status: 403,
			code:   "FORBIDDEN",
		},
		"a code of the future": {
			order:    `{"code": "QUOTA_FROZEN", "status": 403}`,
			status:   403,
			code:     "QUOTA_FROZEN",
			contains: `"statusCode":403`,
		},
		"a status":            {order: `{"status": 503}`, status: 503, code: "SERVICE_UNAVAILABLE"},
		"a status of a code":  {order: `{"status": 500}`, status: 500, code: "INTERNAL_ERROR"},
		"a status nobody has": {order: `{"status": 599}`, status: 599, code: "STATUS_599"},
		"seconds": {
			order:      `{"code": "RATE_LIMITED", "retryAfter": 7}`,
			status:     429,
			code:       "RATE_LIMITED",
			retryAfter: "7",
		},
		"a date": {
			order:      `{"status": 429, "retryAfter": "Fri, 01 Jan 2027 00:00:00 GMT"}`,
			status:     429,
			code:       "RATE_LIMITED",
			retryAfter: "Fri, 01 Jan 2027 00:00:00 GMT",
		},
		"no Retry-After": {order: `{"code": "RATE_LIMITED"}`, status: 429, code: "RATE_LIMITED"},
		"a page": {
			order:    `{"html": true, "message": "a < b"}`,
			status:   502,
			contains: `<h1>Bad Gateway</h1>` + "\n<p>a &lt; b</p>",
		},
		"a page of a status": {order: `{"html": true, "status": 200}`, status: 200, contains: `<h1>OK</h1>`},
		"an error with 200":  {order: `{"code": "LATER", "status": 200}`, status: 200, code: "LATER"},
		"the route": {
			order:  `{"route": "groups", "status": 500}`,
			status: 500,
			code:   "INTERNAL_ERROR",
		},
		"another route": {
			order:    `{"route": "models", "status": 500}`,
			status:   200,
			contains: `[{"id":`,
		},
		"the path": {
			order:  `{"path": "/v1/model-group", "status": 500}`,
			status: 500,
			code:   "INTERNAL_ERROR",
		},
		"another path": {
			order:    `{"path": "/v1/model-group/x", "status": 500}`,
			status:   200,
			contains: `[{"id":`,
		},
		"skipped": {order: `{"skip": 1, "status": 500}`, status: 200, contains: `[{"id":`},
		"null says nothing": {
			order:  `{"status": 500, "route": null, "html": null}`,
			status: 500,
			code:   "INTERNAL_ERROR",
		},
		"cut inside the JSON": {order: `{"cut": "json"}`, status: 200, contains: `[{"id":`},
		"an error that is cut": {
			order:    `{"status": 500, "cut": "json"}`,
			status:   500,
			contains: `{"code":"INTERNAL_ERROR"`,
		},
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
			isCut := strings.Contains(test.order, "cut")
			if isPage != strings.Contains(test.order, "html\": true") || !isCut && isPage == json.Valid([]byte(got.body)) {
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
		d := direct{t: t, s: sandbox.New(sandbox.Default())}
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
		"nothing":    {want: "line 1, column 1: the JSON ends here, unfinished"},
		"no effect":  {order: `{}`, want: "this does nothing: give code, status, html, delay, drop, hang or cut"},
		"where only": {order: `{"route": "models", "times": 3}`, want: "this does nothing"},
		"unknown field": {
			order: `{"status": 500, "retry_after": 3}`,
			want:  "line 1, column 17: retry_after: there is no such field; did you mean retryAfter?",
		},
		"another case":       {order: `{"Status": 500}`, want: "Status: there is no such field; did you mean status?"},
		"a field twice":      {order: `{"status": 500, "status": 501}`, want: "status: the field is there twice"},
		"status as text":     {order: `{"status": "500"}`, want: "status: a status from 200 to 599 is expected"},
		"status of no final": {order: `{"status": 100}`, want: "status: a status from 200 to 599 is expected"},
		"times as fraction":  {order: `{"times": 1.5, "status": 500}`, want: "times: an integer is expected"},
		"negative times":     {order: `{"times": -1, "status": 500}`, want: "times: it must not be negative"},
		"negative skip":      {order: `{"skip": -1, "status": 500}`, want: "skip: it must not be negative"},
		"unknown route": {
			order: `{"route": "model", "status": 500}`,
			want:  `route: "model" is none of token, groups, group, latest, models, unknown, any`,
		},
		"path of no service": {
			order: `{"path": "model-group", "status": 500}`,
			want:  "path: a path of the interface is expected, such as /v1/model-group",
		},
		"unknown code": {
			order: `{"code": "TEAPOT"}`,
			want:  "code: the interface has no such code, so a status is needed; known are BAD_GATEWAY, BAD_REQUEST",
		},
		"another's status": {
			order: `{"code": "RATE_LIMITED", "status": 503}`,
			want:  "line 1, column 26: status: the status of RATE_LIMITED is 429",
		},
		"OAuth elsewhere": {
			order: `{"code": "invalid_client"}`,
			want:  "code: it is an error of the token endpoint, so the route must be token",
		},
		"page with a code":    {order: `{"html": true, "code": "FORBIDDEN"}`, want: "html: a page has no code"},
		"drop and hang":       {order: `{"drop": true, "hang": true}`, want: "hang: a connection that is dropped does not hang"},
		"drop with an answer": {order: `{"drop": true, "status": 500}`, want: "drop and hang give no answer"},
		"hang and cut":        {order: `{"hang": true, "cut": "json"}`, want: "drop and hang give no answer"},
		"message of nothing":  {order: `{"delay": "1s", "message": "m"}`, want: "message and retryAfter need a code or a status"},
		"wait of nothing":     {order: `{"retryAfter": 1}`, want: "message and retryAfter need a code or a status"},
		"wait in words": {
			order: `{"status": 429, "retryAfter": "soon"}`,
			want:  "retryAfter: whole seconds are expected, or an HTTP date in a string",
		},
		"wait in fractions":    {order: `{"status": 429, "retryAfter": 1.5}`, want: "retryAfter: whole seconds are expected"},
		"delay without a unit": {order: `{"delay": "2"}`, want: `delay: a time is expected, such as "500ms" or "2s"`},
		"delay as a number":    {order: `{"delay": 2}`, want: "delay: a time is expected"},
		"negative delay":       {order: `{"delay": "-2s"}`, want: "delay: a time is expected"},
		"cut where":            {order: `{"cut": "half"}`, want: `cut: "half" is none of length, json`},
		"drop as text":         {order: `{"drop": "yes"}`, want: "drop: true or false is expected"},
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
