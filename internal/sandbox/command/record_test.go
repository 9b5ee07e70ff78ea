package command

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

const secret = "northwind-sandbox-secret"

func withCredentials(t *testing.T) {
	t.Helper()
	t.Setenv("MODELCATALOGUE_CLIENT_ID", "northwind")
	t.Setenv("MODELCATALOGUE_CLIENT_SECRET", secret)
}

// TestAddresses has the addresses that credentials are sent to, or why they are not.
func TestAddresses(t *testing.T) {
	withCredentials(t)
	const another = "one such as https://catalogue.example.com is expected"
	for address, want := range map[string]string{
		"":                              "Give -url or set MODELCATALOGUE_BASE_URL. There is no default",
		"catalogue.example":             another,
		"ftp://catalogue.example":       another,
		"https://":                      another,
		"https://u:pass@c.example":      `the address is "c.example": one such as`,
		"https://c.example?x=1":         another,
		"https://c.example/#":           another,
		"https://c.example/v1/":         "leave out /v1",
		"http://catalogue.example":      "http would send the credentials in clear text. Write https",
		"http://localhost.evil.example": "clear text",
		"http://0.0.0.0":                "clear text",
		"http://127.0.0.1:80":           "",
		"http://localhost:1/prefix/":    "",
		"http://[::1]":                  "",
		"https://c.example":             "",
	} {
		r, err := newServiceReader(address)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
		if err == nil && strings.HasSuffix(r.base, "/") {
			t.Errorf("%s: %s", address, r.base)
		}
	}
}

// TestClearTextIsNotSent: credentials are not sent in clear text to 0.0.0.0. It is this machine, but not a loopback address.
func TestClearTextIsNotSent(t *testing.T) {
	withCredentials(t)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	heard := make(chan bool)
	go func() { _, err := listener.Accept(); heard <- err == nil }()
	_, said, status := commanded(t, "record", "-url=http://"+listener.Addr().String())
	if status != 2 || !strings.Contains(said, "clear text") {
		t.Errorf("%d, %s", status, said)
	}
	listener.Close()
	if <-heard {
		t.Error("it was asked")
	}
}

// recorded is the end of a recording.
type recorded struct {
	text, said string
	err        error
	took       time.Duration
}

// recordFrom records a service over connections in memory, for a fake clock.
func recordFrom(t *testing.T, service http.Handler) recorded {
	t.Helper()
	dial, closeAll := sandboxtest.Pipe(service)
	defer closeAll()
	r, err := newServiceReader("http://127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DialContext: dial}
	defer transport.CloseIdleConnections()
	r.client = newClient(transport)
	var said bytes.Buffer
	begun := time.Now()
	text, err := (&program{name: "sandbox", stderr: &said}).recorded(t.Context(), r)
	return recorded{string(text), said.String(), err, time.Since(begun)}
}

// oneGroup returns the first group of the built-in catalogue.
func oneGroup(t *testing.T) *sandbox.Catalogue {
	t.Helper()
	var file map[string]json.RawMessage
	var groups []json.RawMessage
	err := json.Unmarshal(sandbox.DefaultFile(), &file)
	if err == nil {
		err = json.Unmarshal(file["modelGroups"], &groups)
	}
	if err != nil {
		t.Fatal(err)
	}
	file["modelGroups"], _ = json.Marshal(groups[:1])
	text, _ := json.Marshal(file)
	catalogue, err := sandbox.ReadCatalogue(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return catalogue
}

// replaced returns a fault that replaces a text in the answers.
func replaced(route sandbox.Route, was, is string) sandbox.Fault {
	return sandbox.Fault{Route: route, Mutate: func(status int, header http.Header, body []byte) (int, http.Header, []byte) {
		return status, header, bytes.ReplaceAll(body, []byte(was), []byte(is))
	}}
}

// TestRecordMisbehaving runs the lines of testdata/record.txt, which says how they are read.
func TestRecordMisbehaving(t *testing.T) {
	withCredentials(t)
	text, err := os.ReadFile("testdata/record.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.NewReplacer("$MAIN", group, "$SECRET", secret)
	for line := range strings.Lines(names.Replace(string(text))) {
		fault, want, isRow := strings.Cut(strings.TrimSpace(line), " → ")
		if !isRow {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			service := sandbox.New(oneGroup(t))
			w := httptest.NewRecorder()
			service.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://127.0.0.1/control/faults", strings.NewReader(fault)))
			got := recordFrom(t, service)
			end := fmt.Sprintf("%s, %d requests", got.took, service.Count(sandbox.RouteAny))
			if got.err != nil {
				end = "fails, " + end
			}
			wants := strings.Split(want, " | ")
			if w.Code != http.StatusCreated || end != wants[0] || (got.err == nil) != (got.text != "") {
				t.Errorf("%s\nends: %s and %d bytes, %v %s", fault, end, len(got.text), got.err, w.Body)
			}
			said := fmt.Sprint(got.said, got.text, got.err)
			for _, want := range wants[1:] {
				wanted, isAbsent := strings.CutPrefix(want, "!")
				if strings.Contains(said, wanted) == isAbsent {
					t.Errorf("%s\nsays %s\nwant %s", fault, said, want)
				}
			}
		})
	}
}

// TestRecordWithAnAccessToken asks for no token, and says whose it is.
func TestRecordWithAnAccessToken(t *testing.T) {
	t.Setenv("MODELCATALOGUE_ACCESS_TOKEN", "expired-token")
	synctest.Test(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		got := recordFrom(t, service)
		if said := fmt.Sprint(got.err); !strings.Contains(said, "MODELCATALOGUE_ACCESS_TOKEN may have expired") || service.Count("") != 1 {
			t.Errorf("after %d requests: %s", service.Count(""), said)
		}
	})
}

// TestRecordAtAClosedPort: an address that cannot be reached is told at once.
func TestRecordAtAClosedPort(t *testing.T) {
	withCredentials(t)
	begun := time.Now()
	_, said, status := commanded(t, "record", "-url=http://127.0.0.1:1")
	if status != 1 || !strings.Contains(said, "(connection refused). Check the address") || time.Since(begun) > time.Second {
		t.Errorf("after %s: %d, %s", time.Since(begun), status, said)
	}
}

// TestRecordIsInterrupted during a wait, by a signal to the process. Its status says which.
func TestRecordIsInterrupted(t *testing.T) {
	withCredentials(t)
	for sent, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		service := sandbox.New(sandbox.Default())
		limited := make(chan bool, 1)
		fault := sandboxtest.Limited(sandbox.RouteModels, "500", 1)
		fault.OnRequest = func(*http.Request) { limited <- true }
		service.Inject(fault)
		cmd := built(t, "record", "-url="+sandboxtest.Start(t, service))
		var out, said bytes.Buffer
		cmd.Stdout = &out
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-limited
		if err := cmd.Process.Signal(sent); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if status := cmd.ProcessState.ExitCode(); status != want || out.Len() > 0 || !strings.HasSuffix(said.String(), ": interrupted\n") {
			t.Errorf("%s: status %d, %q, %s", sent, status, out.String(), said.String())
		}
	}
}

// answering returns a service that answers with a text, in place of the one that is said, and then sends nothing more.
func answering(path, text string) http.Handler {
	service := sandbox.New(sandbox.Default())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, path) {
			service.ServeHTTP(w, r)
			return
		}
		fmt.Fprint(w, text)
		if strings.HasPrefix(text, "[") {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	})
}

// TestRecordOddAnswers to one route.
func TestRecordOddAnswers(t *testing.T) {
	withCredentials(t)
	const noName = "which no request can name"
	for _, test := range []struct{ path, text, want string }{
		{"/models", "[", "nothing came for 30s"},
		{"/models", "null ", "/models is not a list of JSON"},
		{"/model-group", ` [{"id": ".."}]`, noName},
		{"/model-group", ` [{"id": "a\u0000"}]`, noName},
		{"/model-group", ` [{"id": 5}]`, "has no id"},
		{"/token", `{"token": "of-another-name"}`, "with status 200 and no access_token. Check the address"},
		{"/token", `{"error": "invalid_client"}`, `{"error": "invalid_client"}. Check MODELCATALOGUE_CLIENT_ID`},
	} {
		synctest.Test(t, func(t *testing.T) {
			got := recordFrom(t, answering(test.path, test.text))
			if said := fmt.Sprint(got.err); got.text != "" || !strings.Contains(said, test.want) || strings.Contains(said, "another-name") {
				t.Errorf("%s %s: after %s %s", test.path, test.text, got.took, said)
			}
		})
	}
}

// TestRecordHidesShortCredentials if they are words. As parts of words they are most likely something else.
func TestRecordHidesShortCredentials(t *testing.T) {
	withCredentials(t)
	t.Setenv("MODELCATALOGUE_CLIENT_SECRET", "day")
	answers := map[string]string{
		"/v1/auth/token":           `{"access_token": "t1"}`,
		"/v1/model-group":          `[{"id": "g", "name": "today", "t1": "for t1 t1, and day: ZGF5", "tags": ["Bearer t1", "dDE="]}]`,
		"/v1/model-group/g/models": `[{"id": "day", "revision": 1}]`,
	}
	synctest.Test(t, func(t *testing.T) {
		got := recordFrom(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, answers[r.URL.Path]) }))
		for text, count := range map[string]int{"***": 8, "today": 1, "t1": 0, "dDE": 0, "ZGF5": 0, `"day"`: 0} {
			if found := strings.Count(got.text, text); found != count {
				t.Errorf("it has %s %d times, want %d:\n%s", text, found, count, got.text)
			}
		}
	})
}

// TestSettings: each of them may be in a file.
func TestSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(secret+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, value, file, want string }{
		{"CLIENT_SECRET", "", file, ""},
		{"CLIENT_SECRET", secret, "", ""},
		{"CLIENT_SECRET", " \t", "", "credentials are missing: set MODELCATALOGUE_CLIENT_ID and"},
		{"CLIENT_SECRET", "a", file, "MODELCATALOGUE_CLIENT_SECRET and MODELCATALOGUE_CLIENT_SECRET_FILE are both set"},
		{"ACCESS_TOKEN", "", "/nope", "MODELCATALOGUE_ACCESS_TOKEN_FILE: open /nope"},
		{"CA_CERTIFICATE_PEM", "ca.pem", "", "MODELCATALOGUE_CA_CERTIFICATE_PEM has no certificate in PEM"},
	} {
		t.Run(test.name, func(t *testing.T) {
			withCredentials(t)
			t.Setenv("MODELCATALOGUE_"+test.name, test.value)
			t.Setenv("MODELCATALOGUE_"+test.name+"_FILE", test.file)
			r, err := newServiceReader("https://c.example")
			if said := fmt.Sprint(err); err == nil && (test.want != "" || r.secret != secret) || err != nil && !strings.Contains(said, cmp.Or(test.want, "nothing")) {
				t.Errorf("%q and %q: %s, want %s", test.value, test.file, said, test.want)
			}
		})
	}
}

// TestRecord serves what it has recorded, and records the same from that but for the made-up secret.
func TestRecord(t *testing.T) {
	withCredentials(t)
	created := func(_ int, header http.Header, body []byte) (int, http.Header, []byte) {
		return http.StatusCreated, header, body
	}
	minute := sandbox.WithAllowance(sandbox.Allowance{Requests: 4, Per: time.Minute})
	for name, test := range map[string]struct {
		option    sandbox.Option
		fault     sandbox.Fault
		says, has string
	}{
		"the owner's":       {says: "none of 9 answers departs from the interface", has: `"archived": true`},
		"with an allowance": {option: minute, says: "waiting 1m0s"},
		"short tokens": {
			option: sandbox.WithTokenLife(time.Millisecond),
			fault:  sandbox.Fault{Route: sandbox.RouteModels, Delay: time.Second, Times: 1},
		},
		"a token by 201":    {fault: sandbox.Fault{Route: sandbox.RouteToken, Mutate: created}},
		"a camelCase token": {fault: replaced(sandbox.RouteToken, `"access_token"`, `"accessToken"`)},
		"fields of tomorrow": {
			fault: replaced(sandbox.RouteModels, `"archived":`, `"tomorrow":[1.50,12345678901234567890],"archived":`),
			says: "sandbox: GET /v1/model-group/{id}/models: [].tomorrow: there is no such field, in 7 of 9 answers\n" +
				"sandbox: the answers depart from the interface, which `sandbox openapi` prints, in 1 ways.",
			has: "1.50,\n            12345678901234567890",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				options := []sandbox.Option{sandbox.WithHosts()}
				if test.option != nil {
					options = append(options, test.option)
				}
				service := sandbox.New(sandbox.Default(), options...)
				service.Inject(test.fault)
				got := recordFrom(t, service)
				if got.err != nil || !strings.Contains(got.said, test.says) || !strings.Contains(got.text, test.has) {
					t.Fatalf("after %s: %v\n%s\n%s", got.took, got.err, got.said, got.text)
				}
				again := recordAgain(t, got.text)
				old, made := secretOf(t, got.text), secretOf(t, again.text)
				if old == made || strings.Replace(again.text, made, old, 1) != got.text {
					t.Errorf("recorded again it is %v\n%s", again.err, again.text)
				}
			})
		})
	}
}

// TestRecordHidesTwoNames: names that differ in credentials only leave no file, because they would be one.
func TestRecordHidesTwoNames(t *testing.T) {
	withCredentials(t)
	synctest.Test(t, func(t *testing.T) {
		service := sandbox.New(sandbox.Default())
		names := `"` + secret + `":1,"` + base64.StdEncoding.EncodeToString([]byte(secret)) + `":2,"archived":`
		service.Inject(replaced(sandbox.RouteModels, `"archived":`, names))
		got := recordFrom(t, service)
		if strings.Contains(got.text, secret) || got.err == nil {
			t.Errorf("it ends with %v\n%s", got.err, got.text)
		}
	})
}

// recordAgain records a sandbox that serves a recorded file. Its organisation's credentials are the file's.
func recordAgain(t *testing.T, text string) recorded {
	t.Helper()
	catalogue, err := sandbox.ReadCatalogue(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	service := sandbox.New(catalogue)
	return recordFrom(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			o := catalogue.Organisations()[0]
			form := url.Values{"grant_type": {"client_credentials"}, "client_id": {o.ClientID}, "client_secret": {o.ClientSecret}}
			r.Body = io.NopCloser(strings.NewReader(form.Encode()))
		}
		service.ServeHTTP(w, r)
	}))
}

func secretOf(t *testing.T, text string) string {
	t.Helper()
	var file struct{ Organisations []sandbox.Organisation }
	if err := json.Unmarshal([]byte(text), &file); err != nil || len(file.Organisations) != 1 {
		t.Fatal(err, text)
	}
	return file.Organisations[0].ClientSecret
}

// TestRecordTakesJSONTokens if the service does not understand a form, and sends no form again.
func TestRecordTakesJSONTokens(t *testing.T) {
	withCredentials(t)
	service := sandbox.New(sandbox.Default())
	forms := 0
	onlyJSON := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			var fields map[string]string
			body, _ := io.ReadAll(r.Body)
			if json.Unmarshal(body, &fields) != nil || r.Header.Get("Content-Type") != "application/json" {
				forms++
				w.WriteHeader(http.StatusUnsupportedMediaType)
				return
			}
			form := url.Values{}
			for name, value := range fields {
				form.Set(name, value)
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Body = io.NopCloser(strings.NewReader(form.Encode()))
		}
		service.ServeHTTP(w, r)
	})
	synctest.Test(t, func(t *testing.T) {
		if got := recordFrom(t, onlyJSON); got.err != nil || forms != 1 {
			t.Errorf("after %d forms: %v", forms, got.err)
		}
	})
}

// TestRecordHidesCredentials that the service repeats, in names and values, however they are spelled.
func TestRecordHidesCredentials(t *testing.T) {
	const id, odd = "o", `s3cr&t "/+?é'~zyx 0x`
	t.Setenv("MODELCATALOGUE_CLIENT_ID", id)
	t.Setenv("MODELCATALOGUE_CLIENT_SECRET", odd)
	text := fmt.Sprintf(`{"organisations": [{"name": "O", "clientId": %q, "clientSecret": %q}],
		"modelGroups": [{"owner": "O", "group": {"id": "g"}, "models": [{"id": "m", "revision": 0, "tags": ["s3cr&t"]}]}]}`, id, odd)
	catalogue, err := sandbox.ReadCatalogue(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	spellings := map[string]func(string) string{
		"plain":            func(s string) string { return s },
		"base64":           func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"for URLs":         func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		"Basic":            func(s string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+s)) },
		"a form":           url.QueryEscape,
		"a path":           url.PathEscape,
		"a JSON text":      func(s string) string { text, _ := json.Marshal(map[string]string{"a": s}); return string(text) },
		"a form of base64": func(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s))) },
	}
	for name, spell := range spellings {
		for _, format := range []string{`"echo":%s,"id":"m"`, `%s:1,"id":"m"`, `"echo":["x %s"],"id":"m"`} {
			synctest.Test(t, func(t *testing.T) {
				service := sandbox.New(catalogue)
				echoing := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
					quoted, _ := json.Marshal(spell(odd) + " and " + spell(token))
					escaped := string(quoted)
					if name == "plain" { // in escapes, too
						escaped = strings.ReplaceAll(escaped, "3", `\u0033`)
					}
					if strings.Contains(format, `"x `) {
						escaped = strings.Trim(escaped, `"`)
					}
					if token != "" {
						fault := replaced(sandbox.RouteModels, `"id":"m"`, fmt.Sprintf(format, escaped))
						defer service.Inject(fault)()
					}
					service.ServeHTTP(w, r)
				})
				got := recordFrom(t, echoing)
				if got.err != nil || strings.Count(got.text, "***") < 2 || !strings.Contains(got.text, `"s3cr&t"`) {
					t.Errorf("%s: %v\n%s", name, got.err, got.text)
				}
				for _, core := range []string{"zyx", url.QueryEscape("é"), "enl4", "enl4IDB4", "sandbox-A"} {
					if strings.Contains(got.text, core) {
						t.Errorf("%s: it has %s\n%s", name, core, got.text)
					}
				}
			})
		}
	}
}
