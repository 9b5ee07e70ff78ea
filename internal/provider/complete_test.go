package provider

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// sends has the requests of each data source, as readable configures it. The token comes on top.
var sends = map[string]sandbox.Route{
	"model_groups":       sandbox.RouteGroups,
	"model_group":        sandbox.RouteGroup,
	"latest_model":       sandbox.RouteLatest,
	"model_group_models": sandbox.RouteModels,
	"model":              sandbox.RouteModels,
	"latest_models":      sandbox.RouteLatest,
	"pinned_models":      sandbox.RouteModels,
}

// Users look for a data source in the README, the index and the changelog.
func TestEveryDataSourceIsNamed(t *testing.T) {
	t.Parallel()
	for place, row := range map[string]string{
		"README.md":               "\n| `%s` |",
		"templates/index.md.tmpl": "\n| [`%s`](",
		"CHANGELOG.md":            "`%s`",
	} {
		text, err := os.ReadFile("../../" + place)
		if err != nil {
			t.Fatal(err)
		}
		for name := range schemas.DataSourceSchemas {
			if want := fmt.Sprintf(row, name); !strings.Contains(string(text), want) {
				t.Errorf("%s has no %q", place, want)
			}
		}
	}
}

// TestEveryDataSource reads each with one request, and its arguments come back as configured if the service spells them
// in another way.
func TestEveryDataSource(t *testing.T) {
	t.Parallel()
	inCapitals := strings.ToUpper(mainGroup)
	for name := range schemas.DataSourceSchemas {
		name = strings.TrimPrefix(name, typeName+"_")
		config, isRead := readable[name]
		route, isTold := sends[name]
		if !isRead || !isTold {
			t.Errorf("the tests of all data sources pass %s over: add it to readable and to sends", name)
			continue
		}
		e, service := sandboxEngine(t)
		service.Inject(respell(sandbox.RouteAny,
			mainGroup, inCapitals,
			`"revision":0,`, `"revision":0.0,`,
			`"key":"day_ahead"`, `"key":"DAY_AHEAD"`,
		))
		state := e.mustRead(t, name, config)
		for argument, value := range config {
			if fmt.Sprint(state[argument]) != fmt.Sprint(value) {
				t.Errorf("%s: %s is %v, configured as %v", name, argument, state[argument], value)
			}
		}
		if named := strings.Contains(fmt.Sprint(config), mainGroup); named && strings.Contains(fmt.Sprint(state), inCapitals) {
			t.Errorf("%s has the id as the service spells it: %v", name, state)
		}
		expectRequests(t, service, counts{sandbox.RouteToken: 1, route: 1})
	}
}
