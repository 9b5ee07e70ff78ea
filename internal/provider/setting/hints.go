// Package setting reads what the provider and `record` of the sandbox's program are configured with: variables, the
// files that they name, an address, certificates, an access token, a proxy. Its errors say what a value looks like that
// cannot be used, and show nothing that may be a secret. It knows nothing of Terraform.
package setting

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hints is a table of what a wrong value looks like, and what to say about it. Its rows are looked through in their
// order.
type hints []struct {
	find finder
	say  string // {} stands for the part that was found
}

// finder finds a text that looks wrong, and the part of it that does.
type finder = func(text string) (part string, found bool)

// about returns what the first row says that fits a text, or "".
func (rows hints) about(text string) string {
	for _, row := range rows {
		if part, found := row.find(text); found {
			return strings.ReplaceAll(row.say, "{}", part)
		}
	}
	return ""
}

// is finds a text for which a condition holds.
func is(condition func(string) bool) finder {
	return func(text string) (string, bool) { return "", condition(text) }
}

// having finds a text that has one of some parts in it.
func having(parts ...string) finder { return firstOf(parts, strings.Contains) }

// begins finds a text that begins with one of some parts.
func begins(parts ...string) finder { return firstOf(parts, strings.HasPrefix) }

// word finds one of some words, in any case.
func word(words ...string) finder { return firstOf(words, strings.EqualFold) }

// firstOf finds a text to which one of some parts has a relation.
func firstOf(parts []string, relates func(text, part string) bool) finder {
	return func(text string) (string, bool) {
		for _, part := range parts {
			if relates(text, part) {
				return part, true
			}
		}
		return "", false
	}
}

const (
	byteOrderMark = "\ufeff"
	quotes        = "\"'`“”‘’„"
)

// IsBlank reports whether a text has nothing but white space.
func IsBlank(text string) bool { return strings.TrimSpace(text) == "" }

func isPadded(text string) bool { return strings.TrimSpace(text) != text }

func isQuoted(text string) bool { return strings.Trim(text, quotes) != text }

func isHTML(text string) bool {
	lower := strings.ToLower(strings.TrimSpace(text))
	return strings.HasPrefix(lower, "<!doctype") || strings.HasPrefix(lower, "<html")
}

func isObject(text string) bool {
	return strings.HasPrefix(strings.Join(strings.Fields(text), ""), `{"`)
}

// isAssignment reports whether a text is of the form KEY=value, as a line of a shell or of an .env file. A secret in
// base64 may end in =, and has lower-case letters or digits before it.
func isAssignment(text string) bool {
	key, value, _ := strings.Cut(strings.TrimPrefix(text, "export "), "=")
	return len(key) > 2 && strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "" && strings.Trim(value, "=") != ""
}

// mistaken finds a text that a job left in place of a value.
func mistaken(text string) (what string, found bool) {
	what = mistakes.about(text)
	return what, what != ""
}

// mistakes describe what a failed job leaves in place of a value.
var mistakes = hints{
	{word("null"), "the word {}, which jq prints for a field that does not exist"},
	{word("None"), "the word {}, which Python prints for no value"},
	{word("undefined"), "the word {}, which JavaScript prints for no value"},
	{word("<nil>", "<no value>"), "the text {}, which templates of Go print for no value"},
	{is(isHTML), "a page of HTML"},
	{word("***"), "the text {}, which CI prints in place of a secret"},
	{begins("op://", "arn:", "vault:"), "a reference that begins with {}, which nothing replaced"},
	{placeholder, "a placeholder of the form {}, which nothing filled in"},
	{is(isObject), "a JSON object; give only the value in it"},
	{is(isAssignment), "a text of the form KEY=value; give only the value"},
}

// nameLetters are those of a variable of the shell.
const nameLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

// placeholders are forms of text that something should have filled in: how each begins and ends, and the letters
// between, any if there are none.
var placeholders = []struct{ first, last, letters string }{
	{"${", "}", ""},
	{"$(", ")", ""},
	{"<", ">", ""},
	{"{{", "}}", ""},
	{"$", "", nameLetters},
	{"%", "%", nameLetters},
}

// placeholder finds a text of one of these forms.
func placeholder(text string) (form string, found bool) {
	for _, p := range placeholders {
		rest, starts := strings.CutPrefix(text, p.first)
		inner, ends := strings.CutSuffix(rest, p.last)
		isName := len(inner) > 2 && strings.Trim(inner, p.letters) == ""
		if starts && ends && (p.letters == "" || isName) {
			return p.first + "…" + p.last, true
		}
	}
	return "", false
}

// unseen finds white space or a character without width, and says where it is. It shows nothing else of a text.
func unseen(text string) (where string, found bool) {
	return located(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
}

// invisible finds the same, except a plain space, which may belong to a secret.
func invisible(text string) (where string, found bool) {
	return located(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// located finds the first odd character, and says at which place it is, counted in characters from 1.
func located(text string, odd func(rune) bool) (where string, found bool) {
	at := strings.IndexFunc(text, odd)
	if at < 0 {
		return "", false
	}
	r, _ := utf8.DecodeRuneInString(text[at:])
	return fmt.Sprintf("%d is %s", utf8.RuneCountInString(text[:at])+1, spokenOf(r)), true
}

// spokenOf returns words for a character that a reader cannot see.
func spokenOf(r rune) string {
	switch r {
	case ' ':
		return "a space"
	case '\t':
		return "a tab"
	case '\n', '\r':
		return "a line break"
	case '\u00a0':
		return "a no-break space (U+00A0)"
	}
	return fmt.Sprintf("a character that cannot be seen (%U)", r)
}

// severalLines finds a text of several lines, and says how many.
func severalLines(text string) (count string, found bool) {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	return fmt.Sprint(len(lines)), len(lines) > 1
}

// EmptyOrBlank says in a word what is wrong with a text that has nothing but white space.
func EmptyOrBlank(text string) string {
	if text == "" {
		return "empty"
	}
	return "blank"
}
