package redact

import (
	"bytes"
	"html"
	"iter"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// view is one reading of a text: as it is, or with something decoded. Each of its
// bytes knows which bytes of the text it stands for, so that what is found in a
// reading can be hidden in the text.
type view []char

type char struct {
	value byte
	span
}

// span is a part of a text, in bytes. Texts of strangers are bounded, so 32 bits do.
type span struct{ from, to int32 }

// reading is a text as it is.
func reading(text string) view {
	v := make(view, len(text))
	for i := range len(text) {
		v[i] = char{text[i], span{int32(i), int32(i + 1)}}
	}
	return v
}

func (v view) text() []byte {
	text := make([]byte, len(v))
	for i, c := range v {
		text[i] = c.value
	}
	return text
}

// span is the part of the text that v stands for.
func (v view) span() span {
	if len(v) == 0 {
		return span{}
	}
	return span{v[0].from, v[len(v)-1].to}
}

// trimmed is a folded view without the space at its ends.
func (v view) trimmed() view {
	for len(v) > 0 && v[0].value == ' ' {
		v = v[1:]
	}
	for len(v) > 0 && v[len(v)-1].value == ' ' {
		v = v[:len(v)-1]
	}
	return v
}

// folded makes one space of white space, of + (a space in a form) and of what is not
// printable, so that a secret is found however a text treats those.
func (v view) folded() view {
	out := make(view, 0, len(v))
	text := v.text()
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		part := v[i : i+size]
		switch {
		case !blank(r):
			out = append(out, part...)
		case len(out) == 0 || out[len(out)-1].value != ' ':
			out = append(out, char{' ', part.span()})
		}
		i += size
	}
	return out
}

// blank tells whether a character counts as a space.
func blank(r rune) bool {
	if r > ' ' && r < unicode.MaxASCII {
		return r == '+'
	}
	return r == utf8.RuneError || unicode.IsSpace(r) || !unicode.IsPrint(r)
}

// unescaped undoes one layer of escapes: %XX, and those of JSON and HTML. changed is
// false where there is none.
func (v view) unescaped() (out view, changed bool) {
	text := string(v.text())
	if !strings.ContainsAny(text, `%\&`) {
		return v, false
	}
	out = make(view, 0, len(v))
	for i := 0; i < len(text); {
		plain, size := unescape(text[i:])
		if size == 0 {
			out = append(out, v[i])
			i++
			continue
		}
		whole := v[i : i+size].span()
		for _, value := range []byte(plain) {
			out = append(out, char{value, whole})
		}
		changed = true
		i += size
	}
	return out, changed
}

// unescape reads the escape that text begins with, and how many bytes it has: 0
// where there is none.
func unescape(text string) (plain string, size int) {
	switch text[0] {
	case '%':
		return hexadecimal(text, 1, 2)
	case '\\':
		return unescapeJSON(text)
	case '&':
		return unescapeHTML(text)
	}
	return "", 0
}

// hexadecimal reads an escape of a byte or a character: so many digits from start on.
func hexadecimal(text string, start, digits int) (plain string, size int) {
	size = start + digits
	if len(text) < size {
		return "", 0
	}
	value, err := strconv.ParseUint(text[start:size], 16, 32)
	switch {
	case err != nil:
		return "", 0
	case digits == 2:
		return string([]byte{byte(value)}), size //nolint:gosec // two digits are eight bits
	}
	return string(rune(value)), size //nolint:gosec // no more than 32 bits; what is no character is replaced
}

// unescapeJSON reads an escape of a string of JSON, Go or JavaScript.
func unescapeJSON(text string) (plain string, size int) {
	if len(text) == 1 {
		return "", 0
	}
	switch text[1] {
	case '"', '\'', '\\', '/':
		return text[1:2], 2
	case 'n', 'r':
		return "\n", 2
	case 'b', 'f', 't':
		return " ", 2
	case 'x':
		return hexadecimal(text, 2, 2)
	case 'U':
		return hexadecimal(text, 2, 8)
	case 'u':
		return unescapeUnits(text)
	}
	return "", 0
}

// unescapeUnits reads \u00e9, or two such units where they are the halves of one character.
func unescapeUnits(text string) (plain string, size int) {
	plain, size = hexadecimal(text, 2, 4)
	// A half by itself is no character.
	if r, _ := utf8.DecodeRuneInString(plain); r != utf8.RuneError || size == 0 || len(text) < 12 || text[6:8] != `\u` {
		return plain, size
	}
	high, _ := strconv.ParseInt(text[2:6], 16, 32)
	low, err := strconv.ParseInt(text[8:12], 16, 32)
	if whole := utf16.DecodeRune(rune(high), rune(low)); err == nil && whole != utf8.RuneError {
		return string(whole), 12
	}
	return plain, size
}

// maxEntity is the length of the longest entity that matters.
const maxEntity = 12

// unescapeHTML reads a character that HTML spells as an entity.
func unescapeHTML(text string) (plain string, size int) {
	end := strings.IndexByte(text[:min(len(text), maxEntity)], ';')
	if end < 0 {
		return "", 0
	}
	entity := text[:end+1]
	if plain = html.UnescapeString(entity); plain == entity || utf8.RuneCountInString(plain) > 2 {
		return "", 0
	}
	return plain, len(entity)
}

// whole is v without the escape and the character that its end cuts short.
func (v view) whole() view {
	tail := v[max(0, len(v)-maxEntity):].text()
	kept := len(tail)
	beyond := func(r rune) bool { return r != '#' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') }
	if at := bytes.LastIndexAny(tail, `%\&`); at >= 0 && !bytes.ContainsFunc(tail[at+1:], beyond) {
		kept = at
	}
	for at := kept - 1; at >= max(0, kept-utf8.UTFMax); at-- {
		if utf8.RuneStart(tail[at]) && !utf8.FullRune(tail[at:kept]) {
			kept = at
		}
	}
	return v[:len(v)-len(tail)+kept]
}

// base64 yields what each run of characters of base64 says. Other characters may
// stand before it in the run, so it is read from each of the first four.
func (v view) base64() iter.Seq[view] {
	const least = (minSecret*8 + 5) / 6
	return func(yield func(view) bool) {
		for run := range v.runs() {
			for skip := 0; skip < 4 && len(run) >= skip+least; skip++ {
				if !yield(run[skip:].decoded()) {
					return
				}
			}
		}
	}
}

// runs yields the runs of characters of base64, each valid until the next.
func (v view) runs() iter.Seq[view] {
	return func(yield func(view) bool) {
		var run view
		for _, c := range v {
			switch {
			case sextet(c.value) >= 0:
				run = append(run, c)
			case c.value == '\n' || c.value == '\r': // inside a long one
			case c.value == '=' && len(run) > 0:
				run[len(run)-1].to = c.to
			default:
				if !yield(run) {
					return
				}
				run = run[:0]
			}
		}
		yield(run)
	}
}

// decoded is what a run of base64 says.
func (v view) decoded() view {
	out := make(view, 0, len(v)*3/4)
	bits, known, before := 0, 0, int32(0)
	for _, c := range v {
		bits, known = bits<<6|sextet(c.value), known+6
		if known >= 8 {
			known -= 8
			out = append(out, char{byte(bits >> known), span{before, c.to}}) //nolint:gosec // the lowest eight bits
			bits &= 1<<known - 1
		}
		before = c.from
	}
	if len(out) > 0 { // a byte that the end cuts short belongs to the one before it
		out[len(out)-1].to = v[len(v)-1].to
	}
	return out
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// sextet is the value of a character of base64, in its usual alphabet or that for
// URLs. It is negative for any other character.
func sextet(c byte) int {
	switch c {
	case '-':
		c = '+'
	case '_':
		c = '/'
	}
	return strings.IndexByte(alphabet, c)
}
