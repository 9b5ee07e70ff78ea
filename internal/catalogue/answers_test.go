package catalogue

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// answering is a service without a network.
type answering http.HandlerFunc

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	a(w, r)
	return w.Result(), nil
}

// answerTokens answers a request for a token, and any other with that body.
func answerTokens(w http.ResponseWriter, r *http.Request, body string) {
	if r.Method == http.MethodPost {
		body = `{"access_token":"t","token_type":"bearer"}`
	}
	_, _ = w.Write([]byte(body))
}

// readOne reads the group g from a service that answers with a body. begin begins each answer.
func readOne(t *testing.T, body string, begin http.HandlerFunc) error {
	t.Helper()
	c := New(configFor(t, "http://localhost", Config{Transport: answering(func(w http.ResponseWriter, r *http.Request) {
		begin(w, r)
		answerTokens(w, r, body)
	})}))
	_, err := c.ModelGroup(t.Context(), "g")
	return err
}

// A body at odds with its header is an unusable answer, after one request: it would be the same again.
func TestABodyThatIsLabelledAsGzip(t *testing.T) {
	t.Parallel()
	for method, requests := range map[string][]string{http.MethodPost: {"POST"}, http.MethodGet: {"POST", "GET"}} {
		var sent []string
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sent = append(sent, r.Method)
			if r.Method == method {
				w.Header().Set("Content-Encoding", "gzip")
			}
			answerTokens(w, r, `{"id":"g","name":"long enough for the header of gzip"}`)
		}))
		_, err := New(configFor(t, service.URL, Config{MaxRetries: 4})).ModelGroup(t.Context(), "g")
		unusable, _ := errors.AsType[*UnusableAnswerError](err)
		isTold := unusable != nil && unusable.Problem == "the body is labelled as gzip, but is not gzip" && unusable.Method == method
		if !isTold || !slices.Equal(sent, requests) {
			t.Errorf("%s: %v after %q", method, err, sent)
		}
		service.Close()
	}
}

// A body in an encoding not asked for is reported as such, and its bytes are never shown.
func TestABodyInAnotherEncoding(t *testing.T) {
	t.Parallel()
	for body, says := range map[string]string{
		"br\n\x8b\x03\x80[]\x03":   `in the encoding "br", which was not asked for`,
		"\n\x1f\x8b\x08\x00secret": "in the encoding gzip, and no header says so",
		"\n\xfe\xff\x00[secret":    "in UTF-16",
		"\n[\x00s\x00e\x00c\x00":   "in UTF-16",
		"\n7\xffsecret\x07":        "not text",
		"\n\x00\x00\x00\x00":       "not text",
		"\n\xc8\xc9\xca":           "not text",
	} {
		for _, status := range []int{http.StatusOK, http.StatusForbidden} {
			label, bytes, _ := strings.Cut(body, "\n")
			err := readOne(t, bytes, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					w.Header().Set("Content-Encoding", label)
					w.WriteHeader(status)
				}
			})
			if err == nil || !strings.Contains(err.Error(), "is "+says) ||
				!utf8.ValidString(err.Error()) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%d, %q: %v", status, body, err)
			}
		}
	}
}

// RFC 8259 §8.1 lets a reader ignore a byte order mark, before the code of an error, too. A wrong label does not matter.
func TestAByteOrderMarkIsLeftOut(t *testing.T) {
	t.Parallel()
	const mark = "\uFEFF"
	labelled := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	if err := readOne(t, mark+`{"id":"g"}`, labelled); err != nil {
		t.Error(err)
	}
	err := readOne(t, mark+`{"code":"ORGANISATION_DISABLED"}`, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.WriteHeader(http.StatusForbidden)
		}
	})
	if !errors.Is(err, ErrOrganisationDisabled) {
		t.Error(err)
	}
}

// The interface leaves the status of a token's answer open.
func TestATokenComesWithAny2xx(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 201, 206, 299} {
		requests := 0
		err := readOne(t, `{"id":"g"}`, func(w http.ResponseWriter, r *http.Request) {
			requests++
			if r.Method == http.MethodPost {
				w.WriteHeader(status)
			}
		})
		if err != nil || requests != 2 {
			t.Errorf("%d: %v after %d requests", status, err, requests)
		}
	}
}
