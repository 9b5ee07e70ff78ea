package provider

import (
	"context"
	"fmt"
	"math"
	"net"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// The provider's arguments.
const (
	argBaseURL              = "base_url"
	argClientID             = "client_id"
	argClientSecret         = "client_secret"
	argCACertificate        = "ca_certificate_pem"
	argRequestTimeout       = "request_timeout"
	argReadTimeout          = "read_timeout"
	argMaxRetries           = "max_retries"
	argMaxRequestsPerSecond = "max_requests_per_second"
	argSnapshot             = "snapshot"
)

const envPrefix = "MODELCATALOGUE_"

// environment names the variable that stands in for an argument.
var environment = map[string]string{
	argBaseURL:       envPrefix + "BASE_URL",
	argClientID:      envPrefix + "CLIENT_ID",
	argClientSecret:  envPrefix + "CLIENT_SECRET",
	argCACertificate: envPrefix + "CA_CERTIFICATE_PEM",
}

const (
	defaultRequestTimeout = 30 * time.Second
	defaultReadTimeout    = 5 * time.Minute
	defaultMaxRetries     = 4
)

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// configuration is the provider block.
type configuration struct {
	BaseURL              types.String  `tfsdk:"base_url"`
	ClientID             types.String  `tfsdk:"client_id"`
	ClientSecret         types.String  `tfsdk:"client_secret"`
	CACertificatePEM     types.String  `tfsdk:"ca_certificate_pem"`
	RequestTimeout       types.String  `tfsdk:"request_timeout"`
	ReadTimeout          types.String  `tfsdk:"read_timeout"`
	MaxRetries           types.Number  `tfsdk:"max_retries"`
	MaxRequestsPerSecond types.Float64 `tfsdk:"max_requests_per_second"`
	Snapshot             types.Bool    `tfsdk:"snapshot"`
}

// settings is what a configuration comes to.
type settings struct {
	client catalogue.Config
	// unknown are the arguments whose values a plan does not know yet.
	unknown []string
}

// problem is one thing wrong with one argument.
type problem struct {
	argument string
	summary  string
	detail   string
	// malformed: the configuration itself is wrong, and not just silent or
	// overridden by a wrong environment.
	malformed bool
}

type problems []problem

func (ps problems) anyMalformed() bool {
	for _, p := range ps {
		if p.malformed {
			return true
		}
	}
	return false
}

func (ps problems) report(diags *diag.Diagnostics) {
	for _, p := range ps {
		diags.AddAttributeError(path.Root(p.argument), p.summary, p.detail)
	}
}

// settings resolves the configuration over the environment and over the
// defaults, and lists every problem there is.
func (c configuration) settings(getenv func(string) string) (settings, problems) {
	r := resolver{getenv: getenv}
	r.settings.client = catalogue.Config{
		BaseURL:              parsed(&r, argBaseURL, c.BaseURL, true, catalogue.ParseBaseURL),
		ClientID:             parsed(&r, argClientID, c.ClientID, true, verbatim),
		ClientSecret:         parsed(&r, argClientSecret, c.ClientSecret, true, verbatim),
		CACertificates:       parsed(&r, argCACertificate, c.CACertificatePEM, false, catalogue.ParseCACertificates),
		RequestTimeout:       r.duration(argRequestTimeout, c.RequestTimeout, defaultRequestTimeout),
		ReadTimeout:          r.duration(argReadTimeout, c.ReadTimeout, defaultReadTimeout),
		MaxRetries:           defaultMaxRetries,
		MaxRequestsPerSecond: 0,
		Snapshot:             true,
	}
	client := &r.settings.client
	if r.given(argMaxRetries, c.MaxRetries) {
		retries, err := wholeNumber(c.MaxRetries)
		if err != nil {
			r.malformed(argMaxRetries, sentence("It "+err.Error()))
		}
		client.MaxRetries = int(min(retries, math.MaxInt32))
	}
	if r.given(argMaxRequestsPerSecond, c.MaxRequestsPerSecond) {
		client.MaxRequestsPerSecond = c.MaxRequestsPerSecond.ValueFloat64()
		if client.MaxRequestsPerSecond <= 0 {
			r.malformed(argMaxRequestsPerSecond, "It must be greater than 0. Leave it out for no ceiling.")
		}
	}
	if r.given(argSnapshot, c.Snapshot) {
		client.Snapshot = c.Snapshot.ValueBool()
	}
	return r.settings, r.problems
}

type resolver struct {
	getenv   func(string) string
	settings settings
	problems problems
}

// given tells whether an argument has a value to use, and notes an unknown one.
func (r *resolver) given(argument string, value attr.Value) bool {
	if value.IsUnknown() {
		r.settings.unknown = append(r.settings.unknown, argument)
	}
	return !value.IsNull() && !value.IsUnknown()
}

// parsed resolves a string over its environment variable. An empty one counts
// as absent in both places.
func parsed[T any](r *resolver, argument string, value types.String, required bool, parse func(string) (T, error)) T {
	var result T
	if !r.given(argument, value) && value.IsUnknown() {
		return result
	}
	text, variable := value.ValueString(), ""
	if text == "" {
		variable = environment[argument]
		text = r.getenv(variable)
	}
	if text == "" {
		if required {
			r.missing(argument)
		}
		return result
	}
	result, err := parse(text)
	switch {
	case err != nil && variable != "":
		r.problems = append(r.problems, problem{
			argument: argument, summary: "Invalid " + argument,
			detail: fmt.Sprintf("The value of %s comes from the environment variable %s and cannot be used: %s.", argument, variable, err),
		})
	case err != nil:
		r.malformed(argument, fmt.Sprintf("The value cannot be used: %s.", err))
	}
	return result
}

func verbatim(text string) (string, error) { return text, nil }

func (r *resolver) duration(argument string, value types.String, standard time.Duration) time.Duration {
	if !r.given(argument, value) || value.ValueString() == "" {
		return standard
	}
	d, err := time.ParseDuration(value.ValueString())
	switch {
	case err != nil:
		r.malformed(argument, fmt.Sprintf("%q is no duration. Write a number and a unit, such as \"30s\", \"1m30s\" or \"500ms\".", value.ValueString()))
	case d <= 0:
		r.malformed(argument, fmt.Sprintf("%q is no time to wait. It must be longer than zero.", value.ValueString()))
	}
	return d
}

func (r *resolver) missing(argument string) {
	detail := fmt.Sprintf("The provider needs %s. Set it in the provider block or in the environment variable %s.", argument, environment[argument])
	r.problems = append(r.problems, problem{argument: argument, summary: "Missing " + argument, detail: detail})
}

func (r *resolver) malformed(argument, detail string) {
	r.problems = append(r.problems, problem{argument: argument, summary: "Invalid " + argument, detail: detail, malformed: true})
}

// userAgent names the provider to the service. The engine's own version is left
// out: OpenTofu reports itself as a Terraform.
func userAgent(version string, getenv func(string) string) string {
	agent := "terraform-provider-modelcatalogue/" + version
	if more := getenv("TF_APPEND_USER_AGENT"); more != "" {
		agent += " " + more
	}
	return agent
}
