package sandbox

import (
	"maps"
	"math"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object. Its values keep their spelling, to the last digit.
type object map[string]jsontext.Value

// lenient reads JSON as most readers do: it accepts invalid UTF-8, and takes the last of duplicate members.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// parseObject reads one level of an object leniently. It returns nil for any other value.
func parseObject(raw jsontext.Value) (o object) {
	if raw.Kind() != jsontext.KindBeginObject || json.Unmarshal(raw, &o, lenient) != nil {
		return nil
	}
	return o
}

// text returns the member's value if it is a string, or else "".
func (o object) text(name string) (s string) {
	if raw := o[name]; raw.Kind() == jsontext.KindString {
		_ = json.Unmarshal(raw, &s) // raw is JSON
	}
	return s
}

// isNull reports whether a value is absent or null.
func isNull(value jsontext.Value) bool { return value == nil || value.Kind() == jsontext.KindNull }

// is reports whether the member has the spelling of the literal.
func (o object) is(name, literal string) bool { return string(o[name]) == literal }

// with returns a copy in which members replace those of the same name.
func (o object) with(members object) object {
	changed := maps.Clone(o)
	maps.Copy(changed, members)
	return changed
}

// pick returns the object's members of these names.
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
	if json.Unmarshal(raw, &list, lenient) != nil {
		return nil
	}
	return list
}

// encode returns v as compact JSON. It panics if v cannot be encoded.
func encode(v any) jsontext.Value {
	text, err := json.Marshal(v, json.Deterministic(true), jsontext.PreserveRawStrings(true), lenient)
	must(err)
	return text
}

// must panics on an error. Only a mistake in this package can cause one.
func must(err error) {
	if err != nil {
		panic("sandbox: " + err.Error())
	}
}

// noRevision is the revision of a document without one, below every other.
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

// canonical returns the same text for equal JSON values, such as 1 and 1.0. It returns any other text unchanged.
func canonical(raw jsontext.Value) string {
	text := raw.Clone()
	_ = text.Canonicalize() // fails on other text, and leaves it unchanged
	return string(text)
}
