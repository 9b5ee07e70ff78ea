package sandbox_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestTokenEndpointRefuses(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	valid := credentials("northwind").Encode()
	tests := map[string]struct {
		method, query, contentType, body string
		header                           []string
		status                           int
		code                             string
	}{
		"valid":                  {body: valid, status: 200},
		"content type parameter": {contentType: form + "; charset=utf-8", body: valid, status: 200},
		"GET":                    {method: http.MethodGet, status: 405, code: "invalid_request"},
		"JSON":                   {contentType: "application/json", body: `{}`, status: 400, code: "invalid_request"},
		"no content type":        {contentType: "-", body: valid, status: 400, code: "invalid_request"},
		"no body":                {status: 400, code: "unsupported_grant_type"},
		"malformed":              {body: valid + "&%zz", status: 400, code: "invalid_request"},
		"other grant": {
			body:   "grant_type=password&client_id=a&client_secret=b",
			status: 400,
			code:   "unsupported_grant_type",
		},
		"no grant": {body: "client_id=a&client_secret=b", status: 400, code: "unsupported_grant_type"},
		"no id":    {body: "grant_type=client_credentials&client_secret=b", status: 400, code: "invalid_request"},
		"empty secret": {
			body:   "grant_type=client_credentials&client_id=a&client_secret=",
			status: 400,
			code:   "invalid_request",
		},
		"repeated id":            {body: valid + "&client_id=northwind", status: 400, code: "invalid_request"},
		"field it does not know": {body: valid + "&audience=x", status: 400, code: "invalid_request"},
		"credentials in query":   {query: "?" + valid, status: 400, code: "invalid_request"},
		"credentials in header":  {body: valid, header: []string{"Authorization", "Basic eDp5"}, status: 400, code: "invalid_request"},
		"wrong secret": {
			body:   "grant_type=client_credentials&client_id=northwind&client_secret=x",
			status: 401,
			code:   "invalid_client",
		},
		"wrong id": {
			body:   "grant_type=client_credentials&client_id=x&client_secret=northwind-sandbox-secret",
			status: 401,
			code:   "invalid_client",
		},
		"disabled gets a token":  {body: credentials("tailspin").Encode(), status: 200},
		"forbidden gets a token": {body: credentials("adventure-works").Encode(), status: 200},
		"another's secret, mixed": {
			body:   "grant_type=client_credentials&client_id=northwind&client_secret=fabrikam-sandbox-secret",
			status: 401,
			code:   "invalid_client",
		},
	}
	c := start(t, sandbox.New(sandbox.Default()))
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.method == "" {
				test.method = http.MethodPost
			}
			switch test.contentType {
			case "":
				test.header = append(test.header, "Content-Type", form)
			case "-":
			default:
				test.header = append(test.header, "Content-Type", test.contentType)
			}
			got := c.do(test.method, "/v1/auth/token"+test.query, test.body, test.header...)
			got.wants(t, test.status, test.code)
			if got.header.Get("Cache-Control") != "no-store" {
				t.Errorf("Cache-Control is %q", got.header.Get("Cache-Control"))
			}
			if test.status == 405 && got.header.Get("Allow") != http.MethodPost {
				t.Errorf("Allow is %q", got.header.Get("Allow"))
			}
			var members map[string]json.RawMessage
			if got.decode(t, &members); test.status != 200 && (len(members) != 2 || members["error_description"] == nil) {
				t.Errorf("not an OAuth error: %s", got.body)
			}
		})
	}
}

func TestTokenAnswer(t *testing.T) {
	tests := map[string]struct {
		options []sandbox.Option
		want    string // expires_in; empty: absent
	}{
		"an hour":         {want: "3600"},
		"life":            {options: []sandbox.Option{sandbox.WithTokenLife(90 * time.Second)}, want: "90"},
		"for ever":        {options: []sandbox.Option{sandbox.WithTokenLife(0)}},
		"left out":        {options: []sandbox.Option{sandbox.WithExpiresIn(nil)}},
		"a given value":   {options: []sandbox.Option{sandbox.WithExpiresIn(7)}, want: "7"},
		"a text":          {options: []sandbox.Option{sandbox.WithExpiresIn("8")}, want: `"8"`},
		"null":            {options: []sandbox.Option{sandbox.WithExpiresIn(json.RawMessage("null"))}, want: "null"},
		"not the life's":  {options: []sandbox.Option{sandbox.WithExpiresIn(5), sandbox.WithTokenLife(0)}, want: "5"},
		"spelled as told": {options: []sandbox.Option{sandbox.WithExpiresIn(json.RawMessage("60.0"))}, want: "60.0"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := start(t, sandbox.New(sandbox.Default(), test.options...))
			var answer map[string]json.RawMessage
			c.form(credentials("northwind")).decode(t, &answer)
			if got := string(answer["expires_in"]); got != test.want {
				t.Errorf("expires_in is %s, want %s", got, test.want)
			}
			if string(answer["token_type"]) != `"Bearer"` {
				t.Errorf("token_type is %s", answer["token_type"])
			}
		})
	}
}

func TestAuthorization(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := start(t, s)
	token := c.as("northwind").token
	tests := map[string]struct {
		header []string
		status int
	}{
		"valid":        {header: []string{"Authorization", "Bearer " + token}, status: 200},
		"other case":   {header: []string{"Authorization", "bearer " + token}, status: 200},
		"none":         {status: 401},
		"unknown":      {header: []string{"Authorization", "Bearer x"}, status: 401},
		"no token":     {header: []string{"Authorization", "Bearer "}, status: 401},
		"other scheme": {header: []string{"Authorization", "Basic " + token}, status: 401},
		"twice":        {header: []string{"Authorization", "Bearer " + token, "Authorization", "Bearer " + token}, status: 401},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := c.do(http.MethodGet, "/v1/model-group", "", test.header...)
			got.wants(t, test.status, "")
			if test.status == 401 {
				got.wants(t, 401, "UNAUTHORIZED")
			}
		})
	}
	caller := c.as("northwind")
	s.DropTokens()
	caller.get("/v1/model-group").wants(t, 401, "UNAUTHORIZED")
	c.as("northwind").get("/v1/model-group").wants(t, 200, "")
}

func TestTokensExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for life, want := range map[time.Duration]int{
			time.Minute: 401, time.Minute + time.Nanosecond: 200, 0: 200,
		} {
			c := direct{t: t, s: sandbox.New(sandbox.Default(), sandbox.WithTokenLife(life))}
			token := c.token("northwind")
			time.Sleep(time.Minute)
			if got := c.get("/v1/model-group", token).Code; got != want {
				t.Errorf("life %s, after a minute: %d, want %d", life, got, want)
			}
		}
	})
}

func TestOrganisations(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := start(t, s)
	path := "/v1/model-group/" + url.PathEscape(mainGroup)

	disabled := c.as("tailspin").get(path)
	disabled.wants(t, 403, "ORGANISATION_DISABLED")
	var body struct{ Message string }
	disabled.decode(t, &body)
	if body.Message != "The contract of Tailspin Power ended on 31 March 2026." {
		t.Errorf("the reason is %q", body.Message)
	}
	c.as("adventure-works").get(path).wants(t, 403, "FORBIDDEN")

	caller := c.as("northwind")
	s.Disable(northwind, "Unpaid.")
	caller.get(path).wants(t, 403, "ORGANISATION_DISABLED")
	s.Enable(northwind)
	caller.get(path).wants(t, 200, "")

	defer func() {
		if recover() == nil {
			t.Error("an unknown organisation is disabled without a word")
		}
	}()
	s.Disable("nobody", "x")
}
