// Package redact makes texts of strangers fit to be shown: masked, printable and short.
package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
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
	known map[string][]string // secrets and their base64, by their first bytes
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
		start := spelling[:Shortest]
		if !slices.Contains(m.known[start], spelling) {
			m.known[start] = append(m.known[start], spelling)
		}
	}
}

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
// where the same bytes have three spellings.
func base64Spellings(secret string) (spellings []string) {
	for _, encoding := range []*base64.Encoding{
		base64.StdEncoding,
		base64.URLEncoding,
		base64.RawStdEncoding,
		base64.RawURLEncoding,
	} {
		alone := encoding.EncodeToString([]byte(secret))
		spellings = append(spellings, alone)
		for before := range 3 {
			text := encoding.EncodeToString([]byte("::"[:before] + secret + ":"))
			// A character has 6 bits. Those that the secret alone decides:
			from := (before*8 + 5) / 6
			to := (before + len(secret)) * 8 / 6
			spellings = append(spellings, text[from:to])
		}
	}
	return spellings
}

// Clean returns text without secrets: as they are, URL-encoded, JSON-escaped or in base64, and without the beginning of
// one at the end of text, which may be cut short.
func (m *Mask) Clean(text string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	hidden := m.find(text, fromText)
	if strings.ContainsAny(text, `%+\`) {
		form := strings.ReplaceAll(text, "+", " ")
		hidden = slices.Concat(
			hidden,
			m.find(text, fromURL),
			m.find(form, fromURL),
			m.find(text, fromJSON),
		)
	}
	slices.SortFunc(hidden, func(a, b span) int {
		return a.from - b.from
	})
	return replaced(text, hidden)
}

// replaced returns text with asterisks in place of the hidden parts, which are in order and may overlap.
func replaced(text string, hidden []span) string {
	var out strings.Builder
	done := 0
	for _, part := range hidden {
		if part.from >= done {
			out.WriteString(text[done:part.from])
			out.WriteString("***")
		}
		done = max(done, part.to)
	}
	out.WriteString(text[done:])
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

// span is a part of a text, in bytes.
type span struct {
	from int
	to   int
}

// find returns the places of secrets in text as a decoder reads it.
func (m *Mask) find(text string, next decoder) (hidden []span) {
	plain := make([]byte, 0, len(text))
	at := make([]int, 0, len(text)+1) // where each byte of plain began
	for i := 0; i < len(text); {
		char, size := next(text[i:])
		for range len(char) {
			at = append(at, i)
		}
		plain = append(plain, char...)
		i += size
	}
	at = append(at, len(text))
	for i := range max(0, len(plain)-Shortest+1) {
		for _, secret := range m.known[string(plain[i:i+Shortest])] {
			end := min(i+len(secret), len(plain))
			found := string(plain[i:end])
			if strings.HasPrefix(secret, found) {
				hidden = append(hidden, span{
					from: at[i],
					to:   at[end],
				})
			}
		}
	}
	return hidden
}

// A decoder returns the meaning of the beginning of text, and its size in bytes. An escape that is cut short stands
// for nothing, and one that is not valid for its first byte.
type decoder func(text string) (plain string, size int)

func fromText(text string) (plain string, size int) {
	return text[:1], 1
}

// fromURL reads %41 as A.
func fromURL(text string) (plain string, size int) {
	size = len("%41")
	switch {
	case text[0] != '%':
		return text[:1], 1
	case len(text) < size:
		return "", len(text)
	}
	char, err := hex.DecodeString(text[1:size])
	if err != nil {
		return text[:1], 1
	}
	return string(char), size
}

// fromJSON reads \n as a line break and \u0041 as A.
func fromJSON(text string) (plain string, size int) {
	if text[0] != '\\' {
		return text[:1], 1
	}
	size = escapeSize(text)
	if len(text) < size {
		return "", len(text)
	}
	if err := json.Unmarshal([]byte(`"`+text[:size]+`"`), &plain); err != nil {
		return text[:1], 1
	}
	return plain, size
}

// escapeSize returns the size of the escape that text begins with. One character may be two escapes, its halves.
func escapeSize(text string) int {
	const unit = len(`\u0041`)
	pair := text[:min(2*unit, len(text))]
	isHalf := strings.HasPrefix(pair, `\ud`) || strings.HasPrefix(pair, `\uD`)
	switch {
	case !strings.HasPrefix(pair, `\u`):
		return len(`\n`)
	case isHalf && strings.LastIndex(pair, `\u`) == unit:
		return 2 * unit
	}
	return unit
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

// Shorten cuts a text after limit characters, and marks the cut.
func Shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	start := []rune(text)[:limit]
	return string(start) + "…"
}
