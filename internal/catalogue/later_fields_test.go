package catalogue

import (
	"errors"
	"reflect"
	"testing"
)

// Configurations read a field in OtherFields before the provider knows it, and must not break when it does. A tag takes
// a field out of OtherFields, so none is added to those of the interface at first.
func TestLaterFieldsStayInOtherFields(t *testing.T) {
	t.Parallel()
	for kind, first := range map[reflect.Type]int{
		reflect.TypeFor[Model]():      29,
		reflect.TypeFor[ModelGroup](): 8,
	} {
		tagged := 0
		for field := range kind.Fields() {
			if tag := field.Tag.Get("json"); tag != "-" && tag != ",embed" {
				tagged++
			}
		}
		if tagged != first {
			t.Errorf("%s has %d tagged fields, not %d: later ones go into laterModel or laterGroup", kind.Name(), tagged, first)
		}
	}
}

// modelOfTomorrow is a model with one later field.
type modelOfTomorrow struct {
	Model
	tomorrow struct {
		Licence *string `json:"licence"`
	}
}

func (m *modelOfTomorrow) later() any { return &m.tomorrow }

// TestLaterFields: a later field is decoded as those before it, and stays in OtherFields.
func TestLaterFields(t *testing.T) {
	t.Parallel()
	const body = `[{"id":"a","revision":1,"z":1,"licence":"MIT"},{"id":"b","revision":2,"licence":7}]`
	list, err := decodeList[modelOfTomorrow]("models", scope{})(incomingBody(body))
	if err != nil {
		t.Fatal(err)
	}
	a, b := list[0], list[1]
	if string(a.OtherFields) != `{"licence":"MIT","z":1}` || *a.tomorrow.Licence != "MIT" || a.Err != nil {
		t.Errorf("%+v", a)
	}
	wrong, _ := errors.AsType[*UnusableAnswerError](b.Err)
	if string(b.OtherFields) != `{"licence":7}` || wrong == nil || wrong.Place != "models[1].licence" {
		t.Errorf("%+v", b)
	}
}
