package settings

import (
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// TestValuesThatAreNotOdd: the provider's TestMessages has odd ones.
func TestValuesThatAreNotOdd(t *testing.T) {
	t.Parallel()
	for _, sound := range []string{
		"a long secret", "$ecret{}<xABCD", "ABCDEFGHIJKL==", "aBC=defghijk", "AB=defghijkl", "my-client-secret", "Bearer of a secret",
	} {
		if got := oddities(ClientSecret, sound); got != nil {
			t.Errorf("%q: %q", sound, got)
		}
	}
}

// TestOddHeaders: the sentence about the value of a header, without the value.
func TestOddHeaders(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"1":                          "",
		"Bearer abc":                 "",
		"a=b; c=d, e":                "",
		"Sat, 01 Jan 2000 10:00:00":  "",
		`{"a": 1}`:                   "has the form {…}; give the value itself",
		"'hunter2'":                  "has quotes around it; leave them out",
		"***":                        "has only asterisks, which CI prints in place of a secret",
		"${hunter2}":                 "has the form ${…}; give the value itself",
		"$HUNTER":                    "has the form $…; give the value itself",
		"Undefined":                  "is a word that programs print for a missing value",
		"x_key":                      "is its own name in place of a value",
		"bearer":                     "is a word such as Bearer, without the credential after it",
		"hunter2, X-Id: hunter2":     "has the name of a header in it; give the value alone, and write one header a line",
		"hunter2; CF-Access-Id: abc": "has the name of a header in it; give the value alone, and write one header a line",
		"X-Key: hunter2":             "has the name of a header in it; give the value alone, and write one header a line",
		"hunter2 ;X-Id: hunter2":     "has the name of a header in it; give the value alone, and write one header a line",
	} {
		resolved := Resolved{Client: catalogue.Config{Headers: map[string]string{"X-Key": value}}}
		got := strings.Join(resolved.Explainer().Gateway.Oddities, "\n")
		if want != "" {
			want = "The value of the header X-Key " + want + ". That may be the reason."
		}
		if got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}
