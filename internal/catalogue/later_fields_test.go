package catalogue

import (
	"reflect"
	"testing"
)

// TestLaterFieldsStayInOtherFields: configurations read a field there before the provider knows it, and must not break when it
// does. A tag of its own takes a field out of OtherFields, so only the fields of the first release have one.
func TestLaterFieldsStayInOtherFields(t *testing.T) {
	t.Parallel()
	for record, first := range map[reflect.Type]int{
		reflect.TypeFor[Model]():      29,
		reflect.TypeFor[ModelGroup](): 8,
	} {
		named := 0
		for field := range record.Fields() {
			if tag := field.Tag.Get("json"); tag != "-" && tag != ",embed" {
				named++
			}
		}
		if named != first {
			t.Errorf("%s has %d fields with a name, the first release had %d: CONTRIBUTING.md, Adding a field, says how a later one is decoded",
				record.Name(), named, first)
		}
	}
}
