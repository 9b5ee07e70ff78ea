// Package redact makes texts of strangers fit to be shown: masked, printable and short.
package redact

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Shortest is the length of the shortest secret, in characters. A shorter one would mask everyday words.
const Shortest = 6

// Mask removes secrets from texts of others: a service may repeat a request's text in a message, a header or a
// redirect. The zero Mask knows none. It never forgets a secret, because a service may repeat an old token too.
type Mask struct {
	mu sync.RWMutex
	// known has secrets and their base64, folded, by their first Shortest bytes, so the time for a text does not grow
	// with the number of secrets.
	known map[string][]string
}

// Add makes Clean remove secret, unless it is shorter than [Shortest].
func (m *Mask) Add(secret string) {
	secret = strings.TrimSpace(secret)
	if utf8.RuneCountInString(secret) < Shortest {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[string][]string{}
	}
	for _, spelling := range append(base64Spellings(secret), secret) {
		spelling = folded(spelling)
		if alike := m.known[spelling[:Shortest]]; !slices.Contains(alike, spelling) {
			m.known[spelling[:Shortest]] = append(alike, spelling)
		}
	}
}

// folded returns text with spaces in place of plus signs, which encode spaces in a form.
func folded(text string) string { return strings.ReplaceAll(text, "+", " ") }

const (
	longWord = 12 // bytes; a shorter word of a header may be an everyday one
	longRun  = 8  // words
)

// AddHeader makes Clean remove the value of a header, its long words and runs of words, and the password of Basic
// credentials, which are base64 of NAME:PASSWORD. A service may repeat a credential without its scheme, such as Bearer,
// or one cookie of several.
func (m *Mask) AddHeader(value string) {
	m.Add(value)
	for _, word := range []string{`\S+`, `[\pL\pM\pN._~%+-]+`} {
		words := regexp.MustCompile(word).FindAllStringIndex(value, -1)
		for i, first := range words {
			for _, last := range words[i:min(i+longRun, len(words))] {
				if run := value[first[0]:last[1]]; len(run) >= longWord {
					m.Add(run)
				}
			}
		}
	}
	for word := range strings.FieldsSeq(value) {
		login, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(word, "="))
		_, password, _ := strings.Cut(string(login), ":")
		m.Add(password)
	}
}

// base64Spellings returns the spellings of a secret in base64: by itself, and behind the client id of Basic
// credentials, where the same bytes have two more. It leaves padding out, because padding hides nothing.
func base64Spellings(secret string) (spellings []string) {
	for before := range 3 {
		text := base64.RawStdEncoding.EncodeToString([]byte("::"[:before] + secret))
		// A character has 6 bits. The first that the secret alone decides:
		text = text[(before*8+5)/6:]
		spellings = append(spellings, text, forURLs.Replace(text))
	}
	return spellings
}

var forURLs = strings.NewReplacer("+", "-", "/", "_") // RFC 4648 §5

// Clean returns text without secrets: as they are, URL-encoded, JSON-escaped, with entities of XML or in base64. It
// removes the beginning of one, too, at the end of text, which may be truncated, and where [Shorten] has cut it.
func (m *Mask) Clean(text string) string { return m.clean(text, true) }

// CleanQuotes returns a text of ours with its quotes cleaned: texts of others stand between double quotes, as %q writes
// them. Our own words are never masked, whatever the secrets are.
func (m *Mask) CleanQuotes(text string) string {
	quote := regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)
	return quote.ReplaceAllStringFunc(text, func(shown string) string {
		quoted, _ := strconv.Unquote(shown)
		cleaned := m.clean(quoted, false)
		if cleaned != quoted {
			return strconv.Quote(cleaned)
		}
		return shown
	})
}

// clean returns text without secrets, and without the beginning of one at the end of a truncated text.
func (m *Mask) clean(text string, isCut bool) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	hidden := make([]bool, len(text))
	for _, form := range forms {
		if strings.Contains(text, form.mark) {
			m.hide(hidden, text, form, isCut)
		}
	}
	var out strings.Builder
	for i := range len(text) {
		switch {
		case !hidden[i]:
			out.WriteByte(text[i])
		case i == 0 || !hidden[i-1]:
			out.WriteString("***")
		}
	}
	return out.String()
}

// maxTidied limits the search for secrets in a text, in bytes, to far more than a message shows.
const maxTidied = 64 << 10

// Tidy makes a text of a stranger fit for a message: without control characters and secrets, and of at most limit
// characters.
func (m *Mask) Tidy(text string, limit int) string {
	return Fit(m.Clean(text[:min(len(text), maxTidied)]), limit)
}

// Fit makes a text printable, of at most limit characters.
func Fit(text string, limit int) string { return Shorten(Printable(text), limit) }

// hide marks the bytes of a secret in one form, or of the beginning of one where text is cut.
func (m *Mask) hide(hidden []bool, text string, in form, isCut bool) {
	var meant strings.Builder
	var at []int // where each byte of it began
	for i := 0; i < len(text); {
		plain, size := in.next(text[i:])
		for range len(plain) {
			at = append(at, i)
		}
		meant.WriteString(folded(plain))
		i += size
	}
	at = append(at, len(text))
	for rest := meant.String(); len(rest) >= Shortest; rest = rest[1:] {
		from := len(at) - 1 - len(rest)
		for _, secret := range m.known[rest[:Shortest]] {
			for i := at[from]; i < at[from+sizeOf(secret, rest, isCut)]; i++ {
				hidden[i] = true
			}
		}
	}
}

// sizeOf returns the size of a secret at the beginning of a text, or of the beginning of one where the text is cut.
func sizeOf(secret, text string, isCut bool) int {
	part, _, found := strings.Cut(text[:min(len(text), len(secret)+len(cut))], cut) // not of a whole body
	switch {
	case strings.HasPrefix(text, secret):
		return len(secret)
	case isCut && strings.HasPrefix(secret, text):
		return len(text)
	case found && strings.HasPrefix(secret, part):
		return len(part)
	}
	return 0
}

// form is a way to spell characters: each as it is, or some by an escape.
type form struct {
	mark  string                       // the beginning of an escape, empty if every character is as it is
	meant func(string) (string, error) // the meaning of an escape
	sizes []int                        // the lengths of an escape, the longest first
}

var forms = []form{
	{},
	{
		mark:  "%",
		meant: url.PathUnescape,
		sizes: []int{len(`%41`)},
	},
	{
		mark:  `\`,
		meant: unquote,
		sizes: []int{len(`\ud83d\ude00`), len(`\u0041`), len(`\n`)},
	},
	{
		mark:  "&",
		meant: entity,
		sizes: []int{len("&#x1F600;"), 8, 7, 6, 5, len("&lt;")},
	},
}

func entity(escape string) (plain string, err error) {
	if strings.HasSuffix(escape, ";") {
		plain = html.UnescapeString(escape)
	}
	return plain, nil
}

func unquote(escape string) (plain string, err error) {
	err = json.Unmarshal([]byte(`"`+escape+`"`), &plain)
	return plain, err
}

// next returns the meaning of the beginning of text, and its size in bytes. A truncated escape stands for nothing, and
// an invalid one for its mark.
func (f form) next(text string) (plain string, size int) {
	if text[:1] != f.mark {
		return text[:1], 1
	}
	for _, size := range f.sizes {
		escape := text[:min(size, len(text))]
		plain, err := f.meant(escape)
		isOne := utf8.RuneCountInString(plain) == 1
		isHalf := plain == string(utf8.RuneError) // of a surrogate pair
		if err == nil && isOne && !isHalf {
			return plain, len(escape)
		}
	}
	longest := f.sizes[0]
	start := text[:min(len(text), longest+len(cut))]
	if part, _, _ := strings.Cut(start, cut); len(part) < longest {
		return "", len(part)
	}
	return text[:1], 1
}

// Printable replaces control characters and invalid UTF-8, and folds white space, so that a body cannot draw on the
// user's terminal.
func Printable(text string) string {
	odd := func(r rune) bool {
		return r == ' ' || r == utf8.RuneError || !unicode.IsPrint(r)
	}
	return strings.Join(strings.FieldsFunc(text, odd), " ")
}

// Abridged cuts a value, for messages, after a hundred characters.
func Abridged(text string) string {
	return Shorten(text, 100)
}

const cut = "…"

// Shorten cuts a text after limit characters, and marks the cut.
func Shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	start := []rune(text)[:limit]
	return string(start) + cut
}
