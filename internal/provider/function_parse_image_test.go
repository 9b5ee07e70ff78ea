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

// imageResult is what parse_image returns.
var imageResult = tftypes.Object{AttributeTypes: map[string]tftypes.Type{
	"registry": tftypes.String, "repository": tftypes.String, "tag": tftypes.String,
	"digest": tftypes.String, "familiar_name": tftypes.String,
}}

// callParseImage calls the function as an engine does.
func callParseImage(t *testing.T, image any) (map[string]any, *tfprotov6.FunctionError) {
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
		return nil, resp.Error
	}
	return decoded(t, resp.Result, imageResult), nil
}

func TestParseImage(t *testing.T) {
	t.Parallel()
	sha512Digest := "sha512:" + strings.Repeat("0f", 64)
	longest := strings.Repeat("a", 127) + "/" + strings.Repeat("b", 127)
	// Registry, repository, tag, digest and familiar name; "-" is null.
	tests := map[string][5]string{
		"nginx":                              {"docker.io", "library/nginx", "-", "-", "nginx"},
		"nginx@" + sha256Digest:              {"docker.io", "library/nginx", "-", sha256Digest, "nginx"},
		"nginx:1.27@" + sha256Digest:         {"docker.io", "library/nginx", "1.27", sha256Digest, "nginx"},
		"docker.io/nginx":                    {"docker.io", "library/nginx", "-", "-", "nginx"},
		"index.docker.io/library/nginx":      {"docker.io", "library/nginx", "-", "-", "nginx"},
		"grafana/grafana:11.0.0":             {"docker.io", "grafana/grafana", "11.0.0", "-", "grafana/grafana"},
		"registry.example:5000/app:1.0":      {"registry.example:5000", "app", "1.0", "-", "registry.example:5000/app"},
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
		got, failure := callParseImage(t, image)
		if failure != nil {
			t.Fatalf("%s: %s", image, failure.Text)
		}
		for i, name := range []string{"registry", "repository", "tag", "digest", "familiar_name"} {
			if text := strings.ReplaceAll(fmt.Sprint(got[name]), "<nil>", "-"); text != want[i] {
				t.Errorf("%s: %s is %s, want %s", image, name, text, want[i])
			}
		}
	}
}

// TestParseImageRefuses has what TestMessages does not show word for word.
func TestParseImageRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ image, want string }{
		"empty":            {want: `"" is no container image reference: it is empty`},
		"space":            {image: " nginx", want: "white space"},
		"line break":       {image: "nginx\n", want: "white space"},
		"scheme":           {image: "https://registry.example/app", want: "scheme"},
		"upper case below": {image: "registry.example/Team/app:1", want: "must be lower-case letters"},
		"300 characters": {
			image: strings.Repeat("a", 300),
			want:  strings.Repeat("a", 100) + `…" is no container image reference: its repository has more than 255 characters`,
		},
		"300 upper case":           {image: strings.Repeat("A", 300), want: "must be lower-case letters"},
		"an image id":              {image: hexDigits, want: "cannot specify 64-byte hexadecimal strings"},
		"only a digest":            {image: sha256Digest, want: "a digest only"},
		"no tag":                   {image: "nginx:", want: `its tag "" must be 1 to 128 letters`},
		"no digest":                {image: "nginx@", want: "it has an invalid checksum digest format: after the @ comes sha256"},
		"tag too long":             {image: "nginx:" + strings.Repeat("t", 129), want: "must be 1 to 128 letters"},
		"digest too short":         {image: "nginx@sha256:" + hexDigits[1:], want: "invalid checksum digest length"},
		"digest in upper case":     {image: "nginx@sha256:" + strings.ToUpper(hexDigits), want: "in lower case"},
		"digest without algorithm": {image: "nginx@" + hexDigits, want: "invalid checksum digest format"},
		"384 bits too short":       {image: "nginx@sha384:" + hexDigits, want: "invalid checksum digest length"},
		"unknown algorithm":        {image: "nginx@md5:d41d8cd98f00b204e9800998ecf8427e", want: "it has an unsupported digest algorithm: "},
		"only a slash":             {image: "/", want: `the part "" of`},
		"slash at the end":         {image: "registry.example/app/", want: `the part "" of`},
		"no name":                  {image: ":1.0", want: `the part "" of`},
		"dots":                     {image: "registry.example/../app", want: `the part ".."`},
	}
	for name, test := range tests {
		result, failure := callParseImage(t, test.image)
		if failure == nil {
			t.Fatalf("%s: no error, but %s", name, result)
		}
		// An engine adds a full stop.
		if !strings.Contains(failure.Text, test.want) || strings.HasSuffix(failure.Text, ".") {
			t.Errorf("%s: %q, want %q", name, failure.Text, test.want)
		}
		if failure.FunctionArgument == nil || *failure.FunctionArgument != 0 {
			t.Errorf("%s: the error is not on the first argument: %v", name, failure.FunctionArgument)
		}
	}
}

// TestParseImageOfNull: an engine may send nothing for it. TestMessages has the words.
func TestParseImageOfNull(t *testing.T) {
	t.Parallel()
	for how, argument := range map[string]*tfprotov6.DynamicValue{"left out": nil, "empty": {}} {
		resp, err := newServer(&catalogueProvider{version: "test"}).CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{
			Name: "parse_image", Arguments: []*tfprotov6.DynamicValue{argument},
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
	// The engine leaves the unknown unknown. Of null the function itself tells.
	if p := f.Parameters[0]; p.Name != "image" || p.Description == "" || !p.AllowNullValue || p.AllowUnknownValues {
		t.Errorf("%+v", p)
	}
}
