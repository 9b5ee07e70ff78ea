package provider

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"maps"
	"math/big"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// listen serves the simulated service with net/http over connections in memory,
// by HTTP/2 over TLS or by HTTP/1.1 without.
func (s *simService) listen(http2 bool) (dial dialFunc, url string, more arguments, closeAll func()) {
	if !http2 {
		dial, closeAll = sandboxtest.Pipe(s)
		return dial, "http://localhost", arguments{}, closeAll
	}
	certificate, authority := simCertificate()
	ctx, cancel := context.WithCancel(context.Background())
	listener := &simListener{accepted: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{
		Handler: s, BaseContext: func(net.Listener) context.Context { return ctx },
		// Connections in memory have no buffer: a ticket would wait for a reader.
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, SessionTicketsDisabled: true},
		ErrorLog:  log.New(io.Discard, "", 0),
	}
	var served sync.WaitGroup
	served.Go(func() { _ = server.ServeTLS(listener, "", "") })
	return listener.dial, "https://localhost", arguments{argCACertificate: authority}, func() {
		cancel()
		_ = server.Close()
		served.Wait()
	}
}

// ServeHTTP is the service at the end of a connection.
func (s *simService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	x := s.arrive(r.Context(), r.Method, r.URL.RequestURI(), r.Header)
	reply, err := s.answer(r.Context(), x, body)
	if err != nil {
		s.end(x, err)
		abort(w)
	}
	maps.Copy(w.Header(), reply.header)
	if w.Header().Set("Date", s.clock().Format(http.TimeFormat)); reply.undated {
		w.Header()["Date"] = nil
	}
	if !reply.cut {
		w.Header().Set("Content-Length", strconv.Itoa(len(reply.body)))
	}
	s.header(x, reply)
	w.WriteHeader(reply.status)
	flush := http.NewResponseController(w)
	_ = flush.Flush()
	if err := pass(r.Context(), reply.stall); err != nil {
		s.end(x, err)
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(reply.body)
	_ = flush.Flush()
	s.mu.Lock()
	x.delivered, x.cut = true, reply.cut || reply.halved
	s.mu.Unlock()
	s.end(x, nil)
	if reply.cut {
		panic(http.ErrAbortHandler)
	}
}

// abort breaks a connection after a part of a header: net/http sends a request
// again where a connection that it used before ends without a byte.
func abort(w http.ResponseWriter) {
	if hijacker, ok := w.(http.Hijacker); ok {
		if conn, _, err := hijacker.Hijack(); err == nil {
			_, _ = io.WriteString(conn, "HTTP/1.1 2")
			_ = conn.Close()
			// Nothing must be written after that.
		}
	}
	panic(http.ErrAbortHandler)
}

// simListener hands the other end of each dialled connection to a server.
type simListener struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func (l *simListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.accepted <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *simListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.accepted:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *simListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *simListener) Addr() net.Addr { return &net.IPAddr{} }

// simCertificate is made once, for localhost and for the fake clock's years.
var simCertificate = sync.OnceValues(func() (tls.Certificate, string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
})
