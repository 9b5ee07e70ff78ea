package sandbox

import (
	"bytes"
	"errors"
	"math/big"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object with its members in the order of the text. A Go map
// would lose that order, and decoded values the spelling of numbers.
type object []member

type member struct {
	name  string
	value jsontext.Value // compact
}

// parseObject reads one level of raw, which must be compact JSON. What is no
// object is nil, which has no members.
func parseObject(raw jsontext.Value) object {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(raw))
	if start, err := decoder.ReadToken(); err != nil || start.Kind() != jsontext.KindBeginObject {
		return nil
	}
	o := object{}
	for decoder.PeekKind() == jsontext.KindString {
		token, _ := decoder.ReadToken()
		name := token.String() // the token is good until the next one
		value, err := decoder.ReadValue()
		if err != nil {
			return nil
		}
		o = append(o, member{name, value.Clone()})
	}
	return o
}

// MarshalJSONTo keeps the order of the members.
func (o object) MarshalJSONTo(encoder *jsontext.Encoder) error {
	errs := []error{encoder.WriteToken(jsontext.BeginObject)}
	for _, m := range o {
		errs = append(errs, encoder.WriteToken(jsontext.String(m.name)), encoder.WriteValue(m.value))
	}
	return errors.Join(append(errs, encoder.WriteToken(jsontext.EndObject))...)
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
func (o object) text(name string) (s string, ok bool) {
	raw, _ := o.get(name)
	ok = raw.Kind() == jsontext.KindString && json.Unmarshal(raw, &s) == nil
	return s, ok
}

// is tells whether the member is spelled exactly so, for literals.
func (o object) is(name, literal string) bool {
	raw, ok := o.get(name)
	return ok && string(raw) == literal
}

// with returns a copy in which the given members replace those of their name,
// in their place, or follow at the end.
func (o object) with(members ...member) object {
	changed := slices.Clone(o)
	for _, m := range members {
		i := slices.IndexFunc(changed, func(old member) bool { return old.name == m.name })
		if i < 0 {
			changed = append(changed, m)
		} else {
			changed[i] = m
		}
	}
	return changed
}

// pick returns the members of these names that there are, in this order.
func (o object) pick(names ...string) object {
	picked := object{}
	for _, name := range names {
		if value, ok := o.get(name); ok {
			picked = append(picked, member{name, value})
		}
	}
	return picked
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
	text, err := json.Marshal(v, json.Deterministic(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		panic("sandbox: " + err.Error())
	}
	return text
}

// number returns the value where it is a number, and nil otherwise. The
// precision tells revisions apart that a float64 would take for the same.
func number(raw jsontext.Value) *big.Float {
	const precision = 512
	value, _, err := big.ParseFloat(string(raw), 10, precision, big.ToNearestEven)
	if raw.Kind() != jsontext.KindNumber || err != nil {
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
	if raw.Kind() == jsontext.KindString {
		text, _ := jsontext.AppendUnquote([]byte{'"'}, raw) // no number begins with a quote
		return string(text)
	}
	return string(raw)
}
