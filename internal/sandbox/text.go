package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// TextError is what is wrong with a JSON text, and where.
type TextError struct {
	Line, Column int    // from 1; columns count characters
	Path         string // such as modelGroups[2].owner; empty for the whole
	Problem      string
}

func (e *TextError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Problem)
	}
	return fmt.Sprintf("line %d, column %d: %s: %s", e.Line, e.Column, e.Path, e.Problem)
}

// TextErrors are all mistakes of a text, in the order of their places.
type TextErrors []*TextError

func (e TextErrors) Error() string {
	lines := make([]string, len(e))
	for i, problem := range e {
		lines[i] = problem.Error()
	}
	return strings.Join(lines, "\n")
}

// mistakes collects what is wrong with a text.
type mistakes struct {
	text   []byte
	silent bool // about values: the text is a service's
	found  TextErrors
}

// add tells of a problem with the value, or the name, at a place of the text.
func (m *mistakes) add(place jsontext.Pointer, format string, arguments ...any) {
	m.at(offset(m.text, place), place, fmt.Sprintf(format, arguments...))
}

func (m *mistakes) at(offset int, place jsontext.Pointer, problem string) {
	line, column := position(m.text, offset)
	found := &TextError{Line: line, Column: column, Path: path(place), Problem: problem}
	if !slices.ContainsFunc(m.found, func(e *TextError) bool { return *e == *found }) {
		m.found = append(m.found, found)
	}
}

// err is nil where nothing is wrong.
func (m *mistakes) err() error {
	if len(m.found) == 0 {
		return nil
	}
	slices.SortStableFunc(m.found, func(a, b *TextError) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return m.found
}

// compact returns one JSON value without white space, every number and string
// spelled as it was. Its errors are [TextErrors].
func compact(text []byte) (jsontext.Value, error) {
	if err := json.Unmarshal(text, new(anything)); err != nil {
		return nil, syntaxError(text, err)
	}
	raw := jsontext.Value(bytes.Clone(text))
	err := raw.Compact()
	return raw, err
}

// anything is any JSON value, read token by token: mistakes have their places,
// and numbers any size.
type anything struct{}

// UnmarshalJSONFrom keeps nothing.
func (*anything) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	depth := decoder.StackDepth()
	for {
		if _, err := decoder.ReadToken(); err != nil || decoder.StackDepth() == depth {
			return err
		}
	}
}

// readObject reads what somebody writes, of that name in sandbox.schema.json.
// Its errors are [TextErrors].
func readObject(text []byte, name string) (object, error) {
	raw, err := compact(text)
	if err != nil {
		return nil, err
	}
	m := mistakes{text: text}
	written().check(&m, "/$defs/"+name)
	if err := m.err(); err != nil {
		return nil, err
	}
	return parseObject(raw), nil
}

// syntaxError says in this package's words what the library found, and where.
func syntaxError(text []byte, err error) error {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return err
	}
	said := syntactic.Err.Error()
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		said = "the field is there twice"
	case errors.Is(err, io.ErrUnexpectedEOF):
		said = "the JSON ends here, unfinished"
	}
	m := mistakes{text: text}
	m.at(int(syntactic.ByteOffset), syntactic.JSONPointer, said)
	return m.err()
}

// path spells a pointer as people do.
func path(place jsontext.Pointer) string {
	var text strings.Builder
	for token := range place.Tokens() {
		if _, err := strconv.Atoi(token); err == nil {
			text.WriteString("[" + token + "]")
			continue
		}
		if text.Len() > 0 {
			text.WriteByte('.')
		}
		text.WriteString(token)
	}
	return text.String()
}

// offset is where an element of a list stands, or the name of a field. Where
// there is no value at that place, it is that of the nearest value around it.
func offset(text []byte, place jsontext.Pointer) int {
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	best, closest := 0, jsontext.Pointer("")
	for closest != place {
		start := int(decoder.InputOffset())
		if _, err := decoder.ReadToken(); err != nil {
			break
		}
		if at := decoder.StackPointer(); at.Contains(place) && len(at) > len(closest) {
			best, closest = start, at
		}
	}
	return best
}

// position counts from where the next name or value begins.
func position(text []byte, offset int) (line, column int) {
	for offset < len(text) && strings.IndexByte(" \t\r\n,:", text[offset]) >= 0 {
		offset++
	}
	lines := bytes.Split(text[:min(offset, len(text))], []byte{'\n'})
	return len(lines), utf8.RuneCount(lines[len(lines)-1]) + 1
}
