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
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// clearEnvironment lets a test say itself what the environment holds.
func clearEnvironment(t *testing.T) {
	t.Helper()
	for _, argument := range providerArguments {
		t.Setenv(variable(argument), "")
		if name := fileVariable(argument); name != "" {
			t.Setenv(name, "")
		}
	}
}

// everyArgument is a good value for each of the provider's arguments but access_token,
// which stands in place of two others.
var everyArgument = arguments{
	argBaseURL: "https://catalogue.example", argClientID: "northwind", argClientSecret: "northwind-sandbox-secret", argCACertificate: "",
	argRequestTimeout: "30s", argReadTimeout: "5m", argMaxRetries: 4, argMaxRequests: "10/1s", argSnapshot: true,
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
		"request_timeout": "soon", "read_timeout": "-1s", "max_retries": -1, "max_requests": "0/1m",
	})
	want := []string{
		"base_url: Invalid base_url", "ca_certificate_pem: Invalid ca_certificate_pem",
		"max_requests: Invalid max_requests",
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
		"max_requests: Invalid max_requests", "max_retries: Invalid max_retries",
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
	expectError(t, validateProvider(t, config.with(argMaxRetries, huge)), argMaxRetries, "Invalid max_retries", "it must be at most 9223372036854775807, not 1e+400.")
}

func TestAFractionIsNoNumberOfRetries(t *testing.T) {
	t.Parallel()
	diagnostics := validateProvider(t, northwind("https://catalogue.example").with("max_retries", 1.5))
	expectError(t, diagnostics, "max_retries", "Invalid max_retries", "it must be a whole number, not 1.5.")
}

func TestTheEnvironmentConfigures(t *testing.T) {
	clearEnvironment(t)
	service := sandbox.New(sandbox.Default())
	t.Setenv("MODELCATALOGUE_BASE_URL", sandboxtest.Start(t, service))
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
	newEngine(t, northwind(sandboxtest.Start(t, service)+"/")).mustRead(t, "model_group", arguments{"id": mainGroup})
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
	url := sandboxtest.Start(t, service)
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

// TestAnUnknownTokenFailsEveryRead: the client id and secret of the environment
// do not stand in for it.
func TestAnUnknownTokenFailsEveryRead(t *testing.T) {
	t.Parallel()
	env := withVariables(map[string]string{"CLIENT_ID": "northwind", "CLIENT_SECRET": "northwind-sandbox-secret"})
	service := sandbox.New(sandbox.Default())
	e, diagnostics := startEngine(t, &catalogueProvider{version: "test", environment: &env},
		arguments{argBaseURL: sandboxtest.Start(t, service), argAccessToken: unknown})
	expectNone(t, diagnostics)
	_, diagnostics = e.read(t.Context(), t, "model_groups", nil)
	expectError(t, diagnostics, "", "Provider argument not known yet", "The provider argument access_token has a value that is")
	expectRequests(t, service, nil)
}

// TestUnknownArgumentsAreDeferred where the engine allows it, as for Stacks: every
// read through the provider's own server is put off, without a request.
func TestUnknownArgumentsAreDeferred(t *testing.T) {
	t.Parallel()
	service := sandbox.New(sandbox.Default())
	known := northwind(sandboxtest.Start(t, service))
	for name, test := range map[string]struct {
		config           arguments
		allowed, happens bool
	}{
		"unknown, allowed":     {config: known.with(argClientSecret, unknown), allowed: true, happens: true},
		"unknown, not allowed": {config: known.with(argClientSecret, unknown)},
		"known, allowed":       {config: known, allowed: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, known)
			var schema provider.SchemaResponse
			(&catalogueProvider{}).Schema(t.Context(), provider.SchemaRequest{}, &schema)
			configured, err := e.server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
				Config:             test.config.value(t, schema.Schema.Type()),
				ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: test.allowed},
			})
			if err != nil {
				t.Fatal(err)
			}
			expectNone(t, configured.Diagnostics)
			for name, config := range readable {
				resp, err := e.server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{
					TypeName: typeName + "_" + name, Config: config.valueOf(t, e.types[name]),
					ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: test.allowed},
				})
				if err != nil {
					t.Fatal(err)
				}
				if !test.happens {
					if resp.Deferred != nil || failed(resp.Diagnostics) == test.allowed {
						t.Errorf("%s: deferred %+v, %+v", name, resp.Deferred, resp.Diagnostics)
					}
					continue
				}
				expectNone(t, resp.Diagnostics)
				state, err := resp.State.Unmarshal(e.types[name])
				if resp.Deferred == nil || resp.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown || err != nil || state.IsKnown() {
					t.Errorf("%s: deferred %+v, %s, %v", name, resp.Deferred, state, err)
				}
			}
		})
	}
}

// TestConfiguringLogsOneLine at INFO, which has neither the secret nor the id.
func TestConfiguringLogsOneLine(t *testing.T) {
	t.Parallel()
	var written logs
	p := &catalogueProvider{version: "1.2.3"}
	var schema provider.SchemaResponse
	p.Schema(t.Context(), provider.SchemaRequest{}, &schema)
	_, err := newServer(p).ConfigureProvider(written.in(t.Context()), &tfprotov6.ConfigureProviderRequest{
		Config: northwind("https://catalogue.example").value(t, schema.Schema.Type()),
	})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, line := range written.lines(t) {
		if text, ok := line["@message"].(string); ok && line["@level"] == "info" {
			lines = append(lines, text)
		}
	}
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "Configured: base_url https://catalogue.example from the provider block, ") ||
		!strings.HasSuffix(lines[0], ", provider 1.2.3") {
		t.Errorf("%q", lines)
	}
	if strings.Contains(written.String(), "northwind") {
		t.Errorf("a credential is shown:\n%s", written.String())
	}
}

func TestEveryUnknownArgumentIsNamed(t *testing.T) {
	t.Parallel()
	e := newEngine(t, arguments{"base_url": unknown, "client_id": "a", "client_secret": unknown})
	_, diagnostics := e.read(t.Context(), t, "model_groups", nil)
	expectError(t, diagnostics, "", "Provider argument not known yet",
		"The provider arguments base_url and client_secret have values that are",
		"Give them values that are known")
}

func TestAnUnknownArgumentHidesNoProblem(t *testing.T) {
	clearEnvironment(t)
	_, diagnostics := startEngine(t, &catalogueProvider{}, arguments{"base_url": unknown, "client_id": "a"})
	expectError(t, diagnostics, "client_secret", "Missing client_secret")
	diagnostics = validateProvider(t, northwind("ftp://catalogue.example").with("client_id", unknown))
	expectError(t, diagnostics, "base_url", "Invalid base_url")
}
