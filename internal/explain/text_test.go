package explain_test

import (
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// TestTexts has what no message of TestMessages has.
func TestTexts(t *testing.T) {
	t.Parallel()
	many := strings.Fields("0 1 2 3 4 5 6 7 8 9 10")
	ten := `"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"`
	for _, test := range []struct{ got, want string }{
		{explain.Sentence(""), ""},
		{explain.Sentence("élan vital"), "Élan vital."},
		{explain.Sentence("Ends already."), "Ends already."},
		{explain.Quoted("a", "b\n"), `"a", "b\n"`},
		{explain.Quoted(strings.Repeat("é", 100)), `"` + strings.Repeat("é", 100) + `"`},
		{explain.Quoted(many[:10]...), ten},
		{explain.Quoted(many...), ten + ", and 1 more"},
		{explain.Bulleted([]string{"a", "b"}, 1), "\n  - a\n  - and 1 more"},
		{explain.Oddity("id\n"), "starts or ends with a space"},
		{explain.Oddity("{id}"), "has quotes or brackets around it"},
		{explain.Oddity("id"), ""},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}
