package sandboxtest

import (
	"maps"
	"testing"
)

func TestShuffled(t *testing.T) {
	want := map[string]bool{
		`[{"n":1.50},{"a":2,"b":3}]`: true,
		`[{"n":1.50},{"b":3,"a":2}]`: true,
		`[{"a":2,"b":3},{"n":1.50}]`: true,
		`[{"b":3,"a":2},{"n":1.50}]`: true,
	}
	found := map[string]bool{}
	for range 1000 {
		found[string(shuffled([]byte(`[{"n":1.50},{"a":2,"b":3}]`)))] = true
	}
	if !maps.Equal(found, want) {
		t.Errorf("the orders are %v", found)
	}
}
