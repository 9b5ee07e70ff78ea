package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"

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

// decoders make those of the bodies, about the group g.
var decoders = [bodyKinds]func() decoder[any]{
	bodyModel:  func() decoder[any] { return anyOf(decodeObject[Model]("g")) },
	bodyModels: func() decoder[any] { return anyOf(decodeList[Model]("models", "g")) },
	bodyGroup:  func() decoder[any] { return anyOf(decodeObject[ModelGroup]("")) },
	bodyGroups: func() decoder[any] { return anyOf(decodeList[ModelGroup]("model_groups", "")) },
}

func anyOf[T any](decode decoder[T]) decoder[any] {
	return func(in *incoming) (any, error) { return decode(in) }
}

// decode decodes a body as receive does.
func decode(kind int, from io.Reader) (any, error) {
	body := &boundedReader{reader: from, limit: MaxBody}
	value, err := decoders[kind]()(&incoming{Reader: body})
	return value, cmp.Or(body.err, err)
}

func decodeText(kind int, body string) (any, error) { return decode(kind, strings.NewReader(body)) }

func TestDecodeTakesEveryField(t *testing.T) {
	t.Parallel()
	model := &Model{
		ID: new("m"), ModelGroupID: new("g"), Name: new("n"), DisplayName: new("d"), Notes: new("o"), Description: new("x"),
		Revision: new(Integer(3)), DockerImage: new("r/i:1"), CreatedAt: new("2026-01-01T00:00:00Z"), UpdatedAt: new("never"),
		RunMode:       new("BRAND_NEW"),
		Horizon:       &KeyedName{Name: new("Day ahead"), ShortName: new("DA"), Key: new("day_ahead")},
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
		Sensitivities: []*NamedRecord{{ID: new("i"), Key: new("k"), Name: new("n"), JSON: `{"id":"i","key":"k","name":"n","shift":0.10}`}},
		Axes: []*ModelAxis{{
			Key: new("k"), Kind: new("static"), Label: new("l"), Description: new("d"), Type: new("number"),
			Values: []*Scalar{
				new(Scalar("0.25")), new(Scalar("1000")), new(Scalar("-0.0025")), new(Scalar("DE-LU")), new(Scalar("true")), new(Scalar("[1,2]")),
				new(Scalar(`{"a":2,"b":1}`)),
			},
			Default: new(Scalar("0.5")),
		}},
		InputAggregations: []*NamedRecord{{ID: new("i"), Key: new("k"), Name: new("n"), JSON: `{"id":"i","key":"k","name":"n"}`}},
		OutputFileFormat:  new("csv"), DisplayTimezone: new("Europe/Berlin"),
		ForecastVariable: &KeyedName{Name: new("n"), ShortName: new("s"), Key: new("k")},
		IsOwner:          new(true), HasPerformanceMetrics: new(false), DefaultComparisonModels: []*string{new("g")},
		OtherFields: jsontext.Value(`{"a":1e400,"new":{"deep":[1.50]}}`),
	}
	group := &ModelGroup{
		ID: new("g"), Name: new("n"), LatestRevision: new(Integer(3)), Public: new(true), CreatedAt: new("t"),
		TimeHorizon: &KeyedName{Name: new("n"), ShortName: new("s"), Key: new("k")},
		Models:      []*ModelSummary{{ID: new("m"), Revision: new(Integer(0)), CreatedAt: new("t")}, nil, {}},
		Axes: []*GroupAxis{{
			Key: new("k"), Kind: new("static"), Label: new("l"), Description: new("d"), Type: new("number"),
			Values: []*GroupAxisValue{{Value: new(Scalar("1.50")), Historical: new(false)}, {}},
		}},
		OtherFields: jsontext.Value(`{"new":1}`),
	}
	for kind, want := range map[int]any{bodyModel: model, bodyGroup: group} {
		body := strings.NewReader(map[int]string{bodyModel: fullModel, bodyGroup: fullGroup}[kind])
		if got, err := decode(kind, iotest.OneByteReader(body)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v\nwant %+v", got, err, want)
		}
	}
}

// TestDecodeKeepsWhatIsMissingApart leaves out every field but the identity, or sets it to null.
func TestDecodeKeepsWhatIsMissingApart(t *testing.T) {
	t.Parallel()
	var nulls strings.Builder
	for field := range reflect.TypeFor[Model]().Fields() {
		if name := field.Tag.Get("json"); name != "id" && name != "revision" && name != ",embed" {
			fmt.Fprintf(&nulls, ",%q:null", name)
		}
	}
	want := &Model{ID: new(""), Revision: new(Integer(0))}
	for _, more := range []string{"", nulls.String(), `,"ID":"other","Revision":"x","tags ":7,"":{}`} {
		if strings.Contains(more, "ID") {
			want.OtherFields = jsontext.Value(`{"":{},"ID":"other","Revision":"x","tags ":7}`)
		}
		if got, err := decodeText(bodyModel, `{"id":"","revision":0`+more+`}`); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", more, got, err)
		}
	}
}

const (
	isExpected = " is expected, the service sent "
	isMissing  = ": it is missing or null, and no record is without it"
	goesOn     = "the body goes on after its JSON value"
	noJSON     = "the body is no valid JSON: invalid character"
)

// wrongBodies are bodies of the wrong shape. The text after noJSON is the library's.
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
	{bodyModel, ``, "the body is empty"},
	{bodyModel, `{"id":"a","revision":1} {}`, goesOn},
	{bodyModel, `{}`, "id" + isMissing},
	{bodyModel, `{"items":[]}`, "id" + isMissing},
	{bodyModel, `{"code":"NOT_FOUND","message":"No."}`, "id" + isMissing},
	{bodyModel, `{"ID":"a","revision":1}`, "id" + isMissing},
	{bodyModel, `{"id":null,"revision":1}`, "id" + isMissing},
	{bodyModel, `{"id":"a","revision":null}`, "revision" + isMissing},
	{
		bodyModels, `[{"id":"a","revision":1},{"id":"b","revision":2}, {"id":"c","revision":3},{"id":"d","revision":"x"}]`,
		"models[3].revision: a whole number" + isExpected + "a string",
	},
	{bodyModels, `[{"id":"a","revision":1},{"id":"b"}]`, "models[1].revision" + isMissing},
	{bodyModels, `[{"id":"a","revision":1},null]`, "models[1]: an object" + isExpected + "null"},
	{bodyModels, `{"items":[{}],"next":"/v1"}`, "a list" + isExpected + "an object (it has: items, next)" + noSuchList},
	{bodyModels, `[{"id":"a","revision":1,"modelGroupId":"h"}]`, "models[0].modelGroupId: it is another group than the one asked for, \"h\""},
	{bodyModel, `{"id":"a","revision":1,"modelGroupId":"G"}`, "modelGroupId: it is another group than the one asked for, \"G\""},
	{bodyModels, `[] x`, goesOn},
	{bodyModels, `<html>`, noJSON},
	{bodyModels, `[{"id":"a","revision":1},,]`, noJSON},
	{bodyModels, `[{"id":"a" "revision"}]`, noJSON},
	{
		bodyGroups, `[{"id":"a"},{"models":[{},{"revision":true}]}]`,
		"model_groups[1].models[1].revision: a whole number" + isExpected + "a boolean",
	},
	{bodyGroups, `[{"id":"a"},{"name":"b","id":null}]`, "model_groups[1].id" + isMissing},
}

func TestDecodeNamesThePlaceOfAWrongValue(t *testing.T) {
	t.Parallel()
	for _, test := range wrongBodies {
		_, err := decodeText(test.kind, test.body)
		shape, ok := errors.AsType[*shapeError](err)
		if !ok || shape.Error() != test.want && (test.want != noJSON || shape.place != "" || !strings.HasPrefix(shape.problem, noJSON)) {
			t.Errorf("%s: %v\nwant %s", test.body, err, test.want)
		}
	}
}

// TestDecodeTellsACutBodyFromAWrongOne cuts bodies at every byte.
func TestDecodeTellsACutBodyFromAWrongOne(t *testing.T) {
	t.Parallel()
	const list = " [{\"id\": \"a\", \"revision\": 0} ,\n{\"id\": \"b\", \"revision\": 1, \"modelMetadata\": {\"c\": [1.5, null]}} ] "
	for kind, body := range map[int]string{bodyModel: fullModel, bodyModels: list} {
		read := func(body io.Reader) error { _, err := decode(kind, body); return err }
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

// TestAModelBelongsToItsGroup compares ids as an engine keeps them: a letter and its accent may be one character or two.
func TestAModelBelongsToItsGroup(t *testing.T) {
	t.Parallel()
	for _, id := range []string{`"caf\u00e9"`, `"cafe\u0301"`, `null`} {
		body := strings.NewReader(`{"id":"m","revision":1,"modelGroupId":` + id + `}`)
		if _, err := decodeObject[Model]("cafe\u0301")(&incoming{Reader: body}); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// modelsBody returns an answer with that many models, each the sandbox's richest.
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
				if _, err := decodeList[Model]("models", "")(&incoming{Reader: strings.NewReader(body)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
