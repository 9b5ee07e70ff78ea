package catalogue

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// The four bodies that the interface has, in full where one can be.
var (
	decodeModel  = decodeObject[Model]
	decodeModels = decodeList[Model]("models")
	decodeGroup  = decodeObject[ModelGroup]
	decodeGroups = decodeList[ModelGroup]("model_groups")
)

func TestDecodeTakesEveryFieldOfAModel(t *testing.T) {
	t.Parallel()
	got, err := decodeModel(strings.NewReader(fullModel), MaxBody)
	if err != nil {
		t.Fatal(err)
	}
	want := &Model{
		ID: new("m"), ModelGroupID: new("g"), Name: new("n"), DisplayName: new("d"), Notes: new("o"), Description: new("x"),
		Revision: new(Integer(3)), DockerImage: new("r/i:1"), CreatedAt: new("2026-01-01T00:00:00Z"), UpdatedAt: new("never"),
		RunMode:       new("BRAND_NEW"),
		Horizon:       &TimeHorizon{Name: new("Day ahead"), ShortName: new("DA"), Key: new("day_ahead")},
		ModelMetadata: new(JSONObject(`{"\u0041":"<é&>","a":[1e400,{"b":null}],"z":1.50}`)),
		OutputVariables: []*OutputVariable{
			{
				Name: new("n"), Key: new("k"), Type: new("float"), SeriesKey: new(true),
				Colours: []*Scalar{new(Scalar("#fff")), new(Scalar("7")), nil},
			},
		},
		OutputSpecification: []*Scalar{},
		Inputs:              []*Input{{ID: new("i"), Key: new("k"), JSON: `{"id":"i","key":"k","unit":"MW"}`}},
		Datasets: []*Dataset{{
			ID: new("i"), Key: new("k"), StorageLocation: new("s"), Source: new("o"), FileFormat: new("parquet"),
			JSON: `{"fileFormat":"parquet","id":"i","key":"k","rows":18446744073709551616,"source":"o","storageLocation":"s"}`,
		}},
		Archived: new(false), Enabled: new(true), Tags: []*string{new("a"), nil},
		Sensitivities: []*Sensitivity{{ID: new("i"), Key: new("k"), Name: new("n"), JSON: `{"id":"i","key":"k","name":"n","shift":0.10}`}},
		Axes: []*ModelAxis{{
			Key: new("k"), Kind: new("static"), Label: new("l"), Description: new("d"), Type: new("number"),
			Values: []*Scalar{
				new(Scalar("0.25")), new(Scalar("1000")), new(Scalar("-0.0025")), new(Scalar("DE-LU")), new(Scalar("true")), new(Scalar("[1,2]")),
				new(Scalar(`{"a":2,"b":1}`)),
			},
			Default: new(Scalar("0.5")),
		}},
		InputAggregations: []*InputAggregation{{ID: new("i"), Key: new("k"), Name: new("n"), JSON: `{"id":"i","key":"k","name":"n"}`}},
		OutputFileFormat:  new("csv"), DisplayTimezone: new("Europe/Berlin"),
		ForecastVariable: &ForecastVariable{Name: new("n"), ShortName: new("s"), Key: new("k")},
		IsOwner:          new(true), HasPerformanceMetrics: new(false), DefaultComparisonModels: []*string{new("g")},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

func TestDecodeTakesEveryFieldOfAGroup(t *testing.T) {
	t.Parallel()
	got, err := decodeGroup(iotest.OneByteReader(strings.NewReader(fullGroup)), MaxBody)
	if err != nil {
		t.Fatal(err)
	}
	want := &ModelGroup{
		ID: new("g"), Name: new("n"), LatestRevision: new(Integer(3)), Public: new(true), CreatedAt: new("t"),
		TimeHorizon: &TimeHorizon{Name: new("n"), ShortName: new("s"), Key: new("k")},
		Models:      []*ModelSummary{{ID: new("m"), Revision: new(Integer(0)), CreatedAt: new("t")}, nil, {}},
		Axes: []*GroupAxis{{
			Key: new("k"), Kind: new("static"), Label: new("l"), Description: new("d"), Type: new("number"),
			Values: []*GroupAxisValue{{Value: new(Scalar("1.50")), Historical: new(false)}, {}},
		}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// TestDecodeKeepsWhatIsMissingApart has all but the identity absent, or null.
func TestDecodeKeepsWhatIsMissingApart(t *testing.T) {
	t.Parallel()
	var nulls strings.Builder
	for field := range reflect.TypeFor[Model]().Fields() {
		if name := field.Tag.Get("json"); name != "id" && name != "revision" {
			fmt.Fprintf(&nulls, ",%q:null", name)
		}
	}
	want := &Model{ID: new(""), Revision: new(Integer(0))}
	for _, more := range []string{"", nulls.String(), `,"ID":"other","Revision":"x","tags ":7,"":{}`} {
		got, err := decodeModel(strings.NewReader(`{"id":"","revision":0`+more+`}`), MaxBody)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", more, got, err)
		}
	}
	group, err := decodeGroup(strings.NewReader(`{"id":"g","ID":"other","Name":7}`), MaxBody)
	if err != nil || !reflect.DeepEqual(group, &ModelGroup{ID: new("g")}) {
		t.Errorf("%+v, %v", group, err)
	}
}

func TestDecodeNamesThePlaceOfAWrongValue(t *testing.T) {
	t.Parallel()
	const identity = ": it is missing or null, and no record is without it"
	for body, want := range map[string]string{
		`{"revision":3.5}`:                         "revision: a whole number is expected, the service sent the number 3.5",
		`{"name":7}`:                               "name: a string is expected, the service sent a number",
		`{"archived":"yes"}`:                       "archived: a boolean is expected, the service sent a string",
		`{"tags":"a"}`:                             "tags: a list is expected, the service sent a string",
		`{"tags":["a",["b"]]}`:                     "tags[1]: a string is expected, the service sent a list",
		`{"horizon":[]}`:                           "horizon: an object is expected, the service sent a list",
		`{"horizon":{"shortName":true}}`:           "horizon.shortName: a string is expected, the service sent a boolean",
		`{"modelMetadata":[1]}`:                    "modelMetadata: an object is expected, the service sent a list",
		`{"inputs":[{"id":"a"},"b"]}`:              "inputs[1]: an object is expected, the service sent a string",
		`{"inputs":[{"id":{},"key":"k"}]}`:         "inputs[0].id: a string is expected, the service sent an object",
		`{"axes":[{"values":[1,1e99999999]}]}`:     "axes[0].values[1]: " + errNumberTooLong.Error(),
		`{"outputVariables":[{},{"seriesKey":0}]}`: "outputVariables[1].seriesKey: a boolean is expected, the service sent a number",
		`null`:                                 "an object is expected, the service sent null",
		`[]`:                                   "an object is expected, the service sent a list",
		`"text"`:                               "an object is expected, the service sent a string",
		``:                                     "the body is empty",
		" \n ":                                 "the body is empty",
		`{"id":"a","revision":1} {}`:           "the body goes on after its JSON value",
		`{"id":"a","revision":1} "`:            "the body goes on after its JSON value",
		`{}`:                                   "id" + identity,
		`{"items":[]}`:                         "id" + identity,
		`{"code":"NOT_FOUND","message":"No."}`: "id" + identity,
		`{"ID":"a","revision":1}`:              "id" + identity,
		`{"id":null,"revision":1}`:             "id" + identity,
		`{"id":"a","Revision":1}`:              "revision" + identity,
		`{"id":"a","revision":null}`:           "revision" + identity,
	} {
		_, err := decodeModel(strings.NewReader(body), MaxBody)
		expectShape(t, body, err, want)
	}
	for body, want := range map[string]string{
		`[{"id":"a","revision":1},{"id":"b","revision":2}, {"id":"c","revision":3},{"id":"d","revision":"x"}]`: "models[3].revision: " +
			"a whole number is expected, the service sent a string",
		`[{"id":"a","revision":1},{"id":"b"}]`: "models[1].revision" + identity,
		`[{"id":"a","revision":1},null]`:       "models[1]: an object is expected, the service sent null",
		`[[]]`:                                 "models[0]: an object is expected, the service sent a list",
		`{"models":[]}`:                        "a list is expected, the service sent an object",
		`null`:                                 "a list is expected, the service sent null",
		``:                                     "the body is empty",
		`[] x`:                                 "the body goes on after its JSON value",
	} {
		_, err := decodeModels(strings.NewReader(body), MaxBody)
		expectShape(t, body, err, want)
	}
	_, err := decodeGroups(strings.NewReader(`[{"id":"a"},{"models":[{},{"revision":true}]}]`), MaxBody)
	expectShape(t, "groups", err, "model_groups[1].models[1].revision: a whole number is expected, the service sent a boolean")
	_, err = decodeGroups(strings.NewReader(`[{"id":"a"},{"name":"b","id":null}]`), MaxBody)
	expectShape(t, "groups", err, "model_groups[1].id"+identity)
	for _, body := range []string{`<html>`, `[{"id":"a","revision":1}}`, `[{"id":"a","revision":1},,]`, `[{"id":"a" "revision"}]`, `[tru ]`} {
		_, err := decodeModels(strings.NewReader(body), MaxBody)
		shape, ok := errors.AsType[*shapeError](err)
		if !ok || shape.place != "" || !strings.HasPrefix(shape.problem, "the body is no valid JSON: invalid character") {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func expectShape(t *testing.T, body string, err error, want string) {
	t.Helper()
	var shape *shapeError
	if !errors.As(err, &shape) || shape.Error() != want {
		t.Errorf("%s: %v\nwant %s", body, err, want)
	}
}

// TestDecodeTellsACutBodyFromAWrongOne cuts bodies at every byte.
func TestDecodeTellsACutBodyFromAWrongOne(t *testing.T) {
	t.Parallel()
	for body, decode := range map[string]func(io.Reader) error{
		fullModel: func(body io.Reader) error { _, err := decodeModel(body, MaxBody); return err },
		` [` + fullModel + " ,\n" + fullModel + ` ] `: func(body io.Reader) error { _, err := decodeModels(body, MaxBody); return err },
	} {
		whole := strings.TrimSpace(body)
		broken := errors.New("connection reset")
		for end := 1; end < len(whole); end++ {
			for _, oneByte := range []bool{false, true} {
				var cut io.Reader = strings.NewReader(whole[:end])
				reset := io.MultiReader(strings.NewReader(whole[:end]), iotest.ErrReader(broken))
				if oneByte {
					cut, reset = iotest.OneByteReader(cut), iotest.OneByteReader(reset)
				}
				if err := decode(cut); err != io.ErrUnexpectedEOF { //nolint:errorlint // and nothing of the decoder's around it
					t.Errorf("cut after %q: %v, want an unexpected end", whole[:end], err)
				}
				if err := decode(reset); err != broken { //nolint:errorlint // as above
					t.Errorf("reset after %q: %v", whole[:end], err)
				}
			}
		}
		if err := decode(io.MultiReader(strings.NewReader(body), iotest.ErrReader(io.ErrUnexpectedEOF))); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut by its length, after the value: %v", err)
		}
	}
}

// TestNoValueTakesMoreThanItsWeight compares the weights with the types.
func TestNoValueTakesMoreThanItsWeight(t *testing.T) {
	t.Parallel()
	pointer := reflect.TypeFor[*int]().Size()
	var check func(reflect.Type)
	check = func(record reflect.Type) {
		for field := range record.Fields() {
			element := field.Type
			for element.Kind() == reflect.Slice || element.Kind() == reflect.Pointer {
				element = element.Elem()
			}
			if element.Kind() == reflect.Struct {
				if size := element.Size() + pointer; size > objectWeight {
					t.Errorf("%s takes %d bytes", element, size)
				}
				check(element)
			} else if size := element.Size() + pointer; size > elementWeight {
				t.Errorf("%s of %s takes %d bytes", field.Name, record, size)
			}
		}
	}
	check(reflect.TypeFor[Model]())
	check(reflect.TypeFor[ModelGroup]())
}

// TestOrdinaryModelsAreFarFromTheLimitOfMemory: what the weights add must leave
// room for a body of MaxBody bytes.
func TestOrdinaryModelsAreFarFromTheLimitOfMemory(t *testing.T) {
	t.Parallel()
	body := modelsBody(t, 100)
	if list, err := decodeModels(bytes.NewReader(body), int64(len(body))); err != nil || len(list) != 100 {
		t.Errorf("%d models, %v", len(list), err)
	}
}

func TestBoundedReaderRefusesMoreThanItsLimit(t *testing.T) {
	t.Parallel()
	for size, fits := range map[int]bool{0: true, 9: true, 10: true, 11: false, 4096: false} {
		_, err := io.ReadAll(&boundedReader{reader: strings.NewReader(strings.Repeat("x", size)), limit: 10})
		var tooLarge *TooLargeError
		if fits == errors.As(err, &tooLarge) {
			t.Errorf("%d bytes under a limit of 10: %v", size, err)
		}
	}
}
