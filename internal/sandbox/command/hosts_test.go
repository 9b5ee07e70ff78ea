package command

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestForeignHosts are refused on every route while the sandbox listens on loopback, and on its own routes elsewhere.
func TestForeignHosts(t *testing.T) {
	tests := map[string]struct {
		arguments   []string
		read, reset int
	}{
		"on loopback":           {nil, http.StatusForbidden, http.StatusForbidden},
		"on loopback by a name": {[]string{"-listen=localhost:0"}, http.StatusForbidden, http.StatusForbidden},
		"on every address":      {[]string{"-listen=0.0.0.0:0"}, http.StatusUnauthorized, http.StatusForbidden},
		"a name of its own":     {[]string{"-host=other,sandbox.example"}, http.StatusUnauthorized, http.StatusNoContent},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := startServing(t, test.arguments...)
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
			reads, resets := ask(http.MethodGet, "/v1/model-group"), ask(http.MethodPost, "/control/reset")
			if reads != test.read || resets != test.reset {
				t.Errorf("a read gets %d and a reset %d, want %d and %d", reads, resets, test.read, test.reset)
			}
		})
	}
}
