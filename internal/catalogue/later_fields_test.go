package catalogue

import (
	"reflect"
	"testing"
)

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
