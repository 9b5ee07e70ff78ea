package catalogue

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// modelOfTomorrow is a Model with two fields that came after the first release.
type modelOfTomorrow struct {
	Model

	laterFields `json:"-"`
}

type laterFields struct {
	Text   *string  `json:"laterText"`
	Number *Integer `json:"laterNumber"`
}

func (m *modelOfTomorrow) later() any { return &m.laterFields }

func TestLaterFieldsAreDecoded(t *testing.T) {
	t.Parallel()
	const identity = `{"id":"m","revision":1`
	for fields, test := range map[string]struct {
		later laterFields
		wrong string
	}{
		``:                                 {},
		`,"new":1`:                         {},
		`,"laterText":null`:                {},
		`,"laterText":"L","laterNumber":7`: {later: laterFields{Text: new("L"), Number: new(Integer(7))}},
		`,"laterText":[],"laterNumber":7`:  {later: laterFields{Number: new(Integer(7))}, wrong: "laterText: a string is expected"},
		`,"name":7,"laterText":"L"`:        {later: laterFields{Text: new("L")}, wrong: "name: a string is expected"},
	} {
		got, err := decodeObject[modelOfTomorrow]("g")(incomingBody(strings.NewReader(identity + fields + "}")))
		if err != nil {
			t.Fatal(err)
		}
		others := strings.Contains(string(got.OtherFields), "laterText")
		if !reflect.DeepEqual(got.laterFields, test.later) || others != strings.Contains(fields, "laterText") {
			t.Errorf("%s: %+v, other fields %s", fields, got.laterFields, got.OtherFields)
		}
		if (got.Err != nil) != (test.wrong != "") || !strings.Contains(fmt.Sprint(got.Err), test.wrong) {
			t.Errorf("%s: %v", fields, got.Err)
		}
	}
}

// Configurations read a field in OtherFields before the provider knows it, and must not break when it does. A tag of
// its own takes a field out of OtherFields, so only the fields of the first release have one.
func TestLaterFieldsStayInOtherFields(t *testing.T) {
	t.Parallel()
	for kind, first := range map[reflect.Type]int{
		reflect.TypeFor[Model]():      29,
		reflect.TypeFor[ModelGroup](): 8,
	} {
		named := 0
		for field := range kind.Fields() {
			if tag := field.Tag.Get("json"); tag != "-" && tag != ",embed" {
				named++
			}
		}
		if named != first {
			const how = "CONTRIBUTING.md, Adding a field, says where a later one goes"
			t.Errorf("%s has %d fields with a name, the first release had %d: %s", kind.Name(), named, first, how)
		}
	}
}
