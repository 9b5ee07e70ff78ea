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
	longest, longestTag := strings.Repeat("a", 127)+"/"+strings.Repeat("b", 127), strings.Repeat("t", 128)
	// Registry, repository, tag, digest and familiar name.
	for image, want := range map[string]string{
		"nginx:1.27@" + sha256Digest:         "docker.io library/nginx 1.27 " + sha256Digest + " nginx",
		"index.docker.io/library/nginx":      "docker.io library/nginx <nil> <nil> nginx",
		"localhost:5000/a/b@" + sha512Digest: "localhost:5000 a/b <nil> " + sha512Digest + " localhost:5000/a/b",
		"[2001:db8::1]:5000/app":             "[2001:db8::1]:5000 app <nil> <nil> [2001:db8::1]:5000/app",
		"REGISTRY.example/app:V1_x.Y-z":      "REGISTRY.example app V1_x.Y-z <nil> REGISTRY.example/app",
		"registry.example/a__b/c-d.e":        "registry.example a__b/c-d.e <nil> <nil> registry.example/a__b/c-d.e",
		"registry.example/" + longest:        "registry.example " + longest + " <nil> <nil> registry.example/" + longest,
		"localhost:5000":                     "docker.io library/localhost 5000 <nil> localhost", // as Docker reads it
		"app:" + longestTag:                  "docker.io library/app " + longestTag + " <nil> app",
	} {
		got, problem := callParseImage(t, image)
		if problem != nil {
			t.Fatalf("%s: %s", image, problem.Text)
		}
		parts := fmt.Sprintln(got["registry"], got["repository"], got["tag"], got["digest"], got["familiar_name"])
		if parts != want+"\n" {
			t.Errorf("%s: %s, want %s", image, parts, want)
		}
	}
}

// TestParseImageOfNull: an engine may send nothing for it. The engine ends the sentence.
func TestParseImageOfNull(t *testing.T) {
	t.Parallel()
	const words = "it is null. docker_image is null if these credentials do not belong to the organisation that owns the model"
	for how, argument := range map[string]*tfprotov6.DynamicValue{"left out": nil, "empty": {}} {
		resp, err := newServer(&catalogueProvider{version: "test"}).CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{
			Name:      "parse_image",
			Arguments: []*tfprotov6.DynamicValue{argument},
		})
		if err != nil || resp.Error == nil || resp.Error.Text != words || *resp.Error.FunctionArgument != 0 {
			t.Errorf("%s: %+v, %v", how, resp, err)
		}
	}
}

// TestParseImageOfAnythingElse: an image may be sensitive, so the words do not have it. Package imageref tests the reasons.
func TestParseImageOfAnythingElse(t *testing.T) {
	t.Parallel()
	const words = "it is not a container image reference: it has a scheme; leave out the part up to ://"
	if _, problem := callParseImage(t, "https://hunter2"); problem == nil || problem.Text != words || *problem.FunctionArgument != 0 {
		t.Errorf("%+v", problem)
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
