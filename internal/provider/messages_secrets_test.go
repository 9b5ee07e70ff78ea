package provider

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// others finds the words of others in a message: they stand in quotes, in lines of their own, or in paths.
var (
	others = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|model-group/[^/\s]+|timeHorizon=\S+|, code [\w*]+|redirect to .*|[aA]t [\w.\[\]*]+:|` +
		`(?m:^(?:The service said|The answer|It added|WWW-Authenticate|Request id)\b.*(?:\n  - .*)*)`)
	longWords = regexp.MustCompile(`\pL{6,}`)
)

// ownWords returns a message without the words of others.
func ownWords(message string) string { return others.ReplaceAllString(message, "") }

// eachServed runs a test for each scene of a service.
func eachServed(t *testing.T, test func(*testing.T, scene)) {
	t.Helper()
	for _, s := range slices.Concat(dataSourceScenes(), serviceScenes(), waitingScenes()) {
		if s.through != nil {
			t.Run(s.title, func(t *testing.T) {
				t.Parallel()
				test(t, s)
			})
		}
	}
}

// The provider's own words are never masked: with all long words of a message as secrets, only quoted words of others
// change.
func TestOwnWordsAreNeverMasked(t *testing.T) {
	t.Parallel()
	eachServed(t, func(t *testing.T, s scene) {
		t.Helper()
		innocent, secret := map[string]any{}, map[string]any{}
		for i, word := range longWords.FindAllString(ownWords(rendered(s.play(t))), -1) {
			name := fmt.Sprint("X-", i)
			innocent[name], secret[name] = "zzzzzz", word
		}
		want, got := ownWords(rendered(s.through(t, asItIs, innocent))), ownWords(rendered(s.through(t, asItIs, secret)))
		if got != want {
			t.Errorf("-without +with its own words as secrets:\n%s", difference(want, got))
		}
	})
}

// aSecret is repeated in records.
const aSecret = "hunter2!-northwind"

// No message shows a secret that a record repeats in any field, or in place of a field's name.
func TestNoMessageShowsWhatARecordRepeats(t *testing.T) {
	t.Parallel()
	var masked atomic.Int64
	t.Cleanup(func() {
		if n := masked.Load(); n < 100 {
			t.Errorf("only %d messages would have a secret", n)
		}
	})
	for _, change := range [][2]string{
		{`"(id|modelGroupId|name|key)":"`, `"$1":"` + aSecret},
		{`"(createdAt|updatedAt|dockerImage|runMode|code|message|error_description)":"|"(tags)":\["`, `"$1$2":"` + aSecret},
		{`"(tags|messages)":\["`, `"$1":["` + aSecret},
		{`"(id|code)":`, `"` + aSecret + `":`},
		{`"revision":`, `"` + aSecret + `":`},
	} {
		eachServed(t, func(t *testing.T, s scene) {
			t.Helper()
			front := changing(regexp.MustCompile(change[0]), change[1])
			shown := rendered(s.through(t, front, map[string]any{"X-Key": aSecret}))
			if strings.Contains(shown, "hunter2") {
				t.Errorf("%q:\n%s", change, shown)
			}
			if strings.Contains(shown, "***") {
				masked.Add(1)
			}
		})
	}
}

// changing returns a front: it changes the answers of a service, and takes the secret out of requested ids.
func changing(found *regexp.Regexp, into string) func(http.Handler) http.Handler {
	return func(service http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := httptest.NewRecorder()
			r.URL.RawPath = strings.ReplaceAll(r.URL.EscapedPath(), url.PathEscape(aSecret), "")
			r.URL.Path = strings.ReplaceAll(r.URL.Path, aSecret, "")
			service.ServeHTTP(answer, r)
			maps.Copy(w.Header(), answer.Header())
			w.Header().Del("Content-Length")
			w.WriteHeader(answer.Code)
			_, _ = w.Write(found.ReplaceAll(answer.Body.Bytes(), []byte(into)))
		})
	}
}
