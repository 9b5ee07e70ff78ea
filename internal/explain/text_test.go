package explain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// TestTexts covers texts that no message of TestMessages contains.
func TestTexts(t *testing.T) {
	t.Parallel()
	many := strings.Fields("0 1 2 3 4 5 6 7 8 9 10")
	ten := `"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"`
	for _, test := range []struct{ got, want string }{
		{explain.Sentence(""), ""},
		{explain.Sentence("Ends already."), "Ends already."},
		{explain.Quoted("a", "b\n"), `"a", "b\n"`},
		{explain.Quoted(strings.Repeat("é", 100)), `"` + strings.Repeat("é", 100) + `"`},
		{explain.Quoted(many[:10]...), ten},
		{explain.Quoted(many...), ten + ", and 1 more"},
		{explain.Bulleted([]string{"a", "b"}, 1), "\n  - a\n  - and 1 more"},
		{explain.Oddity("id\n"), "character 3, the last, is a line break"},
		{explain.Oddity("{id}"), `character 1 is "{" (U+007B)`},
		{explain.Oddity("é–id"), `character 1 is "é" (U+00E9)`},
		{explain.Oddity("i–d"), `character 2 is "–" (U+2013)`},
		{explain.Oddity("i\u00a0d"), "character 2 is a space (U+00A0)"},
		{explain.Oddity("i\u200bd"), "character 2 is invisible (U+200B)"},
		{explain.Oddity("i\td"), "character 2 is a tab"},
		{explain.Oddity("aZ09-_."), ""},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}

func TestParagraphsLeaveTheirTextsAsTheyAre(t *testing.T) {
	t.Parallel()
	texts := []string{"", "a", "b"}
	if got := explain.Paragraphs(texts...); got != "a\n\nb" || !slices.Equal(texts, []string{"", "a", "b"}) {
		t.Errorf("%q of %q", got, texts)
	}
}
