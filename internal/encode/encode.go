// Package encode turns plain Go structs into the MessagePack form of values between a plugin and its engine, by a plan
// made once for each type.
//
// It follows the encoding of terraform's plugin protocol, version 6: an object is a map of its attributes, a list an
// array, a map a map with its keys in order, null is nil. A struct's fields are matched to attributes by their tfsdk
// tags, as the framework's own reflection matches them.
package encode

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/tinylib/msgp/msgp"
)

// Encoder encodes values of one struct type.
type Encoder struct {
	goType reflect.Type
	encode encodeFunc
}

// TooLargeError is a value too large for a message. Both sizes are in bytes.
type TooLargeError struct {
	Size  int64
	Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the value takes %d bytes, more than the %d of one message", e.Size, e.Limit)
}

// output is the encoding so far. Once it is over the limit, its bytes are counted and not kept.
type output struct {
	bytes   []byte
	dropped int64
	limit   int64
}

func (o *output) size() int64 {
	return o.dropped + int64(len(o.bytes))
}

// settle drops the bytes over the limit. Until then the last element is whole in memory.
func (o *output) settle() {
	if o.dropped > 0 || int64(len(o.bytes)) > o.limit {
		o.dropped += int64(len(o.bytes))
		o.bytes = o.bytes[:0]
	}
}

// sampled is the index of an element of a list or map. After it, the size of the rest is estimated, to allocate memory
// for the rest at once.
const sampled = 31

// each encodes count elements. After each it drops the bytes over the limit.
func (o *output) each(count int, element func(i int)) {
	start := o.size()
	for i := range count {
		element(i)
		o.settle()
		if i == sampled {
			mean := (o.size() - start) / (sampled + 1)
			o.expect(mean * int64(count-sampled))
		}
	}
}

// expect allocates memory for a number of further bytes, and a sixteenth more.
func (o *output) expect(bytes int64) {
	bytes += bytes / 16
	if o.dropped == 0 && o.size()+bytes <= o.limit {
		o.bytes = slices.Grow(o.bytes, int(bytes))
	}
}

type encodeFunc func(*output, reflect.Value)

// Compile makes an encoder of goType, a struct or a pointer to one, as typ. The two must agree field by field; an error
// names the first difference.
func Compile(goType reflect.Type, typ tftypes.Type) (*Encoder, error) {
	encode, err := node{goType: goType}.compile(typ)
	if err != nil {
		return nil, err
	}
	return &Encoder{goType: goType, encode: encode}, nil
}

// Encode returns the encoding of value, or a *TooLargeError over limit bytes. Bytes over the limit are counted and not
// kept, but each text is encoded whole.
func (e *Encoder) Encode(value any, limit int64) ([]byte, error) {
	v := reflect.ValueOf(value)
	if v.Type() != e.goType {
		return nil, fmt.Errorf("%s encoded with the plan of %s", v.Type(), e.goType)
	}
	out := &output{limit: limit}
	e.encode(out, v)
	size := out.size()
	if size > limit {
		return nil, &TooLargeError{Size: size, Limit: limit}
	}
	return out.bytes, nil
}

// node is a place in a struct, with its Go type.
type node struct {
	place  string // in the names of attributes, empty for the whole value
	goType reflect.Type
}

// elements returns the node of the elements of a pointer, a list or a map. mark is added to the place.
func (n node) elements(mark string) node {
	return node{place: n.place + mark, goType: n.goType.Elem()}
}

// disagrees returns the error about a Go type at odds with the schema.
func (n node) disagrees(why string) error {
	place := cmp.Or(n.place, "the value")
	return fmt.Errorf("%s: %s %s", place, n.goType, why)
}

func (n node) cannotHold(typ tftypes.Type) error {
	return n.disagrees("cannot hold " + typ.String())
}

func (n node) compile(typ tftypes.Type) (encodeFunc, error) {
	if n.goType.Kind() == reflect.Pointer {
		element, err := n.elements("").compile(typ)
		if err != nil {
			return nil, err
		}
		return orNull(func(out *output, v reflect.Value) {
			element(out, v.Elem())
		}), nil
	}
	switch typ := typ.(type) {
	case tftypes.Object:
		return n.object(typ)
	case tftypes.List:
		return n.list(typ)
	case tftypes.Map:
		return n.mapping(typ)
	}
	scalar, ok := scalars[n.goType.Kind()]
	if !ok || !typ.Is(scalar.typ) {
		return nil, n.cannotHold(typ)
	}
	return scalar.encode, nil
}

// scalars maps a Go kind to the type of its encoded values and their encoder.
var scalars = map[reflect.Kind]struct {
	typ    tftypes.Type
	encode encodeFunc
}{
	reflect.String: {
		typ: tftypes.String,
		encode: func(out *output, v reflect.Value) {
			out.bytes = msgp.AppendString(out.bytes, v.String())
		},
	},
	reflect.Bool: {
		typ: tftypes.Bool,
		encode: func(out *output, v reflect.Value) {
			out.bytes = msgp.AppendBool(out.bytes, v.Bool())
		},
	},
	reflect.Int64: {
		typ: tftypes.Number,
		encode: func(out *output, v reflect.Value) {
			out.bytes = msgp.AppendInt64(out.bytes, v.Int())
		},
	},
}

// orNull returns an encoder that encodes nil as null.
func orNull(encode encodeFunc) encodeFunc {
	return func(out *output, v reflect.Value) {
		if v.IsNil() {
			out.bytes = msgp.AppendNil(out.bytes)
			return
		}
		encode(out, v)
	}
}

func (n node) list(typ tftypes.List) (encodeFunc, error) {
	if n.goType.Kind() != reflect.Slice {
		return nil, n.cannotHold(typ)
	}
	element, err := n.elements("[]").compile(typ.ElementType)
	if err != nil {
		return nil, err
	}
	return orNull(func(out *output, v reflect.Value) {
		size := uint32(v.Len()) //nolint:gosec // a message cannot hold 2^32 elements
		out.bytes = msgp.AppendArrayHeader(out.bytes, size)
		out.each(v.Len(), func(i int) {
			element(out, v.Index(i))
		})
	}), nil
}

// mapping makes an encoder of maps. Their keys are sorted, so that equal values have equal encodings.
func (n node) mapping(typ tftypes.Map) (encodeFunc, error) {
	kind := n.goType.Kind()
	if kind != reflect.Map || n.goType.Key().Kind() != reflect.String {
		return nil, n.cannotHold(typ)
	}
	element, err := n.elements("[]").compile(typ.ElementType)
	if err != nil {
		return nil, err
	}
	byText := func(a, b reflect.Value) int {
		return strings.Compare(a.String(), b.String())
	}
	return orNull(func(out *output, v reflect.Value) {
		size := uint32(v.Len()) //nolint:gosec // a message cannot hold 2^32 elements
		out.bytes = msgp.AppendMapHeader(out.bytes, size)
		keys := v.MapKeys()
		slices.SortFunc(keys, byText)
		out.each(len(keys), func(i int) {
			key := keys[i]
			out.bytes = msgp.AppendString(out.bytes, key.String())
			element(out, v.MapIndex(key))
		})
	}), nil
}

// attribute is one field of an object: its encoded name, the place of its value in the struct, and the value's encoder.
type attribute struct {
	key    []byte
	index  []int
	encode encodeFunc
}

func (n node) object(typ tftypes.Object) (encodeFunc, error) {
	if n.goType.Kind() != reflect.Struct {
		return nil, n.cannotHold(typ)
	}
	fields, err := n.fields()
	if err != nil {
		return nil, err
	}
	var attributes []attribute
	for _, name := range slices.Sorted(maps.Keys(typ.AttributeTypes)) {
		field, ok := fields[name]
		if !ok {
			return nil, n.disagrees("has no field for the attribute " + name)
		}
		delete(fields, name)
		at := node{
			place:  strings.TrimPrefix(n.place+"."+name, "."),
			goType: field.Type,
		}
		encode, err := at.compile(typ.AttributeTypes[name])
		if err != nil {
			return nil, err
		}
		attributes = append(attributes, attribute{
			key:    msgp.AppendString(nil, name),
			index:  field.Index,
			encode: encode,
		})
	}
	for name := range fields {
		return nil, n.disagrees("has a field for an attribute that the schema lacks, " + name)
	}
	size := uint32(len(attributes)) //nolint:gosec // a handful
	return func(out *output, v reflect.Value) {
		out.bytes = msgp.AppendMapHeader(out.bytes, size)
		for i := range attributes {
			a := &attributes[i]
			out.bytes = append(out.bytes, a.key...)
			a.encode(out, v.FieldByIndex(a.index))
		}
	}, nil
}

// fields returns the fields of a struct by their attributes.
func (n node) fields() (map[string]reflect.StructField, error) {
	fields := map[string]reflect.StructField{}
	for _, field := range reflect.VisibleFields(n.goType) {
		name := field.Tag.Get("tfsdk")
		if name == "" || name == "-" {
			continue
		}
		if _, twice := fields[name]; twice {
			return nil, n.disagrees("has two fields for the attribute " + name)
		}
		fields[name] = field
	}
	return fields, nil
}
