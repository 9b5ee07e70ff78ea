package sandboxtest

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
)

// Pipe serves h over connections in memory. Dial, as the DialContext of an
// [http.Transport], connects to it whatever the address; closeAll ends the
// server, its connections and the requests under way.
//
// It is for the bubble of a testing/synctest test, where a goroutine that
// waits on a socket keeps the fake clock from moving, and one that waits on a
// pipe does not. Call it, and closeAll, inside the bubble.
func Pipe(h http.Handler) (dial DialFunc, closeAll func()) { return pipe(h, nil) }

// DialFunc is the DialContext of an [http.Transport].
type DialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// PipeTLS does what [Pipe] does, over TLS with that certificate, by HTTP/2 for who speaks it.
func PipeTLS(h http.Handler, certificate tls.Certificate) (dial DialFunc, closeAll func()) {
	// A session ticket would wait for a reader, because a pipe has no buffer.
	return pipe(h, &tls.Config{
		Certificates: []tls.Certificate{certificate}, SessionTicketsDisabled: true, MinVersion: tls.VersionTLS12,
	})
}

func pipe(h http.Handler, overTLS *tls.Config) (dial DialFunc, closeAll func()) {
	ctx, cancel := context.WithCancel(context.Background())
	listener := &pipeListener{accepted: make(chan net.Conn), closed: make(chan struct{})}
	// No time-outs: a fake clock would run into them at once, and a connection
	// that waits for its first request would be lost.
	server := &http.Server{ //nolint:gosec // reachable from this process only
		Handler:     h,
		BaseContext: func(net.Listener) context.Context { return ctx },
		TLSConfig:   overTLS,
	}
	serve := server.Serve
	if overTLS != nil {
		server.ErrorLog = log.New(io.Discard, "", 0) // a client that breaks a handshake off is no error
		serve = func(listener net.Listener) error { return server.ServeTLS(listener, "", "") }
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = serve(listener) // always an error, that of closing
	}()
	return listener.dial, func() {
		cancel()
		_ = server.Close()
		<-served
	}
}

type pipeListener struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once

	mu    sync.Mutex
	dials int
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	l.mu.Lock()
	l.dials++
	name := pipeAddr("pipe:" + strconv.Itoa(l.dials))
	l.mu.Unlock()
	client, server := net.Pipe()
	select {
	case l.accepted <- pipeConn{server, name}:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.accepted:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return pipeAddr("pipe") }

// pipeConn has an address of its own, so that connections can be told apart.
type pipeConn struct {
	net.Conn
	remote pipeAddr
}

func (c pipeConn) RemoteAddr() net.Addr { return c.remote }

type pipeAddr string

func (a pipeAddr) Network() string { return "pipe" }
func (a pipeAddr) String() string  { return string(a) }
