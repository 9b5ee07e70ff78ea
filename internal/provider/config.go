package provider

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/pace"
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

// variable names the environment variable that stands in for an argument.
func variable(argument string) string { return envPrefix + strings.ToUpper(argument) }

const (
	defaultRequestTimeout = 30 * time.Second
	defaultReadTimeout    = 5 * time.Minute
	defaultMaxRetries     = 4

	// numberPrecision is that of an engine's numbers, in bits.
	numberPrecision = 512
	// minRate and maxRate bound the ceiling, in requests a second: one in 12 days
	// and one in a nanosecond, so that no wait overflows a time.Duration.
	minRate, maxRate = 1e-6, 1e9
)

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// configuration is the provider block. The framework's own numbers call 1.5
// and 1e400 errors in the provider, so numbers are checked here.
type configuration struct {
	BaseURL              types.String `tfsdk:"base_url"`
	ClientID             types.String `tfsdk:"client_id"`
	ClientSecret         types.String `tfsdk:"client_secret"`
	CACertificatePEM     types.String `tfsdk:"ca_certificate_pem"`
	RequestTimeout       types.String `tfsdk:"request_timeout"`
	ReadTimeout          types.String `tfsdk:"read_timeout"`
	MaxRetries           types.Number `tfsdk:"max_retries"`
	MaxRequestsPerSecond types.Number `tfsdk:"max_requests_per_second"`
	Snapshot             types.Bool   `tfsdk:"snapshot"`
}

// settings is what a configuration comes to.
type settings struct {
	client catalogue.Config
	// unknown are the arguments whose values a plan does not know yet.
	unknown []string
}

// spaced are the arguments of the credentials that have white space around them, as
// the content of a file often has. It may belong to them, so it is no problem by
// itself.
func (s settings) spaced() []string {
	var found []string
	credentials := map[string]string{argClientID: s.client.ClientID, argClientSecret: s.client.ClientSecret}
	for argument, value := range credentials {
		if strings.TrimSpace(value) != value {
			found = append(found, argument)
		}
	}
	slices.Sort(found)
	return found
}

// settings resolves the configuration over the environment and over the
// defaults, and lists every problem there is.
func (c configuration) settings(getenv func(string) string) (settings, []problem) {
	r := resolver{getenv: getenv}
	client := catalogue.Config{
		BaseURL:        required(&r, argBaseURL, c.BaseURL, parseBaseURL),
		ClientID:       required(&r, argClientID, c.ClientID, verbatim),
		ClientSecret:   required(&r, argClientSecret, c.ClientSecret, verbatim),
		CACertificates: optional(&r, argCACertificate, c.CACertificatePEM, nil, parseCertificates),
		RequestTimeout: optional(&r, argRequestTimeout, c.RequestTimeout, defaultRequestTimeout, parseDuration),
		ReadTimeout:    optional(&r, argReadTimeout, c.ReadTimeout, defaultReadTimeout, parseDuration),
		MaxRetries:     optional(&r, argMaxRetries, c.MaxRetries, defaultMaxRetries, parseRetries),
		Ceiling:        everySoOften(optional(&r, argMaxRequestsPerSecond, c.MaxRequestsPerSecond, 0, parseRate)),
		Snapshot:       optional(&r, argSnapshot, c.Snapshot, true, parseSwitch),
	}
	return settings{client: client, unknown: r.unknown}, r.problems
}

// malformed lists what is wrong with the provider block itself. It ignores the
// environment, and arguments that are only absent.
func (c configuration) malformed() []problem {
	_, problems := c.settings(func(string) string { return "" })
	return slices.DeleteFunc(problems, func(p problem) bool { return p.missing })
}

// problem is one thing wrong with one argument.
type problem struct {
	argument string
	missing  bool // it is only absent
	detail   string
}

func report(problems []problem, diags *diag.Diagnostics) {
	for _, p := range problems {
		summary := summaryInvalid(p.argument)
		if p.missing {
			summary = summaryMissing(p.argument)
		}
		diags.AddAttributeError(path.Root(p.argument), summary, p.detail)
	}
}

// resolver collects what is found on the way from a configuration to settings.
type resolver struct {
	getenv   func(string) string
	unknown  []string
	problems []problem
}

func required[T any](r *resolver, argument string, value attr.Value, parse func(string) (T, error)) T {
	result, given := resolve(r, argument, value, parse)
	if !given {
		r.problems = append(r.problems, problem{argument: argument, missing: true, detail: fmt.Sprintf(
			"The provider needs %s. Set it in the provider block or in the environment variable "+
				"%s.", argument, variable(argument))})
	}
	return result
}

func optional[T any](r *resolver, argument string, value attr.Value, standard T, parse func(string) (T, error)) T {
	if result, given := resolve(r, argument, value, parse); given {
		return result
	}
	return standard
}

// resolve finds the value of an argument in the provider block, or else in the
// environment. An empty string counts as absent in both places. A value that is not
// known yet counts as given, so that the environment does not replace it.
func resolve[T any](
	r *resolver, argument string, value attr.Value, parse func(string) (T, error),
) (result T, given bool) {
	if value.IsUnknown() {
		r.unknown = append(r.unknown, argument)
		return result, true
	}
	text, whose := asText(value), "The value"
	if text == "" {
		text = r.getenv(variable(argument))
		whose = fmt.Sprintf("The provider block does not set %s, and the value of the environment variable "+
			"%s", argument, variable(argument))
	}
	if text == "" {
		return result, false
	}
	result, err := parse(text)
	if err != nil {
		detail := sentence(whose + " cannot be used: " + err.Error())
		r.problems = append(r.problems, problem{argument: argument, detail: detail})
	}
	return result, true
}

// asText is a value of the provider block as the environment would spell it.
func asText(value attr.Value) string {
	switch value := value.(type) {
	case types.Number:
		if !value.IsNull() {
			return value.ValueBigFloat().Text('g', -1)
		}
	case types.Bool:
		if !value.IsNull() {
			return strconv.FormatBool(value.ValueBool())
		}
	case types.String:
		return value.ValueString()
	}
	return ""
}

func verbatim(text string) (string, error) { return text, nil }

func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf(`%q is no duration; write a number and a unit, such as "30s", "1m30s" or "500ms"`,
			abridged(text))
	case d <= 0:
		return 0, fmt.Errorf("%q is no time to wait; it must be longer than zero", abridged(text))
	}
	return d, nil
}

func parseNumber(text string) (*big.Float, error) {
	number, _, err := big.ParseFloat(text, 10, numberPrecision, big.ToNearestEven)
	if err != nil || number.IsInf() {
		return nil, fmt.Errorf("%q is no number", abridged(text))
	}
	return number, nil
}

func parseRetries(text string) (int, error) {
	number, err := parseNumber(text)
	if err != nil {
		return 0, err
	}
	retries, err := wholeNumber(types.NumberValue(number))
	if err != nil {
		return 0, fmt.Errorf("it %w", err)
	}
	return int(min(retries, math.MaxInt32)), nil
}

func parseRate(text string) (float64, error) {
	number, err := parseNumber(text)
	if err != nil {
		return 0, err
	}
	rate, _ := number.Float64()
	switch {
	case number.Sign() <= 0:
		return 0, fmt.Errorf("it must be greater than 0, and is %s; leave it out for no ceiling", abridged(text))
	case rate < minRate || rate > maxRate:
		return 0, fmt.Errorf("it must be from %.6f to %.0f, and is %s; leave it out for no "+
			"ceiling", minRate, maxRate, abridged(text))
	}
	return rate, nil
}

func everySoOften(rate float64) pace.Limit {
	if rate == 0 {
		return pace.Limit{}
	}
	return pace.Limit{Requests: 1, Per: time.Duration(float64(time.Second) / rate)}
}

func parseSwitch(text string) (bool, error) {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%q is neither true nor false", abridged(text))
	}
	return on, nil
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
