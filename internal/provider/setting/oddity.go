// Package setting reads the settings of the provider and of the sandbox's `record`: variables, the files that they
// name, an address, certificates, an access token, a proxy. Its errors describe a value that cannot be used, and never
// show anything that may be a secret. It knows nothing of Terraform.
package setting

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

const (
	byteOrderMark = "\ufeff"
	quotes        = "\"'`“”‘’„"
)

// IsBlank reports whether a text has nothing but white space.
func IsBlank(text string) bool { return strings.TrimSpace(text) == "" }

// EmptyOrBlank returns the word for a text that is empty or consists of white space.
func EmptyOrBlank(text string) string {
	if text == "" {
		return "empty"
	}
	return "blank"
}

// oddity describes in a phrase the text that stands in place of a value, or returns "". It never shows anything that
// may be a secret. The first character that is odd, which says most of the rest, depends on the value.
func oddity(text string) string {
	left, form, reference := leftovers[strings.ToLower(text)], placeholder(text), referenceOf(text)
	switch {
	case IsBlank(text):
		return "is blank"
	case strings.Trim(text, quotes) != text:
		return "has quotes around it; leave them out"
	case left != "":
		return "is " + text + ", which " + left
	case isHTML(text):
		return "is a page of HTML"
	case reference != "":
		return "is a reference that begins with " + reference + ", which nothing replaced"
	case form != "":
		return "is a placeholder of the form " + form + ", which nothing filled in"
	case strings.HasPrefix(strings.Join(strings.Fields(text), ""), `{"`):
		return "is a JSON object; give only the value in it"
	case isAssignment(text):
		return "looks like KEY=value; give only the value"
	case isFile(text):
		return "is the path of a file; a variable that ends in " + fileSuffix + " names a file"
	}
	return ""
}

// oddityOf returns the same as the rest of a sentence that begins with "it", or which character is the first that is
// odd, and the form that is expected.
func oddityOf(text string, odd func(rune) bool, form string) string {
	problem := oddity(text)
	if at := redact.OddCharacter(text, odd); problem == "" && at != "" {
		return at + "; " + form
	}
	return it(problem)
}

// it puts the subject before a phrase that is not empty.
func it(phrase string) string {
	if phrase == "" {
		return ""
	}
	return "it " + phrase
}

// leftovers are texts that programs print or people paste in place of a value, in lower case.
var leftovers = map[string]string{
	"null":       "jq prints for a field that does not exist",
	"none":       "Python prints for a missing value",
	"undefined":  "JavaScript prints for a missing value",
	"<nil>":      "Go templates print for a missing value",
	"<no value>": "Go templates print for a missing value",
	"***":        "CI prints in place of a secret",
	"bearer":     "comes before a token",
}

func isHTML(text string) bool {
	lower := strings.ToLower(strings.TrimSpace(text))
	return strings.HasPrefix(lower, "<!doctype") || strings.HasPrefix(lower, "<html")
}

// referenceOf returns how a text begins in place of which a tool should have put a secret, or "".
func referenceOf(text string) string {
	for _, start := range []string{"op://", "arn:", "vault:"} {
		if strings.HasPrefix(text, start) {
			return start
		}
	}
	return ""
}

// isAssignment reports whether a text is of the form KEY=value, as a line of a shell or of an .env file. A secret in
// base64 may end in =, and has lower-case letters or digits before it.
func isAssignment(text string) bool {
	key, value, _ := strings.Cut(strings.TrimPrefix(text, "export "), "=")
	return len(key) > 2 && strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "" && strings.Trim(value, "=") != ""
}

// isFile reports whether a text is the absolute path of a file on this machine.
func isFile(text string) bool {
	info, err := os.Stat(text)
	return filepath.IsAbs(text) && err == nil && info.Mode().IsRegular()
}

// nameLetters are those of a variable of the shell.
const nameLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

// placeholders are forms of text that something should have filled in: how each begins and ends, and which letters may
// stand between ("" for any).
var placeholders = []struct{ first, last, letters string }{
	{"${", "}", ""},
	{"$(", ")", ""},
	{"<", ">", ""},
	{"{{", "}}", ""},
	{"$", "", nameLetters},
	{"%", "%", nameLetters},
}

// placeholder returns which of these forms a text has, or "". An address in angle brackets does not count.
func placeholder(text string) string {
	for _, p := range placeholders {
		rest, starts := strings.CutPrefix(text, p.first)
		inner, ends := strings.CutSuffix(rest, p.last)
		isName := len(inner) > 2 && strings.Trim(inner, p.letters) == ""
		if starts && ends && !strings.Contains(inner, "://") && (p.letters == "" || isName) {
			return p.first + "…" + p.last
		}
	}
	return ""
}

// isUnseen reports whether a reader cannot see a character. A plain space may belong to a secret.
func isUnseen(r rune) bool { return !unicode.IsPrint(r) }
