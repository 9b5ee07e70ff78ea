package catalogue

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
	"sync"
)

const masked = "***"

// mask removes secrets from texts that others wrote: a service may echo what
// it was sent in a message, a header or a redirect.
type mask struct {
	mu       sync.RWMutex
	known    []string
	replacer *strings.Replacer
}

// add makes clean remove secret in every spelling.
func (m *mask) add(secret string) {
	if secret == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = append(m.known, spellings(secret)...)
	// The longest first: at one place the first that fits is taken.
	slices.SortFunc(m.known, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	m.known = slices.Compact(m.known)
	pairs := make([]string, 0, 2*len(m.known))
	for _, spelling := range m.known {
		pairs = append(pairs, spelling, masked)
	}
	m.replacer = strings.NewReplacer(pairs...)
}

// clean returns text without secrets.
func (m *mask) clean(text string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.replacer == nil {
		return text
	}
	return m.replacer.Replace(text)
}

// spellings lists how a secret may stand in a text: as it is, escaped for a
// URL, JSON or HTML, and in base64, by itself or inside something longer.
func spellings(secret string) []string {
	found := []string{
		secret,
		url.QueryEscape(secret),
		url.PathEscape(secret),
		inJSON(secret, true),
		inJSON(secret, false),
		html.EscapeString(secret),
	}
	found = append(found, lowerHex(found[1]), lowerHex(found[2]))
	// net/http quotes what it cannot read, and JSON may stand inside JSON.
	for _, spelling := range found {
		found = append(found, inJSON(spelling, true), inJSON(spelling, false))
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		whole := encoding.EncodeToString([]byte(secret))
		found = append(found, whole, strings.TrimRight(whole, "="))
		// Inside a longer text the secret can start at any of three places of
		// a group of four characters; the characters it shares with its
		// neighbours are left out.
		for shift := range 3 {
			text := strings.TrimRight(encoding.EncodeToString(append(make([]byte, shift), secret...)), "=")
			first, last := (shift*8+5)/6, (shift+len(secret))*8/6
			if inner := text[first:last]; len(inner) >= minBase64 {
				found = append(found, inner)
			}
		}
	}
	return slices.DeleteFunc(found, func(s string) bool { return s == "" })
}

// inJSON spells a text inside a JSON string, with or without the escapes that
// make JSON safe in HTML.
func inJSON(text string, forHTML bool) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(forHTML)
	if encoder.Encode(text) != nil {
		return ""
	}
	quoted := strings.TrimSpace(out.String())
	return quoted[1 : len(quoted)-1]
}

// minBase64 keeps a spelling from matching by chance, in characters.
const minBase64 = 6

// lowerHex spells the %XX of an escaped text in lower case.
func lowerHex(escaped string) string {
	parts := strings.Split(escaped, "%")
	for i, part := range parts[1:] {
		if len(part) >= 2 {
			parts[i+1] = strings.ToLower(part[:2]) + part[2:]
		}
	}
	return strings.Join(parts, "%")
}
