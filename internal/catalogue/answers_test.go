package catalogue

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
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

// A body in an encoding that was not asked for is told as that. None of its bytes is shown.
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
			c := New(configFor(t, "http://localhost", Config{Transport: answering(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					w.Header().Set("Content-Encoding", label)
					w.WriteHeader(status)
				}
				answerTokens(w, r, bytes)
			})}))
			_, err := c.ModelGroup(t.Context(), "g")
			if err == nil || !strings.Contains(err.Error(), "body") || !strings.Contains(err.Error(), "is "+says) ||
				!utf8.ValidString(err.Error()) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%d, %q: %v", status, body, err)
			}
		}
	}
}

// RFC 8259 §8.1 lets a reader leave a byte order mark out. A code is decided behind it, too.
func TestAByteOrderMarkIsLeftOut(t *testing.T) {
	t.Parallel()
	const bom = "\uFEFF"
	for body, status := range map[string]int{
		bom + `{"id":"g"}`: http.StatusOK,
		bom + `{"code":"ORGANISATION_DISABLED","message":"Unpaid."}`: http.StatusForbidden,
	} {
		c := New(configFor(t, "http://localhost", Config{Transport: answering(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				_, _ = w.Write([]byte(bom))
			} else {
				w.WriteHeader(status)
			}
			answerTokens(w, r, body)
		})}))
		_, err := c.ModelGroup(t.Context(), "g")
		if disabled := errors.Is(err, ErrOrganisationDisabled); disabled != (status != http.StatusOK) || !disabled && err != nil {
			t.Errorf("%q: %v", body, err)
		}
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

// A gateway's copy may lack the latest revision.
func TestAReadAsksForNoCopy(t *testing.T) {
	t.Parallel()
	sent := map[string]string{}
	c := New(configFor(t, "http://localhost", Config{Transport: answering(func(w http.ResponseWriter, r *http.Request) {
		sent[r.Method] = r.Header.Get("Cache-Control")
		answerTokens(w, r, `[]`)
	})}))
	if _, err := c.Models(t.Context(), "g"); err != nil || sent[http.MethodGet] != "no-cache" || sent[http.MethodPost] != "" {
		t.Errorf("%v, sent %q", err, sent)
	}
}

// A page of HTML is told as one, however late its title comes and however few bytes come at once.
func TestAPageOfHTML(t *testing.T) {
	t.Parallel()
	for page, says := range map[string]string{
		"\r\n<!DOCTYPE html>\n<title lang=\"en\">Sign&nbsp;in</title>":             "a page of HTML titled Sign in",
		"<link rel=icon>" + strings.Repeat(" ", 900) + "<title>Portal":             "a page of HTML titled Portal",
		"<!-- a > b --><script>x = '<b>'</script><p>Turn on scripts.<br><script>y": "a page of HTML with the text Turn on scripts.",
		"<p":                            "a page of HTML",
		"<?xml version='1.0'?><Error/>": `not valid JSON: invalid character '<' at start of value; it begins with "<?xml version='1.0'?>`,
	} {
		c := New(configFor(t, "http://localhost", Config{Transport: bytewise{answering(func(w http.ResponseWriter, r *http.Request) {
			answerTokens(w, r, page)
		})}}))
		_, err := c.ModelGroups(t.Context(), "")
		if unusable, _ := errors.AsType[*UnusableAnswerError](err); unusable == nil || !strings.Contains(unusable.Problem, says) {
			t.Errorf("%q: %v", page, err)
		}
	}
}

// bytewise is a network on which one byte of an answer comes at a time.
type bytewise struct{ http.RoundTripper }

func (b bytewise) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	response.Body = io.NopCloser(iotest.OneByteReader(response.Body))
	return response, err
}
