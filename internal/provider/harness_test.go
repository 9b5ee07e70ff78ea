package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/tinylib/msgp/msgp"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// engine replaces Terraform: it speaks the plugin protocol to the provider's server, in process.
type engine struct{ server *server }

// arguments are the arguments of a provider block or a data source: strings, bools, numbers, nil, unknown, and lists and
// maps of them.
type arguments map[string]any

// unknown stands for an unknown value of a plan.
const unknown = "?"

// schemas is the provider's description of itself for an engine.
var schemas = func() *tfprotov6.GetProviderSchemaResponse {
	p := &catalogueProvider{version: "test"}
	resp, err := newServer(p).GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		panic(err)
	}
	return resp
}()

// typeOf returns the type of a data source's block.
func typeOf(name string) tftypes.Type {
	return schemas.DataSourceSchemas[typeName+"_"+name].ValueType()
}

// northwind returns the arguments for the sandbox at url, with the credentials of the owner of most groups.
func northwind(url string) arguments { return credentialsOf("northwind", url) }

// credentialsOf returns the same for another organisation.
func credentialsOf(organisation, url string) arguments {
	return arguments{argBaseURL: url, argClientID: organisation, argClientSecret: organisation + "-sandbox-secret"}
}

// with returns a copy with one more argument, merge one with several.
func (a arguments) with(name string, value any) arguments { return a.merge(arguments{name: value}) }

func (a arguments) merge(more arguments) arguments {
	merged := arguments{}
	maps.Copy(merged, a)
	maps.Copy(merged, more)
	return merged
}

// startEngine validates and configures a provider, and returns the diagnostics.
func startEngine(tb testing.TB, p *catalogueProvider, config arguments) (*engine, []*tfprotov6.Diagnostic) {
	tb.Helper()
	e, block := &engine{server: newServer(p)}, config.value(tb, schemas.Provider.ValueType())
	validated, err := e.server.ValidateProviderConfig(tb.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: block})
	if err != nil {
		tb.Fatal(err)
	}
	if failed(validated.Diagnostics) {
		return e, validated.Diagnostics
	}
	configured, err := e.server.ConfigureProvider(tb.Context(), &tfprotov6.ConfigureProviderRequest{Config: block})
	if err != nil {
		tb.Fatal(err)
	}
	return e, configured.Diagnostics
}

// configure configures a provider, and expects no diagnostics.
func configure(tb testing.TB, p *catalogueProvider, config arguments) *engine {
	tb.Helper()
	e, diagnostics := startEngine(tb, p, config)
	expectNone(tb, diagnostics)
	return e
}

func newEngine(tb testing.TB, config arguments) *engine {
	tb.Helper()
	return configure(tb, &catalogueProvider{version: "test"}, config)
}

// sandboxEngine starts a sandbox of the default catalogue, and configures a provider for it.
func sandboxEngine(t *testing.T, options ...sandbox.Option) (*engine, *sandbox.Sandbox) {
	t.Helper()
	service := sandbox.New(sandbox.Default(), options...)
	return newEngine(t, northwind(sandboxtest.Start(t, service))), service
}

// validate returns the diagnostics of a data source's arguments.
func (e *engine) validate(t *testing.T, name string, config arguments) []*tfprotov6.Diagnostic {
	t.Helper()
	resp, err := e.server.ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{
		TypeName: typeName + "_" + name,
		Config:   config.value(t, typeOf(name)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Diagnostics
}

// read reads a data source as an engine does. Its state is nil if it fails.
func (e *engine) read(ctx context.Context, t *testing.T, name string, config arguments) (map[string]any, []*tfprotov6.Diagnostic) {
	t.Helper()
	return readFrom(ctx, t, e.server, name, config)
}

// readFrom reads from the provider's own server, or from the framework's in it.
func readFrom(
	ctx context.Context, t *testing.T, from tfprotov6.DataSourceServer, name string, config arguments,
) (map[string]any, []*tfprotov6.Diagnostic) {
	t.Helper()
	typ := typeOf(name)
	resp, err := from.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{
		TypeName: typeName + "_" + name,
		Config:   config.value(t, typ),
	})
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	if failed(resp.Diagnostics) {
		return nil, resp.Diagnostics
	}
	return decoded(t, resp.State, typ), resp.Diagnostics
}

// mustRead reads a data source, and expects no diagnostics.
func (e *engine) mustRead(t *testing.T, name string, config arguments) map[string]any {
	t.Helper()
	state, diagnostics := e.read(t.Context(), t, name, config)
	expectNone(t, diagnostics)
	return state
}

// reports returns the diagnostics of a read.
func (e *engine) reports(t *testing.T, name string, config arguments) []*tfprotov6.Diagnostic {
	t.Helper()
	_, diagnostics := e.read(t.Context(), t, name, config)
	return diagnostics
}

// value encodes the arguments as an engine does, missing ones as null.
func (a arguments) value(tb testing.TB, typ tftypes.Type) *tfprotov6.DynamicValue {
	tb.Helper()
	for name := range a {
		if object, ok := typ.(tftypes.Object); !ok || object.AttributeTypes[name] == nil {
			tb.Fatalf("no argument %q in %s", name, typ)
		}
	}
	dynamic, err := tfprotov6.NewDynamicValue(typ, valueOf(typ, map[string]any(a)))
	if err != nil {
		tb.Fatal(err)
	}
	return &dynamic
}

// valueOf returns an argument or an element of one. Lists are []any, maps and objects map[string]any.
func valueOf(typ tftypes.Type, value any) tftypes.Value {
	if value == unknown {
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	}
	switch value := value.(type) {
	case []any:
		list, _ := typ.(tftypes.List)
		elements := make([]tftypes.Value, 0, len(value))
		for _, element := range value {
			elements = append(elements, valueOf(list.ElementType, element))
		}
		return tftypes.NewValue(typ, elements)
	case map[string]any:
		elements := map[string]tftypes.Value{}
		if of, ok := typ.(tftypes.Map); ok {
			for key, element := range value {
				elements[key] = valueOf(of.ElementType, element)
			}
		}
		if object, ok := typ.(tftypes.Object); ok {
			for name, attributeType := range object.AttributeTypes {
				elements[name] = valueOf(attributeType, value[name])
			}
		}
		return tftypes.NewValue(typ, elements)
	}
	return tftypes.NewValue(typ, value)
}

// decoded returns a value of that type in Go's own types: nil, string, bool, int64, []any and map[string]any.
func decoded(t *testing.T, value *tfprotov6.DynamicValue, typ tftypes.Type) map[string]any {
	t.Helper()
	_, ofAnotherType := value.Unmarshal(typ)
	plain, _, err := msgp.ReadMapStrIntfBytes(value.MsgPack, nil)
	if err := errors.Join(ofAnotherType, err); err != nil {
		t.Error(err)
	}
	return plain
}

func expectNone(tb testing.TB, diagnostics []*tfprotov6.Diagnostic) {
	tb.Helper()
	for _, d := range diagnostics {
		tb.Fatalf("unexpected %s: %s\n%s", d.Severity, d.Summary, d.Detail)
	}
}

// argumentOf returns the argument or the element of a diagnostic as a configuration spells it, such as
// model_group_ids[3], revisions["a"] or where.tags[0].
func argumentOf(d *tfprotov6.Diagnostic) string {
	if d.Attribute == nil {
		return ""
	}
	var at strings.Builder
	for _, step := range d.Attribute.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			if at.Len() > 0 {
				at.WriteByte('.')
			}
			at.WriteString(string(step))
		case tftypes.ElementKeyInt:
			fmt.Fprintf(&at, "[%d]", step)
		case tftypes.ElementKeyString:
			fmt.Fprintf(&at, "[%q]", string(step))
		}
	}
	return at.String()
}

// expectError expects exactly one error with that summary and these fragments in its detail, on that argument, or on none
// if argument is empty.
func expectError(t *testing.T, diagnostics []*tfprotov6.Diagnostic, argument, summary string, fragments ...string) {
	t.Helper()
	if len(diagnostics) != 1 || diagnostics[0].Severity != tfprotov6.DiagnosticSeverityError {
		t.Fatalf("want one error %q, got %d:\n%s", summary, len(diagnostics), rendered(diagnostics))
	}
	d := diagnostics[0]
	if d.Summary != summary {
		t.Errorf("summary %q, want %q\n%s", d.Summary, summary, d.Detail)
	}
	if !slices.Contains(summaries, summary) {
		t.Errorf("the summary %q is not in the list of all of them", summary)
	}
	if at := argumentOf(d); at != argument {
		t.Errorf("on %q, want %q", at, argument)
	}
	for _, fragment := range fragments {
		if !strings.Contains(d.Detail, fragment) {
			t.Errorf("the detail lacks %q:\n%s", fragment, d.Detail)
		}
	}
}

const mainGroup = sandbox.MainGroup

func asObject(t *testing.T, value any) map[string]any {
	t.Helper()
	object, ok := value.(map[string]any)
	if !ok {
		t.Fatalf("no object: %v", value)
	}
	return object
}
