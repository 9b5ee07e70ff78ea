package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/settings"
)

// readable are arguments with which each data source reads something.
var readable = map[string]arguments{
	"model_groups":       {"time_horizon": "day_ahead"},
	"model_group":        {"id": mainGroup},
	"latest_model":       {"model_group_id": mainGroup},
	"model_group_models": {"model_group_id": mainGroup},
	"model":              {"model_group_id": mainGroup, "revision": 0},
	"latest_models":      {"model_group_ids": []any{mainGroup}},
	"pinned_models":      {"revisions": map[string]any{mainGroup: 0}},
}

// validateProvider validates a provider block.
func validateProvider(t *testing.T, config arguments) []*tfprotov6.Diagnostic {
	t.Helper()
	resp, err := newServer(&catalogueProvider{}).ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{
		Config: config.value(t, schemas.Provider.ValueType()),
	})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Diagnostics
}

// within returns a provider in an environment. The assignments are without their prefix.
func within(assignments ...string) *catalogueProvider {
	return &catalogueProvider{version: "test", environment: surroundings(assignments...)}
}

// TestAllProblemsAreReportedAtOnce: configuring reports every mistake of the process's own environment, each on its
// argument, and every missing value. `validate` ignores the environment.
func TestAllProblemsAreReportedAtOnce(t *testing.T) { //nolint:paralleltest // it sets the environment
	var want []outcome
	for _, argument := range settings.Arguments {
		t.Setenv(settings.Variable(argument), "wrong")
		switch argument {
		case argClientID:
			want = append(want, outcome{argument: argument, summary: explain.SummaryMissing(argument)})
		case argClientSecret, argAccessToken: // any text will do
		default:
			want = append(want, outcome{argument: argument, summary: explain.SummaryInvalid(argument)})
		}
	}
	t.Setenv("MODELCATALOGUE_CLIENT_ID", "")
	t.Setenv("MODELCATALOGUE_ACCESS_TOKEN", "")
	expectNone(t, validateProvider(t, nil))
	_, diagnostics := startEngine(t, &catalogueProvider{}, nil)
	expectOutcomes(t, diagnostics, want...)
}

// The environment configures the provider. Configuring sends nothing.
func TestTheEnvironmentConfigures(t *testing.T) {
	t.Parallel()
	service := sandbox.New(sandbox.Default())
	p := within(
		"BASE_URL="+sandboxtest.Start(t, service), "CLIENT_ID=northwind", "CLIENT_SECRET=northwind-sandbox-secret", "MAX_RETRIES=0",
	)
	p.environment["TF_APPEND_USER_AGENT"] = "ci/1.2\r\nX-A: (a b)"
	e := configure(t, p, arguments{argBaseURL: ""})
	expectRequests(t, service, nil)
	service.Inject(status(503, "", 0))
	expectError(t, e.reports(t, "model_group", arguments{"id": mainGroup}), "", explain.SummaryUnavailable, "1 attempt")
	expectRequests(t, service, map[sandbox.Route]int{sandbox.RouteToken: 1, sandbox.RouteGroup: 1})
	for _, r := range service.Requests() {
		if got := r.Header.Get("User-Agent"); got != "terraform-provider-modelcatalogue/test ci/1.2 X-A: (a b)" {
			t.Errorf("%s: User-Agent %q", r.Path, got)
		}
	}
}

// The environment does not replace an argument that is not known yet, so a wrong value of its variable is not an
// error.
func TestUnknownArguments(t *testing.T) {
	t.Parallel()
	if inSchema := len(schemas.Provider.Block.Attributes); inSchema != len(settings.Arguments) {
		t.Errorf("the schema has %d arguments, and the package of settings %d", inSchema, len(settings.Arguments))
	}
	elements := map[string]any{"X-A": unknown, "X-B": unknown, "X-C": "c"}
	for i, argument := range append(slices.Clone(settings.Arguments), argHeaders) {
		value := any(unknown)
		if i == len(settings.Arguments) {
			value = elements
		}
		got := settle(t, complete.with(argument, value), strings.ToUpper(argument)+"=wrong")
		if got.Problems != nil || !slices.Equal(got.Unknown, []string{argument}) {
			t.Errorf("%s: problems %+v, unknown %q", argument, got.Problems, got.Unknown)
		}
	}
	// It does not hide a problem of a different argument.
	_, diagnostics := startEngine(t, within(), arguments{"base_url": unknown, "client_id": "a"})
	expectError(t, diagnostics, "client_secret", "Missing client_secret")
}

// With an argument that is not known yet every read fails and names it, without a request. TestMessages has the words.
func TestAnUnknownArgumentFailsEveryRead(t *testing.T) {
	t.Parallel()
	service := sandbox.New(sandbox.Default())
	e := newEngine(t, northwind(sandboxtest.Start(t, service)).with(argClientSecret, unknown))
	for name, config := range readable {
		expectError(t, e.reports(t, name, config), "", explain.SummaryUnknownArgument, argClientSecret)
	}
	expectRequests(t, service, nil)
}

// If the engine allows it, as for Stacks, every read through the provider's own server is deferred, without a request.
func TestUnknownArgumentsAreDeferred(t *testing.T) {
	t.Parallel()
	known := northwind(sandboxtest.Start(t, sandbox.New(sandbox.Default())))
	for deferred, config := range map[bool]arguments{true: known.with(argClientSecret, unknown), false: known} {
		e := &engine{server: newServer(&catalogueProvider{version: "test"})}
		configured, err := e.server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
			Config:             config.value(t, schemas.Provider.ValueType()),
			ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		expectNone(t, configured.Diagnostics)
		resp, err := e.server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{
			TypeName:           typeName + "_model_groups",
			Config:             arguments(nil).value(t, typeOf("model_groups")),
			ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		expectNone(t, resp.Diagnostics)
		state, err := resp.State.Unmarshal(typeOf("model_groups"))
		if (resp.Deferred != nil) != deferred || err != nil || state.IsKnown() == deferred ||
			deferred && resp.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
			t.Errorf("deferred %+v, %s, %v", resp.Deferred, state, err)
		}
	}
}
