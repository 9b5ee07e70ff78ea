package catalogue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// MaxBody is the largest answer the client reads, in bytes. It is the limit of
// one message from a provider to its engine, so more could not be passed on.
const MaxBody = 256 << 20

// decoder turns an answer into what a call returns, from the stream.
type decoder[T any] func(io.Reader) (T, error)

// decodeObject reads a body that is one object.
func decodeObject[T any](body io.Reader) (*T, error) {
	return decodeWhole(body, func(stream *elementReader) (*T, error) {
		return decodeElement[T](stream, "")
	})
}

// decodeList reads a body that is a list of objects, one at a time, so that
// the text of no more than one is in memory. In errors the list is called name.
func decodeList[T any](name string) decoder[[]*T] {
	return func(body io.Reader) ([]*T, error) {
		return decodeWhole(body, func(stream *elementReader) ([]*T, error) {
			start, err := stream.json.Token()
			if err != nil {
				return nil, err
			}
			if start != json.Delim('[') {
				return nil, &shapeError{problem: "a list is expected, the service sent " + describeToken(start)}
			}
			stream.done()
			list := []*T{}
			for stream.json.More() {
				element, err := decodeElement[T](stream, fmt.Sprintf("%s[%d]", name, len(list)))
				if err != nil {
					return nil, midway(err)
				}
				list = append(list, element)
			}
			if _, err := stream.json.Token(); err != nil {
				return nil, midway(err)
			}
			return list, nil
		})
	}
}

// decodeWhole applies decode to the body and refuses what follows the value.
// A body that ends inside its JSON is an io.ErrUnexpectedEOF.
func decodeWhole[T any](body io.Reader, decode func(*elementReader) (T, error)) (T, error) {
	var none T
	stream := newElementReader(body)
	value, err := decode(stream)
	if err == nil {
		err = stream.end()
	}
	if err == nil {
		return value, nil
	}
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return none, &shapeError{problem: "the body is empty"}
	case errors.As(err, &syntax):
		return none, &shapeError{problem: "the body is no valid JSON: " + syntax.Error()}
	}
	return none, err
}

// decodeElement reads the next object of the stream. A value of the wrong type
// is looked up in the element's text, to name its place below name.
func decodeElement[T any](stream *elementReader, name string) (*T, error) {
	var element *T
	err := stream.json.Decode(&element)
	if err == nil && element == nil {
		return nil, &shapeError{place: name, problem: "an object is expected, the service sent null"}
	}
	if err == nil {
		stream.done()
		return element, nil
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || stream.failed() {
		return nil, err
	}
	var text json.RawMessage
	if json.NewDecoder(bytes.NewReader(stream.text())).Decode(&text) != nil {
		return nil, err
	}
	if found := locate(text, reflect.TypeFor[T](), name); found != nil {
		return nil, found
	}
	return nil, &shapeError{place: name, problem: err.Error()}
}

// midway says of an end of the stream that more was to come.
func midway(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// elementReader decodes a stream and keeps the text from the end of the last
// element on, which is what an error message needs and all it needs.
type elementReader struct {
	source  *faultReader
	json    *json.Decoder
	recent  bytes.Buffer
	dropped int64
}

func newElementReader(body io.Reader) *elementReader {
	r := &elementReader{source: &faultReader{reader: body}}
	r.json = json.NewDecoder(io.TeeReader(r.source, &r.recent))
	r.json.UseNumber() // any number is a token, one that is too large for a float64 too
	return r
}

// done forgets the text up to here.
func (r *elementReader) done() {
	offset := r.json.InputOffset()
	r.recent.Next(int(offset - r.dropped))
	r.dropped = offset
}

// text is what was read since the last element, without the separator.
func (r *elementReader) text() []byte {
	return bytes.TrimLeft(r.recent.Bytes(), " \t\r\n,")
}

// failed tells whether the stream itself, not its content, was at fault.
func (r *elementReader) failed() bool { return r.source.err != nil && !errors.Is(r.source.err, io.EOF) }

// end refuses anything but white space up to the end of the body.
func (r *elementReader) end() error {
	if _, err := r.json.Token(); !errors.Is(err, io.EOF) {
		if r.failed() {
			return r.source.err
		}
		return &shapeError{problem: "the body goes on after its JSON value"}
	}
	return nil
}

// faultReader remembers the error its reader ended with.
type faultReader struct {
	reader io.Reader
	err    error
}

func (r *faultReader) Read(p []byte) (int, error) {
	n, err := r.reader.Read(p)
	if err != nil {
		r.err = err
	}
	return n, err
}

// locate finds the first value in text that the Go type cannot take. It runs
// on failures alone: encoding/json names a field but not the list element.
func locate(text json.RawMessage, t reflect.Type, place string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if jsonKind(text) == kindNull {
		return nil
	}
	fields, elements := structFields(t), t.Kind() == reflect.Slice
	switch {
	case fields != nil && jsonKind(text) == kindObject:
		var object map[string]json.RawMessage
		if err := json.Unmarshal(text, &object); err != nil {
			return &shapeError{place: place, problem: err.Error()}
		}
		for _, field := range fields {
			if err := locate(object[field.name], field.typ, join(place, field.name)); err != nil {
				return err
			}
		}
	case elements && jsonKind(text) == kindArray:
		var list []json.RawMessage
		if err := json.Unmarshal(text, &list); err != nil {
			return &shapeError{place: place, problem: err.Error()}
		}
		for i, element := range list {
			if err := locate(element, t.Elem(), fmt.Sprintf("%s[%d]", place, i)); err != nil {
				return err
			}
		}
	}
	if err := json.Unmarshal(text, reflect.New(t).Interface()); err != nil {
		if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return &shapeError{place: place, problem: wanted(t) + " is expected, the service sent " + describe(text)}
		}
		return &shapeError{place: place, problem: err.Error()}
	}
	return nil
}

type jsonField struct {
	name string
	typ  reflect.Type
}

// structFields lists the JSON fields of a struct type, nil for any other.
func structFields(t reflect.Type) []jsonField {
	if t.Kind() != reflect.Struct {
		return nil
	}
	fields := []jsonField{}
	for field := range t.Fields() {
		if name := field.Tag.Get("json"); name != "-" && name != "" {
			fields = append(fields, jsonField{name: name, typ: field.Type})
		}
	}
	return fields
}

func join(place, name string) string {
	if place == "" {
		return name
	}
	return place + "." + name
}

// wanted names the JSON type that a Go type takes.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return string(kindBoolean)
	case reflect.Slice:
		return string(kindArray)
	case reflect.Struct:
		return string(kindObject)
	default:
		return string(kindString)
	}
}

func describeToken(token json.Token) string {
	switch token := token.(type) {
	case json.Delim:
		return string(kindObject)
	case string:
		return string(kindString)
	case bool:
		return string(kindBoolean)
	case nil:
		return string(kindNull)
	case json.Number:
		return describe([]byte(token))
	default:
		return string(kindNumber)
	}
}

// shapeError is a body that is no JSON of the right shape.
type shapeError struct{ place, problem string }

func (e *shapeError) Error() string {
	if e.place == "" {
		return e.problem
	}
	return strings.TrimSpace(e.place + ": " + e.problem)
}
