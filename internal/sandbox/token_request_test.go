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
		"JSON to a form's": {options: options(), contentType: json, body: body, status: 400, code: "invalid_request"},
		"JSON": {
			options:     options(sandbox.WithTokenFormat(sandbox.TokenJSON)),
			contentType: json,
			body:        body,
			status:      200,
		},
		"JSON with a charset": {
			options:     options(sandbox.WithTokenFormat(sandbox.TokenJSON)),
			contentType: json + "; charset=utf-8",
			body:        body,
			status:      200,
		},
		"JSON to any": {
			options:     options(sandbox.WithTokenFormat(sandbox.TokenAny)),
			contentType: json,
			body:        body,
			status:      200,
		},
		"form to any": {
			options:     options(sandbox.WithTokenFormat(sandbox.TokenAny)),
			contentType: form,
			body:        credentials("northwind").Encode(),
			status:      200,
		},
		"text to any": {
			options:     options(sandbox.WithTokenFormat(sandbox.TokenAny)),
			contentType: "text/plain",
			body:        body,
			status:      400,
			code:        "invalid_request",
		},
		"form to JSON's": {
			options:     options(sandbox.WithTokenFormat(sandbox.TokenJSON)),
			contentType: form,
			body:        credentials("northwind").Encode(),
			status:      415,
			code:        "invalid_request",
		},
		"no JSON": {
			options:     options(sandbox.WithTokenFormat(sandbox.TokenJSON)),
			contentType: json,
			body:        `{`,
			status:      400,
			code:        "invalid_request",
		},
		"no object": {
			options:     options(sandbox.WithTokenFormat(sandbox.TokenJSON)),
			contentType: json,
			body:        `[]`,
			status:      400,
			code:        "invalid_request",
		},
		"a number": {
			options:     options(sandbox.WithTokenFormat(sandbox.TokenJSON)),
			contentType: json,
			body:        `{"client_id": 1}`,
			status:      400,
			code:        "invalid_request",
		},
		"a field twice": {
			options:     options(sandbox.WithTokenFormat(sandbox.TokenJSON)),
			contentType: json,
			body:        `{"client_id": "a", "client_id": "a"}`,
			status:      400,
			code:        "invalid_request",
		},
		"an unknown field": {
			options:     options(sandbox.WithTokenFormat(sandbox.TokenJSON)),
			contentType: json,
			body:        `{"scope": "a"}`,
			status:      400,
			code:        "invalid_request",
		},
		"no grant type": {
			options:     options(sandbox.WithTokenFormat(sandbox.TokenJSON)),
			contentType: json,
			body:        `{"client_id": "a"}`,
			status:      400,
			code:        "unsupported_grant_type",
		},
		"a wrong secret, JSON": {
			options:     options(sandbox.WithTokenFormat(sandbox.TokenJSON)),
			contentType: json,
			body:        `{"grant_type": "client_credentials", "client_id": "northwind", "client_secret": "x"}`,
			status:      401,
			code:        "invalid_client",
		},
		"an empty secret, JSON": {
			options:     options(sandbox.WithTokenFormat(sandbox.TokenJSON)),
			contentType: json,
			body:        `{"grant_type": "client_credentials", "client_id": "northwind", "client_secret": ""}`,
			status:      400,
			code:        "invalid_request",
		},
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
