package acctest_test

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// standIns are other providers of our pages, which no test can fetch: the address of
// each by the name of its program. The program of these tests is each of them if it is
// started by that name.
var standIns = map[string]string{
	"terraform-provider-docker": "kreuzwerker/docker",
}

func serveStandIn(address string) error {
	return providerserver.Serve(context.Background(), func() provider.Provider { return standIn{} },
		providerserver.ServeOpts{Address: "registry.terraform.io/" + address})
}

// standIn has the arguments that our pages use of it.
type standIn struct{}

func (standIn) Metadata(context.Context, provider.MetadataRequest, *provider.MetadataResponse) {}

func (standIn) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (standIn) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (standIn) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return registryImage{} }}
}

func (standIn) Resources(context.Context) []func() resource.Resource { return nil }

// registryImage asks no registry: the digest of a tag is that of its name.
type registryImage struct{}

func (registryImage) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "docker_registry_image"
}

func (registryImage) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema.Attributes = map[string]dataschema.Attribute{
		"name":          dataschema.StringAttribute{Required: true},
		"sha256_digest": dataschema.StringAttribute{Computed: true},
	}
}

func (registryImage) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var name types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("name"), &name)...)
	resp.State.Raw = req.Config.Raw
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(name.ValueString())))
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("sha256_digest"), digest)...)
}
