// Package sandboxtest is what tests take from the sandbox beside the service
// itself: [Start] serves it on a loopback port, [Pipe] in memory for tests with
// a fake clock, and [Shuffle] puts its answers into another order.
package sandboxtest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
)

// TB is what [Start] needs of a test, which is a [testing.TB].
type TB interface {
	Helper()
	Cleanup(cleanup func())
}

// Start serves the sandbox on a loopback port until the test ends, and returns
// its base URL, without a trailing slash.
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
