package acctest_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/acctest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// TestAccWordsOfTheEngine leads to what the page about errors says that an engine
// prints by itself, and finds those words in a row of its table.
func TestAccWordsOfTheEngine(t *testing.T) {
	needEngine(t)
	t.Parallel()
	page, err := os.ReadFile(root + "/templates/guides/errors-and-limits.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	service := sandbox.New(sandbox.Default())
	url := sandboxtest.Start(t, service)
	outside := `data "modelcatalogue_latest_model" "a" { model_group_id = "` + acctest.MainGroup + `" }` + "\n"
	for name, test := range map[string]struct {
		config     string
		unsettled  bool // the environment has nothing
		noFunction bool // only of an engine without functions of providers
	}{
		"a required argument is null": {
			config: `data "modelcatalogue_latest_model" "a" { model_group_id = null }`,
		},
		"no provider block": {config: outside, unsettled: true},
		"a group that was left out": {
			config: `data "modelcatalogue_latest_models" "a" {}` + "\n" +
				`output "o" { value = data.modelcatalogue_latest_models.a.models["x"].id }`,
		},
		"an image that is withheld": {
			config: outside + `output "o" { value = "image ${data.modelcatalogue_latest_model.a.docker_image}" }`,
		},
		"an engine without the function": {
			config: "output \"o\" {\n  value = provider::modelcatalogue::parse_image(\"a/b\")\n}\n", noFunction: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if old := version.Must(version.NewVersion("1.8.0")); test.noFunction && !underTest.Version.LessThan(old) {
				t.Skip("this engine has functions of providers")
			}
			w := newWorkspace(t, fromEnvironment(test.config), url, acctest.Outsider)
			if test.unsettled {
				w.Env = withoutService(w.Env)
			}
			_, out := w.run(t, "plan")
			if summary := firstError(out); summary == "" || !strings.Contains(string(page), "\n| `"+summary+"`") {
				t.Errorf("the page has no row of %q, the first of these errors:\n%s", summary, out)
			}
		})
	}
}

var errorLine = regexp.MustCompile(`(?m)^Error: (.+)$`)

func firstError(out string) string {
	if found := errorLine.FindStringSubmatch(out); found != nil {
		return found[1]
	}
	return ""
}

func withoutService(env []string) []string {
	var rest []string
	for _, variable := range env {
		if !strings.HasPrefix(variable, "MODELCATALOGUE_") {
			rest = append(rest, variable)
		}
	}
	return rest
}
