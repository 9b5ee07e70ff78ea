package sandboxtest_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

func TestShuffle(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {"northwind"}, "client_secret": {"northwind-sandbox-secret"}}
	var token struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.Unmarshal([]byte(answerOf(s, http.MethodPost, "/v1/auth/token", form.Encode(), "")), &token); err != nil {
		t.Fatal(err)
	}
	group := "/v1/model-group/" + sandbox.MainGroup
	for _, path := range []string{"/v1/model-group", group + "/models", group + "/latest-model"} {
		get := func() string { return answerOf(s, http.MethodGet, path, "", token.AccessToken) }
		plain := newListing(t, get())
		texts, orders := map[string]bool{plain.text: true}, map[string]bool{}
		for seed := range int64(8) {
			stop := sandboxtest.Shuffle(s, seed)
			got := newListing(t, get())
			if again := get(); again != got.text {
				t.Fatalf("%s: one seed gives two orders", path)
			}
			stop()
			texts[got.text] = true
			orders[strings.Join(got.order, " ")] = true
			// Once the list is sorted everything is as it was, the order of
			// the lists within a document too.
			if !reflect.DeepEqual(got.sorted, plain.sorted) {
				t.Errorf("%s: seed %d changes more than the order", path, seed)
			}
		}
		if len(texts) < 8 {
			t.Errorf("%s: 8 seeds give %d texts", path, len(texts))
		}
		if len(plain.order) > 1 && len(orders) < 3 {
			t.Errorf("%s: 8 seeds give %d orders of the list", path, len(orders))
		}
		if get() != plain.text {
			t.Errorf("%s: it does not stop", path)
		}
	}
}

// answerOf calls the handler without a socket.
func answerOf(h http.Handler, method, path, form, token string) string {
	r := httptest.NewRequest(method, path, strings.NewReader(form))
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Body.String()
}

// listing is an answer with its list put in order.
type listing struct {
	text   string
	order  []string
	sorted []any
}

// newListing decodes a list, or a document as a list of one.
func newListing(t *testing.T, body string) listing {
	t.Helper()
	text := body
	if text[0] == '{' {
		text = "[" + text + "]"
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	l := listing{text: body}
	if err := decoder.Decode(&l.sorted); err != nil {
		t.Fatal(err)
	}
	id := func(v any) string {
		record, _ := v.(map[string]any)
		text, _ := record["id"].(string)
		return text
	}
	for _, element := range l.sorted {
		l.order = append(l.order, id(element))
	}
	slices.SortFunc(l.sorted, func(a, b any) int { return strings.Compare(id(a), id(b)) })
	return l
}
