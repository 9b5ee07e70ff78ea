package provider

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// connection is what Configure hands to the data sources: a client, or the
// arguments that keep the provider from having one.
type connection struct {
	client    *catalogue.Client
	unknown   []string
	explainer explain.Explainer
	warned    sync.Once // of pauses
}

// catalogueDataSource is what every data source shares.
type catalogueDataSource struct {
	name       string
	connection *connection
}

// dataSource is a data source with arguments and results in a State, a struct with tfsdk tags.
type dataSource[State any] struct {
	catalogueDataSource
	schema func() schema.Schema
	read   func(context.Context, *reader, *State) // fills the results in, or adds an error
}

// dataSourceOf returns what makes a data source.
func dataSourceOf[State any](
	name string, schema func() schema.Schema, read func(context.Context, *reader, *State),
) func() datasource.DataSource {
	return func() datasource.DataSource {
		return &dataSource[State]{catalogueDataSource{name: name}, schema, read}
	}
}

func (d *dataSource[State]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.schema()
}

func (d *dataSource[State]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	state := new(State)
	client := d.readArguments(ctx, req, resp, state)
	if client == nil {
		return
	}
	before := client.TotalPause()
	d.read(ctx, &reader{&d.catalogueDataSource, client, &resp.Diagnostics}, state)
	if !resp.Diagnostics.HasError() {
		d.warnOfPauses(before, &resp.Diagnostics)
		setResult(ctx, resp, state)
	}
}

// reader is one read of a data source.
type reader struct {
	*catalogueDataSource
	client *catalogue.Client
	diags  *diag.Diagnostics
}

// fail ends the read with an error.
func (r *reader) fail(err error, about explain.Subject) {
	r.diags.Append(r.diagnose(err, about))
}

// diagnose says why one group could not be read, or does not have what the block asks for.
func (d *catalogueDataSource) diagnose(err error, about explain.Subject) diag.Diagnostic {
	if problem, ok := errors.AsType[*groupError](err); ok {
		return problem.on(path.Root(problem.argument))
	}
	return d.connection.explainer.Explain(err, typeName+"_"+d.name, about)
}

func (d *catalogueDataSource) Metadata(
	_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_" + d.name
}

func (d *catalogueDataSource) Configure(
	_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse,
) {
	d.connection, _ = req.ProviderData.(*connection) // nil to validate
}

// readArguments decodes the arguments of a block into its state, a pointer to a struct with
// tfsdk tags, and returns the client to read with. It is nil if resp says why.
func (d *catalogueDataSource) readArguments(
	ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse, state any,
) *catalogue.Client {
	// Only the arguments: decoding the other attributes, which are null, would take a
	// third of the time of a read.
	attributes, fields := req.Config.Schema.GetAttributes(), reflect.ValueOf(state).Elem()
	for _, field := range reflect.VisibleFields(fields.Type()) {
		name := field.Tag.Get("tfsdk")
		if attribute := attributes[name]; attribute != nil && (attribute.IsRequired() || attribute.IsOptional()) {
			target := fields.FieldByIndex(field.Index).Addr().Interface()
			resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(name), target)...)
		}
	}
	switch {
	case d.connection == nil:
		resp.Diagnostics.AddError(explain.SummaryNotConfigured, "The provider has no connection to the catalogue. Please "+
			"report this to the provider's developers.")
	case d.connection.client == nil:
		resp.Diagnostics.AddError(explain.SummaryUnknownArgument, fmt.Sprintf(unknownDetail,
			explain.Enumerated(d.connection.unknown)))
	case !resp.Diagnostics.HasError():
		return d.connection.client
	}
	return nil
}

const unknownDetail = "The provider has arguments whose values are known only after other changes are applied: %s. " +
	"Nothing can be read from the catalogue in this plan.\n\nGive values that are known at plan time, or apply what " +
	"they depend on first (with -target), or make this data source wait for the apply (with depends_on)."

// longPause is the shortest pause worth a warning: a plan that stands still says nothing by itself.
const longPause = time.Minute

// warnOfPauses warns, once in a process, of pauses that held back a successful read for a long time. before
// is how long pauses had held back the requests of the process when the read began.
func (d *catalogueDataSource) warnOfPauses(before time.Duration, diags *diag.Diagnostics) {
	held := (d.connection.client.TotalPause() - before).Round(time.Second)
	if held <= longPause {
		return
	}
	d.connection.warned.Do(func() {
		diags.AddWarning(explain.SummaryHeldBack, fmt.Sprintf("Pauses that the service asked for (status 429) held reads "+
			"back for %s while modelcatalogue_%s was read. This warning comes once in a run.\n\n"+
			"If you know the allowance of these credentials, set max_requests to it, or to a share of it for each run at the "+
			"same time: then requests are spread, and the service limits none. If the allowance is too small for this "+
			"configuration, ask those who run the service for a larger one.", explain.Duration(held), d.name))
	})
}

// groupError says why a group that was read does not have what a block asks for.
type groupError struct {
	argument string // the argument at fault: revision, docker_image or where
	summary  string
	detail   string
	short    string // the detail as a phrase about the group
	nothing  bool   // the group has no such model: it is left out if it was only listed
}

func (e *groupError) Error() string { return e.summary + ": " + e.detail }

func (e *groupError) on(at path.Path) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(at, e.summary, e.detail)
}
