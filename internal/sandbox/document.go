package sandbox

import (
	"errors"
	"math/big"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object with its members in the order of the text. A Go map
// would lose that order, and decoded values the spelling of numbers.
type object []member //nolint:recvcheck // unmarshalling fills what the other methods only read

type member struct {
	name  string
	value jsontext.Value // compact
}

// parseObject reads one level of raw, which must be compact JSON.
func parseObject(raw jsontext.Value) (object, error) {
	var o object
	err := json.Unmarshal(raw, &o)
	return o, err
}

// UnmarshalJSONFrom keeps the order of the members.
func (o *object) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != jsontext.KindBeginObject {
		if err := decoder.SkipValue(); err != nil {
			return err
		}
		return errors.New("an object is expected")
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	*o = object{}
	for decoder.PeekKind() != jsontext.KindEndObject {
		name, err := decoder.ReadToken()
		if err != nil {
			return err
		}
		text := name.String() // the token is good until the next one
		value, err := decoder.ReadValue()
		if err != nil {
			return err
		}
		*o = append(*o, member{text, value.Clone()})
	}
	_, err := decoder.ReadToken()
	return err
}

// get returns the member's value.
func (o object) get(name string) (jsontext.Value, bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

// text returns the member's value where it is a string.
func (o object) text(name string) (string, bool) {
	raw, ok := o.get(name)
	if !ok || raw.Kind() != jsontext.KindString {
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
		for i := range changed {
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
func (o object) json() jsontext.Value {
	size := 2
	for _, m := range o {
		size += len(m.name) + len(m.value) + 4
	}
	text := append(make([]byte, 0, size), '{')
	for i, m := range o {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, encode(m.name)...), ':'), m.value...)
	}
	return append(text, '}')
}

// array returns the compact text of a list of values.
func array(elements []jsontext.Value) jsontext.Value {
	size := 2
	for _, value := range elements {
		size += len(value) + 1
	}
	text := append(make([]byte, 0, size), '[')
	for i, value := range elements {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, value...)
	}
	return append(text, ']')
}

// elements returns the values of a list, and nothing for any other value.
func elements(raw jsontext.Value) []jsontext.Value {
	var list []jsontext.Value
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// encode returns v as compact JSON. It panics where v cannot be encoded, which
// for the values of this package is a mistake in its code.
func encode(v any) jsontext.Value {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic("sandbox: " + err.Error())
	}
	return text
}

// number returns the value where it is a number, and nil otherwise. The
// precision tells revisions apart that a float64 would take for the same.
func number(raw jsontext.Value) *big.Float {
	const precision = 512
	if raw.Kind() != jsontext.KindNumber {
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
func sameValue(raw jsontext.Value) string {
	if value := number(raw); value != nil {
		return value.Text('p', 0)
	}
	var s string
	if raw.Kind() == jsontext.KindString && json.Unmarshal(raw, &s) == nil {
		return string(encode(s))
	}
	return string(raw)
}
