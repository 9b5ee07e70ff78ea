package nearest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/nearest"
)

// TestNames has names that are known, separated by spaces, and those of them that are near.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mistaken string
		perSlip  int
		known    string
		near     string
	}{
		{"namee", 4, "axes name", "name"},
		{"nam", 3, "tags names name", "name"},
		{"q3", 10, "q2 q1 week", "q1 q2"},
		{"name", 3, "horizon", ""},
		{"ete", 3, "été", "été"},
		{"docker_image", 100, "dockerImage", "dockerImage"},
		{"RATELIMIT", 4, "rate-limit rated-limit", "rate-limit"},
		{"docker Imgae", 4, "docker_image", "docker_image"},
		{strings.Repeat("a", 99), 3, strings.Repeat("a", 100), strings.Repeat("a", 100)},
		{strings.Repeat("a", 100), 3, strings.Repeat("a", 101), ""},
	} {
		got := nearest.Names(test.mistaken, strings.Fields(test.known), test.perSlip)
		if !slices.Equal(got, strings.Fields(test.near)) {
			t.Errorf("%q: %q, want %q", test.mistaken, got, test.near)
		}
	}
}
