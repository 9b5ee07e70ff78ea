package provider

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := sandbox.New(sandbox.Default())
	target := sandboxtest.Start(t, elsewhere) + mainPath
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, route := range []sandbox.Route{sandbox.RouteToken, sandbox.RouteGroup} {
			e, service := sandboxEngine(t)
			service.Inject(sandbox.Fault{Route: route, Status: status, Header: http.Header{"Location": {target}}})
			expectError(t, e.refused(t, "model_group", arguments{"id": mainGroup}), "", summaryRedirect, "a redirect to "+target,
				fmt.Sprintf("Status %d ", status))
			if got := service.Count(route); got != 1 {
				t.Errorf("%d requests", got)
			}
		}
	}
	expectRequests(t, elsewhere, nil)
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

// TestTLS: an authority that is given is trusted, and TLS before 1.2 is refused.
func TestTLS(t *testing.T) {
	t.Parallel()
	for version, works := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		service := sandbox.New(sandbox.Default())
		server, authority := overTLS(t, service, &tls.Config{MinVersion: version, MaxVersion: version})
		e := newEngine(t, northwind(server.URL).merge(arguments{argCACertificate: authority, argMaxRetries: 0}))
		want := outcome{summary: summaryUntrusted, says: []string{"does not support TLS 1.2 or later", "protocol version"}}
		if works {
			want = outcome{}
		}
		state, diagnostics := e.read(t.Context(), t, "model_group", arguments{"id": mainGroup})
		want.expect(t, state, diagnostics)
		if n := service.Count(sandbox.RouteAny); n > 0 != works {
			t.Errorf("%s: %d requests", tls.VersionName(version), n)
		}
	}
}

func TestUserAgent(t *testing.T) {
	t.Parallel()
	for appended, want := range map[string]string{
		"":                         "",
		"ci/1.2 (a b)":             " ci/1.2 (a b)",
		"ci/1\r\nX-Injected: yes":  " ci/1 X-Injected: yes",
		"\n":                       "",
		"a\tb\x00c\x7fd\u0085e\n ": " a b c d e",
	} {
		env := environmentOf([]string{"TF_APPEND_USER_AGENT=" + appended})
		service := sandbox.New(sandbox.Default())
		e := configure(t, &catalogueProvider{version: "test", environment: &env}, northwind(sandboxtest.Start(t, service)))
		e.mustRead(t, "model_group", arguments{"id": mainGroup})
		for _, r := range service.Requests() {
			if got := r.Header.Get("User-Agent"); got != "terraform-provider-modelcatalogue/test"+want {
				t.Errorf("%s: %q appended: User-Agent %q", r.Path, appended, got)
			}
		}
	}
}

// pipes is a listener whose connections are in memory, so that it works on a
// fake clock. dial is its other side.
type pipes struct {
	connections chan net.Conn
	dialled     []*deadEnd
}

func (p *pipes) Accept() (net.Conn, error) {
	if connection, ok := <-p.connections; ok {
		return connection, nil
	}
	return nil, net.ErrClosed
}

func (p *pipes) Close() error {
	close(p.connections)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	connection := &deadEnd{Conn: near}
	p.dialled = append(p.dialled, connection)
	p.connections <- far
	return connection, nil
}

// deadEnd is a connection that can go dead without a sign: what is written to
// it is lost, and nothing comes back.
type deadEnd struct {
	net.Conn
	dead atomic.Bool
}

func (c *deadEnd) Write(b []byte) (int, error) {
	if c.dead.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// TestADeadConnectionOfHTTP2IsNotUsedAgain: HTTP/2 sends every request over one
// connection, so that a dead one would fail all attempts of a read.
func TestADeadConnectionOfHTTP2IsNotUsedAgain(t *testing.T) {
	t.Parallel()
	certified, authority := overTLS(t, http.NotFoundHandler(), nil)
	synctest.Test(t, func(t *testing.T) {
		service, network := sandbox.New(sandbox.Default()), &pipes{connections: make(chan net.Conn)}
		server := &http.Server{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.ProtoMajor != 2 {
					t.Errorf("a request came by %s", r.Proto)
				}
				service.ServeHTTP(w, r)
			}),
			TLSConfig: &tls.Config{Certificates: certified.TLS.Certificates},
		}
		var serving sync.WaitGroup
		serving.Go(func() { _ = server.ServeTLS(network, "", "") })
		e := configure(t, &catalogueProvider{version: "test", dial: network.dial}, northwind("https://example.com").merge(arguments{
			argCACertificate: authority, argRequestTimeout: "6s", argSnapshot: false,
		}))
		e.mustRead(t, "model_group", arguments{"id": mainGroup})
		network.dialled[0].dead.Store(true)
		began := time.Now()
		e.mustRead(t, "model_group", arguments{"id": mainGroup})
		// A ping goes unanswered within the first attempt; the second attempt
		// goes over another connection.
		if took := time.Since(began); took > 8*sec || len(network.dialled) != 2 {
			t.Errorf("it took %s over %d connections, want 2", took, len(network.dialled))
		}
		_ = server.Close()
		serving.Wait()
		for _, connection := range network.dialled {
			_ = connection.Close()
		}
	})
}
