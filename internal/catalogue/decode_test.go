package catalogue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// The bodies of the interface. A list follows its element.
const (
	bodyModel = iota
	bodyModels
	bodyGroup
	bodyGroups
	bodyKinds
)

// decoders read the bodies, about the group g or those on the horizon h.
var decoders = [bodyKinds]decoder[any]{
	bodyModel:  anyOf(decodeRecord[Model](scope{group: "g"})),
	bodyModels: anyOf(decodeList[Model]("models", scope{group: "g"})),
	bodyGroup:  anyOf(decodeRecord[ModelGroup](scope{group: "g"})),
	bodyGroups: anyOf(decodeList[ModelGroup]("model_groups", scope{horizon: "h"})),
}

func anyOf[T any](decode decoder[T]) decoder[any] {
	return func(in *incoming) (any, error) { return decode(in) }
}

// decode reads a body of a 200.
func decode(kind int, from io.Reader) (value any, err error) {
	c := &Client{mask: &redact.Mask{}, maxBody: MaxBody}
	answer := &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(from)}
	sent := &attempt{of: &question{read: decoders[kind]}}
	value, _, err = c.receive(context.Background(), sent, answer)
	return value, err
}

// incomingBody returns the body of a 200 without headers.
func incomingBody(body string) *incoming {
	return &incoming{
		Response: &http.Response{StatusCode: http.StatusOK},
		mask:     &redact.Mask{},
		text:     jsontext.NewDecoder(strings.NewReader(body), lenient),
	}
}

func decodeText(kind int, body string) (any, error) { return decode(kind, strings.NewReader(body)) }

// Every field but the identity is left out, or null.
func TestDecodeKeepsWhatIsMissingApart(t *testing.T) {
	t.Parallel()
	var nulls strings.Builder
	for field := range reflect.TypeFor[Model]().Fields() {
		if name := field.Tag.Get("json"); !slices.Contains([]string{"id", "revision", ",embed", "-"}, name) {
			fmt.Fprintf(&nulls, ",%q:null", name)
		}
	}
	want := &Model{ID: new("a"), Revision: new(Integer(0))}
	for _, more := range []string{"", nulls.String(), `,"ID":"other","Revision":"x","tags ":7,"":{}`} {
		if strings.Contains(more, "ID") {
			want.OtherFields = jsontext.Value(`{"":{},"ID":"other","Revision":"x","tags ":7}`)
		}
		if got, err := decodeText(bodyModel, `{"id":"a","revision":0`+more+`}`); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", more, got, err)
		}
	}
}

const (
	isExpected = " is expected, the service sent "
	goesOn     = "the body goes on after its JSON value"
	noJSON     = "the body is not valid JSON: invalid character"
	isOther    = ": it is a different group than the one asked for, "
)

// wrongBodies are bodies of the wrong shape. The text after noJSON is the library's.
var wrongBodies = []struct {
	kind       int
	body, want string
}{
	{bodyModel, `{"revision":3.5}`, "revision: a whole number" + isExpected + `the number "3.5"`},
	{bodyModel, `{"name":7}`, "name: a string" + isExpected + "a number"},
	{bodyModel, `{"archived":"yes"}`, "archived: a boolean" + isExpected + "a string"},
	{bodyModel, `{"tags":"a"}`, "tags: a list" + isExpected + "a string"},
	{bodyModel, `{"tags":["a",["b"]]}`, "tags[1]: a string" + isExpected + "a list"},
	{bodyModel, `{"horizon":[]}`, "horizon: an object" + isExpected + "a list"},
	{bodyModel, `{"inputs":[{"id":"a"},"b"]}`, "inputs[1]: an object" + isExpected + "a string"},
	{bodyModel, `{"inputs":[{"id":{},"key":"k"}]}`, "inputs[0].id: a string" + isExpected + "an object"},
	{bodyModel, `{"axes":[{"values":[1,1e99999999]}]}`, "axes[0].values[1]: " + errNumberTooLong.Error()},
	{bodyModel, `null`, "an object" + isExpected + "null"},
	{bodyModel, `[]`, "an object" + isExpected + "a list"},
	{bodyModel, ``, "the body is empty"},
	{bodyModel, `{"id":"a","revision":1} {}`, goesOn},
	{bodyModel, `{}`, "the answer has no id (it is empty)"},
	{
		bodyModel, `{"code":"NOT_FOUND","message":"No."}`,
		`the answer has no id (it has: "code, message"); its code is "NOT_FOUND"; its message is "No."`,
	},
	{bodyModel, `{"ID":"a","revision":1}`, `the answer has no id (it has: "ID, revision")`},
	{bodyModel, `{"id":null,"revision":1}`, `the answer has a null id (it has: "id, revision")`},
	{bodyModel, `{"id":"","revision":1}`, `the answer has an empty id (it has: "id, revision")`},
	{
		bodyModels, `[{"id":"a","revision":1},{"id":"b","revision":2}, {"id":"c","revision":3},{"id":"d","revision":"x"}]`,
		"models[3].revision: a whole number" + isExpected + "a string",
	},
	{bodyModels, `[{"id":"a","revision":1},{"id":"b"}]`, `models[1]: it has no revision (it has: "id")`},
	{bodyModels, `[{"id":"a","revision":1},null]`, "models[1]: an object" + isExpected + "null"},
	{bodyModels, `{}`, "a list" + isExpected + "an object (it is empty)" + noSuchList},
	{bodyModels, `{"items":[{}],"next":"/v1"}`, "a list" + isExpected + `an object (it has: "items, next")` + noSuchList},
	{bodyModels, `[{"id":"a","revision":1,"modelGroupId":"h"}]`, "models[0].modelGroupId" + isOther + `"h"`},
	{bodyModels, `[{"id":"a","revision":1},{"code":"X","id":7,"message":"No."}]`, "models[1].id: a string" + isExpected + "a number"},
	{bodyModels, `[{"id":"a","revision":1},{"cursor":"x"}]`, `models[1]: it has no id (it has: "cursor")`},
	{bodyModels, `[{"id":"a","revision":1},{"id":"A","revision":2}]`, `models[1].id: an element before it has the id "A", too`},
	{bodyModel, `{"id":"a","revision":1,"modelGroupId":"h"}`, "modelGroupId" + isOther + `"h"`},
	{bodyModel, `{"id":"a","revision":1,"name":7}`, "name: a string" + isExpected + "a number"},
	{bodyGroup, `{"id":"h"}`, "id" + isOther + `"h"`},
	{bodyGroup, `{"id":"g","models":[{"id":"a","revision":1},{"id":"b"}]}`, "models[1]: it has no revision"},
	{bodyGroup, `{"id":"g","models":[{"id":"","revision":1}]}`, "models[0]: it has no id"},
	{bodyGroup, `{"id":"g","models":[null]}`, "models[0]: it has no id"},
	{
		bodyGroup, `{"id":"g","models":[{"id":"a","revision":1},{"id":"A","revision":2}]}`,
		`models[1].id: an element before it has the id "A", too`,
	},
	{
		bodyGroup, `{"id":"g","latestRevision":2,"models":[{"id":"a","revision":2},{"id":"b","revision":3}]}`,
		"latestRevision: it is 2, and models has revision 3",
	},
	{bodyGroup, `{"name":"g"}`, `the answer has no id (it has: "name")`},
	{bodyModels, "<link>" + strings.Repeat(" ", 900) + "<title>Portal", `the body is a page of HTML titled "Portal"`},
	{bodyModels, `[{"id":"a","revision":1},,]`, "models[1]: " + noJSON + " ',' at start of value"},
	{bodyModels, `[{"id":"a" "revision"}]`, "models[0]: " + noJSON + ` '"' after object value (expecting ',' or '}')`},
	{bodyModel, `{"id":"a","revision":1,"modelMetadata":{"rmse": NaN}}`, "modelMetadata.rmse: " + noJSON + " 'N' at start of value"},
	{
		bodyModels, `[{"id":"a","revision":1},{"id":"b","revision":2,"modelMetadata":{"rmse":NaN}}]`,
		"models[1].modelMetadata.rmse: " + noJSON + " 'N' at start of value",
	},
	{bodyGroups, `[{"id":"caf\u00e9"},{"id":"CAFE\u0301"}]`, "model_groups[1].id: an element before it has the id \"CAFE\u0301\", too"},
	{
		bodyGroups, `[{"id":"a","timeHorizon":{"key":"H"}},{"id":"b","timeHorizon":{"key":"k"}}]`,
		`model_groups[1].timeHorizon.key: it is "k", and the groups on "h" were asked for: the service did not apply the filter`,
	},
}

// A partial list is an error that names the sign. Package contract tests every sign.
func TestAPartOfAList(t *testing.T) {
	t.Parallel()
	const isPart = `the list is only a part: its header "Link" is "<?page=2>; rel=\"next\"", and its length is 1`
	for link, want := range map[string]string{
		`<?page=1>; rel="prev"`: "<nil>",
		`<?page=2>; rel="next"`: isPart + noSuchList,
	} {
		in := incomingBody(`[{"id":"a","revision":1}]`)
		in.Header = http.Header{"Link": {link}}
		if _, err := decodeList[Model]("models", scope{})(in); fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// unusable returns the error about a body, or about a record in it, or nil.
func unusable(value any, err error) *UnusableAnswerError {
	errs := []error{err}
	switch value := value.(type) {
	case *Model:
		if value != nil {
			errs = append(errs, value.Err)
		}
	case *ModelGroup:
		if value != nil {
			errs = append(errs, value.Err)
		}
	case []*Model:
		for _, model := range value {
			errs = append(errs, model.Err)
		}
	case []*ModelGroup:
		for _, group := range value {
			errs = append(errs, group.Err)
		}
	}
	for _, err := range errs {
		if wrong, ok := errors.AsType[*UnusableAnswerError](err); ok {
			return wrong
		}
	}
	return nil
}

func TestDecodeNamesThePlaceOfAWrongValue(t *testing.T) {
	t.Parallel()
	for _, test := range wrongBodies {
		fault := unusable(decodeText(test.kind, test.body))
		if fault == nil {
			t.Errorf("%s: no error, want %s", test.body, test.want)
			continue
		}
		_, got, _ := strings.Cut(fault.Error(), "unusable answer: ")
		isSyntax := test.want == noJSON && strings.HasPrefix(got, noJSON)
		if got != test.want && !isSyntax {
			t.Errorf("%s: %s\nwant %s", test.body, got, test.want)
		}
	}
}

// A record of the wrong shape leaves the others of its list as they are, and has what can be read of it. Only a record
// that is the whole body must have its identity.
func TestAWrongRecordStopsNoOther(t *testing.T) {
	t.Parallel()
	const body = `[{"id":"a","revision":1},
		{"new":1,"id":"b","name":7,"revision":2,"tags":["x",{}],"enabled":true},
		{"id":"c","revision":"three","archived":true},
		null, "d",
		{"id":"e","revision":5,"modelMetadata":[1,"x"]}]`
	got, err := decodeList[Model]("models", scope{group: "g"})(incomingBody(body))
	if err != nil {
		t.Fatal(err)
	}
	places := []string{"", "models[1].name", "models[2].revision", "models[3]", "models[4]", ""}
	for i, model := range got {
		unusable, _ := errors.AsType[*UnusableAnswerError](model.Err)
		if unusable == nil && places[i] != "" || unusable != nil && unusable.Place != places[i] {
			t.Errorf("models[%d]: %v, want one at %q", i, model.Err, places[i])
		}
		model.Err = nil
	}
	want := []*Model{
		{ID: new("a"), Revision: new(Integer(1))},
		{ID: new("b"), Revision: new(Integer(2)), Enabled: new(true), OtherFields: jsontext.Value(`{"new":1}`)},
		{ID: new("c"), Archived: new(true)},
		{},
		{},
		{ID: new("e"), Revision: new(Integer(5)), ModelMetadata: new(JSON(`[1,"x"]`))},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	one, err := decodeRecord[Model](scope{group: "g"})(incomingBody(`{"id":"b","name":7,"revision":2}`))
	if err != nil || one.Err == nil || *one.Revision != 2 {
		t.Errorf("%+v, %v", one, err)
	}
}

// A record outside of the question is an error of its list, not only of the reads that use it.
func TestAStrangerInAList(t *testing.T) {
	t.Parallel()
	for _, stranger := range []string{
		`{"code":"X","id":"error-1"}`, `{"cursor":"x"}`, `{}`, `{"id":"b","revision":2,"modelGroupId":"h"}`, `{"id":"A","revision":2}`,
	} {
		if got, err := decodeText(bodyModels, `[{"id":"a","revision":1},`+stranger+`]`); err == nil {
			t.Errorf("%s: %+v", stranger, got)
		}
	}
	if got, err := decodeText(bodyGroups, `[{"id":"a","timeHorizon":{"key":""}},{"id":"b","timeHorizon":{}}]`); err != nil {
		t.Errorf("groups without a horizon: %+v, %v", got, err)
	}
	if got, err := decodeText(bodyModels, `[{"id":"a"},{"revision":2}]`); err != nil {
		t.Errorf("models that lack a part of their identity: %+v, %v", got, err)
	}
}

// Bodies are cut at every byte. A broken connection may end one, too.
func TestDecodeTellsACutBodyFromAWrongOne(t *testing.T) {
	t.Parallel()
	const list = ` [{"id": "a", "revision": 0} , {"id": "b", "revision": 1, "modelMetadata": {"c": [1.5, null]}} ] `
	expectFault := func(kind int, body io.Reader, want string) {
		_, err := decode(kind, body)
		if fault, _ := errors.AsType[*NetworkError](err); fault == nil || fault.Problem != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for kind, body := range map[int]string{bodyModel: fullModel, bodyModels: strings.TrimSpace(list)} {
		for end := 1; end < len(body); end++ {
			expectFault(kind, strings.NewReader(body[:end]), "the answer was cut short")
		}
	}
	for problem, err := range map[string]error{"the answer was cut short": io.ErrUnexpectedEOF, "reset": errors.New("reset")} {
		expectFault(bodyModels, io.MultiReader(strings.NewReader(list), iotest.ErrReader(err)), problem)
	}
}

// Ids are compared as engines keep them, where a letter and its accent may be one character or two, and in any case. A
// model may lack the id of its group.
func TestARecordBelongsToTheGroupThatWasAskedFor(t *testing.T) {
	t.Parallel()
	const asked = "cafe\u0301"
	for _, id := range []string{`"caf\u00e9"`, `"cafe\u0301"`, `"CAFE\u0301"`, `"Caf\u00c9"`, `""`, "null"} {
		body := `{"id":"m","revision":1,"modelGroupId":` + id + `}`
		model, err := decodeRecord[Model](scope{group: asked})(incomingBody(body))
		if err != nil || model.Err != nil {
			t.Errorf("a model of %s: %v, %+v", id, err, model)
		}
		body = `{"id":` + id + `}`
		group, err := decodeRecord[ModelGroup](scope{group: asked})(incomingBody(body))
		if isGroup := len(id) > 2 && id != "null"; isGroup && (err != nil || group.Err != nil) {
			t.Errorf("group %s: %v, %+v", id, err, group)
		}
	}
}

// modelsBody returns an answer with that many models, each the sandbox's richest with an id of its own.
func modelsBody(tb testing.TB, models int) string {
	tb.Helper()
	model, err := sandbox.New(sandbox.Default()).Publish(sandbox.MainGroup, nil)
	if err != nil {
		tb.Fatal(err)
	}
	list := make([]string, models)
	for i := range list {
		list[i] = fmt.Sprintf(`%s,"id":"%d"}`, strings.TrimSuffix(string(model), "}"), i) // the last id counts
	}
	return "[" + strings.Join(list, ",") + "]"
}

func BenchmarkDecode(b *testing.B) {
	for _, models := range []int{1, 5000} {
		b.Run(fmt.Sprint(models), func(b *testing.B) {
			body := modelsBody(b, models)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decodeList[Model]("models", scope{})(incomingBody(body)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
