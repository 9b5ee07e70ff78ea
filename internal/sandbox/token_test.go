package sandbox_test

import (
	"cmp"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestTokenEndpoint(t *testing.T) {
	const (
		asForm = "application/x-www-form-urlencoded"
		asJSON = "application/json"
		object = `{"grant_type": "client_credentials", "client_id": "northwind", "client_secret": "northwind-sandbox-secret"}`
		grant  = "grant_type=client_credentials&"
		takes  = sandbox.TokenJSON
	)
	form := credentials("northwind").Encode()
	with := func(field string) string { return "{" + field + ", " + object[1:] }
	tests := map[string]struct {
		format                      sandbox.TokenFormat // a form, unless told
		method, query, kind, header string              // POST; kind is the content type, a form unless told
		body                        string
		status                      int
		code                        string
	}{
		"form":                   {body: form, status: 200},
		"content type parameter": {kind: asForm + "; charset=utf-8", body: form, status: 200},
		"GET":                    {method: http.MethodGet, status: 405, code: "invalid_request"},
		"JSON":                   {kind: asJSON, body: object, status: 400, code: "invalid_request"},
		"no content type":        {kind: "-", body: form, status: 400, code: "invalid_request"},
		"malformed":              {body: form + "&%zz", status: 400, code: "invalid_request"},
		"other grant":            {body: "grant_type=password&client_id=a&client_secret=b", status: 400, code: "unsupported_grant_type"},
		"no id":                  {body: grant + "client_secret=b", status: 400, code: "invalid_request"},
		"repeated id":            {body: form + "&client_id=northwind", status: 400, code: "invalid_request"},
		"field it does not know": {body: form + "&audience=x", status: 400, code: "invalid_request"},
		"credentials in query":   {query: "?" + form, status: 400, code: "invalid_request"},
		"credentials in header":  {body: form, header: "Basic eDp5", status: 400, code: "invalid_request"},
		"wrong secret":           {body: grant + "client_id=northwind&client_secret=x", status: 401, code: "invalid_client"},
		"wrong id":               {body: grant + "client_id=x&client_secret=northwind-sandbox-secret", status: 401, code: "invalid_client"},
		"disabled gets a token":  {body: credentials("tailspin").Encode(), status: 200},

		"JSON's: JSON":          {format: takes, kind: asJSON, body: object, status: 200},
		"JSON's: a form":        {format: takes, kind: asForm, body: form, status: 415, code: "invalid_request"},
		"JSON's: no JSON":       {format: takes, kind: asJSON, body: `{`, status: 400, code: "invalid_request"},
		"JSON's: a number":      {format: takes, kind: asJSON, body: `{"client_id": 1}`, status: 400, code: "invalid_request"},
		"JSON's: a field twice": {format: takes, kind: asJSON, body: with(`"client_id": "a"`), status: 400, code: "invalid_request"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := sandbox.New(sandbox.Default(), sandbox.WithTokenFormat(cmp.Or(test.format, sandbox.TokenForm)))
			var header []string
			if test.kind != "-" {
				header = append(header, "Content-Type", cmp.Or(test.kind, asForm))
			}
			if test.header != "" {
				header = append(header, "Authorization", test.header)
			}
			got := direct(t, s).do(cmp.Or(test.method, http.MethodPost), "/v1/auth/token"+test.query, test.body, header...)
			got.wants(t, test.status, test.code)
			got.hasHeader(t, map[string]string{
				"Cache-Control": "no-store", "Pragma": "no-cache",
				"Allow":       map[int]string{405: http.MethodPost}[test.status],
				"Accept-Post": map[int]string{415: asJSON}[test.status],
			})
			if test.status == 200 {
				if id := s.Requests()[0].Client; id == "" || !strings.Contains(test.body, id) {
					t.Errorf("recorded is the client id %q", id)
				}
				return
			}
			expectNone(t, name, sandbox.RouteToken, got)
		})
	}
}

func TestTokenAnswer(t *testing.T) {
	for life, want := range map[time.Duration]string{time.Hour: `,"expires_in":3600`, 90 * time.Second: `,"expires_in":90`, 0: ""} {
		got := direct(t, sandbox.New(sandbox.Default(), sandbox.WithTokenLife(life))).form(credentials("northwind"))
		if _, after, _ := strings.Cut(got.body, `sandbox-`); after[26:] != `"`+want+`,"token_type":"Bearer"}` {
			t.Errorf("got %s, want %s", got.body, want)
		}
	}
}

func TestAuthorization(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := direct(t, s)
	token := c.as("northwind").token
	for headers, status := range map[string]int{
		"Bearer " + token: 200, "bearer " + token: 200, "": 401, "Bearer x": 401, "Bearer ": 401, "Basic " + token: 401,
		"Bearer " + token + "|Bearer " + token: 401,
	} {
		var header []string
		for value := range strings.SplitSeq(headers, "|") {
			header = append(header, "Authorization", value)
		}
		got := c.do(http.MethodGet, "/v1/model-group", "", header...)
		if got.wants(t, status, ""); (got.header.Get("WWW-Authenticate") == "Bearer") != (status == 401) {
			t.Errorf("%s: the header is %v", headers, got.header)
		}
	}
	caller := c.as("northwind")
	s.DropTokens()
	caller.get("/v1/model-group").wants(t, 401, "UNAUTHORIZED")
	c.as("northwind").get("/v1/model-group").wants(t, 200, "")
}

func TestTokensExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for life, want := range map[time.Duration]int{time.Minute: 401, time.Minute + time.Nanosecond: 200, 0: 200} {
			c := direct(t, sandbox.New(sandbox.Default(), sandbox.WithTokenLife(life))).as("northwind")
			time.Sleep(time.Minute)
			c.get("/v1/model-group").wants(t, want, "")
		}
	})
}

func TestOrganisations(t *testing.T) {
	c := direct(t, sandbox.New(sandbox.Default()))
	path := groupPath(mainGroup, "")

	disabled := c.as("tailspin").get(path)
	disabled.wants(t, 403, "ORGANISATION_DISABLED")
	if !strings.Contains(disabled.body, `"message":"The contract of Tailspin Power ended on 31 March 2026."`) {
		t.Errorf("the reason is not said: %s", disabled.body)
	}
	c.as("adventure-works").get(path).wants(t, 403, "FORBIDDEN")
}
