package provider

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// pipes is a listener whose connections are in memory, so that it works on a
// fake clock. dial is its other side.
type pipes struct {
	connections chan net.Conn
	dialled     []*deadEnd
}

func (p *pipes) Accept() (net.Conn, error) {
	connection, ok := <-p.connections
	if !ok {
		return nil, net.ErrClosed
	}
	return connection, nil
}

func (p *pipes) Close() error   { return nil }
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
	certified := httptest.NewTLSServer(nil)
	certified.Close()
	synctest.Test(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		var protocols []string
		listener := &pipes{connections: make(chan net.Conn)}
		server := &http.Server{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				protocols = append(protocols, r.Proto)
				service.ServeHTTP(w, r)
			}),
			TLSConfig: &tls.Config{Certificates: certified.TLS.Certificates},
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = server.ServeTLS(listener, "", "")
		}()
		e, diagnostics := startEngine(
			t, &catalogueProvider{version: "test", dial: listener.dial}, northwind("https://example.com").merge(arguments{
				argCACertificate:  string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certified.Certificate().Raw})),
				argRequestTimeout: "6s", argSnapshot: false,
			}))
		expectNone(t, diagnostics)
		e.mustRead(t, "model_group", arguments{"id": mainGroup})
		listener.dialled[0].dead.Store(true)
		began := time.Now()
		e.mustRead(t, "model_group", arguments{"id": mainGroup})
		// A ping goes unanswered within the first attempt; the second attempt
		// goes over another connection.
		if took := time.Since(began); took > 8*sec || len(listener.dialled) != 2 {
			t.Errorf("it took %s over %d connections, want 2", took, len(listener.dialled))
		}
		for _, protocol := range protocols {
			if protocol != "HTTP/2.0" {
				t.Errorf("a request came by %s", protocol)
			}
		}
		close(listener.connections)
		_ = server.Close()
		<-ended
		for _, connection := range listener.dialled {
			_ = connection.Close()
		}
	})
}
