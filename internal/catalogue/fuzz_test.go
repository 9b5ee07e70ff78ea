package catalogue

import (
	"bytes"
	"encoding/json" // the judge, since the decoder is another
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
)

// fullModel and fullGroup have every field, with values of every kind.
const (
	fullModel = `{"id":"m","modelGroupId":"g","name":"n","displayName":"d","notes":"o","description":"x","revision":3,"dockerImage":"r/i:1",
"createdAt":"2026-01-01T00:00:00Z","updatedAt":"never","runMode":"BRAND_NEW",
"horizon":{"name":"Day ahead","shortName":"DA","key":"day_ahead"},
"modelMetadata":{"z":1.50,"a":[1e400,{"b":null}],"\u0041":"<é&>"},
"outputVariables":[{"name":"n","key":"k","type":"float","seriesKey":true,"colours":["#fff",7,null]}],
"outputSpecification":[],"inputs":[{"id":"i","key":"k","unit":"MW"}],
"datasets":[{"id":"i","key":"k","storageLocation":"s","source":"o","fileFormat":"parquet","rows":18446744073709551616}],
"archived":false,"enabled":true,"tags":["a",null],"sensitivities":[{"id":"i","key":"k","name":"n","shift":0.10}],
"axes":[{"key":"k","kind":"static","label":"l","description":"d","type":"number",
"values":[0.25,1e3,-25e-4,"DE-LU",true,[1, 2],{"b":1,"a":2}],
"default":0.5}],
"inputAggregations":[{"id":"i","key":"k","name":"n"}],"outputFileFormat":"csv","displayTimezone":"Europe/Berlin",
"forecastVariable":{"name":"n","shortName":"s","key":"k"},
"isOwner":true,"hasPerformanceMetrics":false,"defaultComparisonModels":["g"],"new":{"deep":[1.50]}, "a" : 1e400}`
	fullGroup = `{"id":"g","name":"n","latestRevision":3.0,"public":true,"createdAt":"t",
"timeHorizon":{"name":"n","shortName":"s","key":"k"},
"models":[{"id":"m","revision":0,"createdAt":"t"},null,{}],
"axes":[{"key":"k","kind":"static","label":"l","description":"d","type":"number",
"values":[{"value":1.50,"historical":false},{"value":null}]}],"new":1}`
)

// longName is a field's name too long for any message.
var longName = strings.Repeat("x", 3000)

// decodeSeeds are seeds beside wrongBodies.
var decodeSeeds = map[int][]string{
	bodyModel: {
		fullModel, `{"id":"","revision":0}`, `{"id":"m","revision":1,"inputs":[{"id":"a","id":"\u0062"},null],"tags":[""]}`,
		`{"id":"m","revision":1,"axes":[{"values":[1e1000,1E-1023,-0,-0.0e5,123456789012345678901234567890.10]}]}`,
	},
	bodyModels: {
		`[` + fullModel + ` , ` + fullModel + `]`, `[]`, ` [ null ] `, `[{"revision":1},{"revision":9223372036854775808}]`,
		`{"` + longName + `":1}`, `[{"id":"m","revision":1,"modelMetadata":{"` + longName + `":NaN}}]`,
	},
	bodyGroup: {
		fullGroup, `{"ID":"another","id":"g","latestRevision":1e2,"latestRevision":2}`, `{"axes":[{"values":[{"value":1e999999999}]}]}`,
		"{\"id\":\"g\",\"name\":\"\xff\xfe\\ud800\",\"axes\":null}",
	},
	bodyGroups: {`[` + fullGroup + `,` + fullGroup + `]`, strings.Repeat("[", 200), `<html>Sign in</html>`, ``},
}

// expectHoldable walks a decoded value: texts are UTF-8, and the text for a JSON attribute is one compact JSON value.
func expectHoldable(t *testing.T, v reflect.Value, place string) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			expectHoldable(t, v.Elem(), place)
		}
	case reflect.Slice:
		for i := range v.Len() {
			expectHoldable(t, v.Index(i), fmt.Sprintf("%s[%d]", place, i))
		}
	case reflect.Struct:
		for field, value := range v.Fields() {
			expectHoldable(t, value, place+"."+field.Name)
		}
	case reflect.String:
		text := v.String()
		if !utf8.ValidString(text) {
			t.Errorf("%s is not UTF-8: %q", place, text)
		}
		if _, isJSON := reflect.TypeAssert[JSON](v); isJSON {
			expectCompact(t, text, place)
		}
	}
}

// expectCompact expects a value whose text does not change when it is made compact, by us or by encoding/json.
func expectCompact(t *testing.T, text, place string) {
	t.Helper()
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil || compact.String() != text {
		t.Errorf("%s is not compact JSON: %q, %v", place, text, err)
		return
	}
	var again JSON
	if err := jsonv2.Unmarshal([]byte(text), &again, lenient); err != nil || string(again) != text {
		t.Errorf("%s becomes another text when read again: %q, %q, %v", place, text, again, err)
	}
}

// A body is accepted only if the mapping can hold it, and rejected with a reason.
func FuzzDecode(f *testing.F) {
	for kind, bodies := range decodeSeeds {
		for _, body := range bodies {
			f.Add(kind, []byte(body))
		}
	}
	for _, wrong := range wrongBodies {
		f.Add(wrong.kind, []byte(wrong.body))
	}
	f.Fuzz(func(t *testing.T, kind int, body []byte) {
		value, err := decode(int(uint(kind)%bodyKinds), bytes.NewReader(body))
		var shown *UnusableAnswerError
		switch {
		case err == nil && !json.Valid(body):
			t.Errorf("accepted, though it is not JSON: %q", body)
		case err == nil:
			expectHoldable(t, reflect.ValueOf(value), "")
		case errors.As(err, &shown):
			if shown.Problem == "" || utf8.RuneCountInString(shown.Place+shown.Problem) > 2*(maxExcerpt+1) {
				t.Errorf("rejected with a text of %d bytes: %q", len(shown.Error()), shown)
			}
		case !errors.Is(err, io.ErrUnexpectedEOF):
			t.Errorf("rejected with %T %v: %q", err, err, body)
		case json.Valid(body):
			t.Errorf("taken for one that was cut short: %q", body)
		}
	})
}
