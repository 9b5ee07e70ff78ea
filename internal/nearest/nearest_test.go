package nearest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/nearest"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mistaken string
		known    []string
		perSlip  int
		want     []string
	}{
		{"namee", []string{"axes", "name"}, 4, []string{"name"}},
		{"nam", []string{"tags", "names", "name"}, 3, []string{"name"}},
		{"q3", []string{"q2", "q1", "week"}, 10, []string{"q1", "q2"}},
		{"name", []string{"horizon"}, 3, nil},
		{"ete", []string{"été"}, 3, []string{"été"}},
		{"docker_image", []string{"dockerImage"}, 100, []string{"dockerImage"}},
		{"RATELIMIT", []string{"rate-limit", "rated-limit"}, 4, []string{"rate-limit"}},
		{"docker Imgae", []string{"docker_image"}, 4, []string{"docker_image"}},
		{strings.Repeat("a", 99), []string{strings.Repeat("a", 100)}, 3, []string{strings.Repeat("a", 100)}},
		{strings.Repeat("a", 100), []string{strings.Repeat("a", 101)}, 3, nil},
	} {
		if got := nearest.Names(test.mistaken, test.known, test.perSlip); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.mistaken, got, test.want)
		}
	}
}
