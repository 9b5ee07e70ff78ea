package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/settings"
)

// overTLS serves a sandbox over TLS, with a self-signed certificate.
func overTLS(t *testing.T, service http.Handler, config *tls.Config) (served *httptest.Server, authority string) {
	t.Helper()
	served = httptest.NewUnstartedServer(service)
	served.TLS = config
	served.Config.ErrorLog = log.New(io.Discard, "", 0)
	served.StartTLS()
	t.Cleanup(served.Close)
	return served, pemOf("CERTIFICATE", served.Certificate().Raw)
}

// tunnel returns a proxy: it accepts CONNECT, and passes the connection to a function.
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

// throughProxy reads once with these variables. 127.0.0.1:PORT in them is the proxy, or a working one if it is nil. It
// also returns the dialled addresses.
func throughProxy(
	t *testing.T, proxy http.Handler, isTrusted bool, variables ...string,
) (dialled []string, state map[string]any, diagnostics []*tfprotov6.Diagnostic) {
	t.Helper()
	served, authority := overTLS(t, sandbox.New(sandbox.Default()), nil)
	if !isTrusted {
		authority = ""
	}
	if proxy == nil {
		proxy = tunnel(func(client net.Conn) {
			far, err := net.Dial("tcp", served.Listener.Addr().String())
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(far, client) // until either side closes
				_ = far.Close()
			}()
			_, _ = io.Copy(client, far)
		})
	}
	listening := httptest.NewServer(proxy)
	t.Cleanup(listening.Close)
	address := listening.Listener.Addr().String()
	env := settings.EnvironmentOf(strings.Split(strings.ReplaceAll(strings.Join(variables, "\n"), "127.0.0.1:PORT", address), "\n"))
	var mu sync.Mutex
	p := &catalogueProvider{version: "test", environment: env, dial: func(ctx context.Context, network, to string) (net.Conn, error) {
		mu.Lock()
		dialled = append(dialled, to)
		mu.Unlock()
		if to != address {
			return nil, errors.New("this test connects to nothing but its proxy")
		}
		return (&net.Dialer{}).DialContext(ctx, network, to)
	}}
	// The certificate of httptest is for example.com.
	e := configure(t, p, northwind("https://example.com").merge(arguments{argCACertificate: authority, argMaxRetries: 0}))
	state, diagnostics = e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
	return dialled, state, diagnostics
}

// TestProxies: HTTPS_PROXY and NO_PROXY are honoured.
func TestProxies(t *testing.T) {
	t.Parallel()
	const here, straight = "HTTPS_PROXY=http://127.0.0.1:PORT", "example.com:443"
	if dialled, state, diagnostics := throughProxy(t, nil, true, here); state == nil || slices.Contains(dialled, straight) {
		t.Errorf("dialled %q: %s", dialled, rendered(diagnostics))
	}
	if dialled, _, _ := throughProxy(t, nil, true, here, "NO_PROXY=example.com"); !slices.Equal(dialled, []string{straight}) {
		t.Errorf("dialled %q with NO_PROXY", dialled)
	}
}

// proxyScenes returns scenes of proxies. A message about a failure behind a proxy names the proxy, because it may be
// the cause.
func proxyScenes() []scene {
	const here, credentials = "HTTPS_PROXY=http://127.0.0.1:PORT", "HTTPS_PROXY=http://user:hunter2@127.0.0.1:PORT"
	through := func(title string, proxy http.Handler, variables ...string) scene {
		return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
			_, _, diagnostics := throughProxy(t, proxy, false, variables...)
			return diagnostics
		}}
	}
	answers := func(status int) http.Handler { return answering(status, "text/html", "<html>No.</html>") }
	negotiates := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Proxy-Authenticate"] = []string{"Negotiate", "NTLM"}
		answers(407).ServeHTTP(w, r)
	})
	speaksSOCKS := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		client, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(client, "\x05\xff")
			_ = client.Close()
		}
	})
	silent := tunnel(func(client net.Conn) { _, _ = io.Copy(io.Discard, client) })
	return []scene{
		through("a proxy rejects user name and password", answers(407), credentials),
		through("a proxy asks for user name and password", answers(407), here),
		through("a proxy asks for a login of Windows", negotiates, credentials),
		through("a proxy does not allow the host, and NO_PROXY does not apply", answers(403), here, "NO_PROXY=a.example;example.com"),
		through("a proxy does not find the host", answers(404), credentials),
		through("HTTP_PROXY in place of HTTPS_PROXY", nil, "HTTP_PROXY=http://127.0.0.1:PORT"),
		through("NO_PROXY takes the host out", nil, here, "NO_PROXY=example.com"),
		through("an unknown authority behind a proxy", nil, here),
		through("a proxy of SOCKS, named as one of HTTP", speaksSOCKS, here),
		through("a proxy is silent", silent, here, "MODELCATALOGUE_REQUEST_TIMEOUT=300ms"),
	}
}
