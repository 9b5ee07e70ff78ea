// Package redact makes texts of strangers fit to be shown: masked, printable and short.
package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Shortest is how many characters a secret has at least. A shorter one would mask everyday words.
const Shortest = 6

// Mask removes secrets from texts that others wrote: a service may repeat a request's text in a message, a header or a
// redirect. The zero Mask knows none. No secret is forgotten, because a service may repeat an old token too.
type Mask struct {
	mu    sync.RWMutex
	known []string // secrets and their base64, folded
}

// Add makes Clean remove secret, unless it is shorter than [Shortest].
func (m *Mask) Add(secret string) {
	secret = strings.TrimSpace(secret)
	if utf8.RuneCountInString(secret) < Shortest {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, spelling := range append(base64Spellings(secret), secret) {
		if spelling = folded(spelling); !slices.Contains(m.known, spelling) {
			m.known = append(m.known, spelling)
		}
	}
}

// folded returns text with spaces in place of plus signs, which encode spaces in a form.
func folded(text string) string { return strings.ReplaceAll(text, "+", " ") }

// AddHeader makes Clean remove the value of a header, the long words in it, and the password of Basic credentials. A
// service may repeat a credential without its scheme, such as Bearer, or one cookie of several. A shorter word may be
// an everyday one.
func (m *Mask) AddHeader(value string) {
	const longWord = 12
	m.Add(value)
	_, unschemed, _ := strings.Cut(value, " ")
	words := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(` ,;:="{}`, r) })
	for _, word := range append(words, unschemed) {
		if len(word) >= longWord {
			m.Add(word)
		}
	}
	if encoded, isBasic := strings.CutPrefix(value, "Basic "); isBasic {
		login, _ := base64.StdEncoding.DecodeString(encoded)
		_, password, _ := strings.Cut(string(login), ":")
		m.Add(password)
	}
}

// base64Spellings returns how a secret is spelled in base64: by itself, and behind the client id of Basic credentials,
// where the same bytes have two more spellings. Padding is left out, because it hides nothing.
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

// Clean returns text without secrets: as they are, URL-encoded, JSON-escaped or in base64, and without the beginning of
// one at the end of text, which may be cut short, and where [Shorten] has cut it.
func (m *Mask) Clean(text string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	hidden := make([]bool, len(text))
	m.hide(hidden, text)
	if strings.Contains(text, cut) {
		start := 0
		for part := range strings.SplitSeq(text, cut) {
			m.hide(hidden[start:], part)
			start += len(part) + len(cut)
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

// maxTidied is how many bytes of a text are searched for secrets, far more than a message shows.
const maxTidied = 64 << 10

// Tidy makes a text of a stranger fit for a message: without control characters and secrets, and of at most limit
// characters.
func (m *Mask) Tidy(text string, limit int) string {
	shown := Printable(m.Clean(text[:min(len(text), maxTidied)]))
	return Shorten(shown, limit)
}

// hide marks the bytes of text that belong to a secret.
func (m *Mask) hide(hidden []bool, text string) {
	for _, form := range forms {
		if strings.Contains(text, form.mark) {
			m.hideForm(hidden, text, form)
		}
	}
}

// hideForm marks the bytes of text that belong to a secret in one form.
func (m *Mask) hideForm(hidden []bool, text string, in form) {
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
	plain := meant.String()
	for i := range len(plain) {
		for _, secret := range m.known {
			secret = secret[:min(len(secret), len(plain)-i)]
			if len(secret) >= Shortest && strings.HasPrefix(plain[i:], secret) {
				for j := at[i]; j < at[i+len(secret)]; j++ {
					hidden[j] = true
				}
			}
		}
	}
}

// form is how a text spells characters: each as it is, or some by an escape.
type form struct {
	mark  string                       // what an escape begins with; empty if every character is as it is
	meant func(string) (string, error) // what an escape means
	sizes []int                        // the lengths of an escape, the longest first
}

var forms = []form{
	{},
	{"%", url.PathUnescape, []int{len(`%41`)}},
	{`\`, unquote, []int{len(`\ud83d\ude00`), len(`\u0041`), len(`\n`)}},
}

func unquote(escape string) (plain string, err error) {
	err = json.Unmarshal([]byte(`"`+escape+`"`), &plain)
	return plain, err
}

// next returns the meaning of the beginning of text, and its size in bytes. An escape that is cut short stands for
// nothing, and one that is not valid for its mark.
func (f form) next(text string) (plain string, size int) {
	if text[:1] != f.mark {
		return text[:1], 1
	}
	for _, size := range f.sizes {
		escape := text[:min(size, len(text))]
		plain, err := f.meant(escape)
		isHalf := plain == string(utf8.RuneError)
		if err == nil && utf8.RuneCountInString(plain) == 1 && !isHalf {
			return plain, len(escape)
		}
	}
	if len(text) < f.sizes[0] {
		return "", len(text)
	}
	return text[:1], 1
}

// Printable replaces control characters and bytes that are not UTF-8, and folds white space, so that a body cannot draw
// on the user's terminal.
func Printable(text string) string {
	odd := func(r rune) bool {
		return r == ' ' || r == utf8.RuneError || !unicode.IsPrint(r)
	}
	return strings.Join(strings.FieldsFunc(text, odd), " ")
}

// Abridged returns a value as messages quote it: cut after a hundred characters.
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
