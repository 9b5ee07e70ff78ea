package provider

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/distribution/reference"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

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

// fillable reports whether a mock of either engine can have the attribute. A mock cannot fill a list of objects, and
// OpenTofu refuses an argument that the block sets.
func fillable(attribute *tfprotov6.SchemaAttribute) bool {
	list, isList := attribute.ValueType().(tftypes.List)
	return attribute.Computed && !attribute.Optional && (!isList || list.ElementType.Is(tftypes.String))
}

// TestMocksHaveEveryAttribute: the mocks that ship fill what an engine would fill with random letters.
func TestMocksHaveEveryAttribute(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../examples/mocks/modelcatalogue.tfmock.hcl")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"model_group", "latest_model", "model"} {
		name = typeName + "_" + name
		_, rest, _ := strings.Cut(string(text), "\nmock_data \""+name+"\" {\n")
		mock, _, _ := strings.Cut(rest, "\n}\n")
		for _, attribute := range schemas.DataSourceSchemas[name].Block.Attributes {
			filled := regexp.MustCompile(`(?m)^    ` + attribute.Name + ` += `).MatchString(mock)
			if fillable(attribute) && !filled {
				t.Errorf("the mock of %s has no %s", name, attribute.Name)
			}
		}
	}
	images := regexp.MustCompile(`docker_image += "([^"]+)"`).FindAllStringSubmatch(string(text), -1)
	for _, image := range images {
		if _, err := reference.ParseNamed(image[1]); err != nil {
			t.Error(err)
		}
	}
	if len(images) != 2 {
		t.Errorf("%d mocks have an image, want 2", len(images))
	}
}
