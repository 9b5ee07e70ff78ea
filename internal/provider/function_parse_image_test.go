package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

const (
	sha256Digest = "sha256:e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479"
	hexDigits    = "e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479"
)

// imageResult is what parse_image returns.
var imageResult = tftypes.Object{AttributeTypes: map[string]tftypes.Type{
	"registry": tftypes.String, "repository": tftypes.String, "tag": tftypes.String,
	"digest": tftypes.String, "familiar_name": tftypes.String,
}}

// callParseImage calls the function as an engine does.
func callParseImage(t *testing.T, image any) (tftypes.Value, *tfprotov6.FunctionError) {
	t.Helper()
	argument, err := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, image))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := newServer(&catalogueProvider{version: "test"}).CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{
		Name: "parse_image", Arguments: []*tfprotov6.DynamicValue{&argument},
	})
	if err != nil {
		t.Fatal(err)
	}
	if resp.Error != nil {
		return tftypes.Value{}, resp.Error
	}
	result, err := resp.Result.Unmarshal(imageResult)
	if err != nil {
		t.Fatal(err)
	}
	return result, nil
}

func TestParseImage(t *testing.T) {
	t.Parallel()
	sha512Digest := "sha512:" + strings.Repeat("0f", 64)
	longest := strings.Repeat("a", 127) + "/" + strings.Repeat("b", 127)
	// Registry, repository, tag, digest and familiar name; "-" is null.
	tests := map[string][5]string{
		"nginx":                              {"docker.io", "library/nginx", "-", "-", "nginx"},
		"nginx:1.27":                         {"docker.io", "library/nginx", "1.27", "-", "nginx"},
		"nginx@" + sha256Digest:              {"docker.io", "library/nginx", "-", sha256Digest, "nginx"},
		"nginx:1.27@" + sha256Digest:         {"docker.io", "library/nginx", "1.27", sha256Digest, "nginx"},
		"library/nginx":                      {"docker.io", "library/nginx", "-", "-", "nginx"},
		"docker.io/nginx":                    {"docker.io", "library/nginx", "-", "-", "nginx"},
		"index.docker.io/library/nginx":      {"docker.io", "library/nginx", "-", "-", "nginx"},
		"grafana/grafana:11.0.0":             {"docker.io", "grafana/grafana", "11.0.0", "-", "grafana/grafana"},
		"ghcr.io/org/team/app:v1":            {"ghcr.io", "org/team/app", "v1", "-", "ghcr.io/org/team/app"},
		"registry.example/app":               {"registry.example", "app", "-", "-", "registry.example/app"},
		"registry.example:5000/app:1.0":      {"registry.example:5000", "app", "1.0", "-", "registry.example:5000/app"},
		"localhost/app":                      {"localhost", "app", "-", "-", "localhost/app"},
		"localhost:5000/app":                 {"localhost:5000", "app", "-", "-", "localhost:5000/app"},
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
		t.Run(image, func(t *testing.T) {
			t.Parallel()
			result, failure := callParseImage(t, image)
			if failure != nil {
				t.Fatal(failure.Text)
			}
			got, ok := plain(t, result).(map[string]any)
			if !ok {
				t.Fatalf("no object: %s", result)
			}
			for i, name := range []string{"registry", "repository", "tag", "digest", "familiar_name"} {
				expected := any(want[i])
				if want[i] == "-" {
					expected = nil
				}
				if got[name] != expected {
					t.Errorf("%s is %v, want %v", name, got[name], expected)
				}
			}
		})
	}
}

func TestParseImageRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ image, want string }{
		"empty":                    {"", `"" is no container image reference: it is empty`},
		"space":                    {" nginx", "white space"},
		"line break":               {"nginx\n", "white space"},
		"scheme":                   {"https://registry.example/app", "scheme"},
		"upper case":               {"Nginx", "its repository must be in lower case"},
		"upper case below":         {"registry.example/Team/app:1", "its repository must be in lower case"},
		"300 characters":           {strings.Repeat("a", 300), strings.Repeat("a", 100) + `…" is no container image reference: its repository has more than 255 characters`},
		"300 characters below":     {"registry.example/" + strings.Repeat("a/", 149) + "aa", "more than 255 characters"},
		"300 upper case":           {strings.Repeat("A", 300), "lower case"},
		"an image id":              {hexDigits, "the id of an image"},
		"only a digest":            {sha256Digest, "a digest only"},
		"no tag":                   {"nginx:", "no tag after the colon"},
		"no digest":                {"nginx@", "no digest after the @"},
		"tag too long":             {"nginx:" + strings.Repeat("t", 129), "must be 1 to 128 letters"},
		"digest too short":         {"nginx@sha256:" + hexDigits[1:], "a sha256 digest has 64 hexadecimal digits, this has 63"},
		"digest too long":          {"nginx@" + sha256Digest + "0", "a sha256 digest has 64 hexadecimal digits, this has 65"},
		"digest in upper case":     {"nginx@sha256:" + strings.ToUpper(hexDigits), "in lower case"},
		"digest without algorithm": {"nginx@" + hexDigits, "an algorithm, a colon and hexadecimal digits"},
		"three digits":             {"nginx@sha256:abc", "a sha256 digest has 64 hexadecimal digits, this has 3"},
		"384 bits too short":       {"nginx@sha384:" + hexDigits, "a sha384 digest has 96 hexadecimal digits, this has 64"},
		"a sign in the tag":        {"nginx:1.0+build", `its tag "1.0+build" must be 1 to 128 letters`},
		"unknown algorithm":        {"nginx@md5:d41d8cd98f00b204e9800998ecf8427e", "none of sha256, sha384 and sha512"},
		"two colons":               {"nginx:1:2", `its tag "1:2" must be`},
		"only a slash":             {"/", "[registry[:port]/]"},
		"slash at the end":         {"registry.example/app/", "[registry[:port]/]"},
		"no repository":            {"registry.example:5000/", "[registry[:port]/]"},
		"no name":                  {":1.0", "[registry[:port]/]"},
		"dots":                     {"registry.example/../app", "[registry[:port]/]"},
		"not ASCII":                {"registry.example/prévision", "[registry[:port]/]"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, failure := callParseImage(t, test.image)
			if failure == nil {
				t.Fatalf("no error for %q, but %s", test.image, result)
			}
			if !strings.Contains(failure.Text, test.want) {
				t.Errorf("%q gives %q, want %q", test.image, failure.Text, test.want)
			}
			if strings.HasSuffix(failure.Text, ".") {
				t.Errorf("an engine adds a second full stop to %q", failure.Text)
			}
			if failure.FunctionArgument == nil || *failure.FunctionArgument != 0 {
				t.Errorf("the error is not on the first argument: %v", failure.FunctionArgument)
			}
		})
	}
}

func TestEveryPartOfAFunctionIsDescribed(t *testing.T) {
	t.Parallel()
	resp, err := newServer(&catalogueProvider{version: "test"}).GetFunctions(t.Context(), &tfprotov6.GetFunctionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if resp.Functions["parse_image"] == nil {
		t.Fatalf("no function parse_image among %d", len(resp.Functions))
	}
	for name, f := range resp.Functions {
		if f.Summary == "" || f.Description == "" {
			t.Errorf("%s has no summary or no description", name)
		}
		for _, parameter := range f.Parameters {
			if parameter.Name == "" || parameter.Description == "" {
				t.Errorf("parameter %q of %s has no description", parameter.Name, name)
			}
			// So the engine refuses null, and leaves the unknown unknown.
			if parameter.AllowNullValue || parameter.AllowUnknownValues {
				t.Errorf("parameter %q of %s admits null or unknown values", parameter.Name, name)
			}
		}
	}
}
