package catalogue

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// The bodies that the interface has. A list follows its element.
const (
	bodyModel = iota
	bodyModels
	bodyGroup
	bodyGroups
	bodyKinds
)

// decoders are those of the bodies.
var decoders = [bodyKinds]decoder[any]{
	bodyModel: anyOf(decodeObject[Model]), bodyModels: anyOf(decodeList[Model]("models")),
	bodyGroup: anyOf(decodeObject[ModelGroup]), bodyGroups: anyOf(decodeList[ModelGroup]("model_groups")),
}

func anyOf[T any](decode decoder[T]) decoder[any] {
	return func(body io.Reader, limit int64) (any, error) { return decode(body, limit) }
}

func decode(kind int, body string) (any, error) {
	return decoders[kind](strings.NewReader(body), MaxBody)
}

func TestDecodeTakesEveryField(t *testing.T) {
	t.Parallel()
	model := &Model{
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
	group := &ModelGroup{
		ID: new("g"), Name: new("n"), LatestRevision: new(Integer(3)), Public: new(true), CreatedAt: new("t"),
		TimeHorizon: &TimeHorizon{Name: new("n"), ShortName: new("s"), Key: new("k")},
		Models:      []*ModelSummary{{ID: new("m"), Revision: new(Integer(0)), CreatedAt: new("t")}, nil, {}},
		Axes: []*GroupAxis{{
			Key: new("k"), Kind: new("static"), Label: new("l"), Description: new("d"), Type: new("number"),
			Values: []*GroupAxisValue{{Value: new(Scalar("1.50")), Historical: new(false)}, {}},
		}},
	}
	for kind, want := range map[int]any{bodyModel: model, bodyGroup: group} {
		body := strings.NewReader(map[int]string{bodyModel: fullModel, bodyGroup: fullGroup}[kind])
		if got, err := decoders[kind](iotest.OneByteReader(body), MaxBody); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v\nwant %+v", got, err, want)
		}
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
		if got, err := decode(bodyModel, `{"id":"","revision":0`+more+`}`); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", more, got, err)
		}
	}
	group, err := decode(bodyGroup, `{"id":"g","ID":"other","Name":7}`)
	if err != nil || !reflect.DeepEqual(group, &ModelGroup{ID: new("g")}) {
		t.Errorf("%+v, %v", group, err)
	}
}

const (
	isExpected = " is expected, the service sent "
	isMissing  = ": it is missing or null, and no record is without it"
	goesOn     = "the body goes on after its JSON value"
	noJSON     = "the body is no valid JSON: invalid character"
)

// wrongBodies are none of what they should be. After noJSON comes more.
var wrongBodies = []struct {
	kind       int
	body, want string
}{
	{bodyModel, `{"revision":3.5}`, "revision: a whole number" + isExpected + "the number 3.5"},
	{bodyModel, `{"name":7}`, "name: a string" + isExpected + "a number"},
	{bodyModel, `{"archived":"yes"}`, "archived: a boolean" + isExpected + "a string"},
	{bodyModel, `{"tags":"a"}`, "tags: a list" + isExpected + "a string"},
	{bodyModel, `{"tags":["a",["b"]]}`, "tags[1]: a string" + isExpected + "a list"},
	{bodyModel, `{"horizon":[]}`, "horizon: an object" + isExpected + "a list"},
	{bodyModel, `{"horizon":{"shortName":true}}`, "horizon.shortName: a string" + isExpected + "a boolean"},
	{bodyModel, `{"modelMetadata":[1]}`, "modelMetadata: an object" + isExpected + "a list"},
	{bodyModel, `{"inputs":[{"id":"a"},"b"]}`, "inputs[1]: an object" + isExpected + "a string"},
	{bodyModel, `{"inputs":[{"id":{},"key":"k"}]}`, "inputs[0].id: a string" + isExpected + "an object"},
	{bodyModel, `{"axes":[{"values":[1,1e99999999]}]}`, "axes[0].values[1]: " + errNumberTooLong.Error()},
	{bodyModel, `{"outputVariables":[{},{"seriesKey":0}]}`, "outputVariables[1].seriesKey: a boolean" + isExpected + "a number"},
	{bodyModel, `null`, "an object" + isExpected + "null"},
	{bodyModel, `[]`, "an object" + isExpected + "a list"},
	{bodyModel, `"text"`, "an object" + isExpected + "a string"},
	{bodyModel, ``, "the body is empty"},
	{bodyModel, " \n ", "the body is empty"},
	{bodyModel, `{"id":"a","revision":1} {}`, goesOn},
	{bodyModel, `{"id":"a","revision":1} "`, goesOn},
	{bodyModel, `{}`, "id" + isMissing},
	{bodyModel, `{"items":[]}`, "id" + isMissing},
	{bodyModel, `{"code":"NOT_FOUND","message":"No."}`, "id" + isMissing},
	{bodyModel, `{"ID":"a","revision":1}`, "id" + isMissing},
	{bodyModel, `{"id":null,"revision":1}`, "id" + isMissing},
	{bodyModel, `{"id":"a","Revision":1}`, "revision" + isMissing},
	{bodyModel, `{"id":"a","revision":null}`, "revision" + isMissing},
	{
		bodyModels, `[{"id":"a","revision":1},{"id":"b","revision":2}, {"id":"c","revision":3},{"id":"d","revision":"x"}]`,
		"models[3].revision: a whole number" + isExpected + "a string",
	},
	{bodyModels, `[{"id":"a","revision":1},{"id":"b"}]`, "models[1].revision" + isMissing},
	{bodyModels, `[{"id":"a","revision":1},null]`, "models[1]: an object" + isExpected + "null"},
	{bodyModels, `[[]]`, "models[0]: an object" + isExpected + "a list"},
	{bodyModels, `{"models":[]}`, "a list" + isExpected + "an object"},
	{bodyModels, `null`, "a list" + isExpected + "null"},
	{bodyModels, ``, "the body is empty"},
	{bodyModels, `[] x`, goesOn},
	{bodyModels, `<html>`, noJSON},
	{bodyModels, `[{"id":"a","revision":1}}`, noJSON},
	{bodyModels, `[{"id":"a","revision":1},,]`, noJSON},
	{bodyModels, `[{"id":"a" "revision"}]`, noJSON},
	{bodyModels, `[tru ]`, noJSON},
	{
		bodyGroups, `[{"id":"a"},{"models":[{},{"revision":true}]}]`,
		"model_groups[1].models[1].revision: a whole number" + isExpected + "a boolean",
	},
	{bodyGroups, `[{"id":"a"},{"name":"b","id":null}]`, "model_groups[1].id" + isMissing},
}

func TestDecodeNamesThePlaceOfAWrongValue(t *testing.T) {
	t.Parallel()
	for _, test := range wrongBodies {
		_, err := decode(test.kind, test.body)
		shape, ok := errors.AsType[*shapeError](err)
		if !ok || shape.Error() != test.want && (test.want != noJSON || shape.place != "" || !strings.HasPrefix(shape.problem, noJSON)) {
			t.Errorf("%s: %v\nwant %s", test.body, err, test.want)
		}
	}
}

// TestDecodeTellsACutBodyFromAWrongOne cuts bodies at every byte.
func TestDecodeTellsACutBodyFromAWrongOne(t *testing.T) {
	t.Parallel()
	for kind, body := range map[int]string{bodyModel: fullModel, bodyModels: ` [` + fullModel + " ,\n" + fullModel + ` ] `} {
		read := func(body io.Reader) error { _, err := decoders[kind](body, MaxBody); return err }
		whole := strings.TrimSpace(body)
		broken := errors.New("connection reset")
		for end := 1; end < len(whole); end++ {
			for _, oneByte := range []bool{false, true} {
				var cut io.Reader = strings.NewReader(whole[:end])
				reset := io.MultiReader(strings.NewReader(whole[:end]), iotest.ErrReader(broken))
				if oneByte {
					cut, reset = iotest.OneByteReader(cut), iotest.OneByteReader(reset)
				}
				if err := read(cut); err != io.ErrUnexpectedEOF { //nolint:errorlint // and nothing of the decoder's around it
					t.Errorf("cut after %q: %v, want an unexpected end", whole[:end], err)
				}
				if err := read(reset); err != broken { //nolint:errorlint // as above
					t.Errorf("reset after %q: %v", whole[:end], err)
				}
			}
		}
		if err := read(io.MultiReader(strings.NewReader(body), iotest.ErrReader(io.ErrUnexpectedEOF))); !errors.Is(err, io.ErrUnexpectedEOF) {
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

// TestOrdinaryModelsAreFarFromTheLimitOfMemory: what the weights add must leave room for a body of MaxBody bytes.
func TestOrdinaryModelsAreFarFromTheLimitOfMemory(t *testing.T) {
	t.Parallel()
	body := modelsBody(t, 100)
	if list, err := decodeList[Model]("models")(strings.NewReader(body), int64(len(body))); err != nil || len(list) != 100 {
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

// modelsBody is an answer of so many models, each the sandbox's richest.
func modelsBody(tb testing.TB, models int) string {
	tb.Helper()
	model, err := sandbox.New(sandbox.Default()).Publish(sandbox.MainGroup, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return "[" + strings.Repeat(string(model)+",", models-1) + string(model) + "]"
}

func BenchmarkDecode(b *testing.B) {
	for _, models := range []int{1, 5000} {
		b.Run(fmt.Sprint(models), func(b *testing.B) {
			body := modelsBody(b, models)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decodeList[Model]("models")(strings.NewReader(body), MaxBody); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
