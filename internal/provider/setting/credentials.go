package setting

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// wrappings are what may stand around a credential: what is left without it, and what to say about it.
var wrappings = []struct {
	without func(string) string
	say     string
}{
	{withoutMark, "begins with a byte order mark (U+FEFF); save its file as UTF-8 without one"},
	{strings.TrimSpace, "has white space around it, such as the line break at the end of a file; {}"},
	{withoutQuotes, "has quotes around it that are part of the value"},
}

func withoutMark(text string) string { return strings.TrimPrefix(text, byteOrderMark) }

func withoutQuotes(text string) string { return strings.Trim(text, quotes) }

// Oddities says what looks wrong with a credential and what to do about it, in words that show none of it. trimmed says
// how to get rid of white space around it. Each may belong to the value, so none is a problem by itself. If nothing else
// is odd, a secret may be the wrong text or a part of one; the length of a longer one is not told.
func Oddities(argument, value, trimmed string) []string {
	const short = 12
	var found []string
	for _, around := range wrappings {
		inner := around.without(value)
		if inner != value {
			found = append(found, strings.ReplaceAll(around.say, "{}", trimmed))
		}
		value = inner
	}
	if odd := secretMistakes.about(value); odd != "" {
		found = append(found, odd)
	}
	switch length := utf8.RuneCountInString(value); {
	case found != nil || argument == ClientID || length >= short:
	case length == 1:
		found = []string{"has only one character"}
	default:
		found = []string{fmt.Sprintf("has only %d characters", length)}
	}
	return found
}

// secretMistakes describe what looks wrong inside a credential.
var secretMistakes = hints{
	{mistaken, "is {}"},
	{severalLines, "has {} lines, and must have one"},
	{invisible, "is odd: its character {}"},
	{is(existingFile), "is the path of a file; a variable that ends in " + fileSuffix + " names a file"},
}

// existingFile reports whether a text is the absolute path of a file on this machine.
func existingFile(text string) bool {
	info, err := os.Stat(text)
	return filepath.IsAbs(text) && err == nil && info.Mode().IsRegular()
}

// Verbatim is the parser of a client id and a client secret, which may be any text.
func Verbatim(text string) (string, error) { return text, nil }

// ParseAccessToken returns an error for what cannot be sent as a bearer token (RFC 6750 §2.1), and for what people
// paste in its place. White space around it, which no token has, is left out. The error shows none of it.
func ParseAccessToken(text string) (string, error) {
	text = strings.TrimSpace(withoutMark(text))
	if problem := tokenMistakes.about(text); problem != "" {
		return "", errors.New(problem)
	}
	return text, nil
}

// tokenMistakes describe access tokens that cannot be sent.
var tokenMistakes = hints{
	{is(withScheme), "it begins with the word Bearer, which the provider adds; give only what follows"},
	{mistaken, "it is {}"},
	{severalLines, "it has {} lines, and a token has one"},
	{is(existingFile), "it is the path of a file; a variable that ends in " + fileSuffix + " names a file"},
	{is(notSendable), "it has characters that no bearer token may have, such as a space or a letter beyond ASCII"},
}

func withScheme(text string) bool {
	scheme, _, _ := strings.Cut(text, " ")
	return strings.EqualFold(scheme, "bearer")
}

func notSendable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}
