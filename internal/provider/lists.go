package provider

import (
	"cmp"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// orEmpty returns a list, or an empty one if the service left it out.
func orEmpty[Element any](list []*Element) []*Element {
	if list == nil {
		return []*Element{}
	}
	return list
}

// mapped maps the elements of a list, which is null if the service left it out.
func mapped[From, To any](from []*From, each func(*From) *To) []*To {
	if from == nil {
		return nil
	}
	to := make([]*To, len(from))
	for i, element := range from {
		if element != nil {
			to[i] = each(element)
		}
	}
	return to
}

// newestFirst orders models by their revisions, the highest first, then by id. A revision that cannot be read counts as
// 0.
func newestFirst(a, b *catalogue.Model) int {
	return cmp.Or(cmp.Compare(orZero(b.Revision), orZero(a.Revision)), compareTexts(a.ID, b.ID))
}

// orZero returns a value, or the zero value if it is nil.
func orZero[T any](value *T) T {
	if value == nil {
		return *new(T)
	}
	return *value
}
