package command

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

const secret = "northwind-sandbox-secret"

func withCredentials(t *testing.T) {
	t.Helper()
	t.Setenv("MODELCATALOGUE_BASE_URL", "http://127.0.0.1")
	t.Setenv("MODELCATALOGUE_CLIENT_ID", "northwind")
	t.Setenv("MODELCATALOGUE_CLIENT_SECRET", secret)
}

// recorded is the end of a recording.
type recorded struct {
	text, said string
	err        error
	took       time.Duration
}

// recordFrom records a service over connections in memory, for a fake clock.
func recordFrom(t *testing.T, service http.Handler, isStrict bool) recorded {
	t.Helper()
	dial, closeAll := sandboxtest.Pipe(service)
	defer closeAll()
	var said bytes.Buffer
	p := &program{name: "sandbox", stderr: &said}
	cfg, explainer, err := p.clientConfig()
	if err != nil {
		t.Fatal(err)
	}
	cfg.DialContext = dial
	cfg.Jitter = func() float64 { return 0 }
	begun := time.Now()
	text, err := p.recorded(t.Context(), cfg, isStrict)
	return recorded{string(text), said.String(), explained(explainer, err), time.Since(begun)}
}

// replaced returns a fault: it replaces a text in the answers.
func replaced(route sandbox.Route, was, is string) sandbox.Fault {
	return sandbox.Fault{Route: route, Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		return status, header, bytes.ReplaceAll(body, []byte(was), []byte(is))
	}}
}

// TestRecord records a sandbox, and a second one that serves the recording: both files are the same.
func TestRecord(t *testing.T) {
	withCredentials(t)
	for name, test := range map[string]struct {
		fault     sandbox.Fault
		says, has string
	}{
		"the owner's": {says: "interface (see `sandbox openapi`): 0\n", has: `"archived": true`},
		"fields of tomorrow": {
			fault: replaced(sandbox.RouteModels, `"archived":`, `"tomorrow":[1.50,12345678901234567890],"archived":`),
			says: "sandbox: GET /v1/model-group/{id}/models: [].tomorrow: unknown field (answers: 7)\n" +
				"sandbox: departures from the interface (see `sandbox openapi`): 1\n",
			has: "1.50,\n            12345678901234567890",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service := sandbox.New(sandbox.Default())
				service.Inject(test.fault)
				got := recordFrom(t, service, false)
				if got.err != nil || !strings.Contains(got.said, test.says) || !strings.Contains(got.text, test.has) {
					t.Fatalf("after %s: %v\n%s\n%s", got.took, got.err, got.said, got.text)
				}
				again := recordAgain(t, got.text)
				if again.text != got.text {
					t.Errorf("recorded again it is %v\n%s", again.err, again.text)
				}
			})
		})
	}
}

// recordAgain records a sandbox with a recorded file, its lists and members in any order. It replaces the credentials of
// requests by those of the file.
func recordAgain(t *testing.T, text string) recorded {
	t.Helper()
	catalogue, err := sandbox.ReadCatalogue(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	service := sandbox.New(catalogue)
	sandboxtest.Shuffle(service)
	return recordFrom(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			o := catalogue.Organisations()[0]
			form := url.Values{"grant_type": {"client_credentials"}, "client_id": {o.ClientID}, "client_secret": {o.ClientSecret}}
			r.Body = io.NopCloser(strings.NewReader(form.Encode()))
		}
		service.ServeHTTP(w, r)
	}), false)
}
