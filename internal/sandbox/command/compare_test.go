package command

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// statusOf is the exit status that the program would end with.
func statusOf(err error) int { return (&program{stderr: new(strings.Builder)}).exit(err) }

func TestCompare(t *testing.T) {
	replaced := func(route sandbox.Route, was, is string) sandbox.Fault {
		return sandbox.Fault{Route: route, Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
			return status, header, []byte(strings.ReplaceAll(string(body), was, is))
		}}
	}
	tests := map[string]struct {
		options []sandbox.Option
		faults  []sandbox.Fault
		secret  string
		status  int
		want    string
	}{
		"the sandbox": {status: 0, want: " answers 8 requests as the interface has it.\n"},
		"JSON tokens": {options: []sandbox.Option{sandbox.WithTokenFormat(sandbox.TokenJSON)}, want: " answers 9 requests as"},
		"fields": {status: 1, faults: []sandbox.Fault{
			replaced(sandbox.RouteModels, `"dockerImage"`, `"docker_image"`), replaced(sandbox.RouteGroup, `"public":true`, `"public":"sesame"`),
		}, want: "GET /v1/model-group/{id}: public: true or false is expected\n" +
			"GET /v1/model-group/{id}/models: [].dockerImage: the field is absent\n" +
			"GET /v1/model-group/{id}/models: [].docker_image: the interface has no such field\n"},
		"an enum": {
			status: 1, faults: []sandbox.Fault{replaced(sandbox.RouteLatest, `"AUTOMATIC"`, `"sesame"`)},
			want: "GET /v1/model-group/{id}/latest-model: runMode: it is none of AUTOMATIC, ON_DEMAND\n",
		},
		"a code": {
			status: 1, faults: []sandbox.Fault{replaced(sandbox.RouteGroups, "UNAUTHORIZED", "SESAME")},
			want: "GET /v1/model-group, without a token: code: the interface has no such code for status 401\n" +
				"GET /v1/model-group, without a token: code: another one, where the interface has UNAUTHORIZED\n",
		},
		"the token": {
			status: 1, faults: []sandbox.Fault{replaced(sandbox.RouteToken, `"expires_in":3600`, `"expires_in":"3600"`)},
			want: "POST /v1/auth/token: expires_in: an integer is expected\n",
		},
		"a wrong secret": {secret: "sesame", status: 2, want: "could not be compared: the token request is answered with status 401"},
		"it is down":     {faults: []sandbox.Fault{{Skip: 2, Status: 503}}, status: 2, want: "GET /v1/model-group is answered with status 503"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			service := sandbox.New(sandbox.Default(), test.options...)
			for _, fault := range test.faults {
				service.Inject(fault)
			}
			if test.secret == "" {
				test.secret = "northwind-sandbox-secret"
			}
			t.Setenv("MODELCATALOGUE_CLIENT_ID", "northwind")
			t.Setenv("MODELCATALOGUE_CLIENT_SECRET", test.secret)
			stdout, stderr, err := commanded(t, "compare", "-url="+sandboxtest.Start(t, service))
			said := stdout + stderr
			if err != nil {
				said += err.Error()
			}
			if statusOf(err) != test.status || !strings.Contains(said, test.want) || strings.Contains(said, "sesame") ||
				test.status == 1 && stdout != test.want {
				t.Errorf("status %d:\n%s\nwant %d:\n%s", statusOf(err), said, test.status, test.want)
			}
			if n := service.Count(sandbox.RouteAny); n > 10 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestCompareNeedsCredentials(t *testing.T) {
	for _, name := range []string{"CLIENT_ID", "CLIENT_SECRET", "ACCESS_TOKEN", "BASE_URL"} {
		t.Setenv("MODELCATALOGUE_"+name, "")
	}
	url := sandboxtest.Start(t, sandbox.New(sandbox.Default()))
	_, _, err := commanded(t, "compare", "-url="+url)
	if statusOf(err) != 2 || !strings.Contains(err.Error(), "MODELCATALOGUE_CLIENT_ID and MODELCATALOGUE_CLIENT_SECRET") {
		t.Errorf("the error is %v", err)
	}
	closed := httptest.NewServer(nil)
	closed.Close()
	_, _, err = commanded(t, "compare", "-url="+closed.URL)
	if own, ok := errors.AsType[*statusError](err); !ok || own.status != 2 || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("the error is %v", err)
	}
}
