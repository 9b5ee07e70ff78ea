package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
)

// lenient reads what RFC 8259 leaves open as most readers do. Of equal names the last one counts, and if both have an
// object, its members are added to those of the first. Bytes that are not UTF-8 are replaced.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// decoder turns an answer into what a call returns. A body that ends inside its JSON is an io.ErrUnexpectedEOF, and one
// that is not what was promised a *shapeError.
type decoder[T any] func(in *incoming) (T, error)

// record is a pointer to a T that is read from an answer.
type record[T any] interface {
	*T
	identity(groupID string) *shapeError // what is wrong with it as an answer about a group, nil for nothing
	// rest returns where its fields are that the first release did not know, and where its error is.
	rest() (unknown *jsontext.Value, err *error)
}

// decodeObject reads a body that is one record, about the group of that id, or about any if the id is empty. A record
// with its identity is returned even if another field is wrong.
func decodeObject[T any, P record[T]](groupID string) decoder[*T] {
	return func(in *incoming) (*T, error) {
		var object *T
		err := decodeBody(in, "", func(text *jsontext.Decoder) error {
			got, fault, err := decodeRecord[T, P](in, text, "", groupID)
			if fault != nil && P(got).identity(groupID) != nil {
				return fault
			}
			object = got
			return err
		})
		return object, err
	}
}

// decodeList reads a body that is a whole list of records. A record that is wrong is an element with its error, because
// the others can be read. In errors the list is called name.
func decodeList[T any, P record[T]](name, groupID string) decoder[[]*T] {
	return eachOf(name, func(in *incoming, text *jsontext.Decoder) (*T, error) {
		element, _, err := decodeRecord[T, P](in, text, name, groupID)
		return element, err
	})
}

// decodeRaw reads a body that is a whole list, and decodes nothing in it.
var decodeRaw = eachOf("", func(_ *incoming, text *jsontext.Decoder) (jsontext.Value, error) {
	element, err := text.ReadValue()
	return element.Clone(), err
})

// eachOf reads a body that is a whole list, one element at a time, so that the text of no more than one is in memory. A
// part of a list is an error: the latest revision of a part would be a wrong one.
func eachOf[T any](name string, next func(*incoming, *jsontext.Decoder) (T, error)) decoder[[]T] {
	return func(in *incoming) ([]T, error) {
		list := []T{}
		err := decodeBody(in, name, func(text *jsontext.Decoder) error {
			err := beginList(text)
			for err == nil && text.PeekKind() != jsontext.KindEndArray {
				var element T
				element, err = next(in, text)
				list = append(list, element)
			}
			if err == nil {
				_, err = text.ReadToken()
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if sign := contract.SignOfPart(in.header, len(list)); sign != "" {
			return nil, &shapeError{problem: "the list is only a part: " + sign + noSuchList, isPart: true}
		}
		return list, nil
	}
}

const noSuchList = "; this version of the provider reads whole lists only"

// beginList reads the beginning of a list.
func beginList(text *jsontext.Decoder) error {
	start, err := text.ReadToken()
	if err != nil || start.Kind() == jsontext.KindBeginArray {
		return err
	}
	sent := inWords[start.Kind()]
	if start.Kind() == jsontext.KindBeginObject {
		var names []string
		for text.PeekKind() == jsontext.KindString {
			name, _ := text.ReadToken()
			names = append(names, name.String())
			if err := text.SkipValue(); err != nil {
				return err
			}
		}
		sent += itHas(names) + noSuchList
	}
	return &shapeError{problem: "a list is expected, the service sent " + sent}
}

// itHas names the first fields of an object that is not what was expected.
func itHas(names []string) string {
	if len(names) == 0 {
		return " (it has no fields)"
	}
	return " (it has: " + strings.Join(names[:min(len(names), 10)], ", ") + ")"
}

// decodeRecord reads the next record of a body. If it is wrong, fault says why, and the record has that as its error
// and the fields that can be read: none if it is about a different group.
func decodeRecord[T any, P record[T]](
	in *incoming, text *jsontext.Decoder, name, groupID string,
) (got *T, fault *shapeError, err error) {
	body, err := text.ReadValue()
	if err != nil {
		return nil, nil, err
	}
	got, wrongType := unmarshalRecord[T, P](body)
	wrongIdentity := P(got).identity(groupID)
	switch {
	case wrongIdentity == nil:
	case wrongIdentity.ofOtherGroup:
		*got = *new(T)
	case wrongType == nil:
		what := "it"
		if text.StackPointer() == "" {
			what = "the answer"
		}
		wrongIdentity.problem = wrongIdentity.lackIn(body, what)
	}
	unknown, problem := P(got).rest()
	fault = cmp.Or(wrongType, wrongIdentity, compactFields(unknown))
	if fault != nil {
		fault.at = text.StackPointer() + fault.at
		*problem = in.unusable(fault.below(name))
	}
	return got, fault, nil
}

// lackIn says that a document lacks a field, and what it has in its place.
func (e *shapeError) lackIn(body jsontext.Value, what string) string {
	var fields map[string]jsontext.Value
	if json.Unmarshal(body, &fields, lenient) == nil && fields[e.lacks] != nil {
		return what + " has null in place of its " + e.lacks
	}
	said := []string{what + " has no " + e.lacks + itHas(slices.Sorted(maps.Keys(fields)))}
	for _, name := range []string{"code", "message"} {
		if value := fields[name]; value.Kind() == jsontext.KindString {
			said = append(said, fmt.Sprintf("its %s is %q", name, textOf(value)))
		}
	}
	return strings.Join(said, "; ")
}

// unmarshalRecord decodes the text of a record.
func unmarshalRecord[T any, P record[T]](body jsontext.Value) (got *T, fault *shapeError) {
	got = new(T)
	if body.Kind() == jsontext.KindNull {
		return got, &shapeError{problem: "an object is expected, the service sent null"}
	}
	if err := json.Unmarshal(body, got, lenient); err != nil {
		*got = *new(T)
		fault = unmarshalRest(body, got, err)
	}
	return got, fault
}

// unmarshalRest decodes the fields of an object that are not of a wrong type, and returns what err says of one that is.
func unmarshalRest(body jsontext.Value, object any, err error) *shapeError {
	_ = json.Unmarshal(body, object, lenient, eachFieldForItself) // it fails again if the body is not an object
	return typeFault(err)
}

// eachFieldForItself leaves out the fields of a record that are of a wrong type.
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

// decodeBody applies decode to the body, in which nothing may follow the value. An error of the wrong shape is a
// *shapeError. In its place a list is called name.
func decodeBody(body io.Reader, name string, decode func(*jsontext.Decoder) error) error {
	text := jsontext.NewDecoder(body, lenient)
	err := decode(text)
	if err == nil {
		if _, err = text.ReadToken(); err == io.EOF { //nolint:errorlint // the decoder's own end, and no other
			return nil
		}
		return &shapeError{problem: "the body goes on after its JSON value"}
	}
	var syntax *jsontext.SyntacticError
	switch {
	case err == io.EOF: //nolint:errorlint // as above
		return &shapeError{problem: "the body is empty"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	case errors.As(err, &syntax):
		fault := &shapeError{at: syntax.JSONPointer, problem: "the body is not valid JSON: " + syntax.Err.Error()}
		if word := wordAt(text, syntax.ByteOffset); word != "" {
			fault.problem = word + " is not JSON"
		}
		return fault.below(name)
	}
	return err
}

// wordAt returns the word that stands at an offset of what is read, such as NaN, which Python's json.dumps writes. It
// returns "" if there is none.
func wordAt(text *jsontext.Decoder, offset int64) string {
	rest, at := text.UnreadBuffer(), offset-text.InputOffset()
	if at < 0 || at > int64(len(rest)) {
		return ""
	}
	if at > 0 && rest[at-1] == '-' {
		at-- // the error is at the letter
	}
	return string(regexp.MustCompile(`^-?(NaN|nan|Infinity|inf|None|True|False|undefined)\b`).Find(rest[at:]))
}

// shapeError is a body, or a value in one, that is not JSON of the right shape.
type shapeError struct {
	at             jsontext.Pointer
	place, problem string
	lacks          string // the field of its identity that a record lacks
	ofOtherGroup   bool   // it is a record about a different group than the one asked for
	isPart         bool   // it is a part of a list
}

// below completes the place of the error. A body that is a list is called name.
func (e *shapeError) below(name string) *shapeError {
	for part := range e.at.Tokens() {
		switch {
		case strings.Trim(part, "0123456789") == "":
			e.place = cmp.Or(e.place, name) + "[" + part + "]"
		case e.place == "":
			e.place = part
		default:
			e.place += "." + part
		}
	}
	return e
}

func (e *shapeError) Error() string {
	if e.place == "" {
		return e.problem
	}
	return e.place + ": " + e.problem
}

// typeFault says which kind of value was expected and which one was sent. The types of this package that decode
// themselves have it in their own errors.
func typeFault(err error) *shapeError {
	wrong, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return &shapeError{problem: err.Error()}
	}
	if wrong.Err != nil {
		return &shapeError{at: wrong.JSONPointer, problem: wrong.Err.Error()}
	}
	problem := inWords[kinds[wrong.GoType.Kind()]] + " is expected, the service sent " + inWords[wrong.JSONKind]
	return &shapeError{at: wrong.JSONPointer, problem: problem}
}

// kinds has the type of JSON values that a type of Go holds.
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
