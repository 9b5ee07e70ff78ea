// Package provider is the Terraform side: schemas, configuration, data sources, a function, and the diagnostics of all
// of them. Package explain words those about errors of the client.
package provider

import (
	"context"
	"maps"
	"net"
	"os"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/settings"
)

const (
	// Address is the provider's address in registries.
	Address  = "registry.terraform.io/modelcatalogue/modelcatalogue"
	typeName = "modelcatalogue"
)

var (
	_ provider.ProviderWithValidateConfig = (*catalogueProvider)(nil)
	_ provider.ProviderWithFunctions      = (*catalogueProvider)(nil)
)

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

type catalogueProvider struct {
	version string
	// environment replaces that of the process in tests.
	environment settings.Environment
	// dial replaces the network in tests that run on a fake clock.
	dial dialFunc
}

func (p *catalogueProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = typeName
	resp.Version = p.version
}

func (p *catalogueProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	attributes := credentialAttributes()
	maps.Copy(attributes, requestAttributes())
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads a catalogue of forecasting models: model groups, their revisions, and the " +
			"container image of each.",
		Attributes: attributes,
	}
}

// credentialAttributes returns the arguments for the service's address, its credentials, a gateway, and a private
// authority.
func credentialAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"base_url": optional("base_url", "The service's address: an absolute `https` URL, with a path prefix or not "+
			"and without `/v1`; `http` is accepted for a loopback host only. Required."),
		"client_id": optional("client_id", "The client id of your organisation's credentials. Required, "+
			"together with `client_secret`, unless there is an `access_token`."),
		"client_secret": secret("client_secret", "The client secret of your organisation's credentials, best kept "+
			"out of the configuration."),
		"access_token": secret("access_token", "A bearer token in place of `client_id` and `client_secret`. The "+
			"provider then never requests one, and cannot renew this."),
		"headers": schema.MapAttribute{
			MarkdownDescription: "Headers to send with every request, token requests included, for a gateway in " +
				"front of the service: the value of each by its name. Names set by HTTP or the provider itself, such " +
				"as `Authorization`, are refused." + otherSources("headers"),
			ElementType: types.StringType,
			Optional:    true,
			Sensitive:   true,
		},
		"client_certificate_pem": optional("client_certificate_pem", "The client certificate in PEM form for a "+
			"gateway that asks for one, followed by those between it and its authority. `client_key_pem` belongs to "+
			"it."),
		"client_key_pem": secret("client_key_pem", "The private key in PEM form of the certificate in "+
			"`client_certificate_pem`, not encrypted."),
		"ca_certificate_pem": optional("ca_certificate_pem", "Certificates in PEM form to trust beside the system's "+
			"own, for a service behind a private authority. A malformed one is left out with a warning."),
	}
}

// requestAttributes returns the arguments for time limits, retries, the pace and the snapshot.
func requestAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"request_timeout": optional("request_timeout", "The longest duration of one attempt of a request, the "+
			"body included, such as `10s`."),
		"read_timeout": optional("read_timeout", "The longest duration of one question to the service, every "+
			"wait and retry included, such as `90s`. A data source of many groups has it for each of them."),
		"max_retries": schema.NumberAttribute{
			MarkdownDescription: "The most attempts after the first, for transient failures of the network or the " +
				"service. `0` is allowed." + otherSources("max_retries"),
			Optional: true,
		},
		"max_requests": optional("max_requests", "The most requests this process may send in a period, "+
			"token requests included: `60/1m` is 60 in any minute. They may come in a burst; `1/2s` is an even "+
			"pace. Unlimited by default; the process still pauses when the service asks it to."),
		"snapshot": schema.BoolAttribute{
			MarkdownDescription: "Whether blocks with the same question share one request and its answer within a " +
				"run. With `false` each block reads afresh, for a run that publishes a revision and then reads it." +
				otherSources("snapshot"),
			Optional: true,
		},
	}
}

func optional(argument, description string) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: description + otherSources(argument), Optional: true}
}

func secret(argument, description string) schema.StringAttribute {
	attribute := optional(argument, description)
	attribute.Sensitive = true
	return attribute
}

// otherSources returns the end of an argument's description: its default and its variables.
func otherSources(argument string) string {
	text := ""
	if standard := settings.Defaults[argument]; standard != "" {
		text = " The default is `" + standard + "`."
	}
	text += " Also read from `" + settings.Variable(argument) + "`"
	if file := settings.FileVariable(argument); file != "" {
		text += ", or from the file named in `" + file + "`"
	}
	return text + "."
}

// ValidateConfig reports the mistakes in the provider block itself. It ignores absent arguments and the environment:
// `validate` has to pass without credentials.
func (p *catalogueProvider) ValidateConfig(
	ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse,
) {
	block := decode(ctx, req.Config, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(diagnosticsOf(settings.Resolve(block, nil).Mistakes())...)
	}
}

// Configure creates the client for every read of the process. It sends no request.
func (p *catalogueProvider) Configure(
	ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse,
) {
	block := decode(ctx, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	env := p.environment
	if env == nil {
		env = settings.EnvironmentOf(os.Environ())
	}
	resolved := settings.Resolve(block, env)
	resp.Diagnostics.Append(diagnosticsOf(resolved.Problems)...)
	if resp.Diagnostics.HasError() {
		return
	}
	logConfigured(ctx, resolved, p.version)
	if len(resolved.Unknown) > 0 {
		resp.DataSourceData = &connection{unknown: resolved.Unknown, explainer: &explain.Explainer{}}
		if req.ClientCapabilities.DeferralAllowed {
			resp.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
		}
		return
	}
	resolved.Client.UserAgent = userAgent(p.version, env)
	resolved.Client.Observe = logExchange
	resolved.Client.DialContext = p.dial
	resolved.Client.Note = logWait
	configured := &connection{client: catalogue.New(resolved.Client), explainer: resolved.Explainer()}
	if resolved.Client.Snapshot {
		configured.moment = time.Now()
	}
	resp.DataSourceData = configured
}

func (p *catalogueProvider) Resources(context.Context) []func() resource.Resource {
	return nil
}

// DataSources is the registry: a new data source is one line here.
func (p *catalogueProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		dataSourceOf("model_groups", modelGroupsSchema, readModelGroups),
		dataSourceOf("model_group", modelGroupSchema, readModelGroup),
		dataSourceOf("latest_model", latestModelSchema, readLatestModel),
		dataSourceOf("model_group_models", modelGroupModelsSchema, readModelGroupModels),
		dataSourceOf("model", modelSchema, readModel),
		dataSourceOf("latest_models", latestModelsSchema, readLatestModels),
		dataSourceOf("pinned_models", pinnedModelsSchema, readPinnedModels),
	}
}

// Functions lists the functions, for Terraform 1.8, OpenTofu 1.7 and later. Older engines do not ask for them.
func (p *catalogueProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{newParseImageFunction}
}
