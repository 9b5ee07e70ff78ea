package settings

import (
	"strings"
	"testing"
)

// TestMisspeltVariables: a warning names the variable meant. The provider's TestMessages has the sentences, and names
// like none.
func TestMisspeltVariables(t *testing.T) {
	t.Parallel()
	var read []string
	for _, argument := range Arguments {
		read = append(read, Variable(argument))
		if name := FileVariable(argument); name != "" {
			read = append(read, name)
		}
	}
	for _, right := range read {
		rest := strings.TrimPrefix(right, Prefix)
		for _, wrong := range []string{
			strings.ToLower(right),
			"MODEL_CATALOG_" + rest,
			"MODEL_CATALOGUE_" + rest,
			"MODELCATALOG_" + strings.ReplaceAll(rest, "_", ""),
			Prefix + rest[2:],
			strings.ReplaceAll(right, "_", "-"),
		} {
			want := wrong + " is set, but the provider does not read it. Did you mean " + right + "?"
			found := Resolve(nil, Environment{wrong: "hunter2"}).Problems
			if last := found[len(found)-1]; last.Detail != want || last.Kind != Warning {
				t.Errorf("%+v, want %q", last, want)
			}
		}
	}
}
