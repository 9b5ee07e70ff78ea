package redact

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	masked = "***"
	// minSecret is the least length of what is looked for: a shorter text
	// would mask everyday words.
	minSecret = 6
	// maxRounds bounds how often a text is unescaped, and maxNested how often
	// base64 stands inside base64. What is escaped more often is masked whole.
	maxRounds = 8
	maxNested = 2
)

// Mask removes secrets from texts that others wrote: a service may echo what
// it was sent in a message, a header or a redirect. The zero Mask knows none.
//
// A secret is found in every spelling, because the text is searched as it is and
// in everything that it becomes when it is unescaped and decoded. No secret is
// forgotten, since a service may echo an old token too, and the time for one
// text does not grow with those that are known.
type Mask struct {
	mu    sync.RWMutex
	added map[string]bool
	known map[string][]string // folded secrets by their first minSecret bytes
	begin [256]bool           // the first bytes of those
}

// Add makes Clean remove secret in every spelling, with its white space or trimmed.
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
	for _, plain := range []string{secret, strings.TrimSpace(secret)} {
		if utf8.RuneCountInString(plain) < minSecret {
			continue
		}
		// A secret may itself hold what looks like an escape.
		for whole := reading(plain); ; {
			m.look(string(whole.folded().text()))
			next, changed := whole.unescaped()
			if !changed {
				break
			}
			whole = next
		}
	}
}

// look adds a folded secret.
func (m *Mask) look(folded string) {
	if utf8.RuneCountInString(folded) < minSecret {
		return
	}
	if start := folded[:minSecret]; !slices.Contains(m.known[start], folded) {
		m.known[start] = append(m.known[start], folded)
		m.begin[start[0]] = true
	}
}

// Clean returns text without secrets, and without the part of one that stands
// at its end, where the text may have been cut.
func (m *Mask) Clean(text string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if len(m.known) == 0 {
		return text
	}
	hidden := m.find(nil, reading(text), 0)
	slices.SortFunc(hidden, func(a, b span) int { return int(a.from - b.from) })
	var out strings.Builder
	done := int32(0)
	for _, part := range hidden {
		if part.from >= done {
			out.WriteString(text[done:part.from] + masked)
		}
		done = max(done, part.to)
	}
	return out.String() + text[done:]
}

// Tidy makes a text of a stranger fit for a message: without control characters
// and secrets, and of at most limit characters.
func (m *Mask) Tidy(text string, limit int) string {
	return Shorten(Printable(m.Clean(text)), limit)
}

// find appends where secrets stand in a text, of which v is one reading. nested
// counts the layers of base64 around it.
func (m *Mask) find(hidden []span, v view, nested int) []span {
	for range maxRounds {
		end := v.span().to
		hidden = m.match(hidden, v.folded(), end)
		if whole := v.whole(); len(whole) < len(v) {
			hidden = m.match(hidden, whole.folded(), end)
		}
		next, changed := v.unescaped()
		if !changed {
			if nested < maxNested {
				for decoded := range v.base64() {
					hidden = m.find(hidden, decoded, nested+1)
				}
			}
			return hidden
		}
		v = next
	}
	return append(hidden, v.span())
}

// match appends where secrets stand in a folded text: of several at one place the
// longest, and at the end, which stands for all up to end, any that begins there.
func (m *Mask) match(hidden []span, v view, end int32) []span {
	text := v.text()
	for at := 0; at+minSecret <= len(text); {
		longest := 0
		if !m.begin[text[at]] {
			at++
			continue
		}
		for _, secret := range m.known[string(text[at:at+minSecret])] {
			if length := min(len(secret), len(text)-at); length > longest && secret[:length] == string(text[at:at+length]) {
				longest = length
			}
		}
		if longest > 0 {
			part := v[at : at+longest].trimmed().span()
			if at+longest == len(text) {
				part.to = end
			}
			hidden = append(hidden, part)
		}
		at += max(longest, 1)
	}
	return hidden
}
