package sandboxtest

import (
	"context"
	"net"
	"net/http"
)

// Pipe serves h over connections in memory, for tests with a fake clock: a goroutine that waits on a socket would stop
// the clock. Call Pipe and closeAll inside the bubble. The dial function connects to h, whatever the address; closeAll
// ends the server, its connections and its requests.
func Pipe(h http.Handler) (dial DialFunc, closeAll func()) {
	// A fake clock would run into time-outs at once, and a connection that waits for its first request would be lost.
	return PipeTo(&http.Server{Handler: h}) //nolint:gosec // reachable from this process only
}

// PipeTo is Pipe with a server of the caller's: one that has a TLSConfig serves TLS.
func PipeTo(server *http.Server) (dial DialFunc, closeAll func()) {
	ctx, cancel := context.WithCancel(context.Background())
	listener := &pipeListener{accepted: make(chan net.Conn), open: ctx, close: cancel}
	server.BaseContext = func(net.Listener) context.Context { return ctx }
	served := make(chan struct{})
	go func() {
		defer close(served)
		if server.TLSConfig != nil {
			_ = server.ServeTLS(listener, "", "")
			return
		}
		_ = server.Serve(listener) // always an error, that of closing
	}()
	return listener.dial, func() {
		cancel()
		_ = server.Close()
		<-served
	}
}

// DialFunc is the DialContext of an [http.Transport].
type DialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

type pipeListener struct {
	accepted chan net.Conn
	open     context.Context // done once the listener is closed
	close    context.CancelFunc
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.accepted <- server:
		return client, nil
	case <-l.open.Done():
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.accepted:
		return conn, nil
	case <-l.open.Done():
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.close()
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }
