package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
)

// TestMisspeltVariables: the provider says which variable is meant. TestMessages has the sentences, and names that
// are like none.
func TestMisspeltVariables(t *testing.T) {
	t.Parallel()
	var read []string
	for _, argument := range providerArguments {
		read = append(read, setting.Variable(argument))
		if name := setting.FileVariable(argument); name != "" {
			read = append(read, name)
		}
	}
	for _, right := range read {
		rest := strings.TrimPrefix(right, setting.Prefix)
		for _, wrong := range []string{
			strings.ToLower(right),
			"MODEL_CATALOG_" + rest,
			"MODEL_CATALOGUE_" + rest,
			"MODELCATALOG_" + strings.ReplaceAll(rest, "_", ""),
			setting.Prefix + rest[2:],
			strings.ReplaceAll(right, "_", "-"),
		} {
			want := []string{wrong + " is set, but the provider does not read it. Did you mean " + right + "?"}
			if found := unreadVariables(environment{wrong: "hunter2"}); !slices.Equal(found, want) {
				t.Errorf("%q, want %q", found, want)
			}
		}
	}
}
