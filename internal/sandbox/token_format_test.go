package sandbox_test

import (
	"net/http"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestTokenFormat(t *testing.T) {
	const (
		form = "application/x-www-form-urlencoded"
		json = "application/json"
		body = `{"grant_type": "client_credentials", "client_id": "northwind", "client_secret": "northwind-sandbox-secret"}`
	)
	options := func(options ...sandbox.Option) []sandbox.Option { return options }
	tests := map[string]struct {
		options           []sandbox.Option
		contentType, body string
		status            int
		code              string
	}{
		"JSON to a form's":    {options(), json, body, 400, "invalid_request"},
		"JSON":                {options(sandbox.WithTokenFormat(sandbox.TokenJSON)), json, body, 200, ""},
		"JSON with a charset": {options(sandbox.WithTokenFormat(sandbox.TokenJSON)), json + "; charset=utf-8", body, 200, ""},
		"JSON to any":         {options(sandbox.WithTokenFormat(sandbox.TokenAny)), json, body, 200, ""},
		"form to any":         {options(sandbox.WithTokenFormat(sandbox.TokenAny)), form, credentials("northwind").Encode(), 200, ""},
		"text to any":         {options(sandbox.WithTokenFormat(sandbox.TokenAny)), "text/plain", body, 400, "invalid_request"},
		"form to JSON's":      {options(sandbox.WithTokenFormat(sandbox.TokenJSON)), form, credentials("northwind").Encode(), 415, "invalid_request"},
		"answered with invalid_request": {
			options(sandbox.WithTokenFormat(sandbox.TokenJSON), sandbox.WithTokenRefusal(sandbox.RefuseInvalidRequest)),
			form, credentials("northwind").Encode(), 400, "invalid_request",
		},
		"answered with unsupported_grant_type": {
			options(sandbox.WithTokenFormat(sandbox.TokenJSON), sandbox.WithTokenRefusal(sandbox.RefuseGrantType)),
			form, credentials("northwind").Encode(), 400, "unsupported_grant_type",
		},
		"answered with 415":     {options(sandbox.WithTokenRefusal(sandbox.RefuseMediaType)), json, body, 415, "invalid_request"},
		"no JSON":               {options(sandbox.WithTokenFormat(sandbox.TokenJSON)), json, `{`, 400, "invalid_request"},
		"no object":             {options(sandbox.WithTokenFormat(sandbox.TokenJSON)), json, `[]`, 400, "invalid_request"},
		"a number":              {options(sandbox.WithTokenFormat(sandbox.TokenJSON)), json, `{"client_id": 1}`, 400, "invalid_request"},
		"a field twice":         {options(sandbox.WithTokenFormat(sandbox.TokenJSON)), json, `{"client_id": "a", "client_id": "a"}`, 400, "invalid_request"},
		"an unknown field":      {options(sandbox.WithTokenFormat(sandbox.TokenJSON)), json, `{"scope": "a"}`, 400, "invalid_request"},
		"no grant type":         {options(sandbox.WithTokenFormat(sandbox.TokenJSON)), json, `{"client_id": "a"}`, 400, "unsupported_grant_type"},
		"a wrong secret, JSON":  {options(sandbox.WithTokenFormat(sandbox.TokenJSON)), json, `{"grant_type": "client_credentials", "client_id": "northwind", "client_secret": "x"}`, 401, "invalid_client"},
		"an empty secret, JSON": {options(sandbox.WithTokenFormat(sandbox.TokenJSON)), json, `{"grant_type": "client_credentials", "client_id": "northwind", "client_secret": ""}`, 400, "invalid_request"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := sandbox.New(sandbox.Default(), test.options...)
			got := start(t, s).do(http.MethodPost, "/v1/auth/token", test.body, "Content-Type", test.contentType)
			got.wants(t, test.status, test.code)
			if test.status == 415 && got.header.Get("Accept-Post") == "" {
				t.Error("the answer does not say what is taken")
			}
			if test.status == 200 && s.Requests()[0].Form.Get("client_id") != "northwind" {
				t.Errorf("recorded is the form %v", s.Requests()[0].Form)
			}
		})
	}
}
