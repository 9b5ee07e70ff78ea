package catalogue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// The bodies a decoder is for.
const (
	bodyModel = iota
	bodyModels
	bodyGroup
	bodyGroups
	bodyKinds
)

// fullModel and fullGroup have every field, with values of every kind.
const (
	fullModel = `{"id":"m","modelGroupId":"g","name":"n","displayName":"d","notes":null,"description":"x","revision":3,"dockerImage":"",
"createdAt":"2026-01-01T00:00:00Z","updatedAt":"never","runMode":"BRAND_NEW","horizon":{"name":"Day ahead","shortName":"DA","key":"day_ahead"},
"modelMetadata":{"z":1.50,"a":[1e400,{"b":null}],"\u0041":"<é&>"},"outputVariables":[{"name":"n","key":"k","type":"float","seriesKey":true,"colours":["#fff",7,null]}],
"outputSpecification":[],"inputs":[{"id":"i","key":"k","unit":"MW"}],"datasets":[{"id":"i","key":"k","storageLocation":"s","source":"o","fileFormat":"parquet","rows":18446744073709551616}],
"archived":false,"enabled":true,"tags":["a",null],"sensitivities":[{"id":"i","key":"k","name":"n","shift":0.10}],
"axes":[{"key":"k","kind":"static","label":"l","description":"d","type":"number","values":[0.25,1e3,-25e-4,"DE-LU",true,[1, 2],{"b":1,"a":2}],"default":0.5}],
"inputAggregations":[{"id":"i","key":"k","name":"n"}],"outputFileFormat":"csv","displayTimezone":"Europe/Berlin","forecastVariable":{"name":"n","shortName":"s","key":"k"},
"isOwner":true,"hasPerformanceMetrics":false,"defaultComparisonModels":["g"],"new":{"deep":[1]}}`
	fullGroup = `{"id":"g","name":"n","latestRevision":3.0,"public":true,"createdAt":"t","timeHorizon":{"name":"n","shortName":"s","key":"k"},
"models":[{"id":"m","revision":0,"createdAt":"t"},null],"axes":[{"key":"k","kind":"static","label":"l","description":"d","type":"number","values":[{"value":1.50,"historical":false},{"value":null}]}],"new":1}`
)

type decodeSeed struct {
	kind int
	body string
}

var decodeSeeds = []decodeSeed{
	{bodyModel, fullModel},
	{bodyModel, `{}`},
	{bodyModel, `{"modelMetadata":[],"inputs":{},"revision":3.5}`},
	{bodyModel, `{"axes":[{"values":[1e1024,1E-1023,-0,-0.0e5,123456789012345678901234567890.10]}]}`},
	{bodyModel, `{"inputs":[{"id":7}],"tags":[[]]}`},
	{bodyModel, `null`},
	{bodyModels, `[` + fullModel + ` , ` + fullModel + `]`},
	{bodyModels, `[]`},
	{bodyModels, ` [ null ] `},
	{bodyModels, `[{"revision":1},{"revision":9223372036854775808}]`},
	{bodyModels, `[{"revision":1}] x`},
	{bodyModels, `{"models":[]}`},
	{bodyGroup, fullGroup},
	{bodyGroup, `{"ID":"folded","latestRevision":1e2,"latestRevision":2}`},
	{bodyGroup, `{"axes":[{"values":[{"value":1e999999999}]}]}`},
	{bodyGroup, "{\"name\":\"\xff\xfe\\ud800\",\"axes\":null}"},
	{bodyGroups, `[` + fullGroup + `,` + fullGroup + `]`},
	{bodyGroups, `[{"models":[{"revision":"1"}]}]`},
	{bodyGroups, strings.Repeat("[", 200)},
	{bodyGroups, `<html>Sign in</html>`},
	{bodyGroups, ``},
}

// checkDecode decodes a body and fails where it is accepted though the mapping
// cannot hold it, or refused without saying why.
func checkDecode(t *testing.T, kind int, body []byte) {
	t.Helper()
	reader := func() io.Reader { return bytes.NewReader(body) }
	var value any
	var err error
	switch kind {
	case bodyModel:
		value, err = decodeObject[Model](reader())
	case bodyModels:
		value, err = decodeList[Model]("models")(reader())
	case bodyGroup:
		value, err = decodeObject[ModelGroup](reader())
	default:
		value, err = decodeList[ModelGroup]("model_groups")(reader())
	}
	var shape *shapeError
	switch {
	case err == nil && !json.Valid(body):
		t.Errorf("accepted, though it is no JSON: %q", body)
	case err == nil:
		expectHoldable(t, reflect.ValueOf(value), "")
		expectSameAgain(t, kind, body, value)
	case errors.As(err, &shape):
		if text := shape.Error(); text == "" || len(text) > 1000 {
			t.Errorf("refused with a text of %d bytes: %q", len(text), text)
		}
	case !errors.Is(err, io.ErrUnexpectedEOF):
		t.Errorf("refused with %T %v: %q", err, err, body)
	case json.Valid(body):
		t.Errorf("taken for one that was cut short: %q", body)
	}
}

// expectHoldable walks a decoded value: what a string attribute holds is UTF-8,
// what a JSON attribute holds is one compact JSON object.
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
			t.Errorf("%s is no UTF-8: %q", place, text)
		}
		if _, isJSON := reflect.TypeAssert[JSONObject](v); isJSON {
			expectCompact(t, text, place)
		}
	}
}

// expectCompact wants an object whose text does not change when it is made
// compact, by us or by encoding/json.
func expectCompact(t *testing.T, text, place string) {
	t.Helper()
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil || compact.String() != text || !strings.HasPrefix(text, "{") {
		t.Errorf("%s is no compact JSON object: %q, %v", place, text, err)
		return
	}
	var again JSONObject
	if err := json.Unmarshal([]byte(text), &again); err != nil || string(again) != text {
		t.Errorf("%s becomes another text when read again: %q, %q, %v", place, text, again, err)
	}
}

// expectSameAgain compares an object with what comes of it by another way, the
// list: the text around an element changes nothing.
func expectSameAgain(t *testing.T, kind int, body []byte, value any) {
	t.Helper()
	list := slices.Concat([]byte("[ "), body, []byte("\n,"), body, []byte("]"))
	switch value := value.(type) {
	case *Model:
		again, err := decodeList[Model]("models")(bytes.NewReader(list))
		if err != nil || len(again) != 2 || !reflect.DeepEqual(again[0], value) || !reflect.DeepEqual(again[1], value) {
			t.Errorf("another model in a list: %v, %q", err, body)
		}
	case *ModelGroup:
		again, err := decodeList[ModelGroup]("model_groups")(bytes.NewReader(list))
		if err != nil || len(again) != 2 || !reflect.DeepEqual(again[0], value) || !reflect.DeepEqual(again[1], value) {
			t.Errorf("another group in a list: %v, %q", err, body)
		}
	default:
		if kind != bodyModels && kind != bodyGroups {
			t.Errorf("%T of kind %d", value, kind)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range decodeSeeds {
		f.Add(seed.kind, []byte(seed.body))
	}
	f.Fuzz(func(t *testing.T, kind int, body []byte) {
		checkDecode(t, int(uint(kind)%bodyKinds), body)
	})
}

func TestFuzzDecodeFixedNumber(t *testing.T) {
	t.Parallel()
	bodies := make([][]byte, 0, len(decodeSeeds))
	for _, seed := range decodeSeeds {
		bodies = append(bodies, []byte(seed.body))
	}
	for kind := range bodyKinds {
		m := newMutator(int64(kind), bodies)
		for range fixedExecutions {
			checkDecode(t, kind, m.next())
		}
	}
	for _, seed := range decodeSeeds { // those that are meant for it, and near it
		m := newMutator(1, [][]byte{[]byte(seed.body)})
		for range fixedExecutions / 10 {
			checkDecode(t, seed.kind, m.next())
		}
	}
}

// checkScalar: a number comes out in plain notation, as long as it may be, and
// is the same number; anything else as its interface says.
func checkScalar(t *testing.T, text []byte) {
	t.Helper()
	var scalar Scalar
	var integer Integer
	scalarErr, integerErr := json.Unmarshal(text, &scalar), json.Unmarshal(text, &integer)
	if !json.Valid(text) {
		if scalarErr == nil || integerErr == nil {
			t.Errorf("accepted, though it is no JSON: %q", text)
		}
		return
	}
	trimmed := string(bytes.TrimSpace(text))
	switch kind := jsonKind(text); {
	case kind == kindNumber && scalarErr == nil:
		if strings.ContainsAny(string(scalar), "eE+") || len(scalar) > maxNumberLength || !json.Valid([]byte(scalar)) {
			t.Errorf("%s is spelled %s", trimmed, scalar)
		}
		got, ok := new(big.Rat).SetString(string(scalar))
		want, wantOK := new(big.Rat).SetString(trimmed)
		if !ok || !wantOK || got.Cmp(want) != 0 {
			t.Errorf("%s became another number: %s", trimmed, scalar)
		}
		if integerErr == nil && (!want.IsInt() || want.Num().Cmp(big.NewInt(int64(integer))) != 0) {
			t.Errorf("%s became the integer %d", trimmed, integer)
		}
		if integerErr != nil && want.IsInt() && want.Num().IsInt64() {
			t.Errorf("%s is no integer: %v", trimmed, integerErr)
		}
	case kind == kindNumber:
		if digits := len(trimmed); digits < maxNumberLength && !strings.ContainsAny(trimmed, "eE") {
			t.Errorf("%s: %v", trimmed, scalarErr)
		}
	case scalarErr != nil:
		t.Errorf("%s: %v", trimmed, scalarErr)
	case kind == kindObject || kind == kindArray:
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(scalar)); err != nil || compact.String() != string(scalar) || !utf8.ValidString(string(scalar)) {
			t.Errorf("%s is no compact JSON: %s", trimmed, scalar)
		}
	case !utf8.ValidString(string(scalar)):
		t.Errorf("%s is no UTF-8: %q", trimmed, scalar)
	}
	if integerErr == nil && jsonKind(text) != kindNumber && jsonKind(text) != kindNull {
		t.Errorf("%s was taken for the number %d", trimmed, integer)
	}
}

var scalarSeeds = []string{
	"0", "-0", "1.50", "1e3", "-25e-4", "123.456E+2", "1e1024", "1e-1024", "1e999999999", "9223372036854775807", "-9223372036854775808.0",
	`"DE-LU"`, `"\ud800"`, "\"\xff\"", "true", "null", `[1, 2.50]`, `{"b":1,"a":{"d":[],"c":1e400}}`, strings.Repeat("9", maxNumberLength+1),
}

func FuzzScalar(f *testing.F) {
	for _, seed := range scalarSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkScalar(t, text) })
}

func TestFuzzScalarFixedNumber(t *testing.T) {
	t.Parallel()
	var seeds [][]byte
	for _, seed := range scalarSeeds {
		seeds = append(seeds, []byte(seed))
		checkScalar(t, []byte(seed))
	}
	m := newMutator(1, seeds)
	for range 10 * fixedExecutions {
		checkScalar(t, m.next())
	}
}

const fuzzSecret = `hunter2 "&<é> correct-horse`

type errorSeed struct {
	status      int
	token       bool // an answer of the token endpoint
	contentType string
	body        string
}

var errorSeeds = []errorSeed{
	{404, false, "application/json", `{"code":"NOT_FOUND","message":"No such group.","statusCode":404,"error":"Not Found"}`},
	{400, false, "application/json", `{"code":"VALIDATION_FAILED","message":"2 fields.","data":{"issues":[{"field":"a.b","messages":["too long","odd"]},{"field":"c","messages":[]}]}}`},
	{401, true, "application/json", `{"error":"invalid_client","error_description":"Revoked."}`},
	{502, true, "text/html; charset=utf-8", "<html><head><title>502 Bad\nGateway</title></head></html>"},
	{500, false, "", ""},
	{503, false, "text/plain", "\xff\xfe broken \x1b[31m red \u202e \u0000"},
	{418, false, "application/json", `{"code":7,"message":["a",{"b":null}],"data":{"issues":"none"}}`},
	{429, false, "application/json", strings.Repeat(`{"data":`, 300) + "1" + strings.Repeat("}", 300)},
	{403, false, "application/json", `{"message":"` + fuzzSecret + `","code":"hunter2 \"&\u003cé\u003e correct-horse"}`},
	{403, false, "text/html", "<title>" + fuzzSecret},
	{599, false, "application/json", `{"message":"` + strings.Repeat("é", 2000) + `","data":{"issues":[` + strings.Repeat(`{"field":"f","messages":["m"]},`, 100) + `{}]}}`},
}

// checkErrorBody describes an answer with that body. Whatever it is, the status
// stays, and every text is bounded, printable and without the secret.
func checkErrorBody(t *testing.T, status int, token bool, contentType string, body []byte) {
	t.Helper()
	c := &sender{mask: &mask{}}
	c.mask.add(fuzzSecret)
	method := http.MethodGet
	if token {
		method = http.MethodPost
	}
	header := http.Header{"Content-Type": {contentType}, "Location": {contentType}, "X-Request-Id": {contentType}}
	api := c.apiError(Endpoint{Method: method, Path: "/v1/model-group"}, &http.Response{StatusCode: status, Header: header}, body)
	if api.Status != status || !strings.Contains(api.Error(), strconv.Itoa(status)) {
		t.Errorf("status %d became %d: %s", status, api.Status, api)
	}
	check := func(what, text string, limit int) {
		if utf8.RuneCountInString(text) > limit+1 { // and an ellipsis
			t.Errorf("the %s has %d characters, want at most %d", what, utf8.RuneCountInString(text), limit)
		}
		if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) {
			t.Errorf("the %s is not printable: %q", what, text)
		}
		if strings.Contains(text, fuzzSecret) {
			t.Errorf("the %s has the secret: %q", what, text)
		}
	}
	check("code", api.Code, 100)
	check("message", api.Message, maxMessage)
	check("location", api.Location, maxExcerpt)
	check("request id", api.RequestID, 100)
	if len(api.Issues) > maxIssues {
		t.Errorf("%d issues", len(api.Issues))
	}
	for _, issue := range api.Issues {
		check("field", issue.Field, 100)
		if len(issue.Messages) > maxIssues {
			t.Errorf("%d messages of one field", len(issue.Messages))
		}
		for _, message := range issue.Messages {
			check("field's message", message, maxMessage)
		}
	}
	classify(api)
}

func FuzzErrorBody(f *testing.F) {
	for _, seed := range errorSeeds {
		f.Add(seed.status, seed.token, seed.contentType, []byte(seed.body))
	}
	f.Fuzz(checkErrorBody)
}

func TestFuzzErrorBodyFixedNumber(t *testing.T) {
	t.Parallel()
	var bodies [][]byte
	for _, seed := range errorSeeds {
		bodies = append(bodies, []byte(seed.body))
	}
	all := newMutator(1, bodies)
	for _, seed := range errorSeeds {
		one := newMutator(2, [][]byte{[]byte(seed.body)})
		for range fixedExecutions / 10 {
			checkErrorBody(t, seed.status, seed.token, seed.contentType, one.next())
			checkErrorBody(t, seed.status, !seed.token, string(all.next()), all.next())
		}
	}
}

// fixedExecutions is how many mutations `make test` tries; `make fuzz` lets the
// fuzzer of go test find its own for longer.
const fixedExecutions = 2000

// mutator makes texts that are almost the seeds, the same ones each time.
type mutator struct {
	rand  *rand.Rand
	seeds [][]byte
}

func newMutator(seed int64, seeds [][]byte) *mutator {
	return &mutator{rand: rand.New(rand.NewSource(seed)), seeds: seeds}
}

// pieces are what JSON is made of, and what breaks it.
var pieces = []string{
	"{", "}", "[", "]", ",", ":", `"`, `\`, `\u0000`, `\ud800`, "null", "true", "false", "0", "-1", "3.5", "1e3", "1e-7", "1e99999", "9223372036854775808",
	" ", "\n", "\x00", "\xff", "é", `{"a":1}`, `[1,2]`, `"id":`, `"revision":`, `"json":`, "<html>", "<title>", fuzzSecret,
}

func (m *mutator) next() []byte {
	text := slices.Clone(m.seeds[m.rand.Intn(len(m.seeds))])
	for range 1 + m.rand.Intn(4) {
		at := m.rand.Intn(len(text) + 1)
		end := min(len(text), at+m.rand.Intn(20))
		switch m.rand.Intn(6) {
		case 0:
			text = slices.Delete(text, at, end)
		case 1:
			text = slices.Insert(text, at, []byte(pieces[m.rand.Intn(len(pieces))])...)
		case 2:
			text = slices.Replace(text, at, end, []byte(pieces[m.rand.Intn(len(pieces))])...)
		case 3:
			text = slices.Insert(text, at, text[at:end]...)
		case 4:
			if at < len(text) {
				text[at] ^= byte(1 << m.rand.Intn(8))
			}
		default:
			other := m.seeds[m.rand.Intn(len(m.seeds))]
			text = append(text[:at:at], other[m.rand.Intn(len(other)+1):]...)
		}
	}
	return text
}
