// Package sandboxtest serves a sandbox to tests: [Start] on a loopback port, [Pipe] in memory for a fake clock.
// [Shuffle] changes the order of its answers.
package sandboxtest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Start serves the sandbox on a loopback port until the test ends, and returns its base URL.
func Start(tb testing.TB, service http.Handler) string {
	tb.Helper()
	server := httptest.NewUnstartedServer(service)
	server.Config.BaseContext = func(net.Listener) context.Context { return tb.Context() }
	server.Start()
	tb.Cleanup(func() {
		// Close waits for requests under way. Those that hang have ended with the context.
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}
