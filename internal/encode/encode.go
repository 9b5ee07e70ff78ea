// Package encode turns plain Go structs into the MessagePack form in which a plugin hands values to its engine, by a
// plan made once for each type.
//
// It follows the encoding of terraform's plugin protocol, version 6: an object is a map of its attributes, a list an
// array, a map a map with its keys in order, null is nil. A struct's fields are matched to attributes by their tfsdk
// tags, as the framework's own reflection matches them.
package encode

import (
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

// TooLargeError says that a value does not fit in a message. Both are in
// bytes; Size is what the value takes.
type TooLargeError struct{ Size, Limit int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the value takes %d bytes, more than the %d of one message", e.Size, e.Limit)
}

// output is what is encoded so far. Once it is over the limit, its bytes are
// counted and no longer kept.
type output struct {
	bytes   []byte
	dropped int64
	limit   int64
}

func (o *output) size() int64 { return o.dropped + int64(len(o.bytes)) }

// settle drops what is over the limit, which bounds the memory.
func (o *output) settle() {
	if o.dropped > 0 || int64(len(o.bytes)) > o.limit {
		o.dropped += int64(len(o.bytes))
		o.bytes = o.bytes[:0]
	}
}

// sampled is the index of the element of a list or map after which the size of the
// rest is estimated, to take the memory for it at once.
const sampled = 31

// each encodes count elements within bounded memory.
func (o *output) each(count int, element func(i int)) {
	start := o.size()
	for i := range count {
		element(i)
		o.settle()
		if i == sampled {
			o.expect((o.size() - start) / (sampled + 1) * int64(count-sampled))
		}
	}
}

// expect takes memory for a number of further bytes, and a sixteenth more.
func (o *output) expect(bytes int64) {
	if bytes += bytes / 16; o.dropped == 0 && o.size()+bytes <= o.limit {
		o.bytes = slices.Grow(o.bytes, int(bytes))
	}
}

type encodeFunc func(*output, reflect.Value)

// Compile makes an encoder of goType, a struct or a pointer to one, as typ. The two must agree field by field; the
// error names the first place at which they do not.
func Compile(goType reflect.Type, typ tftypes.Type) (*Encoder, error) {
	encode, err := compile(goType, typ, "")
	if err != nil {
		return nil, err
	}
	return &Encoder{goType: goType, encode: encode}, nil
}

// Encode returns the encoding of value, or a *TooLargeError if that has more than limit
// bytes. What is over the limit takes no memory.
func (e *Encoder) Encode(value any, limit int64) ([]byte, error) {
	v := reflect.ValueOf(value)
	if v.Type() != e.goType {
		return nil, fmt.Errorf("%s encoded with the plan of %s", v.Type(), e.goType)
	}
	out := &output{limit: limit}
	e.encode(out, v)
	if size := out.size(); size > limit {
		return nil, &TooLargeError{Size: size, Limit: limit}
	}
	return out.bytes, nil
}

func compile(goType reflect.Type, typ tftypes.Type, place string) (encodeFunc, error) {
	if goType.Kind() == reflect.Pointer {
		element, err := compile(goType.Elem(), typ, place)
		if err != nil {
			return nil, err
		}
		return func(out *output, v reflect.Value) {
			if v.IsNil() {
				out.bytes = msgp.AppendNil(out.bytes)
				return
			}
			element(out, v.Elem())
		}, nil
	}
	switch typ := typ.(type) {
	case tftypes.Object:
		if goType.Kind() == reflect.Struct {
			return compileObject(goType, typ, place)
		}
	case tftypes.List:
		if goType.Kind() == reflect.Slice {
			return compileList(goType, typ, place)
		}
	case tftypes.Map:
		if goType.Kind() == reflect.Map && goType.Key().Kind() == reflect.String {
			return compileMap(goType, typ, place)
		}
	default:
		if encode := scalar(goType.Kind(), typ); encode != nil {
			return encode, nil
		}
	}
	return nil, fmt.Errorf("%s: %s cannot hold %s", orRoot(place), goType, typ)
}

// scalar returns nil if the Go kind cannot hold the type.
func scalar(kind reflect.Kind, typ tftypes.Type) encodeFunc {
	switch {
	case kind == reflect.String && typ.Is(tftypes.String):
		return func(out *output, v reflect.Value) { out.bytes = msgp.AppendString(out.bytes, v.String()) }
	case kind == reflect.Bool && typ.Is(tftypes.Bool):
		return func(out *output, v reflect.Value) { out.bytes = msgp.AppendBool(out.bytes, v.Bool()) }
	case kind == reflect.Int64 && typ.Is(tftypes.Number):
		return func(out *output, v reflect.Value) { out.bytes = msgp.AppendInt64(out.bytes, v.Int()) }
	}
	return nil
}

func compileList(goType reflect.Type, typ tftypes.List, place string) (encodeFunc, error) {
	element, err := compile(goType.Elem(), typ.ElementType, place+"[]")
	if err != nil {
		return nil, err
	}
	return func(out *output, v reflect.Value) {
		if v.IsNil() {
			out.bytes = msgp.AppendNil(out.bytes)
			return
		}
		out.bytes = msgp.AppendArrayHeader(out.bytes, uint32(v.Len())) //nolint:gosec // a message cannot hold 2^32 elements
		out.each(v.Len(), func(i int) { element(out, v.Index(i)) })
	}, nil
}

// compileMap makes an encoder of maps. Their keys are sorted, so that equal
// values have equal encodings.
func compileMap(goType reflect.Type, typ tftypes.Map, place string) (encodeFunc, error) {
	element, err := compile(goType.Elem(), typ.ElementType, place+"[]")
	if err != nil {
		return nil, err
	}
	return func(out *output, v reflect.Value) {
		if v.IsNil() {
			out.bytes = msgp.AppendNil(out.bytes)
			return
		}
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		out.bytes = msgp.AppendMapHeader(out.bytes, uint32(len(keys))) //nolint:gosec // a message cannot hold 2^32 elements
		out.each(len(keys), func(i int) {
			out.bytes = msgp.AppendString(out.bytes, keys[i].String())
			element(out, v.MapIndex(keys[i]))
		})
	}, nil
}

// attribute is one field of an object: its encoded name, where its value is in
// the struct, and how that is encoded.
type attribute struct {
	key    []byte
	index  []int
	encode encodeFunc
}

// of finds the attribute's value in v, whose struct may be embedded in another.
func (a *attribute) of(v reflect.Value) reflect.Value {
	for _, i := range a.index {
		v = v.Field(i)
	}
	return v
}

func compileObject(goType reflect.Type, typ tftypes.Object, place string) (encodeFunc, error) {
	fields := map[string]reflect.StructField{}
	for _, field := range reflect.VisibleFields(goType) {
		if name := field.Tag.Get("tfsdk"); name != "" && name != "-" {
			if _, twice := fields[name]; twice {
				return nil, fmt.Errorf("%s: %s has two fields for the attribute", join(place, name), goType)
			}
			fields[name] = field
		}
	}
	attributes := make([]attribute, 0, len(fields))
	for _, name := range slices.Sorted(maps.Keys(typ.AttributeTypes)) {
		field, ok := fields[name]
		if !ok {
			return nil, fmt.Errorf("%s: %s has no field for the attribute", join(place, name), goType)
		}
		delete(fields, name)
		encode, err := compile(field.Type, typ.AttributeTypes[name], join(place, name))
		if err != nil {
			return nil, err
		}
		attributes = append(attributes, attribute{key: msgp.AppendString(nil, name), index: field.Index, encode: encode})
	}
	for name := range fields {
		return nil, fmt.Errorf("%s: the schema has no attribute for the field of %s", join(place, name), goType)
	}
	return func(out *output, v reflect.Value) {
		out.bytes = msgp.AppendMapHeader(out.bytes, uint32(len(attributes))) //nolint:gosec // a handful
		for i := range attributes {
			out.bytes = append(out.bytes, attributes[i].key...)
			attributes[i].encode(out, attributes[i].of(v))
		}
	}, nil
}

func join(place, name string) string {
	if place == "" {
		return name
	}
	return place + "." + name
}

func orRoot(place string) string {
	if place == "" {
		return "the value"
	}
	return place
}
