package provider

import (
	"fmt"
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
	return dialling(t, dial, more)
}

// dialling configures a provider that connects by dial.
func dialling(t *testing.T, dial dialFunc, more arguments) *engine {
	t.Helper()
	e, diagnostics := startEngine(t, &catalogueProvider{version: "test", dial: dial}, northwind("http://localhost").merge(more))
	expectNone(t, diagnostics)
	return e
}

// merge returns a copy with more arguments.
func (a arguments) merge(more arguments) arguments {
	for name, value := range more {
		a = a.with(name, value)
	}
	return a
}

// manyGroups is a catalogue of so many groups, group-000 and so on, each with
// the revisions 1 and 2.
func manyGroups(t *testing.T, n int) *sandbox.Catalogue {
	t.Helper()
	groups := make([]string, 0, n)
	for i := range n {
		groups = append(groups, fmt.Sprintf(`{"owner": "Northwind", "group": {"id": %q, "name": "Group %d", "public": true},
			"models": [
				{"id": "%[2]d-1", "revision": 1, "dockerImage": "image:1"},
				{"id": "%[2]d-2", "revision": 2, "dockerImage": "image:2"}
			]}`, groupID(i), i))
	}
	c, err := sandbox.ParseCatalogue(strings.NewReader(`{
		"organisations": [{"name": "Northwind", "clientId": "northwind", "clientSecret": "northwind-sandbox-secret"}],
		"modelGroups": [` + strings.Join(groups, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func groupID(i int) string { return fmt.Sprintf("group-%03d", i) }

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

// readAll reads all of them, so many at once, as an engine does.
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

func expectAllRead(t *testing.T, answers []answer) {
	t.Helper()
	for _, a := range answers {
		expectNone(t, a.diagnostics)
		if a.state == nil {
			t.Fatal("neither a state nor a diagnostic")
		}
	}
}

// outcome is how a read has to end: well, unless there is a summary.
type outcome struct {
	argument, summary string
	says              []string
}

func (o outcome) expect(t *testing.T, state map[string]any, diagnostics []*tfprotov6.Diagnostic) {
	t.Helper()
	switch {
	case o.summary != "":
		expectError(t, diagnostics, o.argument, o.summary, o.says...)
	default:
		expectAllRead(t, []answer{{state: state, diagnostics: diagnostics}})
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

// limited refuses so many requests of a route with that Retry-After, "-" for
// none at all.
func limited(route sandbox.Route, retryAfter string, times int) sandbox.Fault {
	fault := sandbox.Refuse(route, "RATE_LIMITED", "Too many requests.")
	if retryAfter != "-" {
		fault.Header.Set("Retry-After", retryAfter)
	}
	fault.Times = times
	return fault
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

func parse(t *testing.T, catalogue string) *sandbox.Catalogue {
	t.Helper()
	c, err := sandbox.ParseCatalogue(strings.NewReader(catalogue))
	if err != nil {
		t.Fatal(err)
	}
	return c
}
