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

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// TextError is a mistake in a JSON text, and its place.
type TextError struct {
	Path    string // such as modelGroups[2].owner, as jq takes it; or line 3, column 5
	Problem string
}

// TextErrors are the mistakes of a text, in the order of their places.
type TextErrors []TextError

func (e TextErrors) Error() string {
	lines := make([]string, len(e))
	for i, found := range e {
		lines[i] = cmp.Or(found.Path, "the whole") + ": " + found.Problem
	}
	return strings.Join(lines, "\n")
}

// add adds a problem of the value at a place of the text.
func (e *TextErrors) add(place jsontext.Pointer, format string, arguments ...any) {
	const most = 100 // more help nobody
	found := TextError{path(place), fmt.Sprintf(format, arguments...)}
	if len(*e) < most && !slices.Contains(*e, found) {
		*e = append(*e, found)
	}
}

// err returns the mistakes as an error, or nil.
func (e TextErrors) err() error {
	if len(e) == 0 {
		return nil
	}
	slices.SortStableFunc(e, func(a, b TextError) int { return cmp.Compare(a.Path, b.Path) })
	return e
}

// compact returns one JSON value without white space, every number and string
// spelled as it was. Its errors are [TextErrors].
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
	said := syntactic.Err.Error()
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		said = "the field " + path(syntactic.JSONPointer) + " is there twice"
	case errors.Is(err, io.ErrUnexpectedEOF):
		said = "the JSON ends here, unfinished"
	}
	before := text[:min(int(syntactic.ByteOffset), len(text))]
	line, column := bytes.Count(before, []byte{'\n'})+1, len(before)-bytes.LastIndexByte(before, '\n')
	return nil, TextErrors{{fmt.Sprintf("line %d, column %d", line, column), said}}
}

// readObject reads what somebody writes, of that name in sandbox.schema.json.
// Its errors are [TextErrors].
func readObject(text []byte, name, example string) (object, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return nil, TextErrors{{Problem: "a JSON object is expected, such as " + example}}
	}
	raw, err := compact(text)
	if err != nil {
		return nil, err
	}
	return parseObject(raw), written().check(text, "/$defs/"+name).err()
}

var plainName = regexp.MustCompile(`^[\pL_$][\pL\pN_$-]{0,60}$`)

// path spells a pointer as people do. A name that a stranger chose is quoted,
// so that it does nothing to a terminal, and cut.
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
