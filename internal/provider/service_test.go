package provider

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// onFakeClock runs a test in a bubble of testing/synctest, beside others.
func onFakeClock(t *testing.T, test func(*testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// inMemory configures a provider for a service without a socket: waiting on a socket stops the clock of a bubble.
func inMemory(t *testing.T, service http.Handler, more arguments) *engine {
	t.Helper()
	dial, closeAll := sandboxtest.Pipe(service)
	t.Cleanup(closeAll)
	return configure(t, &catalogueProvider{version: "test", dial: dial}, northwind("http://localhost").merge(more))
}

// The tests of the client use these, too.
var (
	manyGroups     = sandboxtest.ManyGroups
	groupID        = sandboxtest.GroupID
	limited        = sandboxtest.Limited
	expectRequests = sandboxtest.ExpectRequests
)

// A reading is one data source block. An answer is what an engine gets for it.
type (
	reading struct {
		name   string
		config arguments
	}
	answer struct {
		state       map[string]any
		diagnostics []*tfprotov6.Diagnostic
	}
)

// eachGroup returns a block for each of some groups of manyGroups.
func eachGroup(from, to int) []reading {
	var readings []reading
	for i := from; i < to; i++ {
		readings = append(readings, reading{"model_group", arguments{"id": groupID(i)}})
	}
	return readings
}

// readAll reads blocks, several at a time, as an engine does.
func (e *engine) readAll(t *testing.T, parallelism int, readings []reading) []answer {
	t.Helper()
	return e.readAllIn(t.Context(), t, parallelism, readings)
}

func (e *engine) readAllIn(ctx context.Context, t *testing.T, parallelism int, readings []reading) []answer {
	t.Helper()
	answers := make([]answer, len(readings))
	turns := make(chan struct{}, parallelism)
	var all sync.WaitGroup
	for i, r := range readings {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			answers[i].state, answers[i].diagnostics = e.read(ctx, t, r.name, r.config)
		})
	}
	all.Wait()
	return answers
}

// outcome is the expected error of a read.
type outcome struct {
	argument, summary string
	says              []string
}

// expectOutcomes expects exactly these errors, in that order.
func expectOutcomes(t *testing.T, diagnostics []*tfprotov6.Diagnostic, want ...outcome) {
	t.Helper()
	if len(diagnostics) != len(want) {
		t.Fatalf("%d errors, want %d:\n%s\nwant %+v", len(diagnostics), len(want), rendered(diagnostics), want)
	}
	for i, w := range want {
		expectError(t, diagnostics[i:i+1], w.argument, w.summary, w.says...)
	}
}

const sec = time.Second

// mainPath is the path of mainGroup.
const mainPath = "/v1/model-group/" + mainGroup

// status returns a fault with that status for reads of the group, that many times.
func status(code int, body string, times int) sandbox.Fault {
	return sandbox.Fault{Route: sandbox.RouteGroup, Status: code, Body: body, Times: times}
}

// closing closes the connection after a token. If net/http finds a kept connection closed, it sends a GET again
// (RFC 9112 §9.3.1), and a row would count one request too many.
var closing = sandbox.Fault{
	Route: sandbox.RouteToken,
	Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		header.Set("Connection", "close")
		return status, header, body
	},
}

// answering returns a handler with one answer.
func answering(status int, contentType, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client may read only part of it
	}
}

// respell returns a fault: it replaces texts in answers.
func respell(route sandbox.Route, oldnew ...string) sandbox.Fault {
	replacer := strings.NewReplacer(oldnew...)
	return sandbox.Fault{
		Route: route,
		Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
			return status, header, []byte(replacer.Replace(string(body)))
		},
	}
}
