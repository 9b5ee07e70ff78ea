// Package encode turns plain Go structs into the MessagePack form in which a
// plugin hands values to its engine, by a plan made once for each type.
//
// It follows the encoding of terraform's plugin protocol, version 6: an object
// is a map of its attributes, a list an array, null is nil. A struct's fields
// are matched to attributes by their tfsdk tags, as the framework's own
// reflection matches them.
package encode

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"

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

type encodeFunc func(*msgp.Writer, reflect.Value) error

// Compile makes an encoder of goType, a struct or a pointer to one, as typ. The
// two must agree field by field; the error names the first place where they
// do not.
func Compile(goType reflect.Type, typ tftypes.Type) (*Encoder, error) {
	encode, err := compile(goType, typ, "")
	if err != nil {
		return nil, err
	}
	return &Encoder{goType: goType, encode: encode}, nil
}

// Encode returns the encoding of value, or a *TooLargeError where that takes
// more than limit bytes. It is measured before memory is taken for it.
func (e *Encoder) Encode(value any, limit int64) ([]byte, error) {
	v := reflect.ValueOf(value)
	if v.Type() != e.goType {
		return nil, fmt.Errorf("%s encoded with the plan of %s", v.Type(), e.goType)
	}
	var size counter
	if err := e.to(&size, v); err != nil {
		return nil, err
	}
	if int64(size) > limit {
		return nil, &TooLargeError{Size: int64(size), Limit: limit}
	}
	out := bytes.NewBuffer(make([]byte, 0, size))
	if err := e.to(out, v); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (e *Encoder) to(out io.Writer, v reflect.Value) error {
	w := msgp.NewWriterSize(out, 4<<10)
	if err := e.encode(w, v); err != nil {
		return err
	}
	return w.Flush()
}

// counter is a writer that keeps nothing but the number of bytes.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func compile(goType reflect.Type, typ tftypes.Type, place string) (encodeFunc, error) {
	if goType.Kind() == reflect.Pointer {
		element, err := compile(goType.Elem(), typ, place)
		if err != nil {
			return nil, err
		}
		return func(w *msgp.Writer, v reflect.Value) error {
			if v.IsNil() {
				return w.WriteNil()
			}
			return element(w, v.Elem())
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
	default:
		if encode := scalar(goType.Kind(), typ); encode != nil {
			return encode, nil
		}
	}
	return nil, fmt.Errorf("%s: %s cannot hold %s", orRoot(place), goType, typ)
}

// scalar returns nil where the Go kind cannot hold the type.
func scalar(kind reflect.Kind, typ tftypes.Type) encodeFunc {
	switch {
	case kind == reflect.String && typ.Is(tftypes.String):
		return func(w *msgp.Writer, v reflect.Value) error { return w.WriteString(v.String()) }
	case kind == reflect.Bool && typ.Is(tftypes.Bool):
		return func(w *msgp.Writer, v reflect.Value) error { return w.WriteBool(v.Bool()) }
	case kind == reflect.Int64 && typ.Is(tftypes.Number):
		return func(w *msgp.Writer, v reflect.Value) error { return w.WriteInt64(v.Int()) }
	}
	return nil
}

func compileList(goType reflect.Type, typ tftypes.List, place string) (encodeFunc, error) {
	element, err := compile(goType.Elem(), typ.ElementType, place+"[]")
	if err != nil {
		return nil, err
	}
	return func(w *msgp.Writer, v reflect.Value) error {
		if v.IsNil() {
			return w.WriteNil()
		}
		if err := w.WriteArrayHeader(uint32(v.Len())); err != nil { //nolint:gosec // a list of 2^32 elements does not fit in a message
			return err
		}
		for i := range v.Len() {
			if err := element(w, v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// attribute is one field of an object: its encoded name, where its value is in
// the struct, and how that is encoded.
type attribute struct {
	key    []byte
	index  []int
	encode encodeFunc
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
	return func(w *msgp.Writer, v reflect.Value) error {
		if err := w.WriteMapHeader(uint32(len(attributes))); err != nil { //nolint:gosec // a handful
			return err
		}
		for i := range attributes {
			if _, err := w.Write(attributes[i].key); err != nil {
				return err
			}
			if err := attributes[i].encode(w, v.FieldByIndex(attributes[i].index)); err != nil {
				return err
			}
		}
		return nil
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
