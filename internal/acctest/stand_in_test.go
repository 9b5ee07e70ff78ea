package acctest_test

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// standIns are other providers of our pages, which no test can fetch: the address of
// each by the name of its program. The program of these tests is each of them if it is
// started by that name.
var standIns = map[string]string{
	"terraform-provider-kubernetes": "hashicorp/kubernetes",
	"terraform-provider-docker":     "kreuzwerker/docker",
}

func serveStandIn(address string) error {
	return providerserver.Serve(context.Background(), func() provider.Provider { return standIn{} },
		providerserver.ServeOpts{Address: "registry.terraform.io/" + address})
}

// standIn has the arguments that our pages use of both providers. An engine asks each
// only for its own.
type standIn struct{}

func (standIn) Metadata(context.Context, provider.MetadataRequest, *provider.MetadataResponse) {}

func (standIn) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema.Attributes = map[string]providerschema.Attribute{"config_path": providerschema.StringAttribute{Optional: true}}
}

func (standIn) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (standIn) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return registryImage{} }}
}

func (standIn) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return deployment{} }}
}

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

// deployment deploys nothing, and remembers what it was given.
type deployment struct{}

func (deployment) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "kubernetes_deployment_v1"
}

func (deployment) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	type attributes = map[string]schema.Attribute
	type blocks = map[string]schema.Block
	text := schema.StringAttribute{Optional: true}
	texts := schema.MapAttribute{Optional: true, ElementType: types.StringType}
	block := func(attributes attributes, blocks blocks) schema.Block {
		return schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: attributes, Blocks: blocks}}
	}
	metadata := block(attributes{"name": text, "labels": texts, "annotations": texts}, nil)
	container := block(attributes{
		"name": schema.StringAttribute{Required: true}, "image": text, "image_pull_policy": text,
	}, nil)
	resp.Schema.Attributes = attributes{
		"id": schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
	}
	resp.Schema.Blocks = blocks{"metadata": metadata, "spec": block(attributes{"replicas": text}, blocks{
		"selector": block(attributes{"match_labels": texts}, nil),
		"template": block(nil, blocks{"metadata": metadata, "spec": block(nil, blocks{"container": container})}),
	})}
}

func (deployment) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), "default/price")...)
}

func (deployment) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (deployment) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (deployment) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
