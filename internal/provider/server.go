package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/encode"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// maxState is the largest state that a read may return, in bytes: the plugin library's limit for one message, less
// room for the rest of the message.
const maxState = catalogue.MaxBody - 64<<10

// NewServer returns a factory of servers for the provider under its version.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer { return newServer(&catalogueProvider{version: version}) }
}

func newServer(p *catalogueProvider) *server {
	stopped, stop := context.WithCancel(context.Background())
	return &server{ProviderServer: providerserver.NewProtocol6(p)(), maxState: maxState, stopped: stopped, stop: stop}
}

// server is the framework's server with four differences:
//   - An interrupt ends the reads that arrive after it, too.
//   - Problems with a data source's arguments come in the order of their names.
//   - The state of a data source is encoded straight from its struct: the framework would build, copy and walk a tree
//     of values several times, and a plan of 1,000 models would cost 3.6 times the CPU time (see BENCHMARKS.md).
//   - An argument of a function for which an engine sends nothing is null.
type server struct {
	tfprotov6.ProviderServer
	maxState int64
	stopped  context.Context // done once the engine was interrupted
	stop     context.CancelFunc
}

// StopProvider ends every read, later ones too. The plugin library ends only those under way, and an engine may have
// just sent another.
func (s *server) StopProvider(
	ctx context.Context, req *tfprotov6.StopProviderRequest,
) (*tfprotov6.StopProviderResponse, error) {
	s.stop()
	return s.ProviderServer.StopProvider(ctx, req)
}

// ValidateDataResourceConfig sorts the diagnostics by attribute, then by summary. The framework validates in any order.
func (s *server) ValidateDataResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	resp, err := s.ProviderServer.ValidateDataResourceConfig(ctx, req)
	if resp != nil {
		slices.SortStableFunc(resp.Diagnostics, func(a, b *tfprotov6.Diagnostic) int {
			byAttribute := strings.Compare(a.Attribute.String(), b.Attribute.String())
			return cmp.Or(byAttribute, strings.Compare(a.Summary, b.Summary))
		})
	}
	return resp, err
}

// ReadDataSource reads through the framework, and encodes the result.
func (s *server) ReadDataSource(
	ctx context.Context, req *tfprotov6.ReadDataSourceRequest,
) (*tfprotov6.ReadDataSourceResponse, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.stopped, cancel)() //nolint:contextcheck // the interrupt is the server's, not this read's
	if s.stopped.Err() != nil {
		cancel() // at once; AfterFunc would do it a moment later
	}
	box := &outbox{}
	resp, err := s.ProviderServer.ReadDataSource(context.WithValue(ctx, outboxKey{}, box), req)
	if err != nil || box.result == nil || failed(resp.Diagnostics) {
		return resp, err
	}
	resp.State, err = dynamicValue(box, s.maxState)
	if err != nil {
		problem := &tfprotov6.Diagnostic{
			Severity: tfprotov6.DiagnosticSeverityError, Summary: explain.SummaryNotEncoded,
			Detail: fmt.Sprintf("What %s read could not be passed on: %s. Please report this to the provider's "+
				"developers.", req.TypeName, err),
		}
		if tooLarge, ok := errors.AsType[*encode.TooLargeError](err); ok {
			problem.Summary = explain.SummaryTooLarge
			problem.Detail = explain.TooLarge(req.TypeName, tooLarge.Size, tooLarge.Limit)
		}
		resp.Diagnostics = append(resp.Diagnostics, problem)
	}
	return resp, nil
}

func failed(diagnostics []*tfprotov6.Diagnostic) bool {
	return slices.ContainsFunc(diagnostics, func(d *tfprotov6.Diagnostic) bool {
		return d.Severity == tfprotov6.DiagnosticSeverityError
	})
}

// dynamicValue encodes the result of a read. Only it and CallFunction touch the fields of a DynamicValue, which the
// plugin library calls opaque; their format is the documented wire format of every plugin. If they change,
// tfprotov6.NewDynamicValue over tftypes.Value does the same, more slowly.
func dynamicValue(box *outbox, limit int64) (*tfprotov6.DynamicValue, error) {
	encoder, err := encoderFor(reflect.TypeOf(box.result), box.typ)
	if err != nil {
		return nil, err
	}
	bytes, err := encoder.Encode(box.result, limit)
	if err != nil {
		return nil, err
	}
	return &tfprotov6.DynamicValue{MsgPack: bytes}, nil
}

// encoders holds a compiled encoder for each type of result.
var encoders sync.Map

func encoderFor(result reflect.Type, typ tftypes.Type) (*encode.Encoder, error) {
	known, _ := encoders.Load(result)
	if encoder, ok := known.(*encode.Encoder); ok {
		return encoder, nil
	}
	encoder, err := encode.Compile(result, typ)
	if err != nil {
		return nil, err
	}
	encoders.Store(result, encoder)
	return encoder, nil
}

// msgpackNil is null in MessagePack.
const msgpackNil = 0xc0

// CallFunction replaces an empty argument with null. OpenTofu 1.12 sends nothing for null, which the framework calls an
// error.
func (s *server) CallFunction(
	ctx context.Context, req *tfprotov6.CallFunctionRequest,
) (*tfprotov6.CallFunctionResponse, error) {
	for i, argument := range req.Arguments {
		if argument == nil || len(argument.MsgPack) == 0 && len(argument.JSON) == 0 {
			req.Arguments[i] = &tfprotov6.DynamicValue{MsgPack: []byte{msgpackNil}}
		}
	}
	return s.ProviderServer.CallFunction(ctx, req)
}

// outbox is where a Read leaves its result for the server.
type outbox struct {
	result any // nil until the read sets it
	typ    tftypes.Type
}

type outboxKey struct{}

// setResult sets the state of a read to result, a struct with tfsdk tags. The provider's own server encodes it; under
// any other server the framework does.
func setResult(ctx context.Context, resp *datasource.ReadResponse, result any) {
	box, ok := ctx.Value(outboxKey{}).(*outbox)
	if !ok {
		resp.Diagnostics.Append(resp.State.Set(ctx, result)...)
		return
	}
	typ := resp.State.Schema.Type().TerraformType(ctx)
	*box = outbox{result: result, typ: typ}
	// The framework still walks the state that it would send. Walking null costs the least.
	resp.State.Raw = tftypes.NewValue(typ, nil)
}
