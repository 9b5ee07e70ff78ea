package provider

import (
	"context"

	"github.com/distribution/reference"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/imageref"
)

// parseImageFunction splits a container image reference into its parts.
type parseImageFunction struct{}

func newParseImageFunction() function.Function { return parseImageFunction{} }

func (parseImageFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "parse_image"
}

func (parseImageFunction) Definition(
	_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse,
) {
	resp.Definition = function.Definition{
		Summary: "Splits a container image reference into its parts.",
		MarkdownDescription: "Splits a container image reference into registry, repository, tag and digest, by the " +
			"rules of Docker and Kubernetes. Needs Terraform 1.8, OpenTofu 1.7 or later. Nothing is sent; but if " +
			"your configuration has a provider block, OpenTofu requires an address and credentials: give any. The " +
			"result is an object:\n\n" +
			"- `registry` (String) The registry's host, with its port if it has one; `docker.io` if the reference " +
			"names none.\n- `repository` (String) The repository in that registry: `library/nginx` for `nginx`.\n" +
			"- `tag` (String) The tag, null if the reference has none. `latest` is never made up.\n" +
			"- `digest` (String) The digest with its algorithm, such as `sha256:…`, null if the reference has " +
			"none.\n- `familiar_name` (String) The registry and repository in their shortest form: `nginx`, " +
			"`ghcr.io/org/app`.",
		Parameters: []function.Parameter{function.StringParameter{
			Name:           "image",
			AllowNullValue: true, // so that the message of null is ours
			MarkdownDescription: "The reference of a container image, such as `registry.example/team/app:1.2.3`. " +
				"Null is an error: `docker_image` is null if the image is withheld.",
		}},
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"registry":      types.StringType,
			"repository":    types.StringType,
			"tag":           types.StringType,
			"digest":        types.StringType,
			"familiar_name": types.StringType,
		}},
	}
}

// imageParts is the parts of a reference.
type imageParts struct {
	Registry     string  `tfsdk:"registry"`
	Repository   string  `tfsdk:"repository"`
	Tag          *string `tfsdk:"tag"`
	Digest       *string `tfsdk:"digest"`
	FamiliarName string  `tfsdk:"familiar_name"`
}

func (parseImageFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var given *string
	if resp.Error = req.Arguments.Get(ctx, &given); resp.Error != nil {
		return
	}
	if given == nil {
		// Engines add the full stop, here and below.
		resp.Error = function.NewArgumentFuncError(0, "it is null. docker_image is null if these credentials do not "+
			"belong to the organisation that owns the model")
		return
	}
	named, err := imageref.Parse(*given)
	if err != nil {
		// The message omits the text: an engine hides a sensitive argument, but not in the words of an error.
		resp.Error = function.NewArgumentFuncError(0, "it is not a container image reference: "+err.Error())
		return
	}
	parts := &imageParts{
		Registry:     reference.Domain(named),
		Repository:   reference.Path(named),
		FamiliarName: reference.FamiliarName(named),
	}
	if tagged, hasTag := named.(reference.Tagged); hasTag {
		parts.Tag = new(tagged.Tag())
	}
	if digested, hasDigest := named.(reference.Digested); hasDigest {
		parts.Digest = new(digested.Digest().String())
	}
	resp.Error = resp.Result.Set(ctx, parts)
}
