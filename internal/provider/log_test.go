package provider

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-log/tfsdklogtest"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// logs is what a provider logs at TRACE: its own lines and its framework's.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logs) in(ctx context.Context) context.Context {
	return tfsdklogtest.RootLogger(tflogtest.RootLogger(ctx, l), l)
}

func (l *logs) lines(t *testing.T) []map[string]any {
	t.Helper()
	lines, err := tflogtest.MultilineJSONDecode(strings.NewReader(l.String()))
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// messages are the lines of a level, without their fields.
func (l *logs) messages(t *testing.T, level string) (messages []string) {
	t.Helper()
	for _, line := range l.lines(t) {
		if message, ok := line["@message"].(string); ok && line["@level"] == level {
			messages = append(messages, message)
		}
	}
	return messages
}

// requests are the fields of the lines that tell of a request.
func (l *logs) requests(t *testing.T) []map[string]any {
	t.Helper()
	var found []map[string]any
	for _, line := range l.lines(t) {
		if line["http_method"] != nil {
			found = append(found, line)
		}
	}
	return found
}

// What the process learns of the allowance is logged when it changes.
func TestChangesOfThePaceAreLogged(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		allowance := sandbox.Allowance{Kind: sandbox.FixedWindow, Requests: 20, Per: 10 * sec}
		e := inMemory(t, sandbox.New(manyGroups(t, 60), sandbox.WithAllowance(allowance)), nil)
		var written logs
		for _, r := range eachGroup(0, 60) {
			_, diagnostics := e.read(written.in(t.Context()), t, r.name, r.config)
			expectNone(t, diagnostics)
		}
		if !strings.Contains(written.String(), "The pace is now at most 20 requests in ") {
			t.Error("no line tells of the allowance of 20 requests")
		}
	})
}

// The log says of each wait why it is, in a sentence, and of each request how it went.
func TestWaitsAreLogged(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(limited(sandbox.RouteGroup, "3", 1))
		service.Inject(status(503, `{"code":"DOWN","message":"Down."}`, 1))
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Status: 401, Times: 1})
		e := inMemory(t, service, nil)
		var written logs
		_, diagnostics := e.read(written.in(t.Context()), t, "model_group", arguments{"id": mainGroup})
		expectNone(t, diagnostics)
		said := append(written.messages(t, "info"), written.messages(t, "debug")...)
		for _, want := range []string{
			"A token is asked for: there is none yet",
			"POST /v1/auth/token 200 in 0 ms, attempt 1",
			"GET " + mainPath + " 429 in 0 ms, attempt 1",
			"The service asked for a pause of 3s (429 for GET " + mainPath + ")",
			"503 in 0 ms, attempt 2",
			": 503 Service Unavailable, code DOWN: Down",
			"The token is not used again: 401 for GET " + mainPath,
			"A token is asked for: the last one was refused",
			"GET " + mainPath + " 200 in 0 ms, attempt 4",
		} {
			if !slices.ContainsFunc(said, func(message string) bool { return strings.Contains(message, want) }) {
				t.Errorf("no line says %q:\n%q", want, said)
			}
		}
	})
}

// TestEachRequestIsLogged at DEBUG, with these fields. Masks of terraform-plugin-log
// reach nothing but strings, so every field is one.
func TestEachRequestIsLogged(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroups, Status: 503, Body: "busy", Times: 1, Delay: sec / 4})
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroups, Kind: sandbox.CutLength, Times: 1})
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroups, Kind: sandbox.Hang, Times: 1})
		e := inMemory(t, service, arguments{argRequestTimeout: "3s"})
		var written logs
		_, diagnostics := e.read(written.in(t.Context()), t, "model_groups", arguments{"time_horizon": "day_ahead"})
		expectNone(t, diagnostics)
		const group = " GET /v1/model-group?timeHorizon=day_ahead "
		want := []string{
			"debug POST /v1/auth/token 200, attempt 1, 0 ms, some bytes, sandbox-000001, <nil>",
			"debug" + group + "503, attempt 1, 250 ms, 4 bytes, sandbox-000002, <nil>",
			"debug" + group + "200, attempt 2, 0 ms, some bytes, sandbox-000003, unexpected EOF",
			"debug" + group + "0, attempt 3, 3000 ms, 0 bytes, <nil>, context deadline exceeded",
			"debug" + group + "200, attempt 4, 0 ms, some bytes, sandbox-000005, <nil>",
		}
		var got []string
		for _, line := range written.requests(t) {
			for name, value := range line {
				if _, isText := value.(string); !isText && !strings.HasPrefix(name, "@") && !strings.HasPrefix(name, "tf_") {
					t.Errorf("%s is %v, no string", name, value)
				}
			}
			if size := fmt.Sprint(line["size_bytes"]); strings.Trim(size, "0123456789") == "" && len(size) > 1 {
				line["size_bytes"] = "some"
			}
			got = append(got, fmt.Sprintf("%v %v %v %v, attempt %v, %v ms, %v bytes, %v, %v", line["@level"], line["http_method"], line["http_path"],
				line["http_status"], line["attempt"], line["duration_ms"], line["size_bytes"], line["request_id"], line["http_problem"]))
		}
		expectSame(t, got, want)
	})
}
