package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

const (
	sha256Digest = "sha256:e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479"
	hexDigits    = "e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479"
)

// callParseImage calls the function as an engine does.
func callParseImage(t *testing.T, image any) (map[string]any, *tfprotov6.FunctionError) {
	t.Helper()
	argument, err := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, image))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := newServer(&catalogueProvider{version: "test"}).CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{
		Name:      "parse_image",
		Arguments: []*tfprotov6.DynamicValue{&argument},
	})
	if err != nil {
		t.Fatal(err)
	}
	if resp.Error != nil {
		return nil, resp.Error
	}
	return decoded(t, resp.Result, schemas.Functions["parse_image"].Return.Type), nil
}

func TestParseImage(t *testing.T) {
	t.Parallel()
	sha512Digest := "sha512:" + strings.Repeat("0f", 64)
	longest := strings.Repeat("a", 127) + "/" + strings.Repeat("b", 127)
	// Registry, repository, tag, digest and familiar name; "-" is null.
	tests := map[string][5]string{
		"nginx":                              {"docker.io", "library/nginx", "-", "-", "nginx"},
		"nginx:1.27@" + sha256Digest:         {"docker.io", "library/nginx", "1.27", sha256Digest, "nginx"},
		"index.docker.io/library/nginx":      {"docker.io", "library/nginx", "-", "-", "nginx"},
		"grafana/grafana:11.0.0":             {"docker.io", "grafana/grafana", "11.0.0", "-", "grafana/grafana"},
		"registry.example:5000/app:1.0":      {"registry.example:5000", "app", "1.0", "-", "registry.example:5000/app"},
		"localhost:5000/a/b@" + sha512Digest: {"localhost:5000", "a/b", "-", sha512Digest, "localhost:5000/a/b"},
		"127.0.0.1:5000/app:latest":          {"127.0.0.1:5000", "app", "latest", "-", "127.0.0.1:5000/app"},
		"[2001:db8::1]:5000/app":             {"[2001:db8::1]:5000", "app", "-", "-", "[2001:db8::1]:5000/app"},
		"REGISTRY.example/app:V1_x.Y-z":      {"REGISTRY.example", "app", "V1_x.Y-z", "-", "REGISTRY.example/app"},
		"registry.example/a__b/c-d.e":        {"registry.example", "a__b/c-d.e", "-", "-", "registry.example/a__b/c-d.e"},
		"registry.example/" + longest:        {"registry.example", longest, "-", "-", "registry.example/" + longest},
		"localhost:5000":                     {"docker.io", "library/localhost", "5000", "-", "localhost"}, // as Docker reads it
		"app:" + strings.Repeat("t", 128):    {"docker.io", "library/app", strings.Repeat("t", 128), "-", "app"},
	}
	for image, want := range tests {
		got, problem := callParseImage(t, image)
		if problem != nil {
			t.Fatalf("%s: %s", image, problem.Text)
		}
		for i, name := range []string{"registry", "repository", "tag", "digest", "familiar_name"} {
			if text := strings.ReplaceAll(fmt.Sprint(got[name]), "<nil>", "-"); text != want[i] {
				t.Errorf("%s: %s is %s, want %s", image, name, text, want[i])
			}
		}
	}
}

// TestParseImageFails has the faults that TestMessages does not show word for word.
func TestParseImageFails(t *testing.T) {
	t.Parallel()
	for image, want := range map[string]string{
		"":                             "it is not a container image reference: it is empty",
		"https://registry.example/app": "scheme",
		"registry.example/Team/app:1":  "must be lower-case letters",
		strings.Repeat("a", 300):       "its repository has more than 255",
		"nginx:":                       "its tag must be 1 to 128 letters",
		"nginx@":                       "after the @ comes one digest: sha256, sha384 or sha512, a colon",
	} {
		result, problem := callParseImage(t, image)
		if problem == nil {
			t.Fatalf("%s: no error, but %s", image, result)
		}
		// An engine adds a full stop.
		if !strings.Contains(problem.Text, want) || strings.HasSuffix(problem.Text, ".") || *problem.FunctionArgument != 0 {
			t.Errorf("%s: %q on argument %d, want %q on the first", image, problem.Text, *problem.FunctionArgument, want)
		}
	}
}

// TestParseImageOfNull: an engine may send nothing for it. TestMessages has the words.
func TestParseImageOfNull(t *testing.T) {
	t.Parallel()
	for how, argument := range map[string]*tfprotov6.DynamicValue{"left out": nil, "empty": {}} {
		resp, err := newServer(&catalogueProvider{version: "test"}).CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{
			Name:      "parse_image",
			Arguments: []*tfprotov6.DynamicValue{argument},
		})
		if err != nil || resp.Error == nil || !strings.HasPrefix(resp.Error.Text, "it is null. ") {
			t.Errorf("%s: %+v, %v", how, resp, err)
		}
	}
}

func TestEveryPartOfAFunctionIsDescribed(t *testing.T) {
	t.Parallel()
	f := schemas.Functions["parse_image"]
	if len(schemas.Functions) != 1 || f == nil || f.Summary == "" || f.Description == "" || len(f.Parameters) != 1 {
		t.Fatalf("%+v", schemas.Functions)
	}
	// The engine itself handles an unknown argument, the function a null one.
	if p := f.Parameters[0]; p.Name != "image" || p.Description == "" || !p.AllowNullValue || p.AllowUnknownValues {
		t.Errorf("%+v", p)
	}
}
