package explain

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// Paragraphs joins the texts that are not empty.
func Paragraphs(texts ...string) string {
	var kept []string
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, "\n\n")
}

// Sentence begins a text with a capital letter and ends it with a full stop.
func Sentence(text string) string {
	text = strings.TrimSuffix(text, ".")
	for i, r := range text {
		return string(unicode.ToUpper(r)) + text[i+len(string(r)):] + "."
	}
	return ""
}

// Enumerated joins words with commas and a last "and".
func Enumerated(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Abridged bounds what a message quotes of a value that is of no use in full, to 100 characters.
func Abridged(text string) string { return redact.Shorten(text, 100) }

// MaxIDs bounds the ids, tags and the like that one diagnostic names.
const MaxIDs = 10

// Quoted quotes values, the first MaxIDs of them.
func Quoted(values []string) string {
	quoted := make([]string, 0, MaxIDs+1)
	for _, value := range values[:min(len(values), MaxIDs)] {
		quoted = append(quoted, fmt.Sprintf("%q", Abridged(value)))
	}
	if more := len(values) - MaxIDs; more > 0 {
		quoted = append(quoted, andOthers(more))
	}
	return strings.Join(quoted, ", ")
}

// Bulleted puts each line of a list below the other, the first so many of them.
func Bulleted(lines []string, limit int) string {
	var text strings.Builder
	for _, line := range lines[:min(len(lines), limit)] {
		text.WriteString("\n  - " + line)
	}
	if more := len(lines) - limit; more > 0 {
		text.WriteString("\n  - " + andOthers(more))
	}
	return text.String()
}

// andOthers ends a list of which so many are not named.
func andOthers(n int) string {
	if n == 1 {
		return "and 1 other"
	}
	return fmt.Sprintf("and %d others", n)
}

// SnakeCase turns the service's field names into attribute names.
func SnakeCase(place string) string {
	var out strings.Builder
	for _, r := range place {
		if unicode.IsUpper(r) {
			out.WriteByte('_')
			r = unicode.ToLower(r)
		}
		out.WriteRune(r)
	}
	return out.String()
}
