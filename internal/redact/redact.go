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

const minSecret = 6 // characters: a shorter one would mask everyday words

// Mask removes secrets from texts that others wrote: a service may repeat what it was sent in a message, a header or
// a redirect. The zero Mask knows none. No secret is forgotten, because a service may repeat an old token too.
type Mask struct {
	mu    sync.RWMutex
	known map[string][]string // secrets and their base64, by their first bytes
}

// Add makes Clean remove secret, unless it has fewer than six characters.
func (m *Mask) Add(secret string) {
	secret = strings.TrimSpace(secret)
	if utf8.RuneCountInString(secret) < minSecret {
		return
	}
	spellings, inBase64 := []string{secret}, []*base64.Encoding{
		base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding,
	}
	for _, encoding := range inBase64 {
		spellings = append(spellings, encoding.EncodeToString([]byte(secret)))
		// Behind a client id, as in Basic credentials, the same bytes have three spellings.
		for before := range 3 {
			spelled := encoding.EncodeToString([]byte("::"[:before] + secret + ":"))
			spellings = append(spellings, spelled[(before*8+5)/6:(before+len(secret))*8/6])
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[string][]string{}
	}
	for _, spelling := range spellings {
		if start := spelling[:minSecret]; !slices.Contains(m.known[start], spelling) {
			m.known[start] = append(m.known[start], spelling)
		}
	}
}

// Clean returns text without secrets: as they are, URL-encoded, JSON-escaped or in base64, and without the beginning
// of one at the end of text, which may be cut short.
func (m *Mask) Clean(text string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var hidden []span
	for _, mark := range []byte{0, '%', '\\'} {
		if mark == 0 || strings.IndexByte(text, mark) >= 0 {
			hidden = m.find(hidden, text, mark)
		}
	}
	if strings.Contains(text, "+") { // a space in a form
		hidden = m.find(hidden, strings.ReplaceAll(text, "+", " "), '%')
	}
	slices.SortFunc(hidden, func(a, b span) int { return a.from - b.from })
	var out strings.Builder
	done := 0
	for _, part := range hidden {
		if part.from >= done {
			out.WriteString(text[done:part.from] + "***")
		}
		done = max(done, part.to)
	}
	return out.String() + text[done:]
}

// Tidy makes a text of a stranger fit for a message: without control characters and secrets, and of at most limit
// characters.
func (m *Mask) Tidy(text string, limit int) string {
	return Shorten(Printable(m.Clean(text)), limit)
}

type span struct{ from, to int } // in bytes

// find appends the places of secrets in text, whose escapes begin with mark.
func (m *Mask) find(hidden []span, text string, mark byte) []span {
	plain, at := make([]byte, 0, len(text)), make([]int, 0, len(text)+1) // where each byte of plain began
	for i := 0; i < len(text); {
		char, size := next(text[i:], mark)
		for range len(char) {
			at = append(at, i)
		}
		plain = append(plain, char...)
		i += size
	}
	at = append(at, len(text))
	for i := range max(0, len(plain)-minSecret+1) {
		for _, secret := range m.known[string(plain[i:i+minSecret])] {
			size := min(len(secret), len(plain)-i)
			if secret[:size] == string(plain[i:i+size]) {
				hidden = append(hidden, span{at[i], at[i+size]})
			}
		}
	}
	return hidden
}

// next returns what the first character of text stands for, "" if it is cut short, and its size.
func next(text string, mark byte) (plain string, size int) {
	switch size = 2; {
	case text[0] != mark:
		return text[:1], 1
	case mark == '%':
		size = 3
	case strings.HasPrefix(text, `\u`):
		size = 6
		if pair := text[:min(12, len(text))]; strings.HasPrefix(text, `\ud`) && strings.LastIndex(pair, `\u`) == 6 {
			size = 12 // the two halves of one character
		}
	}
	if len(text) < size {
		return "", len(text)
	}
	if mark == '%' {
		if value, err := hex.DecodeString(text[1:size]); err == nil {
			return string(value), size
		}
	} else if json.Unmarshal([]byte(`"`+text[:size]+`"`), &plain) == nil {
		return plain, size
	}
	return text[:1], 1
}

// Printable replaces control characters and what is no UTF-8, and folds white space, so that a body cannot draw on
// the user's terminal.
func Printable(text string) string {
	odd := func(r rune) bool { return r == ' ' || r == utf8.RuneError || !unicode.IsPrint(r) }
	return strings.Join(strings.FieldsFunc(text, odd), " ")
}

// Shorten cuts a text after limit characters, and marks the cut.
func Shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + "…"
}
