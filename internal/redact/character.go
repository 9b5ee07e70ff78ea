package redact

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OddCharacter describes the first odd character of text and its place, counted from 1, such as
// `character 9 is "–" (U+2013)`. It returns "" if there is none.
func OddCharacter(text string, odd func(rune) bool) string {
	at := strings.IndexFunc(text, odd)
	if at < 0 {
		return ""
	}
	r, size := utf8.DecodeRuneInString(text[at:])
	last := ""
	if at > 0 && at+size == len(text) {
		last = ", the last,"
	}
	return fmt.Sprintf("character %d%s is %s", utf8.RuneCountInString(text[:at])+1, last, spoken(r))
}

// spoken returns words for a character, perhaps an invisible one.
func spoken(r rune) string {
	switch {
	case r == ' ':
		return "a space"
	case r == '\t':
		return "a tab"
	case r == '\n', r == '\r':
		return "a line break"
	case unicode.IsSpace(r):
		return fmt.Sprintf("a space (%U)", r)
	case !unicode.IsPrint(r):
		return fmt.Sprintf("invisible (%U)", r)
	}
	return fmt.Sprintf(`"%c" (%U)`, r, r)
}
