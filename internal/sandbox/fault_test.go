package sandbox_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestFaultRemoved(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := direct(t, s).as("northwind")
	first := s.Inject(sandbox.Fault{Status: 500})
	s.Inject(sandbox.Fault{Status: 502})
	first()
	first()
	c.get("/v1/model-group").wants(t, 502, "")
}

func TestFaultAnswers(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := start(t, s).as("northwind")
	var asked string
	says := func(fault sandbox.Fault, status int, body string, header map[string]string) {
		t.Helper()
		defer s.Inject(fault)()
		got := c.get("/v1/model-group")
		if got.status != status || got.body != body || got.header.Get("X-Request-Id") == "" {
			t.Errorf("got %+v", got)
		}
		got.hasHeader(t, header)
		if requests := s.Requests(); requests[len(requests)-1].Status != status {
			t.Errorf("recorded is %+v", requests[len(requests)-1])
		}
	}
	says(sandbox.Fault{
		Status: 503, Body: "<html>\xff", Header: http.Header{"content-type": {"text/html"}, "Retry-After": {"7"}},
		OnRequest: func(r *http.Request) { asked = r.URL.Path },
	}, 503, "<html>\xff", map[string]string{"Content-Type": "text/html", "Retry-After": "7"})
	if asked != "/v1/model-group" {
		t.Errorf("asked was for %q", asked)
	}
	changed := func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		if status != 200 || header.Get("Content-Type") != "application/json" || !json.Valid(body) {
			t.Errorf("the service's own answer is %d %v %s", status, header, body)
		}
		return 201, nil, []byte("changed")
	}
	says(sandbox.Fault{Mutate: changed}, 201, "changed", nil)

	s.Inject(sandbox.RefuseToken("temporarily_unavailable", "x"))
	s.Inject(sandbox.Refuse(sandbox.RouteGroups, "MODEL_RUN_OUTPUT_UNAVAILABLE", "m"))
	c.get("/v1/model-group").wants(t, 409, "MODEL_RUN_OUTPUT_UNAVAILABLE")
	c.get(groupPath(mainGroup, "")).wants(t, 200, "")
	c.form(credentials("northwind")).wants(t, 502, "temporarily_unavailable")
	panics(t, "a code", func() { sandbox.Refuse(sandbox.RouteAny, "TEAPOT", "") })
	panics(t, "OAuth", func() { sandbox.RefuseToken("invalid_grant", "") })
}

// Below TLS too the connection is reset, not shut down in order.
func TestResetUnderTLS(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	s.Inject(sandbox.Fault{Kind: sandbox.Reset})
	server := httptest.NewTLSServer(s)
	defer server.Close()
	response, err := server.Client().Post(server.URL+"/v1/auth/token", "", nil)
	if err == nil {
		response.Body.Close()
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the error is %v", err)
	}
}
