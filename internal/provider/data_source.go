package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// connection is the result of Configure for the data sources: a client, or the arguments that keep the provider from
// having one.
type connection struct {
	client    *catalogue.Client
	moment    time.Time // at which conditions hold for every block of the run, zero if each block has its own
	unknown   []string
	explainer *explain.Explainer
	blocks    progress
	warned    atomic.Bool // of pauses
}

// now returns the moment at which the conditions of a block hold.
func (c *connection) now() time.Time {
	if c.moment.IsZero() {
		return time.Now()
	}
	return c.moment
}

// catalogueDataSource is the common part of all data sources.
type catalogueDataSource struct {
	name       string
	connection *connection
}

// dataSource is a data source with arguments and results in a State, a struct with tfsdk tags.
type dataSource[State any] struct {
	catalogueDataSource
	schema func() schema.Schema
	read   func(context.Context, *blockRead, *State) // fills the results in, or adds an error
}

// dataSourceOf returns the constructor of a data source.
func dataSourceOf[State any](
	name string, describe func() schema.Schema, read func(context.Context, *blockRead, *State),
) func() datasource.DataSource {
	return func() datasource.DataSource {
		return &dataSource[State]{catalogueDataSource{name: name}, describe, read}
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
	all := &d.connection.blocks
	all.begin()
	counted := context.WithValue(ctx, progressKey{}, all)
	d.read(counted, &blockRead{&d.catalogueDataSource, client, &resp.Diagnostics}, state)
	hasError := resp.Diagnostics.HasError()
	next := all.end(!hasError)
	if hasError {
		return
	}
	d.connection.warnOfPauses(ctx, next, &resp.Diagnostics)
	setResult(ctx, resp, state)
}

// blockRead is one read of a data source.
type blockRead struct {
	*catalogueDataSource
	client *catalogue.Client
	diags  *diag.Diagnostics
}

// modelGroups lists model groups. An error about an id that is not found can name one of them from then on.
func (r *blockRead) modelGroups(ctx context.Context, horizon string) ([]*catalogue.ModelGroup, error) {
	groups, err := r.client.ModelGroups(ctx, horizon)
	for _, group := range groups {
		r.connection.explainer.Know(orZero(group.ID))
	}
	return groups, err
}

// fail ends the read with an error.
func (r *blockRead) fail(err error, about explain.Subject) {
	r.tell(r.problem(err, about), "")
}

// tell adds a problem, in full or with a pointer to where it was told, followed in both cases by more. It may quote a
// field of a record, in which a service may repeat text from the request.
func (r *blockRead) tell(problem explain.Problem, more string) {
	problem.Short = r.client.Clean(problem.Short)
	problem = r.connection.explainer.Tell(problem)
	problem.Detail = r.client.Clean(explain.Paragraphs(problem.Detail, more))
	r.diags.Append(problem.Diagnostic())
}

// warn adds a warning. With the empty path it is not about an argument.
func (r *blockRead) warn(at path.Path, summary, detail string) {
	detail = r.client.Clean(detail)
	if len(at.Steps()) == 0 {
		r.diags.AddWarning(summary, detail)
		return
	}
	r.diags.AddAttributeWarning(at, summary, detail)
}

// problem says why one group could not be read, or does not meet the block's arguments.
func (d *catalogueDataSource) problem(err error, about explain.Subject) explain.Problem {
	p := d.connection.explainer.Explain(err, about)
	if lacking, ok := errors.AsType[*groupError](err); ok {
		p = lacking.problem(about.Value)
	}
	p.Source = explain.Source(d.fullName(), about.Value)
	if errors.Is(err, context.Canceled) {
		p.Detail = explain.Paragraphs(p.Detail, d.connection.blocks.sentence())
	}
	return p
}

func (d *catalogueDataSource) fullName() string { return typeName + "_" + d.name }

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

// readArguments decodes the arguments of a block into its state, a pointer to a struct with tfsdk tags, and returns the
// client to read with. It is nil if resp says why.
func (d *catalogueDataSource) readArguments(
	ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse, state any,
) *catalogue.Client {
	// Only the arguments: decoding the other attributes, which are null, would take a third of the time of a read.
	attributes, blocks := req.Config.Schema.GetAttributes(), req.Config.Schema.GetBlocks()
	fields := reflect.ValueOf(state).Elem()
	for _, field := range reflect.VisibleFields(fields.Type()) {
		name := field.Tag.Get("tfsdk")
		attribute := attributes[name]
		isArgument := attribute != nil && (attribute.IsRequired() || attribute.IsOptional())
		if blocks[name] != nil || isArgument {
			target := fields.FieldByIndex(field.Index).Addr().Interface()
			resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(name), target)...)
		}
	}
	switch {
	case d.connection == nil:
		resp.Diagnostics.AddError(explain.SummaryNotConfigured, "The provider is not connected to the catalogue. "+
			"Please report this to the provider's developers.")
	case d.connection.client == nil:
		resp.Diagnostics.Append(d.notKnownYet())
	case !resp.Diagnostics.HasError():
		return d.connection.client
	}
	return nil
}

// notKnownYet says that this plan cannot configure the client. Every block that the plan reads fails with it.
func (d *catalogueDataSource) notKnownYet() diag.Diagnostic {
	unknown := explain.Enumerated(d.connection.unknown)
	return d.connection.explainer.Tell(explain.Problem{
		Summary: explain.SummaryUnknownArgument,
		Detail: fmt.Sprintf("The provider has arguments whose values are known only after other changes are applied: "+
			"%s. Nothing can be read from the catalogue in this plan.\n\nGive values that are known at plan time, or "+
			"apply what they depend on first (with -target), or make this data source wait for the apply (with "+
			"depends_on).", unknown),
		Source: d.fullName(),
		Cause:  explain.SummaryUnknownArgument,
		Short:  "Not known yet: " + unknown + ".",
	}).Diagnostic()
}

// groupError says why a group that was read does not meet a block's arguments.
type groupError struct {
	summary string
	path    path.Path
	detail  string
	phrase  string // the detail as a phrase about the group; empty if it is to be told in full each time
	short   string // what a later message says in its place, "" for the phrase
	nothing bool   // the group lacks the model: it is left out if it was only listed
}

func (e *groupError) Error() string { return e.summary + ": " + e.detail }

// problem returns what the error says of a group.
func (e *groupError) problem(group string) explain.Problem {
	p := explain.Problem{Summary: e.summary, Detail: e.detail, Path: e.path}
	if e.phrase != "" {
		p.Cause = e.summary
		brief := fmt.Sprintf("Model group %q: %s.", explain.ShortID(group), e.phrase)
		p.Short = cmp.Or(e.short, redact.Shorten(brief, explain.MaxShort))
	}
	return p
}
