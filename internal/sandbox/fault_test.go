package sandbox_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func TestFaultSelects(t *testing.T) {
	list, main := "/v1/model-group", groupPath(mainGroup, "")
	tests := map[string]struct {
		faults []sandbox.Fault
		paths  []string
		want   []int
	}{
		"every one of a route": {
			faults: []sandbox.Fault{{Route: sandbox.RouteGroups, Status: 500}},
			paths:  []string{list, main, list},
			want:   []int{500, 200, 500},
		},
		"any route": {
			faults: []sandbox.Fault{{Route: sandbox.RouteAny, Status: 500}},
			paths:  []string{list, main, "/nope"},
			want:   []int{500, 500, 500},
		},
		"one path": {
			faults: []sandbox.Fault{{Path: groupPath(oddGroup, ""), Status: 500}},
			paths:  []string{groupPath(oddGroup, ""), main, groupPath(oddGroup, "/models")},
			want:   []int{500, 200, 200},
		},
		"the second and the third": {
			faults: []sandbox.Fault{{Route: sandbox.RouteGroup, Skip: 1, Times: 2, Status: 500}},
			paths:  []string{main, list, main, main, main},
			want:   []int{200, 200, 500, 500, 200},
		},
		"all but the first": {
			faults: []sandbox.Fault{{Skip: 1, Status: 500}},
			paths:  []string{list, list, list},
			want:   []int{200, 500, 500},
		},
		"one after the other": {
			faults: []sandbox.Fault{{Times: 1, Status: 500}, {Times: 1, Status: 502}},
			paths:  []string{list, list, list},
			want:   []int{500, 502, 200},
		},
		"a documented code": {
			faults: []sandbox.Fault{sandbox.Refuse(sandbox.RouteGroups, "MODEL_RUN_OUTPUT_UNAVAILABLE", "m")},
			paths:  []string{list, main},
			want:   []int{409, 200},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := sandbox.New(sandbox.Default())
			c := start(t, s).as("northwind")
			for _, fault := range test.faults {
				s.Inject(fault)
			}
			var got []int
			for _, path := range test.paths {
				got = append(got, c.get(path).status)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestFaultRemoved(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := start(t, s).as("northwind")
	first := s.Inject(sandbox.Fault{Status: 500})
	s.Inject(sandbox.Fault{Status: 502})
	first()
	first()
	if got := c.get("/v1/model-group"); got.status != 502 {
		t.Errorf("got %d", got.status)
	}
}

func TestFaultAnswers(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	c := start(t, s).as("northwind")
	var asked string
	remove := s.Inject(sandbox.Fault{
		Status: 503, Body: "<html>\xff", Header: http.Header{"content-type": {"text/html"}, "Retry-After": {"7"}},
		OnRequest: func(r *http.Request) { asked = r.URL.Path },
	})
	got := c.get("/v1/model-group")
	if got.status != 503 || got.body != "<html>\xff" || got.header.Get("Retry-After") != "7" ||
		got.header.Get("Content-Type") != "text/html" || got.header.Get("X-Request-Id") == "" || asked != "/v1/model-group" {
		t.Errorf("got %+v, asked %q", got, asked)
	}
	remove()

	remove = s.Inject(sandbox.Fault{Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		if status != 200 || header.Get("Content-Type") != "application/json" || !json.Valid(body) {
			t.Errorf("the service's own answer is %d %v %s", status, header, body)
		}
		return 201, nil, []byte("changed")
	}})
	if got := c.get("/v1/model-group"); got.status != 201 || got.body != "changed" || got.header.Get("X-Request-Id") == "" {
		t.Errorf("got %+v", got)
	}
	remove()

	s.Inject(sandbox.RefuseToken("temporarily_unavailable", "x"))
	c.form(credentials("northwind")).wants(t, 502, "temporarily_unavailable")
	if requests := s.Requests(); requests[1].Status != 503 || requests[2].Status != 201 || requests[3].Status != 502 {
		t.Errorf("recorded are %+v", requests[1:])
	}
}

func TestFaultBreaksAnswers(t *testing.T) {
	tests := map[string]struct {
		kind sandbox.Kind
		err  error
		json bool
	}{
		"reset":           {kind: sandbox.Reset, err: syscall.ECONNRESET, json: false},
		"length":          {kind: sandbox.CutLength, err: io.ErrUnexpectedEOF, json: true},
		"inside the JSON": {kind: sandbox.CutJSON, json: false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := sandbox.New(sandbox.Default())
			c := start(t, s).as("northwind")
			whole := c.get("/v1/model-group").body
			// Twice, as a client repeats a GET once by itself where the
			// connection had served before.
			s.Inject(sandbox.Fault{Kind: test.kind, Times: 2})
			got, err := c.try(http.MethodGet, "/v1/model-group", "")
			if !errors.Is(err, test.err) {
				t.Errorf("the error is %v, want %v", err, test.err)
			}
			if json.Valid([]byte(got.body)) != test.json || !strings.HasPrefix(whole, got.body) {
				t.Errorf("got %d of %d bytes, valid: %t", len(got.body), len(whole), !test.json)
			}
			if test.kind == sandbox.Reset && s.Requests()[2].Status != 0 {
				t.Error("an answer is recorded that was not given")
			}
		})
	}
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

func TestFaultsOfUnknownCodes(t *testing.T) {
	for name, refuse := range map[string]func() sandbox.Fault{
		"code":  func() sandbox.Fault { return sandbox.Refuse(sandbox.RouteAny, "TEAPOT", "") },
		"OAuth": func() sandbox.Fault { return sandbox.RefuseToken("invalid_grant", "") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			refuse()
		})
	}
}
