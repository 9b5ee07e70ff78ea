package setting

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// Oddities describes what is odd about a credential, without showing the value. An oddity may belong to the value, so
// it is not a problem by itself. If nothing else is odd, a secret may be the wrong text or a part of one; the length
// of a longer one is not told.
func Oddities(argument, value string) []string {
	const short = 12
	inner := strings.TrimSpace(value)
	left, odd, length := oddity(inner), redact.OddCharacter(inner, isUnseen), utf8.RuneCountInString(value)
	switch {
	case inner != value:
		left = "has white space around it, such as the line break at the end of a file; leave it out"
	case left != "":
	case odd != "":
		left = "is odd: its " + odd
	case argument == ClientID || length >= short:
		return nil
	case length == 1:
		left = "has only one character"
	default:
		left = fmt.Sprintf("has only %d characters", length)
	}
	return []string{left}
}

// Verbatim is the parser of a client id and a client secret, which may be any text.
func Verbatim(text string) (string, error) { return text, nil }

// ParseAccessToken returns an error for a text that cannot be sent as a bearer token (RFC 6750 §2.1), and for texts
// that people paste in its place. White space around it is never part of a token and is left out. The error does not
// show the text.
func ParseAccessToken(text string) (string, error) {
	text = strings.TrimSpace(strings.TrimPrefix(text, byteOrderMark))
	const form = "; give one token, in ASCII, without a word such as Bearer before it"
	isOdd := func(r rune) bool { return r <= ' ' || r > '~' }
	if problem := oddityOf(strings.Trim(text, quotes), isOdd, form); problem != "" { // they may belong to it
		return "", errors.New(problem)
	}
	return text, nil
}
