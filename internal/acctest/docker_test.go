package acctest_test

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// dockerProvider stands in for kreuzwerker/docker, which no test can fetch. It
// asks no registry: the digest of a tag is that of its name.
type dockerProvider struct{}

func (dockerProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "docker"
}

func (dockerProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (dockerProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (dockerProvider) Resources(context.Context) []func() resource.Resource { return nil }

func (dockerProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return registryImage{} }}
}

type registryImage struct{}

func (registryImage) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "docker_registry_image"
}

func (registryImage) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"name":          schema.StringAttribute{Required: true},
		"sha256_digest": schema.StringAttribute{Computed: true},
	}}
}

func (registryImage) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var name types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("name"), &name)...)
	resp.State.Raw = req.Config.Raw
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(name.ValueString())))
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("sha256_digest"), digest)...)
}

const dockerProgram = "terraform-provider-docker"

func serveDocker() error {
	return providerserver.Serve(context.Background(), func() provider.Provider { return dockerProvider{} },
		providerserver.ServeOpts{Address: "registry.terraform.io/kreuzwerker/docker"})
}
