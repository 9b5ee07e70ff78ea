package provider

import (
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

// inMemory configures a provider for a service that is reached without a
// socket: one that waits on a socket keeps the clock of a bubble from moving.
func inMemory(t *testing.T, service http.Handler, more arguments) *engine {
	t.Helper()
	dial, closeAll := sandboxtest.Pipe(service)
	t.Cleanup(closeAll)
	return configure(t, &catalogueProvider{version: "test", dial: dial}, northwind("http://localhost").merge(more))
}

// What the tests of the client take as well.
var (
	manyGroups     = sandboxtest.ManyGroups
	groupID        = sandboxtest.GroupID
	limited        = sandboxtest.Limited
	expectRequests = sandboxtest.ExpectRequests
)

// reading is one data source block, answer what an engine gets for it.
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

// eachGroup reads groups of manyGroups, one block each.
func eachGroup(from, to int) []reading {
	var readings []reading
	for i := from; i < to; i++ {
		readings = append(readings, reading{"model_group", arguments{"id": groupID(i)}})
	}
	return readings
}

// readAll reads all of them, several at once, as an engine does.
func (e *engine) readAll(t *testing.T, parallelism int, readings []reading) []answer {
	t.Helper()
	answers := make([]answer, len(readings))
	turns := make(chan struct{}, parallelism)
	var all sync.WaitGroup
	for i, r := range readings {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			answers[i].state, answers[i].diagnostics = e.read(t.Context(), t, r.name, r.config)
		})
	}
	all.Wait()
	return answers
}

// outcome is an error that a read has to end with.
type outcome struct {
	argument, summary string
	says              []string
}

// expectTold wants exactly these errors, in that order.
func expectTold(t *testing.T, diagnostics []*tfprotov6.Diagnostic, want ...outcome) {
	t.Helper()
	if len(diagnostics) != len(want) {
		t.Fatalf("%d errors, want %d:\n%+v", len(diagnostics), len(want), diagnostics)
	}
	for i, w := range want {
		expectError(t, diagnostics[i:i+1], w.argument, w.summary, w.says...)
	}
}

const sec = time.Second

// mainPath is the path of mainGroup.
const mainPath = "/v1/model-group/" + mainGroup

// status is an answer to every read of the group, so often.
func status(code int, body string, times int) sandbox.Fault {
	return sandbox.Fault{Route: sandbox.RouteGroup, Status: code, Body: body, Times: times}
}

// closing is a fault that keeps a connection from being used again: net/http
// replays a GET at once where it finds such a connection closed (RFC 9112
// §9.3.1), which would add a request to those a row counts.
var closing = sandbox.Fault{
	Route: sandbox.RouteToken, Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		header.Set("Connection", "close")
		return status, header, body
	},
}

// answering writes one answer.
func answering(status int, contentType, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // who reads only part of it may be gone
	}
}

// respell is a fault that replaces texts in the service's answers.
func respell(route sandbox.Route, oldnew ...string) sandbox.Fault {
	return sandbox.Fault{Route: route, Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		return status, header, []byte(strings.NewReplacer(oldnew...).Replace(string(body)))
	}}
}
