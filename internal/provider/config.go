package provider

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider/setting"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// The provider's arguments.
const (
	argBaseURL           = setting.BaseURL
	argClientID          = setting.ClientID
	argClientSecret      = setting.ClientSecret
	argAccessToken       = setting.AccessToken
	argHeaders           = setting.Headers
	argClientCertificate = setting.ClientCertificate
	argClientKey         = setting.ClientKey
	argCACertificate     = setting.CACertificate
	argRequestTimeout    = "request_timeout"
	argReadTimeout       = "read_timeout"
	argMaxRetries        = "max_retries"
	argMaxRequests       = "max_requests"
	argSnapshot          = "snapshot"
)

// providerArguments are all of them, in the order in which messages name them.
var providerArguments = []string{
	argBaseURL, argClientID, argClientSecret, argAccessToken,
	argHeaders, argClientCertificate, argClientKey, argCACertificate,
	argRequestTimeout, argReadTimeout, argMaxRetries, argMaxRequests, argSnapshot,
}

// defaults are the values of arguments that are not given.
var defaults = map[string]string{
	argRequestTimeout: "30s",
	argReadTimeout:    "5m",
	argMaxRetries:     "4",
	argSnapshot:       "true",
}

// configuration is the provider block, by argument. Each value is read as the environment would spell it: the
// framework's own numbers call 1.5 and 1e400 errors in the provider.
type configuration map[string]attr.Value

// decode returns the provider block that an engine sent.
func decode(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) configuration {
	var block types.Object
	diags.Append(config.Get(ctx, &block)...)
	return block.Attributes()
}

// settings is a resolved configuration.
type settings struct {
	proxyLeftOut string // see explain.Explainer
	client       catalogue.Config
	// unknown are the arguments whose values a plan does not know yet.
	unknown     []string
	credentials []explain.Credential
	origins     map[string]explain.Origin // of the arguments that have a value
	shown       map[string]string         // what may be shown of them
	missing     diag.Diagnostics
}

// resolve resolves the configuration over the environment and over the defaults, and lists every problem there is.
// Problems that only mean an absent value are in the settings instead: `validate` runs without credentials.
func (c configuration) resolve(env environment) (settings, diag.Diagnostics) {
	r := resolver{block: c, env: env}
	r.origins, r.shown = map[string]explain.Origin{}, map[string]string{}
	r.addAddress()
	r.addCredentials()
	r.addHeaders()
	r.addClientCertificate()
	r.reportWithheld()
	r.addAuthorities()
	take(&r, argRequestTimeout, setting.ParseDuration, &r.client.RequestTimeout)
	take(&r, argReadTimeout, setting.ParseDuration, &r.client.ReadTimeout)
	take(&r, argMaxRetries, setting.ParseRetries, &r.client.MaxRetries)
	take(&r, argMaxRequests, setting.ParseLimit, &r.client.Ceiling)
	take(&r, argSnapshot, parseSwitch, &r.client.Snapshot)
	r.addProxy()
	return r.settings, r.problems
}

// userAgent names the provider to the service. The engine's own version is left out: OpenTofu reports itself as a
// Terraform. Line breaks and control characters in the words that the environment appends are replaced, because a
// header cannot contain them.
func userAgent(version string, env environment) string {
	separator := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	words := strings.FieldsFunc(env["TF_APPEND_USER_AGENT"], separator)
	return strings.Join(append([]string{"terraform-provider-modelcatalogue/" + version}, words...), " ")
}

func parseSwitch(text string) (bool, error) {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%q is neither true nor false", redact.Abridged(text))
	}
	return on, nil
}
