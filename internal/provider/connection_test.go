package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// overTLS serves a sandbox over TLS, with a certificate that is its own
// authority.
func overTLS(t *testing.T, service http.Handler, config *tls.Config) (server *httptest.Server, authority string) {
	t.Helper()
	server = httptest.NewUnstartedServer(service)
	server.TLS = config
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, pemOf("CERTIFICATE", server.Certificate().Raw)
}

// TestProxies: whatever goes wrong behind a proxy, the message names it, because it may be what answers.
func TestProxies(t *testing.T) {
	const straight = "dialled example.com:443" // what the certificate of httptest is for; never connected to
	t.Parallel()
	server, authority := overTLS(t, sandbox.New(sandbox.Default()), nil)
	good := tunnel(func(client net.Conn) {
		far, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			return
		}
		defer far.Close()
		go func() {
			_, _ = io.Copy(far, client) // until either side closes
			_ = far.Close()
		}()
		_, _ = io.Copy(client, far)
	})
	refusing := func(status int) http.Handler { return answering(status, "text/html", "<html>No.</html>") }
	const (
		here    = "HTTPS_PROXY=http://PROXY"
		secret  = "HTTPS_PROXY=http://user:hunter2@PROXY"
		through = "The request went through the proxy http://PROXY, which HTTPS_PROXY names."
		once    = "gave up after 1 attempt"
	)
	for name, test := range map[string]struct {
		proxy     http.Handler
		variables []string
		stranger  bool // the service's authority is not trusted
		says      []string
	}{
		"HTTPS_PROXY":           {proxy: good, variables: []string{here}, says: []string{"read well"}},
		"HTTPS_PROXY, NO_PROXY": {proxy: good, variables: []string{here, "NO_PROXY=example.com"}, says: []string{straight, once}},
		"407 to a user": {proxy: refusing(407), variables: []string{secret}, says: []string{
			"The proxy http://PROXY, which HTTPS_PROXY names, did not accept the user name and password in HTTPS_PROXY: " +
				"407 Proxy Authentication Required.",
			"Check them, or name the host of base_url in NO_PROXY to go without it. Special characters in a user name or password are " +
				"written as %XX, such as %23 for #.", explain.SummaryUnreachable,
		}},
		"407": {proxy: refusing(407), variables: []string{here}, says: []string{
			"The proxy http://PROXY, which HTTPS_PROXY names, wants a user name and a password: 407 Proxy Authentication Required.",
			"Write them into HTTPS_PROXY as http://USER:PASSWORD@HOST:PORT, or name the host of base_url in NO_PROXY to go without it.",
		}},
		"404": {proxy: refusing(404), variables: []string{secret}, says: []string{
			"The proxy http://PROXY, which HTTPS_PROXY names, did not connect to the service: 404 Not Found.",
			"Check base_url and HTTPS_PROXY, have the proxy allow the host, or name the host of base_url in NO_PROXY to go without it.",
		}},
		"502": {proxy: refusing(502), variables: []string{secret}, says: []string{"did not connect to the service: 502 Bad Gateway.", once}},
		"an unknown authority": {proxy: good, variables: []string{here}, stranger: true, says: []string{
			"signed by an authority that this machine does not trust.", through,
		}},
		"a tunnel that hangs": {
			proxy:     tunnel(func(client net.Conn) { _, _ = io.Copy(io.Discard, client) }),
			variables: []string{here, "MODELCATALOGUE_REQUEST_TIMEOUT=300ms"},
			says:      []string{"within request_timeout, which is 300ms.", through, once},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := httptest.NewServer(test.proxy)
			t.Cleanup(proxy.Close)
			trusted := authority
			if test.stranger {
				trusted = ""
			}
			out := behindProxy(t, strings.TrimPrefix(proxy.URL, "http://"), trusted, test.variables)
			if through := !slices.Contains(test.says, straight); strings.Contains(out, straight) == through ||
				strings.Contains(out, "dialled PROXY") != through {
				t.Errorf("through the proxy: %t\n%s", !through, out)
			}
			for _, fragment := range test.says {
				if strings.Count(out, fragment) != 1 {
					t.Errorf("does not say once %q:\n%s", fragment, out)
				}
			}
			if strings.Contains(out, "hunter2") || strings.Contains(out, once) != slices.Contains(test.says, once) {
				t.Errorf("the proxy's password is shown, or the wrong number of attempts was made:\n%s", out)
			}
		})
	}
}

// tunnel is a proxy that answers CONNECT well, and what it does then.
func tunnel(then func(client net.Conn)) http.Handler {
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

// behindProxy reads once with these variables, and returns how it went. In their values and in the result PROXY is
// the proxy's host and port.
func behindProxy(t *testing.T, proxy, authority string, variables []string) string {
	t.Helper()
	var dialled sync.Map
	var named []string
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		named = append(named, name+"="+strings.ReplaceAll(value, "PROXY", proxy))
	}
	env := environmentOf(named)
	p := &catalogueProvider{version: "test", environment: &env, dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		dialled.Store(address, true)
		if !strings.HasPrefix(address, "127.0.0.1:") {
			return nil, errors.New("this test connects to nothing but its proxy")
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	e := configure(t, p, northwind("https://example.com").merge(arguments{argCACertificate: authority, argMaxRetries: 0}))
	state, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
	var out strings.Builder
	dialled.Range(func(address, _ any) bool { fmt.Fprintln(&out, "dialled", address); return true })
	if state != nil {
		out.WriteString("read well\n")
	}
	for _, d := range diagnostics {
		fmt.Fprintln(&out, d.Summary, d.Detail)
	}
	return strings.ReplaceAll(out.String(), proxy, "PROXY")
}
