package command

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestForeignHosts are refused on every route while the sandbox listens on loopback, and on its own routes elsewhere.
func TestForeignHosts(t *testing.T) {
	for argument, want := range map[string]string{ // the statuses of a read and of a reset
		"-listen=127.0.0.1:0":         "403 403",
		"-listen=localhost:0":         "403 403",
		"-listen=0.0.0.0:0":           "401 403",
		"-host=other,sandbox.example": "401 204",
	} {
		s := startServing(t, argument)
		ask := func(method, path string) int {
			request := httptest.NewRequest(method, s.ready.URL+path, http.NoBody)
			request.Host = "sandbox.example"
			response, err := http.DefaultTransport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			return response.StatusCode
		}
		got := fmt.Sprint(ask(http.MethodGet, "/v1/model-group"), ask(http.MethodPost, "/control/reset"))
		if got != want {
			t.Errorf("with %s a read and a reset get %s, want %s", argument, got, want)
		}
	}
}
