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

// TestRecordHidesShortSecrets: a short one is hidden if it is a word of its own. A part of a word is most likely
// something else.
func TestRecordHidesShortSecrets(t *testing.T) {
	withCredentials(t)
	t.Setenv("MODELCATALOGUE_CLIENT_SECRET", "day")
	answers := map[string]string{
		"/v1/auth/token":           `{"access_token": "a-token-of-some-length"}`,
		"/v1/model-group":          `[{"id": "g", "name": "today", "day": "for day day,\nday: ZGF5"}]`,
		"/v1/model-group/g/models": `[{"id": "day", "revision": 1}]`,
	}
	synctest.Test(t, func(t *testing.T) {
		got := recordFrom(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, answers[r.URL.Path]) }), false)
		for text, count := range map[string]int{"***": 6, "today": 1, "day": 1, "ZGF5": 0} {
			if found := strings.Count(got.text, text); found != count {
				t.Errorf("it has %s %d times, want %d:\n%s", text, found, count, got.text)
			}
		}
	})
}

// TestRecordHidesCredentials that the service repeats, in names and values. The tests of redact have every spelling.
func TestRecordHidesCredentials(t *testing.T) {
	const odd = `s3cr&t "/+?é'~zyx 0x`
	withCredentials(t)
	t.Setenv("MODELCATALOGUE_CLIENT_SECRET", odd)
	file := strings.ReplaceAll(string(sandbox.DefaultFile()), `"`+secret+`"`, fmt.Sprintf("%q", odd))
	catalogue, err := sandbox.ReadCatalogue(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for name, spell := range map[string]func(string) string{
		"plain":  func(s string) string { return s },
		"base64": func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"a form": url.QueryEscape,
	} {
		for _, format := range []string{`"echo":[%s],"archived":`, `%s:1,"archived":`} {
			synctest.Test(t, func(t *testing.T) {
				service := sandbox.New(catalogue)
				echoing := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
					quoted, _ := json.Marshal(spell(odd) + " and " + spell(token))
					if token != "" {
						escaped := strings.ReplaceAll(string(quoted), "cr", `\u0063r`)
						defer service.Inject(replaced(sandbox.RouteModels, `"archived":`, fmt.Sprintf(format, escaped)))()
					}
					service.ServeHTTP(w, r)
				})
				got := recordFrom(t, echoing, false)
				if got.err != nil || strings.Count(got.text, "***") < 2 {
					t.Errorf("%s: %v\n%s", name, got.err, got.text)
				}
				for _, core := range []string{"zyx", "enl4IDB4", "sandbox-A"} {
					if strings.Contains(got.text+got.said, core) {
						t.Errorf("%s: it has %s\n%s\n%s", name, core, got.text, got.said)
					}
				}
			})
		}
	}
}
