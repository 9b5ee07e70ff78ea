package provider

import (
	"context"
	_ "crypto/sha256" // digests of these algorithms are checked to the last digit
	_ "crypto/sha512"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/distribution/reference"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/opencontainers/go-digest"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
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
			"rules of Docker and Kubernetes. Needs Terraform 1.8, OpenTofu 1.7 or later. Nothing is sent; but if the " +
			"configuration has a provider block, OpenTofu requires address and credentials, and any will do. The " +
			"result is an object:\n\n" +
			"- `registry` (String) The registry's host, with its port if it has one; `docker.io` if the reference " +
			"names none.\n- `repository` (String) The repository in that registry: `library/nginx` for `nginx`.\n" +
			"- `tag` (String) The tag, null if the reference has none. No `latest` is made up.\n" +
			"- `digest` (String) The digest with its algorithm, such as `sha256:…`, null if the reference has none.\n" +
			"- `familiar_name` (String) The registry and repository in their shortest form: `nginx`, " +
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

// imageParts is what a reference consists of.
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
		// Engines end the sentence, here and below.
		resp.Error = function.NewArgumentFuncError(0, "it is null. docker_image is null if these credentials do not "+
			"belong to the organisation that owns the model")
		return
	}
	parts, err := parseImage(*given)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, fmt.Sprintf("%q is not a container image reference: %s",
			explain.Abridged(*given), err))
		return
	}
	resp.Error = resp.Result.Set(ctx, parts)
}

// parseImage splits a reference, normalised as Docker does.
func parseImage(image string) (*imageParts, error) {
	if err := imageFault(image); err != nil {
		return nil, err
	}
	named, err := reference.ParseNormalizedNamed(image)
	switch {
	case errors.Is(err, reference.ErrNameTooLong):
		return nil, fmt.Errorf("its repository has more than %d characters", reference.RepositoryNameTotalLengthMax)
	case errors.Is(err, reference.ErrReferenceInvalidFormat):
		registry, _, _ := strings.Cut(image, "/") // the only part that imageFault leaves to the parser
		return nil, fmt.Errorf("its registry %q must be the name or the address of a host, with :PORT or without",
			explain.Abridged(registry))
	case err != nil:
		return nil, err
	}
	parts := &imageParts{
		Registry:     reference.Domain(named),
		Repository:   reference.Path(named),
		FamiliarName: reference.FamiliarName(named),
	}
	if tagged, ok := named.(reference.Tagged); ok {
		parts.Tag = new(tagged.Tag())
	}
	if digested, ok := named.(reference.Digested); ok {
		parts.Digest = new(digested.Digest().String())
	}
	return parts, nil
}

// imageFault names a fault that the parser calls no more than "invalid reference format", or returns nil.
func imageFault(image string) error {
	name, text, digested := strings.Cut(image, "@")
	_, notDigest := digest.Parse(image)
	switch {
	case image == "":
		return errors.New("it is empty")
	case strings.ContainsFunc(image, unicode.IsSpace):
		return errors.New("it has white space in it")
	case strings.Contains(image, "://"):
		return errors.New("it has a scheme; leave out the part up to ://")
	case isHexadecimal(image, digest.SHA256):
		return errors.New("64 hexadecimal digits are an image's id, not its name")
	case notDigest == nil:
		return errors.New("it is a digest only, without the repository to find it in")
	case strings.Contains(text, "@"):
		return errors.New("it has more than one @, and so more than one digest")
	case digested:
		if fault := digestFault(text); fault != "" {
			return errors.New(fault)
		}
	}
	return nameFault(name)
}

// digestFault says in a sentence what is wrong with a digest, or returns "".
func digestFault(text string) string {
	const form = "after the @ comes sha256, sha384 or sha512, a colon, and hexadecimal digits in lower case"
	_, err := digest.Parse(text)
	name, digits, hasColon := strings.Cut(text, ":")
	algorithm := digest.Algorithm(name)
	switch {
	case err == nil:
		return ""
	case isHexadecimal(text, digest.SHA256):
		return "its digest names no algorithm; write sha256: after the @"
	case errors.Is(err, digest.ErrDigestUnsupported):
		return fmt.Sprintf("%q is not an algorithm of digests; %s", explain.Abridged(name), form)
	case hasColon && isHexadecimal(strings.ToLower(digits), algorithm):
		return "its digest has capital letters; " + form
	case errors.Is(err, digest.ErrDigestInvalidLength):
		return fmt.Sprintf("a %s digest has %d hexadecimal digits, this has %d", name, 2*algorithm.Size(), len(digits))
	}
	return "it has an invalid digest; " + form
}

// isHexadecimal reports whether a text is as many hexadecimal digits in lower case as an algorithm has.
func isHexadecimal(text string, algorithm digest.Algorithm) bool {
	return algorithm.Available() && algorithm.Validate(text) == nil
}

// nameFault names a part of the repository that cannot be one, or a tag that cannot be one, or returns nil.
func nameFault(name string) error {
	repository := name
	// A first part like this is a registry: the parser checks it.
	host, rest, below := strings.Cut(name, "/")
	if below && (strings.ContainsAny(host, ".:") || strings.ToLower(host) != host) {
		repository = rest
	}
	repository, tag, tagged := strings.Cut(repository, ":")
	for part := range strings.SplitSeq(repository, "/") {
		_, err := reference.ParseNormalizedNamed("a/" + part)
		if err != nil && !errors.Is(err, reference.ErrNameTooLong) {
			return fmt.Errorf("the part %q of its repository must be lower-case letters and digits, with one dot, "+
				"one or two underscores or hyphens only between them", explain.Abridged(part))
		}
	}
	if tagged && (tag == "" || reference.TagRegexp.FindString(tag) != tag) {
		return fmt.Errorf("its tag %q must be 1 to 128 letters, digits, underscores, dots and hyphens, and must "+
			"not begin with a dot or a hyphen", explain.Abridged(tag))
	}
	return nil
}
