// Package sandboxtest serves a sandbox to tests: [Start] on a loopback port, [Pipe] in memory for a fake clock.
// [Shuffle] changes the order of its answers.
package sandboxtest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
)

// TB is what [Start] needs of a [testing.TB].
type TB interface {
	Helper()
	Cleanup(cleanup func())
}

// Start serves the sandbox on a loopback port until the test ends, and returns its base URL.
func Start(tb TB, service http.Handler) string {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	server := httptest.NewUnstartedServer(service)
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
