package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable replaces control characters and what is no UTF-8, and folds white
// space, so that a body cannot draw on the user's terminal.
func Printable(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// Shorten cuts a text after so many characters, and says so.
func Shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + "…"
}
