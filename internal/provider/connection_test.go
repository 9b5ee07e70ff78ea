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
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// overTLS serves a sandbox over TLS, with a certificate that is its own authority.
func overTLS(t *testing.T, service http.Handler, config *tls.Config) (served *httptest.Server, authority string) {
	t.Helper()
	served = httptest.NewUnstartedServer(service)
	served.TLS = config
	served.Config.ErrorLog = log.New(io.Discard, "", 0)
	served.StartTLS()
	t.Cleanup(served.Close)
	return served, pemOf("CERTIFICATE", served.Certificate().Raw)
}

// TestProxies: whatever goes wrong behind a proxy, the message names the proxy, because that may be what failed.
func TestProxies(t *testing.T) {
	t.Parallel()
	served, authority := overTLS(t, sandbox.New(sandbox.Default()), nil)
	good := tunnel(func(client net.Conn) {
		far, err := net.Dial("tcp", served.Listener.Addr().String())
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
	silent := tunnel(func(client net.Conn) { _, _ = io.Copy(io.Discard, client) })
	answers := func(status int) http.Handler { return answering(status, "text/html", "<html>No.</html>") }
	const (
		straight    = "dialled example.com:443" // what the certificate of httptest is for; never connected to
		here        = "HTTPS_PROXY=http://127.0.0.1:PORT"
		credentials = "HTTPS_PROXY=http://user:hunter2@127.0.0.1:PORT"
		through     = "The request went through the proxy http://127.0.0.1:PORT, which HTTPS_PROXY names."
		proxy       = "The proxy http://127.0.0.1:PORT, which HTTPS_PROXY names, "
		once        = "gave up after 1 attempt"
	)
	for name, test := range map[string]struct {
		proxy     http.Handler
		authority string // of the service, if it is trusted
		variables []string
		says      []string
	}{
		"HTTPS_PROXY":           {good, authority, []string{here}, []string{"read well"}},
		"HTTPS_PROXY, NO_PROXY": {good, authority, []string{here, "NO_PROXY=example.com"}, []string{straight, once}},
		"407 to a user": {answers(407), authority, []string{credentials}, []string{
			proxy + "did not accept the user name and password in HTTPS_PROXY: 407 Proxy Authentication Required.",
			"Check them, or name the host of base_url in NO_PROXY to go without it. Special characters in a user name or password are " +
				"written as %XX, such as %23 for #.", explain.SummaryUnreachable,
		}},
		"407": {answers(407), authority, []string{here}, []string{
			proxy + "requires a user name and a password: 407", "Write them into HTTPS_PROXY as http://USER:PASSWORD@HOST:PORT, or name",
		}},
		"407 by NTLM": {negotiating(answers(407)), authority, []string{credentials}, []string{
			proxy + "requires a login that a user name and password in its address cannot answer: 407",
			"Proxy-Authenticate: Negotiate, NTLM", "Use a proxy that accepts Basic or no login",
		}},
		"403, and a NO_PROXY that does not apply": {answers(403), authority, []string{here, "NO_PROXY=a.example;example.com"}, []string{
			proxy + "did not connect to the service: 403", "NO_PROXY is set, and none of its entries applies to example.com.",
		}},
		"HTTP_PROXY": {good, authority, []string{"HTTP_PROXY=http://127.0.0.1:PORT"}, []string{
			straight, once, "HTTP_PROXY is set, but for an https address only HTTPS_PROXY is read.",
		}},
		"404": {answers(404), authority, []string{credentials}, []string{
			proxy + "did not connect to the service: 404 Not Found.",
			"Check base_url and HTTPS_PROXY, have the proxy allow the host, or name",
		}},
		"an unknown authority": {good, "", []string{here}, []string{"is signed by itself, and this machine does not trust it.", through}},
		"a proxy that is silent": {silent, authority, []string{here, "MODELCATALOGUE_REQUEST_TIMEOUT=300ms"}, []string{
			"The fault: the TLS handshake was not over within 300ms, for", through, once,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := httptest.NewServer(test.proxy)
			t.Cleanup(proxy.Close)
			out := behindProxy(t, strings.TrimPrefix(proxy.URL, "http://"), test.authority, test.variables)
			for _, fragment := range test.says {
				if strings.Count(out, fragment) != 1 {
					t.Errorf("does not say once %q:\n%s", fragment, out)
				}
			}
			for _, fragment := range []string{straight, once, "hunter2"} {
				if strings.Contains(out, fragment) != slices.Contains(test.says, fragment) {
					t.Errorf("%q is in it, or is missing:\n%s", fragment, out)
				}
			}
		})
	}
}

// negotiating returns a proxy that asks for a login of Windows.
func negotiating(proxy http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Proxy-Authenticate"] = []string{"Negotiate", "NTLM"}
		proxy.ServeHTTP(w, r)
	})
}

// tunnel returns a proxy that accepts CONNECT, and then does something with the connection.
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

// behindProxy reads once with these variables, and returns how it went. 127.0.0.1:PORT is the proxy.
func behindProxy(t *testing.T, proxy, authority string, variables []string) string {
	t.Helper()
	var named []string
	for _, variable := range variables {
		named = append(named, strings.Replace(variable, "127.0.0.1:PORT", proxy, 1))
	}
	env := setting.EnvironmentOf(named)
	var dialled sync.Map
	p := &catalogueProvider{version: "test", environment: &env, dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		dialled.Store(address, true)
		if address != proxy {
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
	return out.String() + rendered(diagnostics)
}
