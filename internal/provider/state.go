package provider

import (
	"cmp"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// text is a Go string as attributes hold it.
func text[S ~string](value S) *string {
	s := string(value)
	return &s
}

// list maps a list that is never null: one that the service left out is empty.
func list[From, To any](from []*From, each func(*From) *To) []*To {
	to := make([]*To, 0, len(from))
	for _, element := range from {
		if element == nil {
			to = append(to, nil)
			continue
		}
		to = append(to, each(element))
	}
	return to
}

// listOrNull maps a list that is null where the service left it out.
func listOrNull[From, To any](from []*From, each func(*From) *To) []*To {
	if from == nil {
		return nil
	}
	return list(from, each)
}

// scalars spells the values of a list as strings.
func scalars(from []*catalogue.Scalar) []*string {
	return list(from, func(value *catalogue.Scalar) *string { return (*string)(value) })
}

// comparePointers orders values, nil before any.
func comparePointers[T cmp.Ordered](a, b *T) int {
	if a == nil || b == nil {
		return compareNil(b == nil, a == nil)
	}
	return cmp.Compare(*a, *b)
}

// compareNil orders what is nil after what is not.
func compareNil(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

type keyedNameState struct {
	Name      *string `tfsdk:"name"`
	ShortName *string `tfsdk:"short_name"`
	Key       *string `tfsdk:"key"`
}

func asIs(value *string) *string { return value }
