package explain_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 12 {
		many = append(many, fmt.Sprint(i))
	}
	ten := `"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"`
	for _, test := range []struct{ got, want string }{
		{explain.Paragraphs("", "One.", "", "Two.", ""), "One.\n\nTwo."},
		{explain.Sentence(""), ""},
		{explain.Sentence("élan vital"), "Élan vital."},
		{explain.Sentence("Ends already."), "Ends already."},
		{explain.Enumerated(nil), ""},
		{explain.Enumerated([]string{"a"}), "a"},
		{explain.Enumerated([]string{"a", "b"}), "a and b"},
		{explain.Enumerated([]string{"a", "b", "c"}), "a, b and c"},
		{redact.Abridged(strings.Repeat("é", 101)), strings.Repeat("é", 100) + "…"},
		{explain.Quoted("a", "b\n"), `"a", "b\n"`},
		{explain.Quoted(many[:10]...), ten},
		{explain.Quoted(many[:11]...), ten + ", and 1 more"},
		{explain.Quoted(many...), ten + ", and 2 more"},
		{explain.Bulleted([]string{"a", "b"}, 2), "\n  - a\n  - b"},
		{explain.Bulleted([]string{"a", "b"}, 1), "\n  - a\n  - and 1 more"},
		{explain.Oddity("an id"), "looks like a name"},
		{explain.Oddity(" id"), "starts or ends with a space"},
		{explain.Oddity("id\n"), "starts or ends with a space"},
		{explain.Oddity("id"), ""},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}
