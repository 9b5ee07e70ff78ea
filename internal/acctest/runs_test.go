//go:build !windows

package acctest_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// These tests run whole commands of an engine, with the provider as a separate process. They concern processes,
// signals, the environment, output and files.

// TestAccInterruptingAPlan sends an interrupt to both engine and provider, as Ctrl-C does, while the service hangs.
// The provider would wait for a day, so only the interrupt can end the plan.
func TestAccInterruptingAPlan(t *testing.T) {
	t.Parallel()
	const patient = "provider \"modelcatalogue\" {\n  request_timeout = \"24h\"\n  read_timeout = \"24h\"\n}\n"
	w := newWorkspace(t, fromEnvironment(patient+readsGroups),
		sandbox.New(sandbox.Default()), owner)
	hanging := make(chan struct{}, 10)
	w.service.Inject(sandbox.Fault{Route: sandbox.RouteGroups, Hang: true, OnRequest: func(*http.Request) {
		hanging <- struct{}{}
	}})
	var out bytes.Buffer
	cmd := w.Command(t.Context(), "plan")
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	group := -cmd.Process.Pid
	t.Cleanup(func() { _ = syscall.Kill(group, syscall.SIGKILL) }) // if the interrupt did not end them
	select {
	case <-hanging:
	case err := <-gone:
		t.Fatalf("the plan ended by itself: %v\n%s", err, out.String())
	}
	if err := syscall.Kill(group, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	// No time limit, as a busy machine may be slow.
	if err := <-gone; err == nil {
		t.Error("an interrupted plan ended well")
	}
	wantText(t, out.String(), "Interrupt received.", "Error: Read interrupted")
	w.sent(t, sandbox.RouteAny, 1+1) // a token and a list
}

// TestAccNothingLogsStrayBytes sends bytes after a complete answer. net/http would log them, and an engine keeps the
// output of the provider's process. Tests without an engine show that no credential gets from an answer into a log, a
// state or a message.
func TestAccNothingLogsStrayBytes(t *testing.T) {
	t.Parallel()
	const secret = "what-nobody-may-read"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			_, _ = io.WriteString(w, `{"access_token": "t", "token_type": "Bearer"}`)
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"+secret)
		_, _ = io.Copy(io.Discard, conn) // until the client closes it
	}))
	t.Cleanup(server.Close)
	w := workspaceAt(t, fromEnvironment(readsGroups), server.URL, credentials{"northwind", secret})
	file := filepath.Join(t.TempDir(), "engine.log")
	w.Env = append(w.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+file)
	w.expect(t, 0, "plan")
	log := readText(t, file)
	wantText(t, log, "[TRACE]", "GET /v1/model-group 200")
	wantNone(t, log, secret)
}
