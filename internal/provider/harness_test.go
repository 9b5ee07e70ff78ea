package provider

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// engine stands in for Terraform: it speaks the plugin protocol to the
// provider's server, in process.
type engine struct {
	server *server
	types  map[string]tftypes.Type // of each data source
}

// arguments of a provider block or a data source: strings, bools, numbers, lists
// and maps of them, nil, or unknown.
type arguments map[string]any

// unknown is a value that a plan does not know yet.
const unknown = unknownValue("")

type unknownValue string

// northwind are the arguments for the sandbox at url, as the organisation that
// owns most groups of its default catalogue.
func northwind(url string) arguments {
	return arguments{argBaseURL: url, argClientID: "northwind", argClientSecret: "northwind-sandbox-secret"}
}

// with returns a copy with more arguments.
func (a arguments) with(name string, value any) arguments {
	copied := arguments{name: value}
	for other, v := range a {
		if other != name {
			copied[other] = v
		}
	}
	return copied
}

// startEngine configures a provider. Diagnostics of the configuration are the
// caller's to judge.
func startEngine(tb testing.TB, p *catalogueProvider, config arguments) (*engine, []*tfprotov6.Diagnostic) {
	tb.Helper()
	e := &engine{server: newServer(p), types: map[string]tftypes.Type{}}
	for _, factory := range p.DataSources(tb.Context()) {
		name, schema := describeDataSource(tb, factory())
		e.types[name] = schema
	}
	var schema provider.SchemaResponse
	p.Schema(tb.Context(), provider.SchemaRequest{}, &schema)
	value := config.value(tb, schema.Schema.Type())
	validated, err := e.server.ValidateProviderConfig(tb.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: value})
	if err != nil {
		tb.Fatal(err)
	}
	if failed(validated.Diagnostics) {
		return e, validated.Diagnostics
	}
	configured, err := e.server.ConfigureProvider(tb.Context(), &tfprotov6.ConfigureProviderRequest{Config: value})
	if err != nil {
		tb.Fatal(err)
	}
	return e, configured.Diagnostics
}

// newEngine configures a provider that has to be well configured.
func newEngine(tb testing.TB, config arguments) *engine {
	tb.Helper()
	e, diagnostics := startEngine(tb, &catalogueProvider{version: "test"}, config)
	expectNone(tb, diagnostics)
	return e
}

// sandboxEngine starts a sandbox of the default catalogue and a provider
// configured for it.
func sandboxEngine(t *testing.T, options ...sandbox.Option) (*engine, *sandbox.Sandbox) {
	t.Helper()
	service := sandbox.New(sandbox.Default(), options...)
	return newEngine(t, northwind(service.Start(t))), service
}

// validate asks what the provider thinks of a data source's arguments.
func (e *engine) validate(t *testing.T, name string, config arguments) []*tfprotov6.Diagnostic {
	t.Helper()
	resp, err := e.server.ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{
		TypeName: typeName + "_" + name, Config: config.valueOf(t, e.types[name]),
	})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Diagnostics
}

// read reads a data source the way an engine does: nil state where it fails.
func (e *engine) read(ctx context.Context, t *testing.T, name string, config arguments) (map[string]any, []*tfprotov6.Diagnostic) {
	t.Helper()
	return e.readFrom(ctx, t, e.server, name, config)
}

// readFrom reads from the given server: the provider's, or the framework's in
// it, for which the result goes through the framework's state.
func (e *engine) readFrom(
	ctx context.Context, t *testing.T, from tfprotov6.DataSourceServer, name string, config arguments,
) (map[string]any, []*tfprotov6.Diagnostic) {
	t.Helper()
	resp, err := from.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{
		TypeName: typeName + "_" + name, Config: config.valueOf(t, e.types[name]),
	})
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	if failed(resp.Diagnostics) {
		return nil, resp.Diagnostics
	}
	value, err := resp.State.Unmarshal(e.types[name])
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	state, ok := plain(t, value).(map[string]any)
	if !ok {
		t.Errorf("the state of %s is %s", name, value)
	}
	return state, resp.Diagnostics
}

// mustRead reads what has to be there.
func (e *engine) mustRead(t *testing.T, name string, config arguments) map[string]any {
	t.Helper()
	state, diagnostics := e.read(t.Context(), t, name, config)
	expectNone(t, diagnostics)
	return state
}

// describeDataSource returns the name and type of a data source.
func describeDataSource(tb testing.TB, d datasource.DataSource) (string, tftypes.Type) {
	tb.Helper()
	var metadata datasource.MetadataResponse
	d.Metadata(tb.Context(), datasource.MetadataRequest{ProviderTypeName: typeName}, &metadata)
	var schema datasource.SchemaResponse
	d.Schema(tb.Context(), datasource.SchemaRequest{}, &schema)
	return strings.TrimPrefix(metadata.TypeName, typeName+"_"), schema.Schema.Type().TerraformType(tb.Context())
}

func (a arguments) value(tb testing.TB, typ attr.Type) *tfprotov6.DynamicValue {
	tb.Helper()
	return a.valueOf(tb, typ.TerraformType(tb.Context()))
}

// valueOf is the arguments as an engine sends them, null where none is given.
func (a arguments) valueOf(tb testing.TB, typ tftypes.Type) *tfprotov6.DynamicValue {
	tb.Helper()
	object, ok := typ.(tftypes.Object)
	if !ok {
		tb.Fatalf("no object type: %s", typ)
	}
	values := map[string]tftypes.Value{}
	for name, attributeType := range object.AttributeTypes {
		values[name] = valueOf(attributeType, a[name])
	}
	for name := range a {
		if _, ok := values[name]; !ok {
			tb.Fatalf("no argument %q in %s", name, typ)
		}
	}
	dynamic, err := tfprotov6.NewDynamicValue(typ, tftypes.NewValue(typ, values))
	if err != nil {
		tb.Fatal(err)
	}
	return &dynamic
}

// plain turns a value into Go's own types: nil, string, bool, int64, []any and
// map[string]any.
func plain(tb testing.TB, value tftypes.Value) any {
	tb.Helper()
	if value.IsNull() {
		return nil
	}
	var err error
	defer func() {
		if err != nil {
			tb.Fatal(err)
		}
	}()
	switch {
	case value.Type().Is(tftypes.String):
		var text string
		err = value.As(&text)
		return text
	case value.Type().Is(tftypes.Bool):
		var flag bool
		err = value.As(&flag)
		return flag
	case value.Type().Is(tftypes.Number):
		var number big.Float
		err = value.As(&number)
		integer, _ := number.Int64()
		return integer
	case value.Type().Is(tftypes.List{}):
		var elements []tftypes.Value
		err = value.As(&elements)
		list := make([]any, 0, len(elements))
		for _, element := range elements {
			list = append(list, plain(tb, element))
		}
		return list
	default:
		var attributes map[string]tftypes.Value
		err = value.As(&attributes)
		object := map[string]any{}
		for name, attribute := range attributes {
			object[name] = plain(tb, attribute)
		}
		return object
	}
}

// valueOf is one argument or an element of it. Lists are []any, maps and objects
// map[string]any.
func valueOf(typ tftypes.Type, value any) tftypes.Value {
	switch value := value.(type) {
	case unknownValue:
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	case []any:
		list, _ := typ.(tftypes.List)
		elements := make([]tftypes.Value, 0, len(value))
		for _, element := range value {
			elements = append(elements, valueOf(list.ElementType, element))
		}
		return tftypes.NewValue(typ, elements)
	case map[string]any:
		elements := map[string]tftypes.Value{}
		if object, ok := typ.(tftypes.Object); ok {
			for name, attributeType := range object.AttributeTypes {
				elements[name] = valueOf(attributeType, value[name])
			}
			return tftypes.NewValue(typ, elements)
		}
		of, _ := typ.(tftypes.Map)
		for key, element := range value {
			elements[key] = valueOf(of.ElementType, element)
		}
		return tftypes.NewValue(typ, elements)
	default:
		return tftypes.NewValue(typ, value)
	}
}

func expectNone(tb testing.TB, diagnostics []*tfprotov6.Diagnostic) {
	tb.Helper()
	for _, d := range diagnostics {
		tb.Fatalf("unexpected %s: %s\n%s", d.Severity, d.Summary, d.Detail)
	}
}

// argumentOf is the argument that a diagnostic is on, with the element of it, as
// a configuration spells them: model_group_ids[3], revisions["a"], where.tags[0].
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

// expectError wants exactly one error with that summary, on that argument (""
// for none), whose detail has all of the fragments.
func expectError(t *testing.T, diagnostics []*tfprotov6.Diagnostic, argument, summary string, fragments ...string) {
	t.Helper()
	if len(diagnostics) != 1 || diagnostics[0].Severity != tfprotov6.DiagnosticSeverityError {
		t.Fatalf("want one error %q, got %d: %+v", summary, len(diagnostics), diagnostics)
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

// expectOneCause wants every answer to be an error of one cause: told in full
// once, and in two lines that point to it everywhere else. It returns the full
// detail.
func expectOneCause(t *testing.T, answers []answer, summary string, says ...string) string {
	t.Helper()
	var whole []*tfprotov6.Diagnostic
	pointers := map[string]bool{}
	for _, a := range answers {
		if len(a.diagnostics) != 1 || a.diagnostics[0].Summary != summary {
			t.Fatalf("want one error %q, got %d: %+v", summary, len(a.diagnostics), a.diagnostics)
		}
		_, pointer, brief := strings.Cut(a.diagnostics[0].Detail, ". The error of ")
		if !brief {
			whole = append(whole, a.diagnostics[0])
			continue
		}
		pointers[pointer] = true
		if lines := strings.Count(a.diagnostics[0].Detail, "\n") + 1; lines != 2 || !strings.HasSuffix(pointer, " has the whole text.") {
			t.Errorf("%d lines:\n%s", lines, a.diagnostics[0].Detail)
		}
	}
	if len(whole) != 1 || len(pointers) > 1 {
		t.Fatalf("%d of %d are told in full, the others point to %v", len(whole), len(answers), pointers)
	}
	expectError(t, whole, "", summary, says...)
	return whole[0].Detail
}

// expectRequests compares how many requests of each route a sandbox has seen; a route
// left out must have seen none.
func expectRequests(t *testing.T, service *sandbox.Sandbox, want map[sandbox.Route]int) {
	t.Helper()
	for _, route := range []sandbox.Route{
		sandbox.RouteToken, sandbox.RouteGroups, sandbox.RouteGroup, sandbox.RouteLatest, sandbox.RouteModels,
	} {
		if got := service.Count(route); got != want[route] {
			t.Errorf("%d requests of route %q, want %d", got, route, want[route])
		}
	}
}

const mainGroup = sandbox.MainGroup

func asList(t *testing.T, value any) []any {
	t.Helper()
	list, ok := value.([]any)
	if !ok {
		t.Fatalf("no list: %v", value)
	}
	return list
}

func asObject(t *testing.T, value any) map[string]any {
	t.Helper()
	object, ok := value.(map[string]any)
	if !ok {
		t.Fatalf("no object: %v", value)
	}
	return object
}
