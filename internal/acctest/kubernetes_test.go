package acctest_test

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// kubernetesProvider stands in for hashicorp/kubernetes, which no test can
// fetch. It has what the documentation of that provider says of the arguments
// that our pages use, deploys nothing, and remembers what it was given.
type kubernetesProvider struct{}

func (kubernetesProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "kubernetes"
}

func (kubernetesProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = providerschema.Schema{Attributes: map[string]providerschema.Attribute{
		"config_path": providerschema.StringAttribute{Optional: true},
	}}
}

func (kubernetesProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (kubernetesProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (kubernetesProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return kubernetesDeployment{} }}
}

type kubernetesDeployment struct{}

func (kubernetesDeployment) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "kubernetes_deployment_v1"
}

func (kubernetesDeployment) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	text := schema.StringAttribute{Optional: true}
	texts := schema.MapAttribute{Optional: true, ElementType: types.StringType}
	// block is one that stands at most once, and at least as often as that.
	block := func(least int, attributes map[string]schema.Attribute, blocks map[string]schema.Block) schema.Block {
		return schema.ListNestedBlock{
			NestedObject: schema.NestedBlockObject{Attributes: attributes, Blocks: blocks},
			Validators:   []validator.List{blockCount{least: least, most: 1}},
		}
	}
	metadata := block(1, map[string]schema.Attribute{"name": text, "labels": texts, "annotations": texts}, nil)
	container := schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
		"name":              schema.StringAttribute{Required: true},
		"image":             text,
		"image_pull_policy": text,
	}}}
	template := block(1, nil, map[string]schema.Block{
		"metadata": metadata,
		"spec":     block(1, nil, map[string]schema.Block{"container": container}),
	})
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
		},
		Blocks: map[string]schema.Block{
			"metadata": metadata,
			"spec": block(1, map[string]schema.Attribute{"replicas": text}, map[string]schema.Block{
				"selector": block(0, map[string]schema.Attribute{"match_labels": texts}, nil),
				"template": template,
			}),
		},
	}
}

// blockCount bounds how often a block stands.
type blockCount struct{ least, most int }

func (c blockCount) Description(context.Context) string {
	return fmt.Sprintf("stands %d to %d times", c.least, c.most)
}
func (c blockCount) MarkdownDescription(ctx context.Context) string { return c.Description(ctx) }

func (c blockCount) ValidateList(ctx context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	if n := len(req.ConfigValue.Elements()); n < c.least || n > c.most {
		resp.Diagnostics.AddAttributeError(req.Path, "Wrong number of blocks", c.Description(ctx))
	}
}

func (kubernetesDeployment) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), "default/price")...)
}

func (kubernetesDeployment) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (kubernetesDeployment) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (kubernetesDeployment) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

const kubernetesProgram = "terraform-provider-kubernetes"

func serveKubernetes() error {
	return providerserver.Serve(context.Background(), func() provider.Provider { return kubernetesProvider{} },
		providerserver.ServeOpts{Address: "registry.terraform.io/hashicorp/kubernetes"})
}
