package sandbox_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// direct calls the handler without a socket, for the tests with a fake clock.
type direct struct {
	t *testing.T
	s *sandbox.Sandbox
}

func (d direct) token(clientID string) string {
	d.t.Helper()
	var answer struct {
		Token string `json:"access_token"`
	}
	got := d.post("/v1/auth/token", credentials(clientID).Encode())
	if err := json.Unmarshal(got.Body.Bytes(), &answer); err != nil || got.Code != http.StatusOK {
		d.t.Fatalf("token: %d %s", got.Code, got.Body)
	}
	return answer.Token
}

func (d direct) post(path, form string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1"+path, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	d.s.ServeHTTP(w, r)
	return w
}

func (d direct) get(path, token string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+path, nil)
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	d.s.ServeHTTP(w, r)
	return w
}
