package command

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// TestRecordHidesShortCredentials: a short credential is hidden if it is a word of its own. A part of a word is most likely
// something else.
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
