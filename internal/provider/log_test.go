package provider

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
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

// TestTheLogSaysWhyAPlanStandsStill: at INFO stands what a plan waits for, and at DEBUG each request.
func TestTheLogSaysWhyAPlanStandsStill(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		service.Inject(limited(sandbox.RouteGroup, "3", 1))
		service.Inject(status(503, `{"code":"DOWN","message":"Down."}`, 1))
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Status: 401, Times: 1})
		var written logs
		_, diagnostics := inMemory(t, service, nil).read(written.in(t.Context()), t, oneGroup.name, oneGroup.config)
		expectNone(t, diagnostics)
		for level, parts := range map[string][]string{
			"info": {
				"A token is asked for: there is none", "Waiting 3s for the pause that the service asked for (429 for GET " + mainPath + ")",
				": 503 Service Unavailable, code DOWN: Down", "The token is not used again: 401 for GET " + mainPath,
			},
			"debug": {
				"POST /v1/auth/token 200 in 0 ms, attempt 1", "GET " + mainPath + " 429 in 0 ms, attempt 1", "503 in 0 ms, attempt 2",
				"GET " + mainPath + " 200 in 0 ms, attempt 4",
			},
		} {
			said := written.messages(t, level)
			for _, part := range parts {
				if !slices.ContainsFunc(said, func(message string) bool { return strings.Contains(message, part) }) {
					t.Errorf("no line at %s says %q:\n%q", level, part, said)
				}
			}
			if slices.ContainsFunc(said, func(message string) bool {
				return strings.HasSuffix(message, ".") || level == "info" && strings.Contains(message, "attempt 1")
			}) {
				t.Errorf("a line ends in a full stop, to which the log adds a colon, or a request is at INFO:\n%q", said)
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
		service.Inject(sandbox.Fault{Route: sandbox.RouteGroups, Kind: sandbox.Hang, Times: 1})
		e := inMemory(t, service, arguments{argRequestTimeout: "3s"})
		var written logs
		_, diagnostics := e.read(written.in(t.Context()), t, "model_groups", arguments{"time_horizon": "day_ahead"})
		expectNone(t, diagnostics)
		const group = "debug GET /v1/model-group?timeHorizon=day_ahead "
		var got []string
		for _, line := range written.lines(t) {
			if line["http_method"] == nil {
				continue
			}
			for name, value := range line {
				if _, isText := value.(string); !isText && !strings.HasPrefix(name, "@") && !strings.HasPrefix(name, "tf_") {
					t.Errorf("%s is %v, no string", name, value)
				}
			}
			if size := fmt.Sprint(line["size_bytes"]); len(size) > 1 {
				line["size_bytes"] = "some"
			}
			fields := fmt.Sprintf("%v %v %v %v, attempt %v, %v ms, %v bytes, %v, %v, waited for %v",
				line["@level"], line["http_method"], line["http_path"], line["http_status"], line["attempt"],
				line["duration_ms"], line["size_bytes"], line["request_id"], line["http_problem"], line["waited_for"])
			got = append(got, strings.ReplaceAll(fields, "<nil>", "-"))
		}
		expectSame(t, got, []string{
			"debug POST /v1/auth/token 200, attempt 1, 0 ms, some bytes, sandbox-000001, -, waited for -",
			group + "503, attempt 1, 250 ms, 4 bytes, sandbox-000002, -, waited for -",
			group + "0, attempt 2, 3000 ms, 0 bytes, -, context deadline exceeded, waited for its back-off",
			group + "200, attempt 3, 0 ms, some bytes, sandbox-000004, -, waited for its back-off",
		})
	})
}

// Both have characters that encodings spell in their own ways.
const (
	oddSecret = `s3cr&t "/+?é<~> 100% zyxwvuts`
	oddToken  = `t0k/en+&=?"<>%41~abcdefghijkl`
)

// spellingsOf lists how a service may write a credential.
func spellingsOf(credential string) []string {
	inJSON := document(credential)
	return []string{
		credential, url.QueryEscape(credential), inJSON[1 : len(inJSON)-1],
		base64.StdEncoding.EncodeToString([]byte(credential)), base64.StdEncoding.EncodeToString([]byte("northwind:" + credential)),
	}
}

// echoes is what a service says that shows all that it was sent.
var echoes = strings.Join(append(spellingsOf(oddSecret), spellingsOf(oddToken)...), " | ")

// expectHidden wants no credential in a text, in no spelling.
func expectHidden(t *testing.T, what, text string) {
	t.Helper()
	for _, needle := range append(spellingsOf(oddSecret), append(spellingsOf(oddToken), "s3cr", "zyxwvuts", "abcdefgh")...) {
		if i := strings.Index(text, needle); i >= 0 {
			t.Errorf("%s shows %q: …%s…", what, needle, text[max(0, i-100):min(len(text), i+len(needle)+100)])
		}
	}
}

func document(fields any) string {
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestAServiceThatEchoesCredentials: whatever it answers to a read, and in whichever header,
// no diagnostic, no state and no log at TRACE has them.
func TestAServiceThatEchoesCredentials(t *testing.T) {
	t.Parallel()
	refusal := document(map[string]any{
		"code": echoes, "message": echoes, "data": map[string]any{"issues": []any{map[string]any{"field": echoes, "messages": []string{echoes}}}},
	})
	for name, answer := range map[string]http.HandlerFunc{
		"a good read":   answering(200, "application/json", `{"id":"a","name":"b"}`),
		"400, JSON":     answering(400, "application/json", refusal),
		"403, HTML":     answering(403, "text/html", "<html><title>"+echoes+"</title>"+echoes),
		"429":           answering(429, "application/json", refusal, "Retry-After", echoes),
		"cut by us":     answering(404, "text/plain", strings.Repeat(" ", 4000-10)+oddSecret),
		"a redirect":    answering(307, "text/plain", "", "Location", "https://elsewhere.example/?"+url.Values{"a": {oddSecret}}.Encode()),
		"another shape": answering(200, "application/json", document(map[string]any{"axes": []any{map[string]any{echoes: 1, "values": echoes}}})),
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					for _, header := range []string{"X-Request-Id", "Www-Authenticate", "Server", "Set-Cookie"} {
						w.Header().Set(header, echoes)
					}
					if r.Method == http.MethodPost {
						answering(200, "application/json", document(map[string]any{"access_token": oddToken, "token_type": "Bearer"}))(w, r)
						return
					}
					answer(w, r)
				})
				e := inMemory(t, service, arguments{argClientSecret: oddSecret, argMaxRetries: 1, argReadTimeout: "20s"})
				var written logs
				state, diagnostics := e.read(written.in(t.Context()), t, "model_group", arguments{"id": "a"})
				if failed(diagnostics) != (name != "a good read") || !strings.Contains(written.String(), `"request_id":"***`) {
					t.Fatalf("%v, and a log of\n%s", diagnostics, written.String())
				}
				expectHidden(t, "the message", rendered(diagnostics))
				expectHidden(t, "the state", fmt.Sprint(state))
				expectHidden(t, "the log", written.String())
			})
		})
	}
}
