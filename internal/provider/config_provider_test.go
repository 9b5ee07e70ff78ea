package provider

import (
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// clearEnvironment lets a test say itself what the environment holds.
func clearEnvironment(t *testing.T) {
	t.Helper()
	for argument := range everyArgument {
		t.Setenv(variable(argument), "")
	}
}

// everyArgument is a good value for each of the provider's arguments.
var everyArgument = arguments{
	argBaseURL: "https://catalogue.example", argClientID: "northwind", argClientSecret: "northwind-sandbox-secret", argCACertificate: "",
	argRequestTimeout: "30s", argReadTimeout: "5m", argMaxRetries: 4, argMaxRequestsPerSecond: 10, argSnapshot: true,
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

func TestMissingSettingsAreReportedByConfigureOnly(t *testing.T) {
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

func TestValidateReportsWhatIsWrongAndNotWhatIsAbsent(t *testing.T) {
	clearEnvironment(t)
	expectError(t, validateProvider(t, arguments{"max_retries": -3}), "max_retries", "Invalid max_retries",
		"it must be at least 0, not -3.")
	diagnostics := validateProvider(t, arguments{
		"base_url": "ftp://catalogue.example", "client_id": "", "ca_certificate_pem": "none",
		"request_timeout": "soon", "read_timeout": "-1s", "max_retries": -1, "max_requests_per_second": 0,
	})
	want := []string{
		"base_url: Invalid base_url", "ca_certificate_pem: Invalid ca_certificate_pem",
		"max_requests_per_second: Invalid max_requests_per_second",
		"max_retries: Invalid max_retries", "read_timeout: Invalid read_timeout", "request_timeout: Invalid request_timeout",
	}
	if got := reported(diagnostics); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func TestConfigureReportsEveryProblemOnItsArgument(t *testing.T) {
	for argument := range everyArgument {
		t.Setenv(variable(argument), "wrong")
	}
	t.Setenv("MODELCATALOGUE_CLIENT_ID", "")
	expectNone(t, validateProvider(t, nil))
	_, diagnostics := startEngine(t, &catalogueProvider{}, nil)
	want := []string{
		"base_url: Invalid base_url", "ca_certificate_pem: Invalid ca_certificate_pem", "client_id: Missing client_id",
		"max_requests_per_second: Invalid max_requests_per_second", "max_retries: Invalid max_retries",
		"read_timeout: Invalid read_timeout", "request_timeout: Invalid request_timeout", "snapshot: Invalid snapshot",
	}
	if got := reported(diagnostics); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	for _, d := range diagnostics {
		if name := variable(attributeOf(d)); !strings.Contains(d.Detail, name) {
			t.Errorf("the detail lacks %s: %s", name, d.Detail)
		}
	}
}

func TestANumberThatNoComputerWordHolds(t *testing.T) {
	t.Parallel()
	huge, _, err := big.ParseFloat("1e400", 10, 512, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	config := northwind("https://catalogue.example")
	expectError(t, validateProvider(t, config.with(argMaxRequestsPerSecond, huge)), argMaxRequestsPerSecond,
		"Invalid max_requests_per_second",
		"it must be from 0.000001 to 1000000000, and is 1e+400; leave it out for no ceiling.")
	expectError(t, validateProvider(t, config.with(argMaxRetries, huge)), argMaxRetries, "Invalid max_retries",
		"it must be at most 9223372036854775807, not 1e+400.")
}

func TestAFractionIsNoNumberOfRetries(t *testing.T) {
	t.Parallel()
	diagnostics := validateProvider(t, northwind("https://catalogue.example").with("max_retries", 1.5))
	expectError(t, diagnostics, "max_retries", "Invalid max_retries", "it must be a whole number, not 1.5.")
}

func TestTheEnvironmentConfigures(t *testing.T) {
	clearEnvironment(t)
	service := sandbox.New(sandbox.Default())
	t.Setenv("MODELCATALOGUE_BASE_URL", service.Start(t))
	t.Setenv("MODELCATALOGUE_CLIENT_ID", "northwind")
	t.Setenv("MODELCATALOGUE_CLIENT_SECRET", "northwind-sandbox-secret")
	newEngine(t, arguments{"base_url": ""}).mustRead(t, "model_group", arguments{"id": mainGroup})

	// What the environment says is heeded: 0 retries make one request.
	t.Setenv("MODELCATALOGUE_MAX_RETRIES", "0")
	t.Setenv("MODELCATALOGUE_REQUEST_TIMEOUT", "10s")
	service.Inject(sandbox.Fault{Route: sandbox.RouteGroup, Status: http.StatusServiceUnavailable})
	_, diagnostics := newEngine(t, nil).read(t.Context(), t, "model_group", arguments{"id": mainGroup})
	expectError(t, diagnostics, "", summaryUnavailable, "1 attempt")
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
	"latest_models":      {"model_group_ids": []any{mainGroup}},
	"pinned_models":      {"revisions": map[string]any{mainGroup: 0}},
}

func TestAnArgumentUnknownAtPlanTimeFailsEveryRead(t *testing.T) {
	service := sandbox.New(sandbox.Default())
	url := service.Start(t)
	clearEnvironment(t)
	for argument := range everyArgument {
		// The environment must not stand in for an argument that is only late,
		// so its variable is not looked at: a wrong one is no error.
		t.Setenv(variable(argument), "wrong")
		e := newEngine(t, northwind(url).with(argument, unknown))
		for name, config := range readable {
			_, diagnostics := e.read(t.Context(), t, name, config)
			expectError(t, diagnostics, "", "Provider argument not known yet", "The provider argument "+argument+" has a value",
				"-target", "depends_on")
		}
		t.Setenv(variable(argument), "")
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
