package sandbox

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object whose values keep their spelling, to the last digit.
type object map[string]jsontext.Value

// parseObject reads one level of raw. It returns nil for any other value than an object.
func parseObject(raw jsontext.Value) (o object) {
	if raw.Kind() != jsontext.KindBeginObject || json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// text returns the member's value if it is a string, or else "".
func (o object) text(name string) (s string) {
	if raw := o[name]; raw.Kind() == jsontext.KindString {
		_ = json.Unmarshal(raw, &s) // it was JSON before
	}
	return s
}

// is reports whether the member is spelled like the literal.
func (o object) is(name, literal string) bool { return string(o[name]) == literal }

// with returns a copy in which members replace those of the same name.
func (o object) with(members object) object {
	changed := maps.Clone(o)
	maps.Copy(changed, members)
	return changed
}

// pick returns the members of these names that the object has.
func (o object) pick(names ...string) object {
	picked := object{}
	for _, name := range names {
		if value := o[name]; value != nil {
			picked[name] = value
		}
	}
	return picked
}

// elements returns the values of a list, and nil for any other value.
func elements(raw jsontext.Value) (list []jsontext.Value) {
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// encode returns v as compact JSON. It panics if v cannot be encoded.
func encode(v any) jsontext.Value {
	text, err := json.Marshal(v, json.Deterministic(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		panic("sandbox: " + err.Error())
	}
	return text
}

// noRevision is the revision of a document without one, and below every other.
const noRevision = math.MinInt64

// integer returns the value of a JSON number without a fraction, such as 3 or 3.0, or noRevision.
func integer(raw jsontext.Value) int64 {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<62 {
		return noRevision
	}
	return int64(f)
}

// canonical returns the same text for equal JSON values, such as 1 and 1.0.
func canonical(raw jsontext.Value) string {
	text := raw.Clone()
	_ = text.Canonicalize() // it is JSON
	return string(text)
}

// TextError is a mistake in a JSON text, and its place.
type TextError struct {
	Path    string // such as modelGroups[2].owner, or line 3, column 5; empty for the whole text
	Problem string
}

// TextErrors are the mistakes of a text, in the order of their places.
type TextErrors []TextError //nolint:recvcheck // only add changes it

func (e TextErrors) Error() string {
	lines := make([]string, len(e))
	for i, found := range e {
		lines[i] = strings.TrimPrefix(found.Path+": "+found.Problem, ": ")
	}
	return strings.Join(lines, "\n")
}

// add adds a problem of the value at a place of the text.
func (e *TextErrors) add(place jsontext.Pointer, format string, arguments ...any) {
	const maxMistakes = 100
	found := TextError{path(place), fmt.Sprintf(format, arguments...)}
	if len(*e) < maxMistakes && !slices.Contains(*e, found) {
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
	said := syntactic.Err.Error()
	if errors.Is(err, jsontext.ErrDuplicateName) {
		said = "the field " + path(syntactic.JSONPointer) + " is there twice"
	}
	before := text[:min(int(syntactic.ByteOffset), len(text))]
	line, column := bytes.Count(before, []byte{'\n'})+1, len(before)-bytes.LastIndexByte(before, '\n')
	return nil, TextErrors{{fmt.Sprintf("line %d, column %d", line, column), said}}
}

// readObject reads a text by the schema of that name in sandbox.schema.json. Its errors are [TextErrors].
func readObject(text []byte, name, example string) (object, error) {
	if jsontext.Value(text).Kind() != jsontext.KindBeginObject {
		return nil, TextErrors{{"", "a JSON object is expected, such as " + example}}
	}
	raw, err := compact(text)
	if err != nil {
		return nil, err
	}
	return parseObject(raw), written().check(text, "/$defs/"+name).err()
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
