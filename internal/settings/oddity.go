package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

const (
	byteOrderMark = "\ufeff"
	quotes        = "\"'`“”‘’„"
	giveContent   = `; give its content, by file("…") in a configuration or by a variable that ends in ` + fileSuffix
)

// oddity returns a phrase about a text in place of a value, or "". It contains nothing of the text. The first odd
// character, in most other cases, depends on the kind of value.
func oddity(text string) string {
	form := formOf(text)
	switch {
	case isBlank(text):
		return "is blank"
	case strings.Trim(text, quotes) != text:
		return "has quotes around it; leave them out"
	case slices.Contains([]string{"null", "nil", "none", "undefined"}, strings.ToLower(text)):
		return "is a word that programs print for a missing value"
	case strings.Trim(text, "*") == "":
		return "has only asterisks, which CI prints in place of a secret"
	case form != "":
		return "has the form " + form + "; give the value itself"
	case isAssignment(text):
		return "looks like KEY=value; give only the value"
	case isFile(text):
		return "is the name of a file" + giveContent
	}
	return ""
}

// oddityOfSecret is oddity for a secret: it also knows the secret's own name and the word before a credential.
func oddityOfSecret(name, text string) string {
	switch bare := unseparated(text); bare {
	case unseparated(name), unseparated(Variable(name)):
		return "is its own name in place of a value"
	case "BEARER", "BASIC":
		return "is a word such as Bearer, without the credential after it"
	}
	return oddity(text)
}

// oddityOfAddress returns a sentence about a text in place of an address, or about its first invisible character and
// the expected form, or "".
func oddityOfAddress(text, form string) string {
	unseen := redact.OddCharacter(text, func(r rune) bool { return r == ' ' || isUnseen(r) })
	switch problem := oddity(text); {
	case problem != "":
		return "it " + problem
	case unseen != "":
		return unseen + form
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

// forms are those of an unfilled placeholder, of a reference to a secret, and of a document: how each begins and ends,
// and whether only the name of a variable may stand between.
var forms = []struct {
	first, last string
	ofVariable  bool
}{
	{"${", "}", false},
	{"$(", ")", false},
	{"{", "}", false},
	{"<", ">", false},
	{"$", "", true},
	{"%", "%", true},
	{"op://", "", false},
	{"arn:", "", false},
	{"vault:", "", false},
}

// formOf returns which of these forms a text has, or "".
func formOf(text string) string {
	for _, f := range forms {
		rest, starts := strings.CutPrefix(text, f.first)
		inner, ends := strings.CutSuffix(rest, f.last)
		isVariable := len(inner) > 2 && strings.Trim(inner, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == ""
		if starts && ends && (isVariable || !f.ofVariable) {
			return f.first + "…" + f.last
		}
	}
	return ""
}

// isUnseen reports whether a reader cannot see a character. A plain space may belong to a secret.
func isUnseen(r rune) bool { return !unicode.IsPrint(r) }

// otherThan returns a test for characters other than letters, digits and those allowed.
func otherThan(allowed string) func(rune) bool {
	return func(r rune) bool {
		return !unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark) && !strings.ContainsRune(allowed, r)
	}
}
