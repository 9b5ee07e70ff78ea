package provider

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-log/tfsdklogtest"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// logs is what a provider logs at TRACE: its own lines and its framework's.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logs) in(ctx context.Context) context.Context {
	return tfsdklogtest.RootLogger(tflogtest.RootLogger(ctx, l), l)
}

func (l *logs) lines(t *testing.T) []map[string]any {
	t.Helper()
	lines, err := tflogtest.MultilineJSONDecode(strings.NewReader(l.String()))
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// requests are the fields of the lines that tell of a request.
func (l *logs) requests(t *testing.T) []map[string]any {
	t.Helper()
	var found []map[string]any
	for _, line := range l.lines(t) {
		if line["http_method"] != nil {
			found = append(found, line)
		}
	}
	return found
}

func writeJSON(w http.ResponseWriter, value any) {
	if err := json.NewEncoder(w).Encode(value); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// raw writes bytes below HTTP and leaves the connection open.
func raw(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		if _, err := io.WriteString(conn, text); err != nil {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.Copy(io.Discard, conn) // until the other side closes it
		_ = conn.Close()
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, route := range []sandbox.Route{sandbox.RouteToken, sandbox.RouteGroup} {
			t.Run(fmt.Sprintf("%d %s", status, route), func(t *testing.T) {
				t.Parallel()
				elsewhere := sandbox.New(sandbox.Default())
				target := elsewhere.Start(t)
				service := sandbox.New(sandbox.Default())
				service.Inject(sandbox.Fault{Route: route, Status: status, Header: http.Header{"Location": {target + mainPath}}})
				e := newEngine(t, northwind(service.Start(t)))
				_, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
				expectError(t, diagnostics, "", summaryRedirect, "a redirect to "+target+mainPath, fmt.Sprintf("Status %d ", status))
				if got := elsewhere.Requests(); len(got) != 0 {
					t.Errorf("the other host was asked: %+v", got)
				}
				if got := service.Count(route); got != 1 {
					t.Errorf("%d requests", got)
				}
			})
		}
	}
}

func TestHTTPIsOnlyForALoopbackHost(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"catalogue.invalid", "10.0.0.1", "localhost.invalid", "0.0.0.0", "[::2]"} {
		dialled := false
		p := &catalogueProvider{dial: func(context.Context, string, string) (net.Conn, error) {
			dialled = true
			return nil, errors.New("no network in this test")
		}}
		_, diagnostics := startEngine(t, p, northwind("http://"+host))
		expectError(t, diagnostics, argBaseURL, "Invalid base_url", "unencrypted", "use https")
		if dialled {
			t.Errorf("%s was connected to", host)
		}
	}
}

// overTLS serves a sandbox over TLS, with a certificate that is its own
// authority.
func overTLS(t *testing.T, service http.Handler, config *tls.Config) (server *httptest.Server, authority string) {
	t.Helper()
	server = httptest.NewUnstartedServer(service)
	server.TLS = config
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
}

// counting dials the network and counts.
type counting struct {
	mu    sync.Mutex
	dials []string
}

func (c *counting) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c.mu.Lock()
	c.dials = append(c.dials, address)
	c.mu.Unlock()
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

func TestAPrivateAuthority(t *testing.T) {
	t.Parallel()
	t.Run("trusted", func(t *testing.T) {
		t.Parallel()
		service := sandbox.New(sandbox.Default())
		server, authority := overTLS(t, service, nil)
		e := newEngine(t, northwind(server.URL).with(argCACertificate, authority))
		e.mustRead(t, "model_group", arguments{"id": mainGroup})
		expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1})
	})
	t.Run("not trusted", func(t *testing.T) {
		t.Parallel()
		service := sandbox.New(sandbox.Default())
		server, _ := overTLS(t, service, nil)
		var network counting
		e, diagnostics := startEngine(t, &catalogueProvider{version: "test", dial: network.dial}, northwind(server.URL))
		expectNone(t, diagnostics)
		_, diagnostics = e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
		expectError(
			t, diagnostics, "", summaryUntrusted, "ca_certificate_pem", "certificate signed by unknown authority", "for POST https://127.0.0.1:",
			"/v1/auth/token",
		)
		if len(network.dials) != 1 {
			t.Errorf("%d connections, want one attempt", len(network.dials))
		}
		expectRequests(t, service, nil)
	})
	t.Run("trusted, another host", func(t *testing.T) {
		t.Parallel()
		service := sandbox.New(sandbox.Default())
		server, authority := overTLS(t, service, nil)
		var dials int
		e, diagnostics := startEngine(
			t, &catalogueProvider{version: "test", dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
				dials++
				return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
			}}, northwind("https://other.invalid").with(argCACertificate, authority))
		expectNone(t, diagnostics)
		_, diagnostics = e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
		expectError(t, diagnostics, "", summaryUntrusted, "other.invalid")
		if dials != 1 {
			t.Errorf("%d connections, want one attempt", dials)
		}
		expectRequests(t, service, nil)
	})
}

func TestTLSBefore12IsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		version uint16
		works   bool
	}{
		"1.0": {version: tls.VersionTLS10}, "1.1": {version: tls.VersionTLS11}, "1.2": {version: tls.VersionTLS12, works: true},
		"1.3": {version: tls.VersionTLS13, works: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandbox.New(sandbox.Default())
			server, authority := overTLS(t, service, &tls.Config{MinVersion: test.version, MaxVersion: test.version})
			e := newEngine(t, northwind(server.URL).merge(arguments{argCACertificate: authority, argMaxRetries: 0}))
			state, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
			if test.works {
				outcome{}.expect(t, state, diagnostics)
				return
			}
			expectError(t, diagnostics, "", summaryUntrusted, "does not support TLS 1.2 or later", "protocol version")
			expectRequests(t, service, nil)
		})
	}
}

func TestUserAgent(t *testing.T) { //nolint:paralleltest // it sets the environment
	for more, want := range map[string]string{
		"":                   "terraform-provider-modelcatalogue/test",
		"our-pipeline/7 (x)": "terraform-provider-modelcatalogue/test our-pipeline/7 (x)",
	} {
		t.Setenv("TF_APPEND_USER_AGENT", more)
		e, service := sandboxEngine(t)
		e.mustRead(t, "model_group", arguments{"id": mainGroup})
		for _, r := range service.Requests() {
			if got := r.Header.Get("User-Agent"); got != want {
				t.Errorf("%s: User-Agent %q, want %q", r.Path, got, want)
			}
		}
	}
}

func TestEachRequestIsLogged(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroups, Status: 503, Body: "busy", Times: 1, Delay: 250 * sec / 1000})
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroups, Kind: sandbox.CutLength, Times: 1})
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroups, Kind: sandbox.Hang, Times: 1})
		e := inMemory(t, service, arguments{argRequestTimeout: "3s"})
		var written logs
		_, diagnostics := e.read(written.in(t.Context()), t, "model_groups", arguments{"time_horizon": "day_ahead"})
		expectNone(t, diagnostics)
		const list = "/v1/model-group?timeHorizon=day_ahead"
		want := []map[string]string{
			{
				"http_method": "POST", "http_path": "/v1/auth/token", "http_status": "200", "attempt": "1", "duration_ms": "0",
				"request_id": "sandbox-000001",
			},
			{
				"http_method": "GET", "http_path": list, "http_status": "503", "attempt": "1", "duration_ms": "250", "size_bytes": "4",
				"request_id": "sandbox-000002",
			},
			{
				"http_method": "GET", "http_path": list, "http_status": "200", "attempt": "2", "duration_ms": "0", "request_id": "sandbox-000003",
				"http_problem": "unexpected EOF",
			},
			{
				"http_method": "GET", "http_path": list, "http_status": "0", "attempt": "3", "duration_ms": "3000",
				"http_problem": "context deadline exceeded",
			},
			{"http_method": "GET", "http_path": list, "http_status": "200", "attempt": "4", "duration_ms": "0", "request_id": "sandbox-000005"},
		}
		got := written.requests(t)
		if len(got) != len(want) {
			t.Fatalf("%d requests logged, want %d", len(got), len(want))
		}
		for i, line := range got {
			if line["@level"] != "debug" {
				t.Errorf("request %d is logged at %s", i, line["@level"])
			}
			fields := slices.DeleteFunc(slices.Collect(maps.Keys(line)), func(name string) bool {
				return strings.HasPrefix(name, "@") || strings.HasPrefix(name, "tf_")
			})
			for _, name := range fields {
				// Masks of terraform-plugin-log reach nothing but strings.
				if _, text := line[name].(string); !text {
					t.Errorf("request %d: %s is %v, no string", i, name, line[name])
				}
			}
			for name, value := range want[i] {
				if line[name] != value {
					t.Errorf("request %d: %s is %v, want %s", i, name, line[name], value)
				}
			}
			size, _ := line["size_bytes"].(string)
			if n, err := strconv.Atoi(size); err != nil || n == 0 && line["http_status"] != "0" {
				t.Errorf("request %d: size %q", i, size)
			}
		}
	})
}

// TestAnIDNeverReadsAnotherPath: with a client that pasted it, ? and # would read
// another endpoint, and / another group.
func TestAnIDNeverReadsAnotherPath(t *testing.T) {
	t.Parallel()
	for id, path := range map[string]string{
		"a/b?c#d%2e":           "a%2Fb%3Fc%23d%252e",
		"a/../../auth/token":   "a%2F..%2F..%2Fauth%2Ftoken",
		"x/latest-model?a=b":   "x%2Flatest-model%3Fa=b",
		"..%2f..":              "..%252f..",
		"é ü+&;=@:$,":          "%C3%A9%20%C3%BC+&%3B=@:$%2C",
		"emea/power?v=1#β %41": "emea%2Fpower%3Fv=1%23%CE%B2%20%2541",
	} {
		for _, test := range []struct {
			reading
			suffix string
		}{
			{reading: reading{"model_group", arguments{"id": id}}},
			{reading: reading{"latest_model", arguments{"model_group_id": id}}, suffix: "/latest-model"},
			{reading: reading{"model_group_models", arguments{"model_group_id": id}}, suffix: "/models"},
			{reading: reading{"model", arguments{"model_group_id": id, "revision": 0}}, suffix: "/models"},
		} {
			t.Run(id+" "+test.name, func(t *testing.T) {
				onFakeClock(t, func(t *testing.T) {
					service := sandbox.New(sandbox.Default())
					dial, closeAll := sandbox.Pipe(http.StripPrefix("/base/path", service))
					t.Cleanup(closeAll)
					e := dialling(t, dial, arguments{argBaseURL: "http://localhost/base/path/"})
					e.read(t.Context(), t, test.name, test.config)
					requests := service.Requests()
					if len(requests) != 2 {
						t.Fatalf("%d requests", len(requests))
					}
					if got, want := requests[1].Path, "/v1/model-group/"+path+test.suffix; got != want || requests[1].Query != "" {
						t.Errorf("asked for %s and query %q, want %s", got, requests[1].Query, want)
					}
				})
			})
		}
	}
}
