package catalogue

import (
	"bytes"
	"slices"
	"strings"
)

// compactJSON rewrites one valid JSON value without white space and with the
// members of its objects sorted by key. Strings and numbers stay as they are
// spelled. A general encoder would take the value apart and lose that; one that
// canonicalises (RFC 8785) would round its numbers.
func compactJSON(data []byte) string { return compactMembers(data, nil) }

// compactMembers does so, and tells of each member of an object as it stood:
// its quoted key and its value.
func compactMembers(data []byte, each func(key, value []byte)) string {
	c := compactor{in: data, out: make([]byte, 0, len(data))}
	if each != nil && c.peek() == '{' {
		c.object(each)
	} else {
		c.value()
	}
	// encoding/json does the same to every other string.
	return strings.ToValidUTF8(string(c.out), "\uFFFD")
}

type compactor struct {
	in  []byte
	at  int
	out []byte
}

// member is where a member of an object stands in out.
type member struct{ start, colon, end int }

func (c *compactor) value() {
	switch c.peek() {
	case '{':
		c.object(nil)
	case '[':
		c.array()
	case '"':
		c.text()
	default:
		c.literal()
	}
}

func (c *compactor) object(each func(key, value []byte)) {
	var few [16]member // most objects have no more, and then nothing is allocated
	members, sorted := few[:0], true
	c.take()
	for c.peek() != '}' {
		if c.peek() == ',' {
			c.skip()
			c.peek()
		}
		m := member{start: len(c.out)}
		c.text()
		m.colon = len(c.out)
		c.peek()
		c.take()
		c.peek()
		start := c.at
		c.value()
		if each != nil {
			each(c.key(m), c.in[start:c.at])
		}
		c.out = append(c.out, ',')
		m.end = len(c.out)
		sorted = sorted && (len(members) == 0 || bytes.Compare(c.key(members[len(members)-1]), c.key(m)) <= 0)
		members = append(members, m)
	}
	if !sorted {
		c.sort(members)
	}
	if len(members) > 0 {
		c.out = c.out[:len(c.out)-1] // the last comma
	}
	c.take()
}

func (c *compactor) key(m member) []byte { return c.out[m.start:m.colon] }

// sort rearranges the members at the end of out. Of equal keys the last one
// counts for who reads the text, so they keep their order.
func (c *compactor) sort(members []member) {
	start := members[0].start
	slices.SortStableFunc(members, func(a, b member) int { return bytes.Compare(c.key(a), c.key(b)) })
	ordered := make([]byte, 0, len(c.out)-start)
	for _, m := range members {
		ordered = append(ordered, c.out[m.start:m.end]...)
	}
	copy(c.out[start:], ordered)
}

func (c *compactor) array() {
	c.take()
	for c.peek() != ']' {
		if c.in[c.at] == ',' {
			c.take()
		}
		c.value()
	}
	c.take()
}

func (c *compactor) text() {
	end := c.at + 1
	for c.in[end] != '"' {
		if c.in[end] == '\\' {
			end++
		}
		end++
	}
	c.out = append(c.out, c.in[c.at:end+1]...)
	c.at = end + 1
}

func (c *compactor) literal() {
	end := c.at
	for end < len(c.in) && !isEnd[c.in[end]] {
		end++
	}
	c.out = append(c.out, c.in[c.at:end]...)
	c.at = end
}

// isEnd marks the bytes that end a number, true, false or null.
var isEnd = [256]bool{' ': true, '\t': true, '\r': true, '\n': true, ',': true, ']': true, '}': true}

// peek skips white space and returns the next byte.
func (c *compactor) peek() byte {
	for c.in[c.at] == ' ' || c.in[c.at] == '\t' || c.in[c.at] == '\r' || c.in[c.at] == '\n' {
		c.at++
	}
	return c.in[c.at]
}

func (c *compactor) skip() { c.at++ }

// take copies one byte.
func (c *compactor) take() {
	c.out = append(c.out, c.in[c.at])
	c.at++
}
