package settings

import (
	"strings"
	"testing"
)

// TestOneAddress: the environment's credentials are for its address in any spelling. Ports are compared whole.
func TestOneAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		own, other string
		isOne      bool
	}{
		{"https://c.example", "https://C.example:443/", true},
		{"https://c.example/a", "https://c.example/a//", true},
		{"http://localhost", "http://127.0.0.1:80", true},
		{"http://LOCALHOST:8080/a", "http://[::1]:8080/a", true},
		{"https://127.0.0.1:443", "https://[::1]", true},
		{"https://c.example:44380", "https://c.example:80", false},
		{"https://c.example:4434", "https://c.example:4", false},
		{"https://c.example:443", "https://c.example:44", false},
		{"http://localhost:8080", "http://localhost:80", false},
		{"http://127.0.0.1:80", "http://127.0.0.2:80", false},
		{"http://localhost:443", "https://localhost", false},
		{"https://c.example/a", "https://c.example/A", false},
		{"https://c.example", "https://c.example.other", false},
	} {
		block := Block{BaseURL: {Text: test.own, IsSet: true}, AccessToken: {Text: "t", IsSet: true}}
		got := Resolve(block, Environment{Variable(BaseURL): test.other, Variable(Headers): "X-Key: k"})
		told := strings.Join(got.Explainer().Gateway.Oddities, "\n")
		isWithheld := strings.Contains(told, "Not used here, because of the different address in MODELCATALOGUE_BASE_URL: MODELCATALOGUE_H")
		if len(got.Problems) > 0 || (got.Client.Headers != nil) != test.isOne || isWithheld == test.isOne {
			t.Errorf("%s and %s: %+v, it is told %q", test.own, test.other, got, told)
		}
	}
}

// TestShowableAddresses: an invalid address is shown only if it cannot contain a password or a key.
func TestShowableAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"http://catalogue:8080":      true,
		"HTTP://catalogue:8080/a/v1": true,
		"https//catalogue.example":   true,
		"http://c.example":           true,
		"https://me:hunter2":         false,
		"https://c:123456":           false,
		"https://c:80:80":            false,
		"https://me:12@c.example":    false,
		"https://c.example?key=a":    false,
		"https://c.example/a:b":      false,
		"hunter2":                    false,
	} {
		if got := isShowable(text); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}
