package provider

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
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

const (
	defaultRequestTimeout = 30 * time.Second
	defaultReadTimeout    = 5 * time.Minute
	defaultMaxRetries     = 4
	defaultSnapshot       = true
)

// configuration is the provider block. The framework's own numbers call 1.5 and 1e400 errors in the provider, so
// numbers are checked here.
type configuration struct {
	BaseURL          types.String `tfsdk:"base_url"`
	ClientID         types.String `tfsdk:"client_id"`
	ClientSecret     types.String `tfsdk:"client_secret"`
	AccessToken      types.String `tfsdk:"access_token"`
	CACertificatePEM types.String `tfsdk:"ca_certificate_pem"`
	gateway
	RequestTimeout types.String `tfsdk:"request_timeout"`
	ReadTimeout    types.String `tfsdk:"read_timeout"`
	MaxRetries     types.Number `tfsdk:"max_retries"`
	MaxRequests    types.String `tfsdk:"max_requests"`
	Snapshot       types.Bool   `tfsdk:"snapshot"`
}

// settings is a resolved configuration.
type settings struct {
	proxyLeftOut string // see explain.Explainer
	client       catalogue.Config
	// unknown are the arguments whose values a plan does not know yet.
	unknown     []string
	credentials []explain.Credential
	origins     map[string]explain.Origin // by argument; none for a default
	unread      []unreadVariable
	warnings    []configProblem
}

// resolve resolves the configuration over the environment and over the defaults, and lists every problem there is.
func (c configuration) resolve(env environment) (settings, []configProblem) {
	r := resolver{settings: settings{origins: map[string]explain.Origin{}, unread: unreadVariables(env)}, env: env}
	r.client.BaseURL = argument(argBaseURL, c.BaseURL, setting.ParseBaseURL).required(&r)
	r.findAddress()
	c.addCredentials(&r)
	c.addHeaders(&r)
	c.addClientCertificate(&r)
	r.reportWithheld()
	c.addAuthorities(&r)
	c.resolveRequests(&r)
	r.addProxy()
	return r.settings, r.problems
}

// resolveRequests resolves how requests are sent, and for how long.
func (c configuration) resolveRequests(r *resolver) {
	r.client.RequestTimeout = argument(argRequestTimeout, c.RequestTimeout, setting.ParseDuration).
		or(r, defaultRequestTimeout)
	r.client.ReadTimeout = argument(argReadTimeout, c.ReadTimeout, setting.ParseDuration).or(r, defaultReadTimeout)
	r.client.MaxRetries = argument(argMaxRetries, c.MaxRetries, setting.ParseRetries).or(r, defaultMaxRetries)
	r.client.Ceiling, _ = argument(argMaxRequests, c.MaxRequests, setting.ParseLimit).resolve(r)
	r.client.Snapshot = argument(argSnapshot, c.Snapshot, parseSwitch).or(r, defaultSnapshot)
}

// malformed lists what is wrong with the provider block itself. It ignores the environment and arguments that are only
// absent, and does not read files.
func (c configuration) malformed() []configProblem {
	_, problems := c.resolve(environment{})
	return slices.DeleteFunc(problems, func(p configProblem) bool { return p.missing })
}

// configProblem is one thing wrong with one argument.
type configProblem struct {
	argument string // "" if it is with none
	key      string // of the element of the argument, "" for the whole
	missing  bool   // it is only absent
	summary  string
	detail   string
}

// at returns the place of a problem with an argument.
func (p configProblem) at() path.Path {
	switch {
	case p.argument == "":
		return path.Empty()
	case p.key != "":
		return path.Root(p.argument).AtMapKey(p.key)
	}
	return path.Root(p.argument)
}

func report(problems []configProblem, diags *diag.Diagnostics) {
	for _, p := range problems {
		diags.Append(explain.Problem{Summary: p.summary, Detail: p.detail, Path: p.at()}.Diagnostic())
	}
}

// warnOfUnread warns of variables that the provider does not read, unless the error of a missing argument names them.
func warnOfUnread(unread []unreadVariable, problems []configProblem, diags *diag.Diagnostics) {
	var said []string
	for _, u := range unread {
		named := func(p configProblem) bool { return p.missing && u.mayBeFor(p.argument) }
		if !slices.ContainsFunc(problems, named) {
			said = append(said, u.String())
		}
	}
	if len(said) > 0 {
		diags.AddWarning(explain.SummaryUnreadVariable, explain.JoinFirst(said, "\n"))
	}
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
