package sandbox

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
)

// TB is what [Sandbox.Start] needs of a test, which is a [testing.TB].
type TB interface {
	Helper()
	Cleanup(cleanup func())
}

// Start serves the sandbox on a loopback port until the test ends, and returns
// its base URL, without a trailing slash.
func (s *Sandbox) Start(tb TB) string {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	server := httptest.NewUnstartedServer(s)
	server.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	server.Start()
	tb.Cleanup(func() {
		// Close waits for requests under way, those that hang included.
		cancel()
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

var _ http.Handler = (*Sandbox)(nil)
