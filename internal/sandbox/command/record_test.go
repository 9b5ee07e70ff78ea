package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
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

// TestRecordFromNoServer: the server need not speak HTTP, and may repeat the secret.
func TestRecordFromNoServer(t *testing.T) {
	withCredentials(t)
	synctest.Test(t, func(t *testing.T) {
		got := recordFrom(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(conn, "%s\r\n\r\n", secret)
			conn.Close()
		}))
		said := fmt.Sprint(got.err)
		if !strings.Contains(said, `(malformed HTTP response "***")`) || strings.Contains(said, secret) {
			t.Errorf("it ends with %s", said)
		}
	})
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

// TestRecordAtAWrongAddress: a port that refuses and a certificate that is not trusted are told at once.
func TestRecordAtAWrongAddress(t *testing.T) {
	withCredentials(t)
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	defer untrusted.Close()
	for address, want := range map[string]string{
		"http://127.0.0.1:1": "(connection refused). Check the address",
		untrusted.URL:        "certificate signed by unknown authority). Check the address",
	} {
		begun := time.Now()
		_, said, status := commanded(t, "record", "-url="+address)
		if status != 1 || !strings.Contains(said, want) || time.Since(begun) > 5*time.Second {
			t.Errorf("%s: after %s: %d, %s", address, time.Since(begun), status, said)
		}
	}
}

// TestRecordIsInterrupted during a wait, by a signal to the process. Its status says which.
func TestRecordIsInterrupted(t *testing.T) {
	withCredentials(t)
	for sent, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
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

// TestRecordOddAnswers changes the answers of one route.
func TestRecordOddAnswers(t *testing.T) {
	withCredentials(t)
	const noName = "which no request can name"
	for _, test := range []struct{ path, text, want string }{
		{"/models", "[", "nothing came for 30s"},
		{"/models", "null ", "/models is not a JSON list"},
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
				"sandbox: departures from the interface, which `sandbox openapi` prints: 1. The file has",
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
				if again.text != got.text {
					t.Errorf("recorded again it is %v\n%s", again.err, again.text)
				}
			})
		})
	}
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

// TestRecordTakesJSONTokens: if the service does not understand a form, record sends JSON, and no form again.
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
