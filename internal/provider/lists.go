package provider

import (
	"cmp"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// orEmpty returns a list, or an empty one in place of a missing one.
func orEmpty[Element any](list []*Element) []*Element {
	if list == nil {
		return []*Element{}
	}
	return list
}

// mapped maps the elements of a list. A missing list or element stays nil.
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

// newestFirst orders models by revision, the highest first, then by id. An unreadable revision counts as 0.
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
