package catalogue

import (
	"strings"
	"testing"
)

func TestCheckID(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"a", "...", "a/b", "a?b#c", "%2e", "é ü", "emea/power?v=1#β %41"} {
		if err := CheckID(id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	for id, want := range map[string]string{
		"": "empty", ".": "relative", "..": "relative", "a\nb": "control", "\x00": "control",
		"a\u0085": "control", "\xff": "UTF-8",
	} {
		if err := CheckID(id); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want one about %q", id, err, want)
		}
	}
}
