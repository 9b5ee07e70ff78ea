package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
)

// TestMisspeltVariables: the provider says which variable is meant. TestMessages has the sentences, and names that are like none.
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

// TestVariablesLeftAlone: those that the provider reads, those of others, and one that is empty.
func TestVariablesLeftAlone(t *testing.T) {
	t.Parallel()
	env := environment{"MODELCATALOGUE_CLIENTID": ""}
	for name := range strings.FieldsSeq("MODELCATALOG_REGION MODELCATALOGUE MODELCATALOGUE_ PATH MODELCATALOGUE_SANDBOX_URL " +
		"modelcatalogue_test_url MODELCATALOGUE_SERVICE_HOST MODELCATALOGUE_PORT MODELCATALOGUE_PORT_443_TCP_ADDR") {
		env[name] = "a"
	}
	for _, argument := range providerArguments {
		env[setting.Variable(argument)], env[setting.FileVariable(argument)] = "a", "a"
	}
	if found := unreadVariables(env); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}
