package setting

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// wrappings are characters that may stand around a credential: how to remove them, and the sentence about them.
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

// Oddities describes each oddity of a credential and its remedy, without showing the value. trimmed says
// how to get rid of white space around it. Each may belong to the value, so none is a problem by itself. If nothing
// else is odd, a secret may be the wrong text or a part of one; the length of a longer one is not told.
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
	odd := redact.OddCharacter(value, isUnseen)
	if left := oddity(value); left != "" {
		found = append(found, left)
	} else if odd != "" {
		found = append(found, "is odd: its "+odd)
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

// Verbatim is the parser of a client id and a client secret, which may be any text.
func Verbatim(text string) (string, error) { return text, nil }

// ParseAccessToken returns an error for a text that cannot be sent as a bearer token (RFC 6750 §2.1), and for texts
// that people paste in its place. White space around it is never part of a token and is left out. The error does not
// show the text.
func ParseAccessToken(text string) (string, error) {
	text = strings.TrimSpace(withoutMark(text))
	const form = "give one token, in ASCII, without a word such as Bearer before it"
	isOdd := func(r rune) bool { return r <= ' ' || r > '~' }
	if problem := oddityOf(withoutQuotes(text), isOdd, form); problem != "" { // they may belong to it
		return "", errors.New(problem)
	}
	return text, nil
}
