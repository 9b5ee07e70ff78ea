package provider

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-log/tfsdklogtest"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// logs is the log of a provider at TRACE: its own lines and its framework's.
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

// messages returns the lines of a level, without their fields.
func (l *logs) messages(t *testing.T, level string) (messages []string) {
	t.Helper()
	for _, line := range l.lines(t) {
		if message, ok := line["@message"].(string); ok && line["@level"] == level {
			messages = append(messages, message)
		}
	}
	return messages
}

// TestTheLog: at INFO the log has the waits of a plan, and at DEBUG each request with its fields. The fields are
// strings, because the masks of terraform-plugin-log reach nothing else.
func TestTheLog(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(limited(sandbox.RouteGroup, "3", 1))
		service.Inject(sandbox.Fault{
			Route:  sandbox.RouteGroup,
			Status: 503,
			Body:   `{"code":"DOWN","message":"Down."}`,
			Times:  1,
			Delay:  sec / 4,
		})
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Status: 401, Times: 1})
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Hang: true, Times: 1})
		e := inMemory(t, service, arguments{argRequestTimeout: "3s"})
		var written logs
		_, diagnostics := e.read(written.in(t.Context()), t, oneGroup.name, oneGroup.config)
		expectNone(t, diagnostics)
		info := written.messages(t, "info")
		for _, part := range []string{
			"Requesting a token: the first one", "Waiting 3s for the pause that the service asked for (status 429)",
			": 503 Service Unavailable, code DOWN: Down", "GET http://localhost" + mainPath + " answered 401; the token is discarded",
		} {
			if !strings.Contains(strings.Join(info, "\n"), part) {
				t.Errorf("no line says %q:\n%q", part, info)
			}
		}
		if slices.ContainsFunc(info, func(line string) bool { return strings.HasSuffix(line, ".") }) {
			t.Errorf("a line ends in a full stop, to which the log adds a colon:\n%q", info)
		}
		var requests []string
		size := regexp.MustCompile(`[1-9]\d+ sandbox`)
		for _, line := range written.lines(t) {
			if line["http_method"] == nil || line["@level"] != "debug" {
				continue
			}
			for name, value := range line {
				if _, isText := value.(string); !isText && !strings.HasPrefix(name, "@") && !strings.HasPrefix(name, "tf_") {
					t.Errorf("%s is %v, not a string", name, value)
				}
			}
			fields := fmt.Sprintln(line["@message"], "|", line["http_method"], line["http_path"], line["http_status"], line["attempt"],
				line["duration_ms"], line["size_bytes"], line["request_id"], line["http_problem"], line["waited_for"])
			fields = strings.NewReplacer("<nil>", "-", mainPath, "/g", "\n", "").Replace(fields)
			requests = append(requests, size.ReplaceAllString(fields, "SIZE sandbox"))
		}
		expectSame(t, requests, []string{
			"POST /v1/auth/token 200 in 0 ms, attempt 1 | POST /v1/auth/token 200 1 0 SIZE sandbox-000001 - -",
			"GET /g 429 in 0 ms, attempt 1 | GET /g 429 1 0 SIZE sandbox-000002 - -",
			"GET /g 503 in 250 ms, attempt 2 | GET /g 503 2 250 SIZE sandbox-000003 - the pause that the service asked for",
			"GET /g 401 in 0 ms, attempt 3 | GET /g 401 3 0 0 sandbox-000004 - its back-off",
			"POST /v1/auth/token 200 in 0 ms, attempt 1 | POST /v1/auth/token 200 1 0 SIZE sandbox-000005 - -",
			"GET /g without an answer in 3000 ms, attempt 4: no whole answer within 3s | GET /g 0 4 3000 0 - no whole answer within 3s -",
			"GET /g 200 in 0 ms, attempt 5 | GET /g 200 5 0 SIZE sandbox-000007 - its back-off",
		})
	})
}
