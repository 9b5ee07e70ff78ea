package catalogue

import (
	"cmp"
	"errors"
	"io"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/contract"
)

// lenient reads what RFC 8259 leaves open as most readers do: of equal names the last one counts, and bytes that are
// no UTF-8 are replaced.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// decoder turns an answer into what a call returns. A body that ends inside its JSON is an io.ErrUnexpectedEOF, and one
// that is not what was promised a *shapeError.
type decoder[T any] func(in *incoming) (T, error)

// record is a pointer to a T that says what is wrong with it as an answer about a group.
type record[T any] interface {
	*T
	check(groupID string) *shapeError
}

// decodeObject reads a body that is one record, about the group of that id, "" for any.
func decodeObject[T any, P record[T]](groupID string) decoder[*T] {
	return func(in *incoming) (object *T, err error) {
		err = decodeBody("", in, func(text *jsontext.Decoder) error {
			object, err = decodeRecord[T, P](text, groupID)
			return err
		})
		return object, err
	}
}

// decodeList reads a body that is a whole list of records, one at a time, so that the text of no more than one is in
// memory. A part of a list is an error: the latest revision of a part would be a wrong one. In errors the list is
// called name.
func decodeList[T any, P record[T]](name, groupID string) decoder[[]*T] {
	return func(in *incoming) ([]*T, error) {
		list := []*T{}
		err := decodeBody(name, in, func(text *jsontext.Decoder) error {
			if err := beginList(text); err != nil {
				return err
			}
			for text.PeekKind() != jsontext.KindEndArray {
				element, err := decodeRecord[T, P](text, groupID)
				if err != nil {
					return err
				}
				list = append(list, element)
			}
			_, err := text.ReadToken()
			return err
		})
		if err != nil {
			return nil, err
		}
		if sign := contract.SignOfPart(in.header, len(list)); sign != "" {
			return nil, &shapeError{problem: "the list is only a part: " + sign + noSuchList}
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
	return " (it has: " + strings.Join(names[:min(len(names), 10)], ", ") + ")"
}

// decodeRecord reads the next record of a body.
func decodeRecord[T any, P record[T]](text *jsontext.Decoder, groupID string) (*T, error) {
	var got *T
	if err := json.UnmarshalDecode(text, &got); err != nil {
		return nil, err
	}
	if got == nil {
		return nil, &shapeError{at: text.StackPointer(), problem: "an object is expected, the service sent null"}
	}
	if wrong := P(got).check(groupID); wrong != nil {
		wrong.at = text.StackPointer() + wrong.at
		return nil, wrong
	}
	return got, nil
}

// decodeBody applies decode to the body, in which nothing may follow the value. An error of the wrong shape is a
// *shapeError, and calls the body as a whole name.
func decodeBody(name string, body io.Reader, decode func(*jsontext.Decoder) error) error {
	text := jsontext.NewDecoder(body, lenient)
	err := decode(text)
	if err == nil {
		if _, err = text.ReadToken(); err == io.EOF { //nolint:errorlint // the decoder's own end, and no other
			return nil
		}
		return &shapeError{problem: "the body goes on after its JSON value"}
	}
	var syntax *jsontext.SyntacticError
	var shape *shapeError
	var wrongType *json.SemanticError
	switch {
	case err == io.EOF: //nolint:errorlint // as above
		return &shapeError{problem: "the body is empty"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	case errors.As(err, &syntax):
		return &shapeError{problem: "the body is no valid JSON: " + syntax.Err.Error()}
	case errors.As(err, &wrongType):
		shape = &shapeError{at: wrongType.JSONPointer, problem: typeProblem(wrongType)}
		return shape.below(name)
	case errors.As(err, &shape):
		return shape.below(name)
	}
	return err
}

// shapeError is a body that is no JSON of the right shape.
type shapeError struct {
	at             jsontext.Pointer
	place, problem string
}

// below completes the place of the error. A body that is a list is called name.
func (e *shapeError) below(name string) *shapeError {
	for token := range e.at.Tokens() {
		switch {
		case strings.Trim(token, "0123456789") == "":
			e.place = cmp.Or(e.place, name) + "[" + token + "]"
		case e.place == "":
			e.place = token
		default:
			e.place += "." + token
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

// typeProblem says which kind of value was expected and which one was sent. The types of this package that decode
// themselves have it in their own errors.
func typeProblem(err *json.SemanticError) string {
	if err.Err != nil {
		return err.Err.Error()
	}
	wanted := map[reflect.Kind]jsontext.Kind{
		reflect.String: jsontext.KindString, reflect.Bool: jsontext.KindTrue, reflect.Slice: jsontext.KindBeginArray,
		reflect.Struct: jsontext.KindBeginObject, reflect.Map: jsontext.KindBeginObject,
	}[err.GoType.Kind()]
	return inWords[wanted] + " is expected, the service sent " + inWords[err.JSONKind]
}

// inWords names the types of JSON values.
var inWords = map[jsontext.Kind]string{
	jsontext.KindBeginObject: "an object", jsontext.KindBeginArray: "a list", jsontext.KindString: "a string",
	jsontext.KindNumber: "a number", jsontext.KindNull: "null",
	jsontext.KindTrue: "a boolean", jsontext.KindFalse: "a boolean",
}
