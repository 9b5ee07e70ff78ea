package sandboxtest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

func TestShuffle(t *testing.T) {
	s := sandbox.New(sandboxtest.ManyGroups(t, 3))
	ask := func(r *http.Request) string {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Body.String()
	}
	form := strings.NewReader("grant_type=client_credentials&client_id=northwind&client_secret=northwind-sandbox-secret")
	r := httptest.NewRequest(http.MethodPost, "/v1/auth/token", form)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	var token struct {
		Text string `json:"access_token"`
	}
	if err := json.Unmarshal([]byte(ask(r)), &token); err != nil {
		t.Fatal(err)
	}
	r = httptest.NewRequest(http.MethodGet, "/v1/model-group", nil)
	r.Header.Set("Authorization", "Bearer "+token.Text)
	plain := ask(r)
	sandboxtest.Shuffle(s)
	lists, objects := map[string]bool{}, map[bool]bool{}
	for range 200 {
		got := ask(r)
		if len(got) != len(plain) {
			t.Fatalf("got %s\nof  %s", got, plain)
		}
		lists[strings.Join(regexp.MustCompile("group-00[0-2]").FindAllString(got, -1), " ")] = true
		objects[strings.Index(got, `"axes"`) < strings.Index(got, `"name"`)] = true
	}
	if len(lists) != 6 || len(objects) != 2 {
		t.Errorf("the orders are %v, %v", lists, objects)
	}
}
