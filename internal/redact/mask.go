package redact

import (
	"encoding/base64"
	"html"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	masked = "***"
	// minSecret is the least length of what is looked for: a shorter text
	// would mask everyday words.
	minSecret = 6
)

// Mask removes secrets from texts that others wrote: a service may echo what
// it was sent in a message, a header or a redirect.
//
// No secret is forgotten, since a service may echo an old token too. The time
// for one more does not grow with those that are known.
type Mask struct {
	mu    sync.RWMutex
	added map[string]bool
	known map[string][]string // spellings by their first minSecret bytes
}

// Add makes Clean remove secret in every spelling.
func (m *Mask) Add(secret string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.added[secret] {
		return
	}
	if m.added == nil {
		m.added, m.known = map[string]bool{}, map[string][]string{}
	}
	m.added[secret] = true
	for _, spelling := range spellings(secret) {
		m.known[spelling[:minSecret]] = append(m.known[spelling[:minSecret]], spelling)
	}
}

// Clean returns text without secrets, and without the part of one that stands
// at its end, where the text may have been cut.
func (m *Mask) Clean(text string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var out strings.Builder
	done := 0
	for at := 0; at+minSecret <= len(text); {
		if length := m.match(text[at:]); length > 0 {
			out.WriteString(text[done:at] + masked)
			at += length
			done = at
		} else {
			at++
		}
	}
	return out.String() + text[done:]
}

// match is the length of the longest spelling that text begins with, or of all
// of the text where a spelling begins with that.
func (m *Mask) match(text string) int {
	longest := 0
	for _, spelling := range m.known[text[:minSecret]] {
		if length := min(len(spelling), len(text)); length > longest && spelling[:length] == text[:length] {
			longest = length
		}
	}
	return longest
}

// spellings lists how a secret may stand in a text, with its white space or
// trimmed: as it is, escaped for a URL, JSON or HTML, and in base64, by itself
// or inside something longer.
func spellings(secret string) []string {
	var found []string
	for _, plain := range []string{secret, strings.TrimSpace(secret), Printable(secret)} {
		if utf8.RuneCountInString(plain) < minSecret {
			continue
		}
		query, path := url.QueryEscape(plain), url.PathEscape(plain)
		escaped := []string{
			plain, query, path, lowerHex(query), lowerHex(path),
			inJSON(plain, false), inJSON(plain, true), html.EscapeString(plain),
		}
		for _, spelling := range escaped {
			// net/http quotes what it cannot read, and JSON may stand inside JSON.
			found = append(found, spelling, inJSON(spelling, false), inJSON(spelling, true))
		}
		found = append(found, inBase64(plain, base64.StdEncoding)...)
		found = append(found, inBase64(plain, base64.URLEncoding)...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// inJSON spells a text inside a JSON string, with or without the escapes that
// make JSON safe in HTML.
func inJSON(text string, forHTML bool) string {
	quoted, _ := json.Marshal(text, jsontext.EscapeForHTML(forHTML), jsontext.AllowInvalidUTF8(true))
	return string(quoted[1 : len(quoted)-1])
}

// inBase64 spells a text in base64. Inside a longer text it can start at any
// of three places of a group of four characters; the characters that it shares
// with its neighbours are left out.
func inBase64(text string, encoding *base64.Encoding) []string {
	whole := encoding.EncodeToString([]byte(text))
	found := []string{whole, strings.TrimRight(whole, "=")}
	for shift := range 3 {
		shifted := encoding.EncodeToString(append(make([]byte, shift), text...))
		found = append(found, shifted[(shift*8+5)/6:(shift+len(text))*8/6])
	}
	return found
}

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
