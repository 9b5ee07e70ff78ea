package sandbox

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// TextError is a mistake in a JSON text, and its place.
type TextError struct {
	Line, Column int    // from 1; 0 in a document of a service or a control request
	Path         string // such as modelGroups[2].owner; empty for the whole text
	Problem      string

	at    jsontext.Pointer
	known string // the fields of an object that lacks the one written: told once
}

func (e TextError) Error() string {
	var parts []string
	if e.Line > 0 {
		parts = append(parts, fmt.Sprintf("line %d, column %d", e.Line, e.Column))
	}
	if e.Path != "" {
		parts = append(parts, e.Path)
	}
	return strings.Join(append(parts, e.Problem), ": ")
}

// TextErrors are the mistakes of a text.
type TextErrors []TextError //nolint:recvcheck // only add changes it

// Error returns the mistake, or how many there are and the first hundred, a line each.
func (e TextErrors) Error() string {
	const shown = 100
	var lines []string
	if len(e) > 1 {
		lines = append(lines, fmt.Sprintf("%d mistakes:", len(e)))
	}
	for _, found := range e[:min(shown, len(e))] {
		lines = append(lines, found.Error())
	}
	if len(e) > shown {
		lines = append(lines, fmt.Sprintf("and %d more", len(e)-shown))
	}
	return strings.Join(lines, "\n")
}

// add adds a problem of the value at a place of the text.
func (e *TextErrors) add(place jsontext.Pointer, format string, arguments ...any) {
	*e = append(*e, TextError{
		Path:    path(place),
		Problem: fmt.Sprintf(format, arguments...),
		at:      place,
	})
}

// err returns the mistakes as an error, each once and in the order of their places, or nil. The known fields are
// listed at the first unknown one.
func (e TextErrors) err() error {
	if len(e) == 0 {
		return nil
	}
	told := map[string]bool{"": true}
	slices.SortFunc(e, func(a, b TextError) int {
		return cmp.Or(
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Problem, b.Problem),
		)
	})
	for i, found := range e {
		if !told[found.known] {
			e[i].Problem += "; there are " + found.known
		}
		told[found.known] = true
	}
	return slices.Compact(e)
}

// locate gives each mistake its line and column: where its member begins, with the name, or its element of a list, or
// the object that lacks it.
func (e TextErrors) locate(text []byte) {
	if len(e) == 0 {
		return
	}
	begins := beginnings(text)
	beginOf := func(found TextError) int {
		place := found.at
		offset, known := begins[place]
		for !known && place != "" {
			place = place.Parent()
			offset, known = begins[place]
		}
		return offset
	}
	slices.SortFunc(e, func(a, b TextError) int { return beginOf(a) - beginOf(b) })
	lines, counted := 0, 0 // each part of the text is counted once
	for i, found := range e {
		offset := beginOf(found)
		lines += bytes.Count(text[counted:offset], []byte{'\n'})
		counted = offset
		e[i].Line, e[i].Column = lines+1, columnOf(text, offset)
	}
}

// beginnings returns the offset at which each value of a JSON text begins. A member begins with its name.
func beginnings(text []byte) map[jsontext.Pointer]int {
	begins := map[jsontext.Pointer]int{}
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		before := int(decoder.InputOffset())
		if _, err := decoder.ReadToken(); err != nil {
			return begins
		}
		place := decoder.StackPointer()
		if _, known := begins[place]; !known {
			rest := bytes.TrimLeft(text[before:], " \t\r\n:,")
			begins[place] = len(text) - len(rest)
		}
	}
}

// columnOf returns the column of an offset, from 1.
func columnOf(text []byte, offset int) int {
	before := text[:offset]
	return utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}

// compact returns a JSON value without white space, numbers and strings as they were. Its errors are [TextErrors].
func compact(text []byte) (jsontext.Value, error) {
	var raw jsontext.Value
	err := json.Unmarshal(text, &raw)
	if err == nil {
		err = raw.Compact()
	}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return raw, err
	}
	offset := min(int(syntactic.ByteOffset), len(text))
	return nil, TextErrors{{
		Line:    bytes.Count(text[:offset], []byte{'\n'}) + 1,
		Column:  columnOf(text, offset),
		Problem: cmp.Or(otherThanObject(text), syntaxProblem(text, offset, syntactic)),
	}}
}

// otherThanObject says how a text begins, or returns "" if it begins as a JSON object does, or is not ASCII there:
// slips tell encodings.
func otherThanObject(text []byte) string {
	begin, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if begin == "" || begin[0] == '{' || begin[0] < ' ' || begin[0] > '~' {
		return ""
	}
	return fmt.Sprintf("a JSON object is expected, and the text begins with %.40q", begin)
}

// slips are texts that are almost JSON, or in another encoding. In their patterns ‸ is where JSON ends.
var slips = []struct {
	pattern *regexp.Regexp
	says    string
}{
	{regexp.MustCompile(`^\s*‸\s*$`), "the text is empty"},
	{regexp.MustCompile(`^‸\x1f\x{FFFD}\x08`), "the text is compressed by gzip: decompress it"},
	{regexp.MustCompile(`^‸?.{0,3}‸?\x00`), "the text is in UTF-16: save it as UTF-8"},
	{regexp.MustCompile(`^‸\x{FEFF}`), "the text begins with a byte order mark: save it as UTF-8 without one"},
	{regexp.MustCompile(`‸(//|/\*|#)`), "JSON does not allow comments"},
	{regexp.MustCompile(`‸'`), "a text is written in double quotes"},
	{regexp.MustCompile(`,\s*‸[\]}]`), "there is a comma after the last element"},
}

// syntaxProblem says why a text is not JSON from an offset on.
func syntaxProblem(text []byte, offset int, err *jsontext.SyntacticError) string {
	marked := string(text[:offset]) + "‸" + string(text[offset:])
	for _, slip := range slips {
		if slip.pattern.MatchString(marked) {
			return slip.says
		}
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "the field " + path(err.JSONPointer) + " is there twice"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the text ends before its last bracket: it is cut off, or a bracket is missing"
	case jsontext.Value(text[:offset]).IsValid():
		return "one JSON value is expected, and here is more"
	}
	return err.Err.Error()
}

// readObject reads a text by the schema of that name in sandbox.schema.json. check adds the mistakes that a schema
// cannot find. Its errors are [TextErrors].
func readObject(text []byte, name, example string, check func(object, *TextErrors)) (object, error) {
	raw, err := compact(text)
	if jsontext.Value(text).Kind() != jsontext.KindBeginObject {
		return nil, TextErrors{{Problem: "a JSON object is expected, such as " + example}}
	}
	if err != nil {
		return nil, err
	}
	fields := parseObject(raw)
	found := written().check(text, jsontext.Pointer("/$defs/"+name))
	check(fields, &found)
	return fields, found.err()
}

var plainName = regexp.MustCompile(`^[\pL_$][\pL\pN_$-]{0,60}$`)

// path spells a pointer such as models[0].id. It quotes and cuts an unusual name, which could harm a terminal.
func path(place jsontext.Pointer) string {
	var text strings.Builder
	for token := range place.Tokens() {
		if _, err := strconv.ParseUint(token, 10, 31); err == nil {
			text.WriteString("[" + token + "]")
			continue
		}
		if text.Len() > 0 {
			text.WriteByte('.')
		}
		if !plainName.MatchString(token) {
			token = strconv.QuoteToASCII(token[:min(len(token), 60)])
		}
		text.WriteString(token)
	}
	return text.String()
}
