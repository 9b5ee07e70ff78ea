package catalogue

import (
	"cmp"
	"errors"
	"io"
	"reflect"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient reads what RFC 8259 leaves open as most readers do: of equal names the
// last one counts, and bytes that are no UTF-8 are replaced.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// decoder turns a body into what a call returns, which may take maxGrowth times
// limit bytes of memory.
//
// A body that ends inside its JSON is an io.ErrUnexpectedEOF, one that becomes
// too large a *TooLargeError, one that is not what was promised a *shapeError.
type decoder[T any] func(body io.Reader, limit int64) (T, error)

// record is a pointer to a T that knows which field of its identity it lacks.
type record[T any] interface {
	*T
	missing() string // the JSON name of the field, "" for none
}

// stream is a body while it is decoded.
type stream struct {
	*jsontext.Decoder
	source *weighedReader
	spell  json.Options // weighs scalars, which can take more memory than text
}

// streams are kept for the next body, because what the library prepares for the
// types in spell costs as much as to decode a small body.
var streams = sync.Pool{New: func() any {
	s := &stream{Decoder: jsontext.NewDecoder(strings.NewReader(""))}
	s.spell = json.WithUnmarshalers(json.UnmarshalFunc(func(data []byte, scalar *Scalar) error {
		return cmp.Or(scalar.UnmarshalJSON(data), s.source.weigh(len(*scalar)))
	}))
	return s
}}

// keep gives a stream back, unless its buffer may have grown with a large body.
func (s *stream) keep() {
	if s.InputOffset() < 1<<20 {
		s.source = nil
		s.Reset(strings.NewReader(""))
		streams.Put(s)
	}
}

// decodeObject reads a body that is one record.
func decodeObject[T any, P record[T]](body io.Reader, limit int64) (*T, error) {
	return decodeBody("", body, limit, decodeRecord[T, P])
}

// decodeList reads a body that is a list of records, one at a time, so that
// the text of no more than one is in memory. In errors the list is called name.
func decodeList[T any, P record[T]](name string) decoder[[]*T] {
	return func(body io.Reader, limit int64) ([]*T, error) {
		return decodeBody(name, body, limit, func(stream *stream) ([]*T, error) {
			if start, err := stream.ReadToken(); err != nil {
				return nil, err
			} else if start.Kind() != jsontext.KindBeginArray {
				return nil, &shapeError{problem: "a list is expected, the service sent " + inWords(start.Kind())}
			}
			list := []*T{}
			for stream.PeekKind() != jsontext.KindEndArray {
				element, err := decodeRecord[T, P](stream)
				if err != nil {
					return nil, err
				}
				list = append(list, element)
			}
			_, err := stream.ReadToken()
			return list, err
		})
	}
}

// decodeRecord reads the next record of the stream.
func decodeRecord[T any, P record[T]](stream *stream) (*T, error) {
	var got *T
	err := cmp.Or(json.UnmarshalDecode(stream.Decoder, &got), stream.source.weigh(int(reflect.TypeFor[T]().Size())))
	if err != nil {
		return nil, err
	}
	if got == nil {
		return nil, &shapeError{at: stream.StackPointer(), problem: "an object is expected, the service sent null"}
	}
	if name := P(got).missing(); name != "" {
		const missing = "it is missing or null, and no record is without it"
		return nil, &shapeError{at: stream.StackPointer().AppendToken(name), problem: missing}
	}
	return got, nil
}

// decodeBody applies decode to the body, refuses what follows the value, and
// says of a failure what kind it is. The body as a whole is called name.
func decodeBody[T any](name string, body io.Reader, limit int64, decode func(*stream) (T, error)) (T, error) {
	var none T
	in, _ := streams.Get().(*stream)
	defer in.keep()
	source := &weighedReader{reader: body, remaining: maxGrowth * limit, limit: maxGrowth * limit}
	in.source = source
	in.Reset(source, lenient, in.spell)
	value, err := decode(in)
	if err == nil {
		if _, err = in.ReadToken(); err == io.EOF { //nolint:errorlint // the decoder's own end, and no other
			return value, nil
		}
		if source.err == nil {
			return none, &shapeError{problem: "the body goes on after its JSON value"}
		}
	}
	var syntax *jsontext.SyntacticError
	var shape *shapeError
	var wrongType *json.SemanticError
	switch {
	case source.err != nil:
		return none, source.err
	case err == io.EOF: //nolint:errorlint // as above
		return none, &shapeError{problem: "the body is empty"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return none, io.ErrUnexpectedEOF
	case errors.As(err, &syntax):
		return none, &shapeError{problem: "the body is no valid JSON: " + syntax.Err.Error()}
	case errors.As(err, &wrongType):
		shape = &shapeError{at: wrongType.JSONPointer, problem: typeProblem(wrongType)}
		return none, shape.below(name)
	case errors.As(err, &shape):
		return none, shape.below(name)
	}
	return none, err
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

// typeProblem says which kind of value was expected and which one was sent. The
// types of this package that decode themselves have it in their own errors.
func typeProblem(err *json.SemanticError) string {
	if err.Err != nil {
		return err.Err.Error()
	}
	wanted := jsontext.KindString
	switch err.GoType.Kind() {
	case reflect.Bool:
		wanted = jsontext.KindTrue
	case reflect.Slice:
		wanted = jsontext.KindBeginArray
	case reflect.Struct:
		wanted = jsontext.KindBeginObject
	}
	return inWords(wanted) + " is expected, the service sent " + inWords(err.JSONKind)
}

// inWords names the type of a JSON value.
func inWords(kind jsontext.Kind) string {
	switch kind {
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "a list"
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindNull:
		return "null"
	default:
		return "a boolean"
	}
}
