package catalogue

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
)

// A body that cannot be what its header says is a wrong answer, after one request: it would be the same again.
func TestABodyThatIsLabelledAsGzip(t *testing.T) {
	t.Parallel()
	for _, labelled := range []string{http.MethodGet, http.MethodPost} {
		var sent []string
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sent = append(sent, r.Method)
			if r.Method == labelled {
				w.Header().Set("Content-Encoding", "gzip")
			}
			answerTokens(w, r, `{"id":"g","name":"long enough for the header of gzip"}`)
		}))
		c := New(configFor(t, service.URL, Config{MaxRetries: 4}))
		_, err := c.ModelGroup(t.Context(), "g")
		unusable, _ := errors.AsType[*UnusableAnswerError](err)
		if unusable == nil || unusable.Problem != "the body is labelled as gzip, but is not gzip" || unusable.Method != labelled {
			t.Errorf("%s: %v", labelled, err)
		}
		if once := slices.Compact(slices.Clone(sent)); !slices.Equal(sent, once) {
			t.Errorf("sent %q", sent)
		}
		service.Close()
	}
}

func TestJSONIsReadWhateverItIsLabelledAs(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"", "text/plain", "text/html; charset=utf-8", "application/vnd.catalogue+json"} {
		c := New(configFor(t, "http://localhost", Config{Transport: answering(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", label)
			answerTokens(w, r, `{"id":"g"}`)
		})}))
		if _, err := c.ModelGroup(t.Context(), "g"); err != nil {
			t.Errorf("%q: %v", label, err)
		}
	}
}

// An error in the body of a success is treated by its code, as one with a status of its own.
func TestATokenEndpointThatIsUnavailableWith200(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		requested := 0
		c := New(configFor(t, "http://localhost", Config{
			MaxRetries: 1,
			Transport: answering(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					requested++
				}
				if requested == 1 {
					_, _ = w.Write([]byte(`{"error":"temporarily_unavailable"}`))
					return
				}
				answerTokens(w, r, `{"id":"g"}`)
			}),
		}))
		if _, err := c.ModelGroup(t.Context(), "g"); err != nil || requested != 2 {
			t.Errorf("%v after %d requests for a token", err, requested)
		}
	})
}
