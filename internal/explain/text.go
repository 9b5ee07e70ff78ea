package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// Paragraphs joins the non-empty texts with blank lines.
func Paragraphs(texts ...string) string { return joined("\n\n", texts...) }

// joined joins the non-empty texts.
func joined(separator string, texts ...string) string {
	isEmpty := func(text string) bool { return text == "" }
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), isEmpty), separator)
}

// Sentence returns an English text with a capital letter and a full stop.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}

// MaxIDs limits the ids, tags and the like in one diagnostic.
const MaxIDs = 10

// Enumerated joins words with commas and a last "and". After MaxIDs words it counts the rest.
func Enumerated(words []string) string {
	last := len(words) - 1
	if last < 1 || last >= MaxIDs {
		return JoinFirst(words, ", ")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Quoted quotes and joins the first MaxIDs values, and counts the rest.
func Quoted(values ...string) string {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = fmt.Sprintf("%q", redact.Abridged(value))
	}
	return JoinFirst(quoted, ", ")
}

// JoinFirst joins the first MaxIDs words, and counts the rest.
func JoinFirst(words []string, separator string) string {
	return strings.Join(First(MaxIDs, words), separator)
}

// Bulleted returns the first lines as bullets, and counts the rest.
func Bulleted(lines []string, limit int) string {
	return "\n  - " + strings.Join(First(limit, lines), "\n  - ")
}

// First returns the first words of a list, followed by the count of the rest.
func First(limit int, words []string) []string {
	if more := len(words) - limit; more > 0 {
		return append(words[:limit:limit], fmt.Sprintf("and %d more", more))
	}
	return words
}
