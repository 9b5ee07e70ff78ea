package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// object is a JSON object with its members in the order of the text. A Go map
// would lose that order, and decoded values the spelling of numbers.
type object []member

type member struct {
	name  string
	value json.RawMessage // compact
}

// compact returns one JSON value without white space, or what is wrong with it
// and at which line and column.
func compact(text []byte) (json.RawMessage, error) {
	// Compact finds the same mistakes, but does not say where they are.
	if err := json.Unmarshal(text, new(json.RawMessage)); err != nil {
		return nil, syntaxAt(text, err)
	}
	var raw bytes.Buffer
	err := json.Compact(&raw, text)
	return raw.Bytes(), err
}

// syntaxAt gives a syntax error its line and column.
func syntaxAt(text []byte, err error) error {
	offset := len(text)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = min(offset, int(syntax.Offset))
	}
	before := text[:offset]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := offset - (bytes.LastIndexByte(before, '\n') + 1)
	return fmt.Errorf("line %d, column %d: %w", line, max(column, 1), err)
}

// parseObject reads one level of raw, which must be compact JSON.
func parseObject(raw json.RawMessage) (object, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	start, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	if start != json.Delim('{') {
		return nil, errors.New("an object is expected")
	}
	o := object{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		text, _ := name.(string) // the decoder hands out no other kind of name
		o = append(o, member{text, value})
	}
	return o, nil
}

// get returns the member's value. Of several with that name the last counts,
// as most JSON readers have it.
func (o object) get(name string) (json.RawMessage, bool) {
	for _, v := range slices.Backward(o) {
		if v.name == name {
			return v.value, true
		}
	}
	return nil, false
}

// text returns the member's value where it is a string.
func (o object) text(name string) (string, bool) {
	raw, ok := o.get(name)
	if !ok || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// is tells whether the member is spelled exactly so, for literals.
func (o object) is(name, literal string) bool {
	raw, ok := o.get(name)
	return ok && string(raw) == literal
}

// with returns a copy in which the given members replace those of their name,
// in their place, or follow at the end.
func (o object) with(members ...member) object {
	changed := make(object, len(o), len(o)+len(members))
	copy(changed, o)
next:
	for _, m := range members {
		for i := len(changed) - 1; i >= 0; i-- {
			if changed[i].name == m.name {
				changed[i].value = m.value
				continue next
			}
		}
		changed = append(changed, m)
	}
	return changed
}

// json returns the object's compact text.
func (o object) json() json.RawMessage {
	size := 2
	for _, m := range o {
		size += len(m.name) + len(m.value) + 4
	}
	text := append(make([]byte, 0, size), '{')
	for i, m := range o {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, quote(m.name)...), ':'), m.value...)
	}
	return append(text, '}')
}

// array returns the compact text of a list of values.
func array(elements []json.RawMessage) json.RawMessage {
	return append(append([]byte{'['}, bytes.Join(rawBytes(elements), []byte{','})...), ']')
}

func rawBytes(values []json.RawMessage) [][]byte {
	texts := make([][]byte, len(values))
	for i, value := range values {
		texts[i] = value
	}
	return texts
}

// elements returns the values of a list, and nothing for any other value.
func elements(raw json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// quote returns s as a JSON string. Unlike json.Marshal it leaves <, > and &
// alone, which the file may well contain unescaped.
func quote(s string) json.RawMessage {
	return encode(s)
}

// encode returns v as compact JSON. It panics where v cannot be encoded, which
// for the values of this package is a mistake in its code.
func encode(v any) json.RawMessage {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic("sandbox: " + err.Error())
	}
	return bytes.TrimSuffix(text.Bytes(), []byte{'\n'})
}

// number returns the value where it is a number, and nil otherwise. The
// precision tells revisions apart that a float64 would take for the same.
func number(raw json.RawMessage) *big.Float {
	const precision = 512
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return nil
	}
	value, _, err := big.ParseFloat(string(raw), 10, precision, big.ToNearestEven)
	if err != nil {
		return nil
	}
	return value
}

// sameValue returns a text that is equal for equal JSON scalars, so that the
// 1 of one revision and the 1.0 of another are one axis value.
func sameValue(raw json.RawMessage) string {
	if value := number(raw); value != nil {
		return value.Text('p', 0)
	}
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return string(quote(s))
		}
	}
	return string(raw)
}
