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
		"empty":            {want: `"" is no container image reference: it is empty`},
		"space":            {image: " nginx", want: "white space"},
		"line break":       {image: "nginx\n", want: "white space"},
		"scheme":           {image: "https://registry.example/app", want: "scheme"},
		"upper case":       {image: "Nginx", want: "its repository must be in lower case"},
		"upper case below": {image: "registry.example/Team/app:1", want: "its repository must be in lower case"},
		"300 characters": {
			image: strings.Repeat("a", 300),
			want:  strings.Repeat("a", 100) + `…" is no container image reference: its repository has more than 255 characters`,
		},
		"300 characters below":     {image: "registry.example/" + strings.Repeat("a/", 149) + "aa", want: "more than 255 characters"},
		"300 upper case":           {image: strings.Repeat("A", 300), want: "lower case"},
		"an image id":              {image: hexDigits, want: "the id of an image"},
		"only a digest":            {image: sha256Digest, want: "a digest only"},
		"no tag":                   {image: "nginx:", want: "no tag after the colon"},
		"no digest":                {image: "nginx@", want: "no digest after the @"},
		"tag too long":             {image: "nginx:" + strings.Repeat("t", 129), want: "must be 1 to 128 letters"},
		"digest too short":         {image: "nginx@sha256:" + hexDigits[1:], want: "a sha256 digest has 64 hexadecimal digits, this has 63"},
		"digest too long":          {image: "nginx@" + sha256Digest + "0", want: "a sha256 digest has 64 hexadecimal digits, this has 65"},
		"digest in upper case":     {image: "nginx@sha256:" + strings.ToUpper(hexDigits), want: "in lower case"},
		"digest without algorithm": {image: "nginx@" + hexDigits, want: "an algorithm, a colon and hexadecimal digits"},
		"three digits":             {image: "nginx@sha256:abc", want: "a sha256 digest has 64 hexadecimal digits, this has 3"},
		"384 bits too short":       {image: "nginx@sha384:" + hexDigits, want: "a sha384 digest has 96 hexadecimal digits, this has 64"},
		"a sign in the tag":        {image: "nginx:1.0+build", want: `its tag "1.0+build" must be 1 to 128 letters`},
		"unknown algorithm":        {image: "nginx@md5:d41d8cd98f00b204e9800998ecf8427e", want: "none of sha256, sha384 and sha512"},
		"two colons":               {image: "nginx:1:2", want: `its tag "1:2" must be`},
		"only a slash":             {image: "/", want: "a part of its name is empty"},
		"two slashes":              {image: "a//b", want: "a part of its name is empty"},
		"an underscore":            {image: "_a/b", want: `the part "_a" of its repository must be lower-case letters and digits`},
		"a relative path":          {image: "../a", want: `its registry ".." is no host`},
		"two digests":              {image: "a@" + sha256Digest + "@" + sha256Digest, want: "it has two digests"},
		"slash at the end":         {image: "registry.example/app/", want: "[registry[:port]/]"},
		"no repository":            {image: "registry.example:5000/", want: "[registry[:port]/]"},
		"no name":                  {image: ":1.0", want: "[registry[:port]/]"},
		"dots":                     {image: "registry.example/../app", want: `the part ".."`},
		"not ASCII":                {image: "registry.example/prévision", want: `the part "prévision"`},
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

// Where the image is withheld docker_image is null, which is where most nulls
// come from.
func TestParseImageOfNull(t *testing.T) {
	t.Parallel()
	check := func(how string, failure *tfprotov6.FunctionError) {
		if failure == nil || failure.Text != "it is null. docker_image is null if these credentials do not belong to the organisation that owns "+
			"the model" || failure.FunctionArgument == nil || *failure.FunctionArgument != 0 {
			t.Errorf("%s: %+v", how, failure)
		}
	}
	_, failure := callParseImage(t, nil)
	check("spelled out", failure)
	for how, argument := range map[string]*tfprotov6.DynamicValue{"left out": nil, "empty": {}} {
		resp, err := newServer(&catalogueProvider{version: "test"}).CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{
			Name: "parse_image", Arguments: []*tfprotov6.DynamicValue{argument},
		})
		if err != nil {
			t.Fatal(err)
		}
		check(how, resp.Error)
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
			// So the engine leaves the unknown unknown. Of null the function itself tells.
			if !parameter.AllowNullValue || parameter.AllowUnknownValues {
				t.Errorf("parameter %q of %s does not admit null, or admits unknown values", parameter.Name, name)
			}
		}
	}
}
