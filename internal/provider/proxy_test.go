package provider

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// TestHTTPSProxy runs itself in a process of its own for each environment: the
// variables are read once in a process.
func TestHTTPSProxy(t *testing.T) {
	const host = "example.com:443" // what the certificate of httptest is for; never connected to
	if os.Getenv(proxyRole) != "" {
		readBehindProxy(t, os.Getenv(proxyAuthority))
		return
	}
	t.Parallel()
	for name, test := range map[string]struct {
		variable, except string
		proxied          bool
	}{
		"HTTPS_PROXY":                       {variable: "HTTPS_PROXY", proxied: true},
		"https_proxy":                       {variable: "https_proxy", proxied: true},
		"HTTPS_PROXY, NO_PROXY":             {variable: "HTTPS_PROXY", except: "example.com"},
		"HTTPS_PROXY, NO_PROXY of another":  {variable: "HTTPS_PROXY", except: "other.invalid", proxied: true},
		"HTTP_PROXY, which is not for this": {variable: "HTTP_PROXY"},
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
			child := behindProxy(t, file, test.variable+"="+proxy.URL, "NO_PROXY="+test.except)
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
			if asked := through.asked(); len(asked) == 0 || slices.ContainsFunc(asked,
				func(s string) bool { return s != "CONNECT "+host }) {
				t.Errorf("the proxy was asked for %v", asked)
			}
			if !strings.Contains(string(out), "read well") {
				t.Errorf("the read did not succeed through the proxy:\n%s", out)
			}
			expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1})
		})
	}
}

// TestAProxyThatRefuses runs TestHTTPSProxy in a process of its own.
func TestAProxyThatRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status   int    // 0 for a proxy that is not there
		address  string // "" for http://user:hunter2@PROXY
		retried  bool
		messages []string
	}{
		"407 to a user": {status: http.StatusProxyAuthRequired, messages: []string{
			"The proxy http://PROXY, which HTTPS_PROXY names, did not accept the user name and password in HTTPS_PROXY: " +
				"407 Proxy Authentication Required.",
			"Check them, or name the host of base_url in NO_PROXY to go without it. Special characters in a user name or password are " +
				"written as %XX, such as %23 for #.",
		}},
		"407": {status: http.StatusProxyAuthRequired, address: "http://PROXY", messages: []string{
			"The proxy http://PROXY, which HTTPS_PROXY names, wants a user name and a password: 407 Proxy Authentication Required.",
			"The fault: the proxy answered 407 Proxy Authentication Required, for POST https://example.com/v1/auth/token",
			"Write them into HTTPS_PROXY as http://USER:PASSWORD@HOST:PORT, or name the host of base_url in NO_PROXY to go without it.",
		}},
		"404": {status: http.StatusNotFound, messages: []string{
			"The proxy http://PROXY, which HTTPS_PROXY names, did not connect to the service: 404 Not Found.",
			"Check base_url and HTTPS_PROXY, have the proxy allow the host, or name the host of base_url in NO_PROXY to go without it.",
		}},
		"502": {status: http.StatusBadGateway, retried: true, messages: []string{
			"The proxy http://PROXY, which HTTPS_PROXY names, did not connect to the service: 502 Bad Gateway.",
			"gave up after 1 attempt",
		}},
		"not there": {retried: true, messages: []string{
			"The proxy http://PROXY, which HTTPS_PROXY names, could not be reached.", "gave up after 1 attempt",
			"Check HTTPS_PROXY, or name the host",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := httptest.NewServer(answering(test.status, "text/html", "<html>No.</html>"))
			t.Cleanup(proxy.Close)
			if test.status == 0 {
				proxy.Close()
			}
			host := strings.TrimPrefix(proxy.URL, "http://")
			address := strings.ReplaceAll(cmp.Or(test.address, "http://user:hunter2@PROXY"), "PROXY", host)
			child := behindProxy(t, "", "HTTPS_PROXY="+address)
			out, err := child.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			text := strings.ReplaceAll(string(out), host, "PROXY")
			for _, message := range append(test.messages, summaryUnreachable) {
				if !strings.Contains(text, message) {
					t.Errorf("lacks %q:\n%s", message, text)
				}
			}
			if strings.Contains(text, "hunter2") || strings.Contains(text, "gave up") != test.retried {
				t.Errorf("the proxy's password is shown, or the wrong number of attempts was made:\n%s", text)
			}
		})
	}
}

// TestFaultsBehindAProxy: whatever goes wrong behind a proxy, the message names it,
// because it may be what answers.
func TestFaultsBehindAProxy(t *testing.T) {
	t.Parallel()
	unknown, _ := overTLS(t, http.NotFoundHandler(), nil)
	tunnel := func(then func(net.Conn)) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			client, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			defer client.Close()
			_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
			then(client)
		})
	}
	for name, test := range map[string]struct {
		proxy   http.Handler
		timeout string
		message string
		or      string // on Go 1.27 and later, "" for the same
	}{
		"an unknown authority": {
			proxy: &connectProxy{target: unknown.Listener.Addr().String()}, message: "The certificate of what answers is signed by itself.",
		},
		"no tunnel": {
			proxy: answering(http.StatusOK, "text/html", "<html>Welcome</html>"), message: "What answers at base_url does not speak TLS",
			or: "The connection broke before the answer was complete.", // net/http drops what follows the answer to CONNECT
		},
		"a tunnel that is closed": {proxy: tunnel(func(net.Conn) {}), message: "The connection broke before the answer was complete."},
		"a tunnel that hangs": {
			proxy: tunnel(func(client net.Conn) { _, _ = io.Copy(io.Discard, client) }), timeout: "300ms", message: "within request_timeout, which is 300ms.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := httptest.NewServer(test.proxy)
			t.Cleanup(proxy.Close)
			out, err := behindProxy(t, "", "HTTPS_PROXY="+proxy.URL, "MODELCATALOGUE_REQUEST_TIMEOUT="+test.timeout).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			line := "The request went through the proxy " + proxy.URL + ", which HTTPS_PROXY names."
			text := string(out)
			told := strings.Contains(text, test.message) || test.or != "" && strings.Contains(text, test.or)
			if !told || strings.Count(text, line) != 1 {
				t.Errorf("lacks %q or %q:\n%s", test.message, line, text)
			}
		})
	}
}

const proxyRole, proxyAuthority = "MODELCATALOGUE_TEST_PROXY_ROLE", "MODELCATALOGUE_TEST_PROXY_CA"

// behindProxy is TestHTTPSProxy as a child, with only these variables that name
// a proxy.
func behindProxy(t *testing.T, authority string, variables ...string) *exec.Cmd {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHTTPSProxy$", "-test.v")
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); !strings.Contains(strings.ToLower(name), "proxy") {
			child.Env = append(child.Env, variable)
		}
	}
	child.Env = append(append(child.Env, proxyRole+"=child", proxyAuthority+"="+authority), variables...)
	return child
}

// readBehindProxy reads once and tells how it went.
func readBehindProxy(t *testing.T, authorityFile string) {
	t.Helper()
	var authority []byte
	if authorityFile != "" {
		var err error
		if authority, err = os.ReadFile(authorityFile); err != nil {
			t.Fatal(err)
		}
	}
	p := &catalogueProvider{version: "test", dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		fmt.Println("dialled", address)
		if !strings.HasPrefix(address, "127.0.0.1:") {
			return nil, errors.New("this test connects to nothing but its proxy")
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	e, diagnostics := startEngine(t, p,
		northwind("https://example.com").merge(arguments{argCACertificate: string(authority), argMaxRetries: 0}))
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
		http.Error(w, "only CONNECT", http.StatusMethodNotAllowed)
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
