package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// Paragraphs joins the texts that are not empty.
func Paragraphs(texts ...string) string { return joined("\n\n", texts...) }

// joined joins the texts that are not empty.
func joined(separator string, texts ...string) string {
	isEmpty := func(text string) bool { return text == "" }
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), isEmpty), separator)
}

// Sentence begins a text, which is in English, with a capital letter and ends it with a full stop.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}

// MaxIDs bounds the ids, tags and the like that one diagnostic names.
const MaxIDs = 10

// Enumerated joins words with commas and a last "and". Of many it names the first MaxIDs, and how many it leaves out.
func Enumerated(words []string) string {
	last := len(words) - 1
	if last < 1 || last >= MaxIDs {
		return JoinFirst(words, ", ")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Quoted quotes values, the first MaxIDs of them.
func Quoted(values ...string) string {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = fmt.Sprintf("%q", redact.Abridged(value))
	}
	return JoinFirst(quoted, ", ")
}

// JoinFirst joins the first MaxIDs of a list, and says how many it leaves out.
func JoinFirst(words []string, separator string) string {
	return strings.Join(First(MaxIDs, words), separator)
}

// Bulleted returns the first lines of a list as bullets, and says how many it leaves out.
func Bulleted(lines []string, limit int) string {
	return "\n  - " + strings.Join(First(limit, lines), "\n  - ")
}

// First returns the first words of a list, and how many it leaves out.
func First(limit int, words []string) []string {
	if more := len(words) - limit; more > 0 {
		return append(words[:limit:limit], fmt.Sprintf("and %d more", more))
	}
	return words
}
