package catalogue

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
)

// lenient reads what RFC 8259 leaves open as most readers do: the last of duplicate members wins, and invalid UTF-8 is
// replaced.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// decoder turns an answer into the result of a call. It reads one JSON value, and returns a *shapeError if the value is
// malformed.
type decoder[T any] func(in *incoming) (T, error)

// scope is the subject of a question. An empty text stands for any.
type scope struct {
	group   string // its id
	horizon string // the key of a time horizon
}

// record is a pointer to a T, a record of an answer.
type record[T any] interface {
	*T
	// identity returns the identity field that the record lacks, or else an error if the record is out of scope.
	identity(of scope) (lacks string, other *shapeError)
	// contradiction returns an error if the record contradicts itself.
	contradiction() *shapeError
	// common returns its id, and pointers to its other fields and its error.
	common() (id *string, other *jsontext.Value, err *error)
	// later returns a pointer for decoding the other fields that have an attribute.
	later() any
}

// decodeRecord reads the next record of a body. A malformed record has an error and its readable fields. It is an error
// of the answer if a single record lacks its identity, or any record is out of scope.
func decodeRecord[T any, P record[T]](of scope) decoder[*T] {
	return func(in *incoming) (*T, error) {
		body, err := in.text.ReadValue()
		if err != nil {
			return nil, err
		}
		got := new(T)
		fault := unmarshalRecord(body, got)
		lacks, other := P(got).identity(of)
		if lacks != "" {
			fields := fieldsOf(body) // an error document of status 200, perhaps
			fault = cmp.Or(fault, &shapeError{problem: in.without(lacks, fields)})
			if in.list == "" || body.Kind() == jsontext.KindBeginObject && isStranger(fields) {
				other = fault
			}
		}
		if other != nil {
			other.at = in.text.StackPointer() + other.at
			return nil, other
		}
		fault = cmp.Or(fault, P(got).contradiction())
		_, fields, problem := P(got).common()
		if *fields != nil {
			*fields = jsontext.Value(compactAndSort(*fields))
			fault = cmp.Or(fault, unmarshalRecord(*fields, P(got).later()))
		}
		if fault != nil {
			fault.at = in.text.StackPointer() + fault.at
			*problem = in.unusable(fault)
		}
		return got, nil
	}
}

// isStranger reports whether an object with an incomplete identity is neither a group nor a model, but an error
// document, a cursor or the like.
func isStranger(fields map[string]jsontext.Value) bool {
	return fields["code"].Kind() == jsontext.KindString ||
		isAbsent(fields["id"]) && isAbsent(fields["revision"]) && isAbsent(fields["latestRevision"])
}

// decodeList reads a whole list of records. A malformed record is an element with an error, so the others are usable. A
// record out of scope, or with a duplicate id, is an error of the list. Errors call the list name.
func decodeList[T any, P record[T]](name string, of scope) decoder[[]*T] {
	whole := eachOf(name, decodeRecord[T, P](of))
	return func(in *incoming) ([]*T, error) {
		list, err := whole(in)
		known := map[string]bool{}
		for i, one := range list {
			id, _, _ := P(one).common()
			if err == nil {
				err = once(known, id, i)
			}
		}
		return list, err
	}
}

// once records the id of the i-th element of a list, and returns an error if the id is a duplicate.
func once(known map[string]bool, id *string, i int) error {
	if id == nil {
		return nil
	}
	key := IDKey(*id)
	if known[key] {
		at := jsontext.Pointer(fmt.Sprintf("/%d/id", i))
		return &shapeError{at: at, problem: fmt.Sprintf("an element before it has the id %q, too", *id)}
	}
	known[key] = true
	return nil
}

// decodeRaw reads a whole list without decoding its elements.
var decodeRaw = eachOf("", rawValue)

func rawValue(in *incoming) (jsontext.Value, error) {
	value, err := in.text.ReadValue()
	return value.Clone(), err
}

// eachOf reads a whole list, with the text of one element in memory at a time. A partial list is an error: its latest
// revision would be wrong.
func eachOf[T any](name string, next decoder[T]) decoder[[]T] {
	return func(in *incoming) ([]T, error) {
		in.list = name
		list := []T{}
		err := beginList(in.text)
		for err == nil && in.text.PeekKind() != jsontext.KindEndArray {
			var element T
			element, err = next(in)
			list = append(list, element)
		}
		if err == nil {
			_, err = in.text.ReadToken()
		}
		if err != nil {
			return nil, err
		}
		if sign := contract.SignOfPart(in.Header, len(list)); sign != "" {
			return nil, &shapeError{problem: "the list is only a part: " + sign + noSuchList, isPart: true}
		}
		return list, nil
	}
}

const noSuchList = "; this version of the provider reads whole lists only"

// beginList reads the beginning of a list.
func beginList(text *jsontext.Decoder) error {
	if text.PeekKind() == jsontext.KindBeginArray {
		_, err := text.ReadToken()
		return err
	}
	sent, err := text.ReadValue()
	if err != nil {
		return err
	}
	problem := "a list is expected, the service sent " + inWords[sent.Kind()]
	if sent.Kind() == jsontext.KindBeginObject {
		problem += itHas(fieldsOf(sent)) + noSuchList
	}
	return &shapeError{problem: problem}
}

// fieldsOf returns the fields of an object, or nil for any other value.
func fieldsOf(value jsontext.Value) map[string]jsontext.Value {
	var fields map[string]jsontext.Value
	_ = json.Unmarshal(value, &fields, lenient)
	return fields
}

// itHas lists the first fields of an unexpected object, and quotes an error document.
func itHas(fields map[string]jsontext.Value) string {
	if len(fields) == 0 {
		return " (it is empty)"
	}
	names := slices.Sorted(maps.Keys(fields))
	var said strings.Builder
	fmt.Fprintf(&said, " (it has: %q)", strings.Join(names[:min(len(names), 10)], ", "))
	for _, name := range []string{"code", "message", "error", "error_description"} {
		if value := fields[name]; value.Kind() == jsontext.KindString {
			fmt.Fprintf(&said, "; its %s is %q", name, textOf(value))
		}
	}
	return said.String()
}

// without reports the missing field of the answer, or of a record of its list, and lists the fields that are there.
func (in *incoming) without(field string, fields map[string]jsontext.Value) string {
	what, lacks := "the answer", "no"
	if in.list != "" {
		what = "it"
	}
	switch value := fields[field]; {
	case value.Kind() == jsontext.KindNull:
		lacks = "a null"
	case value != nil:
		lacks = "an empty"
	}
	return what + " has " + lacks + " " + field + itHas(fields)
}

// unmarshalRecord decodes the text of a record into a struct. Fields of a wrong type stay absent.
func unmarshalRecord(body jsontext.Value, to any) *shapeError {
	if body.Kind() == jsontext.KindNull {
		return &shapeError{problem: "an object is expected, the service sent null"}
	}
	err := json.Unmarshal(body, to, lenient)
	if err != nil && body.Kind() == jsontext.KindBeginObject {
		body, _ = json.Marshal(fieldsOf(body), lenient, json.Deterministic(true)) // only the last of duplicates
		reflect.ValueOf(to).Elem().SetZero()
		err = json.Unmarshal(body, to, lenient)
	}
	if err == nil {
		return nil
	}
	reflect.ValueOf(to).Elem().SetZero()
	_ = json.Unmarshal(body, to, lenient, eachFieldForItself) // it fails again if the body is not an object
	return typeFault(err)
}

// eachFieldForItself skips the fields of a record that have a wrong type.
var eachFieldForItself = json.WithUnmarshalers(json.UnmarshalFromFunc(func(text *jsontext.Decoder, field any) error {
	if text.StackDepth() != 1 {
		return errors.ErrUnsupported // the record itself
	}
	value, err := text.ReadValue()
	if err == nil && json.Unmarshal(value, field, lenient) != nil {
		reflect.ValueOf(field).Elem().SetZero()
	}
	return err
}))

// decode returns the value of a whole body.
func (in *incoming) decode(read func(*incoming) (any, error)) (value any, err error) {
	if value, err = read(in); err != nil {
		return nil, err
	}
	return value, in.end()
}

// end reads the end of a body: nothing may follow its JSON value.
func (in *incoming) end() error {
	if _, err := in.text.ReadToken(); err == io.EOF { //nolint:errorlint // the decoder's own end, and no other
		return nil
	}
	return &shapeError{problem: "the body goes on after its JSON value"}
}

// wrongShape returns the fault of a body whose decoding ended with err, or nil if the connection is at fault.
func (in *incoming) wrongShape(err error) *shapeError {
	shape, isShape := errors.AsType[*shapeError](err)
	syntax, isSyntax := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case isShape:
		return shape
	case err == io.EOF: //nolint:errorlint // as above
		return &shapeError{problem: "the body is empty"}
	case errors.Is(err, gzip.ErrHeader):
		return &shapeError{problem: "the body is labelled as gzip, but is not gzip"}
	case isSyntax && !errors.Is(err, io.ErrUnexpectedEOF):
		return &shapeError{at: placeOf(in.text, syntax), problem: "the body is not valid JSON: " + syntax.Err.Error()}
	}
	return nil
}

// placeOf returns the place of a syntax error. Inside an element of a list, the library takes its names from a buffer
// whose content may have moved since, so the part read so far is decoded again in one piece.
func placeOf(text *jsontext.Decoder, syntax *jsontext.SyntacticError) jsontext.Pointer {
	index, _, isInside := strings.Cut(strings.TrimPrefix(string(syntax.JSONPointer), "/"), "/")
	if isInside && text.StackDepth() == 1 {
		element := bytes.TrimLeft(text.UnreadBuffer(), ", \t\r\n")
		_, err := jsontext.NewDecoder(bytes.NewBuffer(element), lenient).ReadValue()
		if again, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			return jsontext.Pointer("/"+index) + again.JSONPointer
		}
	}
	return syntax.JSONPointer
}

// shapeError is a malformed body, or a malformed value in one.
type shapeError struct {
	at      jsontext.Pointer
	problem string
	isPart  bool // the body is a partial list
	isPage  bool // the body is a page of HTML or a document of XML
}

func (e *shapeError) Error() string { return e.problem }

// place returns the location of the error, with the service's names cleaned. It calls a list at the root name.
func (e *shapeError) place(name string, clean func(string) string) (place string) {
	for part := range e.at.Tokens() {
		part = clean(part)
		switch {
		case strings.Trim(part, "0123456789") == "":
			place = cmp.Or(place, name) + "[" + part + "]"
		case place == "":
			place = part
		default:
			place += "." + part
		}
	}
	return place
}

// typeFault names the expected kind of value and the one received. Types with a decoder of their own do so in their
// errors.
func typeFault(err error) *shapeError {
	wrong, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return &shapeError{problem: err.Error()}
	}
	if of, ok := errors.AsType[*shapeError](wrong.Err); ok {
		return &shapeError{at: wrong.JSONPointer + of.at, problem: of.problem}
	}
	if wrong.Err != nil {
		return &shapeError{at: wrong.JSONPointer, problem: wrong.Err.Error()}
	}
	problem := inWords[kinds[wrong.GoType.Kind()]] + " is expected, the service sent " + inWords[wrong.JSONKind]
	return &shapeError{at: wrong.JSONPointer, problem: problem}
}

// kinds maps kinds of Go types to those of JSON values.
var kinds = map[reflect.Kind]jsontext.Kind{
	reflect.String: jsontext.KindString,
	reflect.Bool:   jsontext.KindTrue,
	reflect.Slice:  jsontext.KindBeginArray,
	reflect.Struct: jsontext.KindBeginObject,
}

// inWords names the types of JSON values.
var inWords = map[jsontext.Kind]string{
	jsontext.KindBeginObject: "an object",
	jsontext.KindBeginArray:  "a list",
	jsontext.KindString:      "a string",
	jsontext.KindNumber:      "a number",
	jsontext.KindNull:        "null",
	jsontext.KindTrue:        "a boolean",
	jsontext.KindFalse:       "a boolean",
}
