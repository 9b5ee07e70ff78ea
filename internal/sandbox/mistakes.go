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

// TextError is a mistake in a JSON text.
type TextError struct {
	Line, Column int    // from 1; 0 in a document of a service or a control request
	Path         string // such as modelGroups[2].owner; empty for the whole text
	Problem      string

	at     jsontext.Pointer
	offset int    // in the text
	known  string // the fields of the object, if the mistake is an unknown field: listed once in a text
}

func (e TextError) Error() string {
	text := e.Problem
	if e.Path != "" {
		text = e.Path + ": " + text
	}
	if e.Line > 0 {
		text = fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, text)
	}
	return text
}

// TextErrors are the mistakes in a text.
type TextErrors []TextError //nolint:recvcheck // only add changes it

// shown is the number of mistakes in a text that are reported.
const shown = 100

// Error returns the mistake, or the number of mistakes and the first hundred of them, one a line.
func (e TextErrors) Error() string {
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

// add adds a problem with the value at a place of the text.
func (e *TextErrors) add(place jsontext.Pointer, format string, arguments ...any) {
	*e = append(*e, TextError{
		Path:    path(place),
		Problem: fmt.Sprintf(format, arguments...),
		at:      place,
	})
}

// err returns the mistakes as an error, or nil if there are none. It sorts them by place, removes duplicates, and lists
// the known fields at the first unknown one. With a text it adds line and column to each reported mistake: those of the
// member's name, of the element, or of the object with the missing field.
func (e TextErrors) err(text []byte) error {
	if len(e) == 0 {
		return nil
	}
	begins := beginnings(text)
	for i, found := range e {
		place := found.at
		for begins[place] == 0 && place != "" {
			place = place.Parent()
		}
		e[i].offset = begins[place]
	}
	slices.SortFunc(e, func(a, b TextError) int {
		return cmp.Or(
			cmp.Compare(a.offset, b.offset),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Problem, b.Problem),
		)
	})
	e = slices.Compact(e)
	listed := map[string]bool{"": true}
	for i, found := range e[:min(shown, len(e))] {
		if !listed[found.known] {
			e[i].Problem += "; there are " + found.known
		}
		listed[found.known] = true
		if text != nil {
			e[i].Line, e[i].Column = lineAndColumn(text, found.offset)
		}
	}
	return e
}

// beginnings returns the offset of each value of a JSON text. A member begins with its name.
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

// lineAndColumn returns the line and column of an offset, both from 1.
func lineAndColumn(text []byte, offset int) (line, column int) {
	before := text[:offset]
	ofLine := before[bytes.LastIndexByte(before, '\n')+1:]
	return bytes.Count(before, []byte{'\n'}) + 1, utf8.RuneCount(ofLine) + 1
}

// byteOrderMark is removed from the beginning of a text, because some editors write it there.
var byteOrderMark = []byte("\ufeff")

// parseText reads a text that must be a JSON object. It removes white space, and leaves numbers and strings as they
// are. Its errors are [TextErrors]. Those about an empty or different text contain the example.
func parseText(text []byte, example string) (jsontext.Value, error) {
	var raw jsontext.Value
	err := json.Unmarshal(text, &raw)
	if err == nil {
		err = raw.Compact()
	}
	begin, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	var found TextError
	syntactic, isBroken := errors.AsType[*jsontext.SyntacticError](err)
	if isBroken {
		found.offset = min(int(syntactic.ByteOffset), len(text))
	}
	switch {
	case begin == "":
		found.Problem = "the text is empty, and a JSON object is expected" + example
	case bytes.IndexByte(text[:min(len(text), len("\xff\xfe{\x00"))], 0) >= 0:
		found.Problem = "the text is UTF-16: save it as UTF-8"
	case begin[0] != '{':
		const problem = "a JSON object in UTF-8 is expected%s, and the text begins with %.40q"
		found.Problem = fmt.Sprintf(problem, example, begin)
	case isBroken:
		found.Problem = syntaxProblem(syntactic, text[:found.offset])
	default:
		return raw, err
	}
	found.Line, found.Column = lineAndColumn(text, found.offset)
	return nil, TextErrors{found}
}

// syntaxProblem returns why a text is not JSON. before is the text up to the error.
func syntaxProblem(err *jsontext.SyntacticError, before []byte) string {
	problem := err.Err.Error()
	isEnd := strings.Contains(problem, "character ']'") || strings.Contains(problem, "character '}'")
	switch {
	case isEnd && bytes.HasSuffix(bytes.TrimSpace(before), []byte(",")):
		return "a comma stands before this bracket: leave it out"
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "duplicate field " + path(err.JSONPointer)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the text ends before its last bracket: it is cut off, or a bracket is missing"
	}
	return problem
}

// readObject reads a text by the schema of that name in sandbox.schema.json. check adds mistakes outside of a schema's
// reach. Its errors are [TextErrors].
func readObject(text []byte, name string, check func(object, *TextErrors)) (object, error) {
	text = bytes.TrimPrefix(text, byteOrderMark)
	schema := jsontext.Pointer("/$defs/" + name)
	example := ""
	for _, one := range elements(encode(written().at(schema)["examples"])) {
		example = ", such as " + string(one)
	}
	raw, err := parseText(text, example)
	if err != nil {
		return nil, err
	}
	fields := parseObject(raw)
	found := written().check(text, schema)
	check(fields, &found)
	return fields, found.err(nil)
}

var plainName = regexp.MustCompile(`^[\pL_$][\pL\pN_$-]{0,60}$`)

// path returns a pointer in a form such as models[0].id. It quotes and shortens unusual names, because control
// characters could harm a terminal.
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
