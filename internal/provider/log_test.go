package provider

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
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

// TestAPauseSaysHowFarAFleetIs: at INFO a pause is one line, when it begins.
func TestAPauseSaysHowFarAFleetIs(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 100))
		pause := limited(sandbox.RouteLatest, "57", 1)
		pause.Skip = 40
		service.Inject(pause)
		e := inMemory(t, service, nil)
		var written logs
		_, diagnostics := e.read(written.in(t.Context()), t, "latest_models", arguments{"model_group_ids": idsOf(100)})
		expectNone(t, diagnostics)
		var pauses []string
		for _, line := range written.messages(t, "info") {
			if strings.Contains(line, "pause") {
				pauses = append(pauses, line)
			}
		}
		if len(pauses) != 1 || !regexp.MustCompile(`^\d+ of 100 groups read, .*57s`).MatchString(pauses[0]) {
			t.Errorf("%q", pauses)
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
			"A token is asked for: there is none",
			"POST /v1/auth/token 200 in 0 ms, attempt 1",
			"GET " + mainPath + " 429 in 0 ms, attempt 1",
			"The service asked for a pause of 3s (429 for GET " + mainPath + ")",
			"503 in 0 ms, attempt 2",
			": 503 Service Unavailable, code DOWN: Down",
			"The token is not used again: 401 for GET " + mainPath,
			"A token is asked for: ",
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
			"debug POST /v1/auth/token 200, attempt 1, 0 ms, some bytes, sandbox-000001, -, waited for -",
			"debug" + group + "503, attempt 1, 250 ms, 4 bytes, sandbox-000002, -, waited for -",
			"debug" + group + "200, attempt 2, 0 ms, some bytes, sandbox-000003, unexpected EOF, waited for its back-off",
			"debug" + group + "0, attempt 3, 3000 ms, 0 bytes, -, context deadline exceeded, waited for its back-off",
			"debug" + group + "200, attempt 4, 0 ms, some bytes, sandbox-000005, -, waited for its back-off",
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
			fields := fmt.Sprintf("%v %v %v %v, attempt %v, %v ms, %v bytes, %v, %v, waited for %v",
				line["@level"], line["http_method"], line["http_path"], line["http_status"], line["attempt"],
				line["duration_ms"], line["size_bytes"], line["request_id"], line["http_problem"], line["waited_for"])
			got = append(got, strings.ReplaceAll(fields, "<nil>", "-"))
		}
		expectSame(t, got, want)
	})
}

// Both have characters that every encoding spells in its own way. No other text
// holds what their ends look like.
const (
	oddSecret = `s3cr&t "/+?é<~> 100% zyxwvuts`
	oddToken  = `t0k/en+&=?"<>%41~abcdefghijkl`
)

// spellingsOf lists how a credential may be written.
func spellingsOf(credential string) []string {
	inJSON, err := json.Marshal(credential)
	if err != nil {
		panic(err)
	}
	plainJSON := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(credential)
	spellings := []string{
		credential, url.QueryEscape(credential), url.PathEscape(credential), strings.ToLower(url.QueryEscape(credential)),
		string(inJSON[1 : len(inJSON)-1]), plainJSON,
		"northwind:" + credential, url.Values{"x": {credential}}.Encode(),
		strings.ReplaceAll(url.QueryEscape(credential), "+", "%20"),
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		spellings = append(spellings, encoding.EncodeToString([]byte(credential)), encoding.EncodeToString([]byte("northwind:"+credential)),
			encoding.EncodeToString([]byte("Bearer "+credential)), encoding.EncodeToString([]byte(`{"a":"`+credential+`"}`)))
	}
	return spellings
}

// Before there is a token, a service can echo the secret only.
var (
	secretEchoes = strings.Join(spellingsOf(oddSecret), " | ")
	allEchoes    = secretEchoes + " | " + strings.Join(spellingsOf(oddToken), " | ")
)

// expectHidden wants no credential in a text, in no spelling and in no part.
func expectHidden(t *testing.T, what, text string) {
	t.Helper()
	needles := append(spellingsOf(oddSecret), spellingsOf(oddToken)...)
	for _, part := range []string{"s3cr", "zyxwvuts", "t0k", "abcdefgh"} {
		needles = append(needles, part)
		// The inner characters of base64, wherever in a text the part begins.
		for shift := range 3 {
			encoded := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), part...))
			if inner := encoded[(shift*8+5)/6 : (shift+len(part))*8/6]; len(inner) > 6 {
				needles = append(needles, inner)
			}
		}
	}
	for _, needle := range needles {
		if i := strings.Index(text, needle); i >= 0 {
			t.Errorf("%s shows %q: …%s…", what, needle, text[max(0, i-100):min(len(text), i+len(needle)+100)])
			return
		}
	}
}

// echoing is a service that writes what it was sent wherever it can.
type echoing struct {
	token http.HandlerFunc // nil: a good token, with echoes around it
	read  http.HandlerFunc
}

func (h echoing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	echoes := allEchoes
	if h.token != nil {
		echoes = secretEchoes
	}
	for _, name := range []string{"X-Request-Id", "X-Correlation-Id", "Www-Authenticate", "Server", "Set-Cookie", "Warning"} {
		w.Header().Set(name, echoes)
	}
	switch {
	case r.Method != http.MethodPost:
		h.read(w, r)
	case h.token != nil:
		h.token(w, r)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, document(map[string]any{"access_token": oddToken, "token_type": "Bearer", "scope": echoes}))
	}
}

// raw writes bytes below HTTP and leaves the connection open.
func raw(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		if _, err := io.WriteString(conn, text); err != nil {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.Copy(io.Discard, conn) // until the other side closes it
		_ = conn.Close()
	}
}

// badAnswers are answers full of echoes, by what they are.
func badAnswers(echoes string, credentials ...string) map[string]http.HandlerFunc {
	refusal := document(map[string]any{
		"code": echoes, "message": echoes, "error": echoes, "error_description": echoes, "statusCode": echoes,
		"data": map[string]any{"issues": []any{map[string]any{"field": echoes, "messages": []string{echoes, "x"}}}},
	})
	// What is shown as it came is escaped once.
	broken := document(map[string]any{"message": credentials})
	packed := strings.Join(credentials, "")
	bodies := map[string]struct{ contentType, body string }{
		"JSON":           {"application/json", refusal},
		"OAuth":          {"application/json", document(map[string]any{"error": echoes, "error_description": echoes})},
		"odd JSON":       {"application/json", document(map[string]any{"code": credentials, "message": map[string]any{"a": credentials}})},
		"broken JSON":    {"application/json", broken[:len(broken)-1]},
		"HTML":           {"text/html", "<html><title>" + echoes + "</title>" + echoes},
		"text":           {"text/plain", echoes},
		"a form":         {"application/x-www-form-urlencoded", url.Values{"error": credentials, "error_description": credentials}.Encode()},
		"an odd label":   {echoes, echoes},
		"cut by us":      {"text/plain", strings.Repeat(" ", 4000-10) + packed},
		"cut by us, too": {"text/plain", strings.Repeat(" ", 1<<20-10) + packed},
	}
	redirect := func(target string) http.HandlerFunc { return answering(307, "text/plain", echoes, "Location", target) }
	good := func(body any) http.HandlerFunc { return answering(200, "application/json", document(body)) }
	answers := map[string]http.HandlerFunc{
		"no HTTP":                   raw("HELLO " + echoes + "\r\n\r\n"),
		"a status that is none":     raw("HTTP/1.1 " + echoes + "\r\n\r\n"),
		"a header that is none":     raw("HTTP/1.1 200 OK\r\n" + echoes + "\r\n\r\n"),
		"a length that is none":     raw("HTTP/1.1 200 OK\r\nContent-Length: " + echoes + "\r\n\r\n"),
		"an encoding that is none":  raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: " + echoes + "\r\n\r\n"),
		"a chunk that is none":      raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + echoes + "\r\n\r\n"),
		"a redirect":                redirect("https://elsewhere.example/?" + url.Values{"a": credentials}.Encode()),
		"a redirect without scheme": redirect("//elsewhere.example/" + echoes),
		"a broken redirect":         redirect("http://[::1/%zz" + echoes),
		"200, a list":               good(map[string]any{"id": []string{echoes}}),
		"200, a text":               good(map[string]any{"latestRevision": echoes}),
		"200, a key":                good(map[string]any{"axes": []any{map[string]any{echoes: 1, "values": echoes}}}),
		"limited":                   answering(429, "application/json", refusal, "Retry-After", echoes),
		"limited for long":          answering(429, "application/json", refusal, "Retry-After", "99999"),
	}
	for _, status := range []int{200, 400, 401, 403, 404, 409, 500} {
		for name, body := range bodies {
			answers[fmt.Sprintf("%d, %s", status, name)] = answering(status, body.contentType, body.body)
		}
	}
	return answers
}

func document(fields any) string {
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestAServiceThatEchoesCredentials: whatever it answers, to a token request or
// a read, no diagnostic, no state and no log at TRACE has them.
func TestAServiceThatEchoesCredentials(t *testing.T) {
	t.Parallel()
	const good = "a good read"
	services := map[string]echoing{good: {read: answering(200, "application/json", `{"id":"a","name":"b"}`)}}
	for name, answer := range badAnswers(allEchoes, oddSecret, oddToken) {
		services["a read, "+name] = echoing{read: answer}
	}
	for name, answer := range badAnswers(secretEchoes, oddSecret) {
		services["a token request, "+name] = echoing{token: answer}
	}
	// A token that is of no use, with echoes of it.
	for name, fields := range map[string]map[string]any{
		"of another type":   {"access_token": oddToken, "token_type": allEchoes},
		"of two lines":      {"access_token": oddToken + "\n" + oddSecret, "token_type": "Bearer"},
		"with an error":     {"access_token": oddToken, "error": allEchoes, "error_description": allEchoes},
		"with an odd error": {"access_token": oddToken, "error": []string{oddToken, oddSecret}},
	} {
		services["a token "+name] = echoing{token: answering(200, allEchoes, document(fields), "X-Request-Id", allEchoes)}
	}
	services["a token as a form"] = echoing{token: answering(200, "application/x-www-form-urlencoded",
		url.Values{"access_token": {oddToken}, "token_type": {allEchoes}}.Encode(), "X-Request-Id", allEchoes)}
	for name, service := range services {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				e := inMemory(t, service, arguments{argClientSecret: oddSecret, argMaxRetries: 1, argReadTimeout: "20s"})
				var written logs
				state, diagnostics := e.read(written.in(t.Context()), t, "model_group", arguments{"id": "a"})
				// As a group that JSON is one without attributes.
				if len(diagnostics) != 1 && !strings.HasPrefix(name, "a read, 200, ") && name != good {
					t.Fatalf("%d diagnostics, want one", len(diagnostics))
				}
				for _, d := range diagnostics {
					expectHidden(t, "the summary", d.Summary)
					expectHidden(t, "the detail", d.Detail)
				}
				requests := written.requests(t)
				if len(requests) == 0 || name == good && (len(requests) != 2 || state == nil) {
					t.Errorf("%d requests were logged", len(requests))
				}
				for _, line := range requests {
					if id, named := line["request_id"].(string); (named || name == good) && !strings.Contains(id, "***") {
						t.Errorf("request id %q, which ought to be masked", id)
					}
				}
				expectHidden(t, "the state", fmt.Sprint(state))
				expectHidden(t, "the log", written.String())
			})
		})
	}
}
