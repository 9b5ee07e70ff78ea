package provider

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
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
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-log/tfsdklogtest"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// Both have characters that every encoding spells in its own way. No other text
// holds what their ends look like.
const (
	oddSecret = `s3cr&t "/+?é<~> 100% zyxwvuts`
	oddToken  = `t0k/en+&=?"<>%41~abcdefghijkl`
)

// spellingsOf lists how a credential may be written.
func spellingsOf(credential string) []string {
	inJSON, err := json.Marshal(credential)
	if err != nil {
		panic(err)
	}
	plainJSON := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(credential)
	spellings := []string{
		credential, url.QueryEscape(credential), url.PathEscape(credential), strings.ToLower(url.QueryEscape(credential)),
		string(inJSON[1 : len(inJSON)-1]), plainJSON,
		"northwind:" + credential, url.Values{"x": {credential}}.Encode(),
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		spellings = append(spellings, encoding.EncodeToString([]byte(credential)), encoding.EncodeToString([]byte("northwind:"+credential)),
			encoding.EncodeToString([]byte("Bearer "+credential)), encoding.EncodeToString([]byte(`{"a":"`+credential+`"}`)))
	}
	return spellings
}

// Before there is a token, a service can echo the secret alone.
var (
	secretEchoes = strings.Join(spellingsOf(oddSecret), " | ")
	allEchoes    = secretEchoes + " | " + strings.Join(spellingsOf(oddToken), " | ")
)

// expectHidden wants no credential in a text, in no spelling and in no part.
func expectHidden(t *testing.T, what, text string) {
	t.Helper()
	needles := append(spellingsOf(oddSecret), spellingsOf(oddToken)...)
	for _, part := range []string{"s3cr", "zyxwvuts", "t0k", "abcdefgh"} {
		needles = append(needles, part)
		// The inner characters of base64, wherever in a text the part begins.
		for shift := range 3 {
			encoded := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), part...))
			if inner := encoded[(shift*8+5)/6 : (shift+len(part))*8/6]; len(inner) > 6 {
				needles = append(needles, inner)
			}
		}
	}
	for _, needle := range needles {
		if i := strings.Index(text, needle); i >= 0 {
			t.Errorf("%s shows %q: …%s…", what, needle, text[max(0, i-100):min(len(text), i+len(needle)+100)])
			return
		}
	}
}

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

// requests are the fields of the lines that tell of a request.
func (l *logs) requests(t *testing.T) []map[string]any {
	t.Helper()
	lines, err := tflogtest.MultilineJSONDecode(strings.NewReader(l.String()))
	if err != nil {
		t.Fatal(err)
	}
	var found []map[string]any
	for _, line := range lines {
		if line["@message"] == "Catalogue request" {
			found = append(found, line)
		}
	}
	return found
}

// echoing is a service that writes what it was sent wherever it can.
type echoing struct {
	token http.HandlerFunc // nil: a good token, with echoes around it
	read  http.HandlerFunc
}

func (h echoing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	echoes := allEchoes
	if h.token != nil {
		echoes = secretEchoes
	}
	for _, name := range []string{"X-Request-Id", "X-Correlation-Id", "Www-Authenticate", "Server", "Set-Cookie", "Warning"} {
		w.Header().Set(name, echoes)
	}
	switch {
	case r.Method != http.MethodPost:
		h.read(w, r)
	case h.token != nil:
		h.token(w, r)
	default:
		w.Header().Set("Content-Type", "application/json")
		writeJSON(w, map[string]any{"access_token": oddToken, "token_type": "Bearer", "scope": echoes})
	}
}

func writeJSON(w http.ResponseWriter, value any) {
	if err := json.NewEncoder(w).Encode(value); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// answering writes one answer.
func answering(status int, contentType, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // who reads only part of it may be gone
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

// badAnswers are answers full of echoes, by what they are.
func badAnswers(t *testing.T, echoes string, credentials ...string) map[string]http.HandlerFunc {
	t.Helper()
	document := func(fields map[string]any) string {
		text, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	refusal := document(map[string]any{
		"code": echoes, "message": echoes, "error": echoes, "error_description": echoes, "statusCode": echoes,
		"data": map[string]any{"issues": []any{map[string]any{"field": echoes, "messages": []string{echoes, "x"}}}},
	})
	// What is shown as it came is escaped once.
	broken := document(map[string]any{"message": credentials})
	packed := strings.Join(credentials, "")
	bodies := map[string]struct{ contentType, body string }{
		"JSON":           {"application/json", refusal},
		"OAuth":          {"application/json", document(map[string]any{"error": echoes, "error_description": echoes})},
		"odd JSON":       {"application/json", document(map[string]any{"code": []string{echoes}, "message": map[string]any{"a": credentials}})},
		"broken JSON":    {"application/json", broken[:len(broken)-1]},
		"HTML":           {"text/html", "<html><title>" + echoes + "</title>" + echoes},
		"text":           {"text/plain", echoes},
		"a form":         {"application/x-www-form-urlencoded", url.Values{"error": credentials, "error_description": credentials}.Encode()},
		"an odd label":   {echoes, echoes},
		"cut by us":      {"text/plain", strings.Repeat(" ", 4000-10) + packed},
		"cut by us, too": {"text/plain", strings.Repeat(" ", 1<<20-10) + packed},
	}
	answers := map[string]http.HandlerFunc{
		"no HTTP":                   raw("HELLO " + echoes + "\r\n\r\n"),
		"a status that is none":     raw("HTTP/1.1 " + echoes + "\r\n\r\n"),
		"a header that is none":     raw("HTTP/1.1 200 OK\r\n" + echoes + "\r\n\r\n"),
		"a length that is none":     raw("HTTP/1.1 200 OK\r\nContent-Length: " + echoes + "\r\n\r\n"),
		"an encoding that is none":  raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: " + echoes + "\r\n\r\n"),
		"a chunk that is none":      raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + echoes + "\r\n\r\n"),
		"a redirect":                answering(307, "text/plain", echoes, "Location", "https://elsewhere.example/?"+url.Values{"a": credentials}.Encode()),
		"a redirect without scheme": answering(302, "text/plain", "", "Location", "//elsewhere.example/"+echoes),
		"a broken redirect":         answering(302, "text/plain", "", "Location", "http://[::1/%zz"+echoes),
		"200, a list":               answering(200, "application/json", document(map[string]any{"id": []string{echoes}})),
		"200, a text":               answering(200, "application/json", document(map[string]any{"latestRevision": echoes})),
		"200, a key":                answering(200, "application/json", document(map[string]any{"axes": []any{map[string]any{echoes: 1, "values": echoes}}})),
		"limited":                   answering(429, "application/json", refusal, "Retry-After", echoes),
		"limited for long":          answering(429, "application/json", refusal, "Retry-After", "99999"),
	}
	for _, status := range []int{200, 400, 401, 403, 404, 409, 500} {
		for name, body := range bodies {
			answers[fmt.Sprintf("%d, %s", status, name)] = answering(status, body.contentType, body.body)
		}
	}
	return answers
}

// TestAServiceThatEchoesCredentials: whatever it answers, to a token request or
// a read, no diagnostic and no log at TRACE has them.
func TestAServiceThatEchoesCredentials(t *testing.T) {
	t.Parallel()
	services := map[string]echoing{}
	for name, answer := range badAnswers(t, allEchoes, oddSecret, oddToken) {
		services["a read, "+name] = echoing{read: answer}
	}
	for name, answer := range badAnswers(t, secretEchoes, oddSecret) {
		services["a token request, "+name] = echoing{token: answer}
	}
	// A token that is of no use, with echoes of it.
	for name, fields := range map[string]map[string]any{
		"of another type":   {"access_token": oddToken, "token_type": allEchoes},
		"of two lines":      {"access_token": oddToken + "\n" + oddSecret, "token_type": "Bearer"},
		"with an error":     {"access_token": oddToken, "error": allEchoes, "error_description": allEchoes},
		"with an odd error": {"access_token": oddToken, "error": []string{allEchoes}},
	} {
		body, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		services["a token "+name] = echoing{token: answering(200, allEchoes, string(body), "X-Request-Id", allEchoes)}
	}
	services["a token as a form"] = echoing{token: answering(200, "application/x-www-form-urlencoded",
		url.Values{"access_token": {oddToken}, "token_type": {allEchoes}}.Encode(), "X-Request-Id", allEchoes)}
	for name, service := range services {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				e := inMemory(t, service, arguments{argClientSecret: oddSecret, argMaxRetries: 1, argReadTimeout: "20s"})
				var written logs
				_, diagnostics := e.read(written.in(t.Context()), t, "model_group", arguments{"id": mainGroup})
				// As a group that JSON is one without attributes.
				if len(diagnostics) != 1 && !strings.HasPrefix(name, "a read, 200, ") {
					t.Fatalf("%d diagnostics, want one", len(diagnostics))
				}
				for _, d := range diagnostics {
					expectHidden(t, "the summary", d.Summary)
					expectHidden(t, "the detail", d.Detail)
				}
				if len(written.requests(t)) == 0 {
					t.Error("no request was logged")
				}
				expectHidden(t, "the log", written.String())
			})
		})
	}
}

// TestASuccessThatEchoesCredentials: headers of good answers.
func TestASuccessThatEchoesCredentials(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := echoing{read: answering(200, "application/json", `{"id":"a","name":"b"}`)}
		e := inMemory(t, service, arguments{argClientSecret: oddSecret})
		var written logs
		state, diagnostics := e.read(written.in(t.Context()), t, "model_group", arguments{"id": "a"})
		expectNone(t, diagnostics)
		expectHidden(t, "the state", fmt.Sprint(state))
		requests := written.requests(t)
		if len(requests) != 2 {
			t.Fatalf("%d requests logged", len(requests))
		}
		for _, line := range requests {
			if id, _ := line["request_id"].(string); !strings.Contains(id, "***") {
				t.Errorf("request id %q, which ought to be masked", id)
			}
		}
		expectHidden(t, "the log", written.String())
	})
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
				summary := map[sandbox.Route]string{sandbox.RouteToken: summaryNoToken, sandbox.RouteGroup: summaryRedirect}[route]
				expectError(t, diagnostics, "", summary, fmt.Sprintf("Status %d ", status))
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

func TestHTTPIsForALoopbackHostAlone(t *testing.T) {
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
		expectError(t, diagnostics, "", summaryUntrusted, "ca_certificate_pem", "certificate signed by unknown authority", "for POST /v1/auth/token")
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
		e, diagnostics := startEngine(t, &catalogueProvider{version: "test", dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
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
	}{"1.0": {tls.VersionTLS10, false}, "1.1": {tls.VersionTLS11, false}, "1.2": {tls.VersionTLS12, true}, "1.3": {tls.VersionTLS13, true}} {
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
			expectError(t, diagnostics, "", summaryUnreachable, "protocol version")
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
			{"http_method": "POST", "http_path": "/v1/auth/token", "http_status": "200", "attempt": "1", "duration_ms": "0", "request_id": "sandbox-000001"},
			{"http_method": "GET", "http_path": list, "http_status": "503", "attempt": "1", "duration_ms": "250", "size_bytes": "4", "request_id": "sandbox-000002"},
			{"http_method": "GET", "http_path": list, "http_status": "200", "attempt": "2", "duration_ms": "0", "request_id": "sandbox-000003", "http_problem": "unexpected EOF"},
			{"http_method": "GET", "http_path": list, "http_status": "0", "attempt": "3", "duration_ms": "3000", "http_problem": "context deadline exceeded"},
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
			{reading{"model_group", arguments{"id": id}}, ""},
			{reading{"latest_model", arguments{"model_group_id": id}}, "/latest-model"},
			{reading{"model_group_models", arguments{"model_group_id": id}}, "/models"},
			{reading{"model", arguments{"model_group_id": id, "revision": 0}}, "/models"},
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

// TestHTTPSProxy runs itself in a process of its own for each environment: the
// variables are read once in a process.
func TestHTTPSProxy(t *testing.T) {
	const role, authorityFile = "MODELCATALOGUE_TEST_PROXY_ROLE", "MODELCATALOGUE_TEST_PROXY_CA"
	const host = "example.com:443" // what the certificate of httptest is for; never connected to
	if os.Getenv(role) != "" {
		readBehindProxy(t, os.Getenv(authorityFile))
		return
	}
	t.Parallel()
	for name, test := range map[string]struct {
		variable, except string
		proxied          bool
	}{
		"HTTPS_PROXY":                       {"HTTPS_PROXY", "", true},
		"https_proxy":                       {"https_proxy", "", true},
		"HTTPS_PROXY, NO_PROXY":             {"HTTPS_PROXY", "example.com", false},
		"HTTPS_PROXY, NO_PROXY of another":  {"HTTPS_PROXY", "other.invalid", true},
		"HTTP_PROXY, which is not for this": {"HTTP_PROXY", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandbox.New(sandbox.Default())
			server, authority := overTLS(t, service, nil)
			through := &connectProxy{target: server.Listener.Addr().String()}
			proxy := httptest.NewServer(through)
			t.Cleanup(proxy.Close)
			file := t.TempDir() + "/ca.pem"
			if err := os.WriteFile(file, []byte(authority), 0o600); err != nil {
				t.Fatal(err)
			}
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHTTPSProxy$", "-test.v")
			for _, variable := range os.Environ() {
				if name, _, _ := strings.Cut(variable, "="); !strings.Contains(strings.ToLower(name), "proxy") {
					child.Env = append(child.Env, variable)
				}
			}
			child.Env = append(child.Env, role+"=child", authorityFile+"="+file, test.variable+"="+proxy.URL, "NO_PROXY="+test.except)
			out, err := child.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if !test.proxied {
				if !strings.Contains(string(out), "dialled "+host) || len(through.asked()) != 0 {
					t.Errorf("not straight to %s; the proxy was asked for %v\n%s", host, through.asked(), out)
				}
				expectRequests(t, service, nil)
				return
			}
			if asked := through.asked(); len(asked) == 0 || slices.ContainsFunc(asked, func(s string) bool { return s != "CONNECT "+host }) {
				t.Errorf("the proxy was asked for %v", asked)
			}
			if !strings.Contains(string(out), "read well") {
				t.Errorf("the read did not succeed through the proxy:\n%s", out)
			}
			expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1})
		})
	}
}

// readBehindProxy reads once and tells how it went.
func readBehindProxy(t *testing.T, authorityFile string) {
	t.Helper()
	authority, err := os.ReadFile(authorityFile)
	if err != nil {
		t.Fatal(err)
	}
	p := &catalogueProvider{version: "test", dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		fmt.Println("dialled", address)
		if !strings.HasPrefix(address, "127.0.0.1:") {
			return nil, errors.New("this test connects to nothing but its proxy")
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	e, diagnostics := startEngine(t, p, northwind("https://example.com").merge(arguments{argCACertificate: string(authority), argMaxRetries: 0}))
	expectNone(t, diagnostics)
	var state map[string]any
	state, diagnostics = e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
	if state != nil {
		fmt.Println("read well")
	}
	printDiagnostics(diagnostics)
}

func printDiagnostics(diagnostics []*tfprotov6.Diagnostic) {
	for _, d := range diagnostics {
		fmt.Println(d.Summary, d.Detail)
	}
}

// connectProxy is a proxy that tunnels every CONNECT to one target.
type connectProxy struct {
	target string
	mu     sync.Mutex
	seen   []string
}

func (p *connectProxy) asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.seen)
}

func (p *connectProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.seen = append(p.seen, r.Method+" "+r.RequestURI)
	p.mu.Unlock()
	if r.Method != http.MethodConnect {
		http.Error(w, "CONNECT alone", http.StatusMethodNotAllowed)
		return
	}
	server, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", p.target)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer server.Close()
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer client.Close()
	if _, err := io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(server, bufio.NewReader(buffered)) // until either side closes
		_ = server.Close()
	}()
	_, _ = io.Copy(client, server)
}
