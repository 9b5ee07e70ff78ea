package provider

import (
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// complete is a configuration with what is required and nothing else.
func complete() configuration {
	return configuration{
		BaseURL:      types.StringValue("https://catalogue.example"),
		ClientID:     types.StringValue("id"),
		ClientSecret: types.StringValue("secret"),
	}
}

func baseURL(tb testing.TB, text string) *url.URL {
	tb.Helper()
	parsed, err := catalogue.ParseBaseURL(text)
	if err != nil {
		tb.Fatal(err)
	}
	return parsed
}

func emptyEnvironment(string) string { return "" }

func TestSettings(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	fromEnvironment := map[string]string{
		"MODELCATALOGUE_BASE_URL":           "https://environment.example",
		"MODELCATALOGUE_CLIENT_ID":          "environment id",
		"MODELCATALOGUE_CLIENT_SECRET":      "environment secret",
		"MODELCATALOGUE_CA_CERTIFICATE_PEM": certificate,
	}
	defaults := catalogue.Config{
		BaseURL: baseURL(t, "https://catalogue.example"), ClientID: "id", ClientSecret: "secret",
		RequestTimeout: 30 * time.Second, ReadTimeout: 5 * time.Minute, MaxRetries: 4, Snapshot: true,
	}
	environmentAlone := defaults
	environmentAlone.BaseURL, environmentAlone.ClientID, environmentAlone.ClientSecret = baseURL(t, "https://environment.example"), "environment id", "environment secret"
	environmentAlone.CACertificates = []*x509.Certificate{server.Certificate()}
	withCertificate := defaults
	withCertificate.CACertificates = environmentAlone.CACertificates
	for name, test := range map[string]struct {
		config      configuration
		environment map[string]string
		want        catalogue.Config
	}{
		"defaults":             {config: complete(), want: defaults},
		"environment alone":    {environment: fromEnvironment, want: environmentAlone},
		"HCL over environment": {config: complete(), environment: fromEnvironment, want: withCertificate},
		"empty HCL counts not": {config: configuration{BaseURL: types.StringValue(""), ClientID: types.StringValue(""), ClientSecret: types.StringValue(""), CACertificatePEM: types.StringValue("")}, environment: fromEnvironment, want: environmentAlone},
		"empty duration counts not": {config: func() configuration {
			c := complete()
			c.RequestTimeout, c.ReadTimeout = types.StringValue(""), types.StringValue("")
			return c
		}(), want: defaults},
		"everything set": {
			config: configuration{
				BaseURL: types.StringValue("http://localhost:8080/prefix/"), ClientID: types.StringValue("a"), ClientSecret: types.StringValue("b"),
				CACertificatePEM: types.StringValue(certificate), RequestTimeout: types.StringValue("1m30s"), ReadTimeout: types.StringValue("500ms"),
				MaxRetries: types.NumberValue(big.NewFloat(0)), MaxRequestsPerSecond: types.Float64Value(0.5), Snapshot: types.BoolValue(false),
			},
			environment: fromEnvironment,
			want: catalogue.Config{
				BaseURL: baseURL(t, "http://localhost:8080/prefix/"), ClientID: "a", ClientSecret: "b", CACertificates: environmentAlone.CACertificates,
				RequestTimeout: 90 * time.Second, ReadTimeout: 500 * time.Millisecond, MaxRetries: 0, MaxRequestsPerSecond: 0.5, Snapshot: false,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, problems := test.config.settings(func(variable string) string { return test.environment[variable] })
			if len(problems) > 0 {
				t.Fatalf("problems: %+v", problems)
			}
			if !reflect.DeepEqual(got.client, test.want) || got.unknown != nil {
				t.Errorf("%+v\nwant %+v", got, test.want)
			}
		})
	}
}

func TestBaseURLs(t *testing.T) {
	t.Parallel()
	for _, accepted := range []string{
		"https://catalogue.example", "https://catalogue.example/", "https://catalogue.example/a/b", "https://catalogue.example/a/b/",
		"https://catalogue.example:8443/a%2Fb", "HTTPS://catalogue.example", "https://192.0.2.1", "https://[2001:db8::1]:8443",
		"http://localhost", "http://LOCALHOST:8080/a", "http://127.0.0.1:8080/", "http://127.8.9.10", "http://[::1]:8080",
	} {
		c := complete()
		c.BaseURL = types.StringValue(accepted)
		if _, problems := c.settings(emptyEnvironment); len(problems) > 0 {
			t.Errorf("%q: %+v", accepted, problems)
		}
	}
	for refused, fragment := range map[string]string{
		"catalogue.example":                  "absolute URL that starts with https://",
		"catalogue.example:8443":             "absolute URL that starts with https://",
		"/v1":                                "absolute URL that starts with https://",
		"//catalogue.example":                "absolute URL that starts with https://",
		"https:catalogue.example":            "absolute URL that starts with https://",
		"ftp://catalogue.example":            "absolute URL that starts with https://",
		"https://":                           "names no host",
		"https:///a":                         "names no host",
		"https://:8443":                      "names no host",
		"https://user@catalogue.example":     "user name or password",
		"https://user:pw@catalogue.example":  "user name or password",
		"https://catalogue.example?a=b":      "query",
		"https://catalogue.example/?":        "query",
		"https://catalogue.example/#a":       "fragment",
		"https://catalogue.example/#":        "fragment",
		"https://catalogue.example:":         "port",
		"https://catalogue.example:0":        "port",
		"https://catalogue.example:65536":    "port",
		"https://catalogue.example:abc":      "cannot be parsed as a URL",
		"https://catalogue.example/%zz":      "cannot be parsed as a URL",
		" https://catalogue.example":         "cannot be parsed as a URL",
		"https://user:p%zz@c.example":        "cannot be parsed as a URL",
		"https://catalogue.example/a/../b":   ". or ..",
		"http://catalogue.example":           "unencrypted",
		"http://192.0.2.1":                   "unencrypted",
		"http://127.0.0.1.catalogue.example": "unencrypted",
		"http://localhost.catalogue.example": "unencrypted",
	} {
		c := complete()
		c.BaseURL = types.StringValue(refused)
		_, problems := c.settings(emptyEnvironment)
		if len(problems) != 1 {
			t.Errorf("%q: %d problems", refused, len(problems))
			continue
		}
		p := problems[0]
		if p.argument != "base_url" || p.summary != "Invalid base_url" || !p.malformed || !strings.Contains(p.detail, fragment) {
			t.Errorf("%q: %+v, want %q", refused, p, fragment)
		}
		// What stands before an @ may be a password.
		if strings.Contains(p.detail, "pw") || strings.Contains(p.detail, "%zz@") {
			t.Errorf("%q: the detail shows the password: %s", refused, p.detail)
		}
	}
}

func TestOneProblem(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change      func(*configuration)
		environment map[string]string
		want        problem // detail is a fragment
	}{
		"no base_url":      {change: func(c *configuration) { c.BaseURL = types.StringNull() }, want: problem{"base_url", "Missing base_url", "base_url. Set it in the provider block or in the environment variable MODELCATALOGUE_BASE_URL.", false}},
		"empty base_url":   {change: func(c *configuration) { c.BaseURL = types.StringValue("") }, want: problem{"base_url", "Missing base_url", "MODELCATALOGUE_BASE_URL", false}},
		"no client_id":     {change: func(c *configuration) { c.ClientID = types.StringNull() }, want: problem{"client_id", "Missing client_id", "client_id. Set it in the provider block or in the environment variable MODELCATALOGUE_CLIENT_ID.", false}},
		"no client_secret": {change: func(c *configuration) { c.ClientSecret = types.StringNull() }, want: problem{"client_secret", "Missing client_secret", "client_secret. Set it in the provider block or in the environment variable MODELCATALOGUE_CLIENT_SECRET.", false}},
		"base_url of the environment": {
			change: func(c *configuration) { c.BaseURL = types.StringNull() }, environment: map[string]string{"MODELCATALOGUE_BASE_URL": "ftp://a"},
			want: problem{"base_url", "Invalid base_url", "environment variable MODELCATALOGUE_BASE_URL and cannot be used: it must be an absolute URL", false},
		},
		"certificate of the environment": {
			environment: map[string]string{"MODELCATALOGUE_CA_CERTIFICATE_PEM": "none"},
			want:        problem{"ca_certificate_pem", "Invalid ca_certificate_pem", "environment variable MODELCATALOGUE_CA_CERTIFICATE_PEM and cannot be used: it looks like the name of a file", false},
		},
		"certificate": {
			change: func(c *configuration) { c.CACertificatePEM = types.StringValue("none") },
			want:   problem{"ca_certificate_pem", "Invalid ca_certificate_pem", "file(", true},
		},
		"request_timeout, no unit":          {change: func(c *configuration) { c.RequestTimeout = types.StringValue("30") }, want: problem{"request_timeout", "Invalid request_timeout", `"30" is no duration. Write a number and a unit, such as "30s"`, true}},
		"request_timeout, words":            {change: func(c *configuration) { c.RequestTimeout = types.StringValue("soon") }, want: problem{"request_timeout", "Invalid request_timeout", `"soon" is no duration`, true}},
		"request_timeout, zero":             {change: func(c *configuration) { c.RequestTimeout = types.StringValue("0s") }, want: problem{"request_timeout", "Invalid request_timeout", "longer than zero", true}},
		"read_timeout, no unit":             {change: func(c *configuration) { c.ReadTimeout = types.StringValue("5") }, want: problem{"read_timeout", "Invalid read_timeout", `"5" is no duration`, true}},
		"read_timeout, negative":            {change: func(c *configuration) { c.ReadTimeout = types.StringValue("-1m") }, want: problem{"read_timeout", "Invalid read_timeout", "longer than zero", true}},
		"max_retries, negative":             {change: func(c *configuration) { c.MaxRetries = types.NumberValue(big.NewFloat(-1)) }, want: problem{"max_retries", "Invalid max_retries", "at least 0", true}},
		"max_requests_per_second, zero":     {change: func(c *configuration) { c.MaxRequestsPerSecond = types.Float64Value(0) }, want: problem{"max_requests_per_second", "Invalid max_requests_per_second", "greater than 0", true}},
		"max_requests_per_second, negative": {change: func(c *configuration) { c.MaxRequestsPerSecond = types.Float64Value(-2) }, want: problem{"max_requests_per_second", "Invalid max_requests_per_second", "greater than 0", true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := complete()
			if test.change != nil {
				test.change(&c)
			}
			_, problems := c.settings(func(variable string) string { return test.environment[variable] })
			if len(problems) != 1 {
				t.Fatalf("want one problem, got %+v", problems)
			}
			got := problems[0]
			if !strings.Contains(got.detail, test.want.detail) {
				t.Errorf("the detail lacks %q: %s", test.want.detail, got.detail)
			}
			got.detail, test.want.detail = "", ""
			if got != test.want {
				t.Errorf("%+v\nwant %+v", got, test.want)
			}
		})
	}
}

// clearEnvironment lets a test say itself what the environment holds.
func clearEnvironment(t *testing.T) {
	t.Helper()
	for _, variable := range environment {
		t.Setenv(variable, "")
	}
}

// validateProvider asks what the provider thinks of its block.
func validateProvider(t *testing.T, config arguments) []*tfprotov6.Diagnostic {
	t.Helper()
	p := &catalogueProvider{}
	var schema provider.SchemaResponse
	p.Schema(t.Context(), provider.SchemaRequest{}, &schema)
	resp, err := newServer(p).ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{
		Config: config.value(t, schema.Schema.Type()),
	})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Diagnostics
}

// reported lists diagnostics as "argument: summary", sorted.
func reported(diagnostics []*tfprotov6.Diagnostic) []string {
	var list []string
	for _, d := range diagnostics {
		list = append(list, attributeOf(d)+": "+d.Summary)
	}
	slices.Sort(list)
	return list
}

func attributeOf(d *tfprotov6.Diagnostic) string {
	if d.Attribute == nil {
		return ""
	}
	return strings.Trim(strings.ReplaceAll(d.Attribute.String(), "AttributeName", ""), `()"`)
}

func TestMissingSettingsAreReportedByConfigureAlone(t *testing.T) {
	clearEnvironment(t)
	expectNone(t, validateProvider(t, nil))
	_, diagnostics := startEngine(t, &catalogueProvider{}, nil)
	want := []string{"base_url: Missing base_url", "client_id: Missing client_id", "client_secret: Missing client_secret"}
	if got := reported(diagnostics); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, d := range diagnostics {
		if variable := "MODELCATALOGUE_" + strings.ToUpper(attributeOf(d)); !strings.Contains(d.Detail, variable) {
			t.Errorf("the detail lacks %s: %s", variable, d.Detail)
		}
	}
}

func TestMalformedSettingsAreReportedByValidateWithTheMissing(t *testing.T) {
	clearEnvironment(t)
	diagnostics := validateProvider(t, arguments{
		"base_url": "ftp://catalogue.example", "client_id": "", "ca_certificate_pem": "none",
		"request_timeout": "soon", "read_timeout": "-1s", "max_retries": -1, "max_requests_per_second": 0,
	})
	want := []string{
		"base_url: Invalid base_url", "ca_certificate_pem: Invalid ca_certificate_pem", "client_id: Missing client_id",
		"client_secret: Missing client_secret", "max_requests_per_second: Invalid max_requests_per_second",
		"max_retries: Invalid max_retries", "read_timeout: Invalid read_timeout", "request_timeout: Invalid request_timeout",
	}
	if got := reported(diagnostics); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func TestAFractionIsNoNumberOfRetries(t *testing.T) {
	t.Parallel()
	diagnostics := validateProvider(t, northwind("https://catalogue.example").with("max_retries", 1.5))
	expectError(t, diagnostics, "max_retries", "Invalid max_retries", "It must be a whole number, and 1.5 is none.")
}

func TestTheEnvironmentConfigures(t *testing.T) {
	clearEnvironment(t)
	service := sandbox.New(sandbox.Default())
	t.Setenv("MODELCATALOGUE_BASE_URL", service.Start(t))
	t.Setenv("MODELCATALOGUE_CLIENT_ID", "northwind")
	t.Setenv("MODELCATALOGUE_CLIENT_SECRET", "northwind-sandbox-secret")
	newEngine(t, arguments{"base_url": ""}).mustRead(t, "model_group", arguments{"id": mainGroup})

	t.Setenv("MODELCATALOGUE_CA_CERTIFICATE_PEM", "none")
	expectNone(t, validateProvider(t, nil))
	_, diagnostics := startEngine(t, &catalogueProvider{}, nil)
	expectError(t, diagnostics, "ca_certificate_pem", "Invalid ca_certificate_pem", "MODELCATALOGUE_CA_CERTIFICATE_PEM")
}

func TestABaseURLMayHaveAPathPrefixAndATrailingSlash(t *testing.T) {
	t.Parallel()
	service := sandbox.New(sandbox.Default())
	server := httptest.NewServer(http.StripPrefix("/a/b", service))
	defer server.Close()
	for _, suffix := range []string{"/a/b", "/a/b/"} {
		newEngine(t, northwind(server.URL+suffix)).mustRead(t, "model_group", arguments{"id": mainGroup})
	}
	newEngine(t, northwind(service.Start(t)+"/")).mustRead(t, "model_group", arguments{"id": mainGroup})
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 3, sandbox.RouteGroup: 3})
}

func TestConfiguringSendsNothing(t *testing.T) {
	t.Parallel()
	e, service := sandboxEngine(t)
	expectRequests(t, service, nil)
	e.mustRead(t, "model_group", arguments{"id": mainGroup})
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1})
}

// readable are arguments with which each data source reads something.
var readable = map[string]arguments{
	"model_groups":       nil,
	"model_group":        {"id": mainGroup},
	"latest_model":       {"model_group_id": mainGroup},
	"model_group_models": {"model_group_id": mainGroup},
	"model":              {"model_group_id": mainGroup, "revision": 0},
}

func TestAnArgumentUnknownAtPlanTimeFailsEveryRead(t *testing.T) {
	service := sandbox.New(sandbox.Default())
	url := service.Start(t)
	// The environment must not stand in for an argument that is only late.
	t.Setenv("MODELCATALOGUE_BASE_URL", url)
	t.Setenv("MODELCATALOGUE_CLIENT_ID", "northwind")
	t.Setenv("MODELCATALOGUE_CLIENT_SECRET", "northwind-sandbox-secret")
	for _, argument := range []string{
		"base_url", "client_id", "client_secret", "ca_certificate_pem", "request_timeout",
		"read_timeout", "max_retries", "max_requests_per_second", "snapshot",
	} {
		e := newEngine(t, northwind(url).with(argument, unknown))
		for name, config := range readable {
			_, diagnostics := e.read(t.Context(), t, name, config)
			expectError(t, diagnostics, "", "Provider argument not known yet", "The provider argument "+argument+" has a value", "-target", "depends_on")
		}
	}
	expectRequests(t, service, nil)
}

func TestEveryUnknownArgumentIsNamed(t *testing.T) {
	t.Parallel()
	e := newEngine(t, arguments{"base_url": unknown, "client_id": "a", "client_secret": unknown})
	_, diagnostics := e.read(t.Context(), t, "model_groups", nil)
	expectError(t, diagnostics, "", "Provider argument not known yet", "base_url, client_secret")
}

func TestAnUnknownArgumentHidesNoProblem(t *testing.T) {
	clearEnvironment(t)
	_, diagnostics := startEngine(t, &catalogueProvider{}, arguments{"base_url": unknown, "client_id": "a"})
	expectError(t, diagnostics, "client_secret", "Missing client_secret")
	diagnostics = validateProvider(t, northwind("ftp://catalogue.example").with("client_id", unknown))
	expectError(t, diagnostics, "base_url", "Invalid base_url")
}
