// Package workspace sets up what a real engine needs to run a local build of
// the provider against a service on this machine: for the demonstration, the
// benchmarks and the acceptance tests. No release contains it.
package workspace

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Environment is this process's environment without the engine's and the
// provider's settings of whoever runs it, and with more, each as NAME=value.
func Environment(more ...string) []string {
	var env []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "TF_") && !strings.HasPrefix(name, "MODELCATALOGUE_") {
			env = append(env, entry)
		}
	}
	return append(append(env, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1"), more...)
}

// Service is what Environment takes for the service at url.
func Service(url, clientID, clientSecret string) []string {
	return []string{"MODELCATALOGUE_BASE_URL=" + url, "MODELCATALOGUE_CLIENT_ID=" + clientID, "MODELCATALOGUE_CLIENT_SECRET=" + clientSecret}
}

// Override writes an engine's settings to file, by which it takes the provider
// from the folder plugins: no init is needed then, and no registry. The result
// is what Environment takes.
func Override(file, plugins string) (string, error) {
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"modelcatalogue/modelcatalogue\" = %q\n  }\n}\n", filepath.ToSlash(plugins))
	return "TF_CLI_CONFIG_FILE=" + file, os.WriteFile(file, []byte(text), 0o600)
}

// Serve answers on a free loopback port for as long as ctx lasts, and returns
// the base URL. connState, which may be nil, is that of http.Server.
func Serve(ctx context.Context, handler http.Handler, connState func(net.Conn, http.ConnState)) (string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ConnState: connState}
	go func() { _ = server.Serve(listener) }()
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return "http://" + listener.Addr().String(), nil
}
