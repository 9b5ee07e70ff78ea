package catalogue

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestDecodeNamesThePlaceOfAWrongType(t *testing.T) {
	t.Parallel()
	model := decodeObject[Model]
	models := decodeList[Model]("models")
	groups := decodeList[ModelGroup]("model_groups")
	for body, want := range map[string]string{
		`{"revision":3.5}`:                         "revision: a whole number is expected, the service sent the number 3.5",
		`{"name":7}`:                               "name: a string is expected, the service sent the number 7",
		`{"archived":"yes"}`:                       "archived: a boolean is expected, the service sent a string",
		`{"tags":"a"}`:                             "tags: a list is expected, the service sent a string",
		`{"tags":["a",["b"]]}`:                     "tags[1]: a string is expected, the service sent a list",
		`{"horizon":[]}`:                           "horizon: an object is expected, the service sent a list",
		`{"horizon":{"shortName":1}}`:              "horizon.shortName: a string is expected, the service sent the number 1",
		`{"modelMetadata":[1]}`:                    "modelMetadata: an object is expected, the service sent a list",
		`{"inputs":[{"id":"a"},"b"]}`:              "inputs[1]: an object is expected, the service sent a string",
		`{"inputs":[{"id":{},"key":"k"}]}`:         "inputs[0].id: a string is expected, the service sent an object",
		`{"axes":[{"values":[1,1e99999999]}]}`:     "axes[0].values[1]: " + errNumberTooLong.Error(),
		`{"outputVariables":[{},{"seriesKey":0}]}`: "outputVariables[1].seriesKey: a boolean is expected, the service sent the number 0",
		`null`:   "an object is expected, the service sent null",
		`[]`:     "an object is expected, the service sent a list",
		`"text"`: "an object is expected, the service sent a string",
		``:       "the body is empty",
		`   `:    "the body is empty",
		`<html>`: "the body is no valid JSON: invalid character '<' looking for beginning of value",
		`{} {}`:  "the body goes on after its JSON value",
	} {
		_, err := model(strings.NewReader(body))
		expectShape(t, body, err, want)
	}
	for body, want := range map[string]string{
		`[{"revision":1},{"revision":2}, {"revision":3},{"revision":"x"}]`: "models[3].revision: a whole number is expected, the service sent a string",
		`[{"id":"a"},null]`: "models[1]: an object is expected, the service sent null",
		`[[]]`:              "models[0]: an object is expected, the service sent a list",
		`{"models":[]}`:     "a list is expected, the service sent an object",
		`null`:              "a list is expected, the service sent null",
		``:                  "the body is empty",
		`[] x`:              "the body goes on after its JSON value",
		`[{"a":1}}`:         "the body is no valid JSON: invalid character '}' after array element",
	} {
		_, err := models(strings.NewReader(body))
		expectShape(t, body, err, want)
	}
	_, err := groups(strings.NewReader(`[{},{"models":[{},{"revision":true}]}]`))
	expectShape(t, "groups", err, "model_groups[1].models[1].revision: a whole number is expected, the service sent a boolean")
}

func expectShape(t *testing.T, body string, err error, want string) {
	t.Helper()
	var shape *shapeError
	if !errors.As(err, &shape) || shape.Error() != want {
		t.Errorf("%s: %v\nwant %s", body, err, want)
	}
}

func TestDecodeTellsACutBodyFromAWrongOne(t *testing.T) {
	t.Parallel()
	const object, array = `{"id":"a","tags":["b"]}`, `[{"id":"a"},{"id":"b"}]`
	for i := 1; i < len(object); i++ {
		if _, err := decodeObject[Model](strings.NewReader(object[:i])); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v, want an unexpected end", object[:i], err)
		}
	}
	for i := 1; i < len(array); i++ {
		if _, err := decodeList[Model]("models")(strings.NewReader(array[:i])); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v, want an unexpected end", array[:i], err)
		}
	}
	broken := errors.New("connection reset")
	for i := range len(array) {
		body := io.MultiReader(strings.NewReader(array[:i]), iotest.ErrReader(broken))
		if _, err := decodeList[Model]("models")(body); !errors.Is(err, broken) {
			t.Errorf("%s then a reset: %v", array[:i], err)
		}
	}
}

func TestDecodeIgnoresUnknownFieldsAndKeepsNulls(t *testing.T) {
	t.Parallel()
	got, err := decodeObject[Model](iotest.OneByteReader(strings.NewReader(
		`{"new":{"deep":[1]},"tags":["a",null],"inputs":[null,{"id":"i","unit":"MW"}],"horizon":null,"revision":2.0}`)))
	if err != nil {
		t.Fatal(err)
	}
	if *got.Revision != 2 || got.Horizon != nil || *got.Tags[0] != "a" || got.Tags[1] != nil ||
		got.Inputs[0] != nil || got.Inputs[1].JSON != `{"id":"i","unit":"MW"}` || got.Datasets != nil {
		t.Errorf("%+v", got)
	}
}

func TestLimitReaderRefusesMoreThanItsLimit(t *testing.T) {
	t.Parallel()
	for size, fits := range map[int]bool{0: true, 9: true, 10: true, 11: false, 4096: false} {
		_, err := io.ReadAll(&boundedReader{reader: strings.NewReader(strings.Repeat("x", size)), limit: 10})
		var tooLarge *TooLargeError
		if fits == errors.As(err, &tooLarge) {
			t.Errorf("%d bytes under a limit of 10: %v", size, err)
		}
	}
}
