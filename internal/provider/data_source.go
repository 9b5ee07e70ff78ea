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
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/redact"
)

// connection is what Configure passes to the data sources: a client, or the names of unknown arguments that prevent
// one.
type connection struct {
	client    *catalogue.Client
	moment    time.Time // the clock of where for the whole run; zero if each block uses its own
	unknown   []string
	explainer *explain.Explainer
	blocks    progress
	warned    atomic.Bool // of pauses
}

// dataSource is a data source with arguments and results in a State, a struct with tfsdk tags.
type dataSource[State any] struct {
	name       string
	connection *connection
	schema     func() schema.Schema
	read       func(context.Context, *blockRead, *State) // fills in the results or adds an error
}

// dataSourceOf returns the constructor of a data source.
func dataSourceOf[State any](
	name string, describe func() schema.Schema, read func(context.Context, *blockRead, *State),
) func() datasource.DataSource {
	return func() datasource.DataSource {
		return &dataSource[State]{name: typeName + "_" + name, schema: describe, read: read}
	}
}

func (d *dataSource[State]) Metadata(
	_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse,
) {
	resp.TypeName = d.name
}

func (d *dataSource[State]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.schema()
}

func (d *dataSource[State]) Configure(
	_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse,
) {
	d.connection, _ = req.ProviderData.(*connection) // nil during validation
}

func (d *dataSource[State]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	if d.connection == nil {
		resp.Diagnostics.AddError(explain.SummaryNotConfigured, "The provider is not connected to the catalogue. "+
			"Please report this to the provider's developers.")
		return
	}
	state, r := new(State), &blockRead{d.connection, d.name, &resp.Diagnostics}
	r.decodeArguments(ctx, req.Config, state)
	if r.client == nil {
		r.diags.Append(r.notKnownYet())
	}
	if r.diags.HasError() {
		return
	}
	r.blocks.begin()
	d.read(context.WithValue(ctx, progressKey{}, &r.blocks), r, state)
	isRead := !r.diags.HasError()
	next := r.blocks.end(isRead)
	if isRead {
		r.warnOfPauses(ctx, next, r.diags)
		setResult(ctx, resp, state)
	}
}

// blockRead is one read of a data source.
type blockRead struct {
	*connection
	dataSource string
	diags      *diag.Diagnostics
}

// decodeArguments decodes the arguments of a block into its state, a pointer to a struct with tfsdk tags. It skips
// attributes that are only computed, which are null: decoding them would take a third of a read's time.
func (r *blockRead) decodeArguments(ctx context.Context, config tfsdk.Config, state any) {
	attributes, blocks := config.Schema.GetAttributes(), config.Schema.GetBlocks()
	fields := reflect.ValueOf(state).Elem()
	for _, field := range reflect.VisibleFields(fields.Type()) {
		name := field.Tag.Get("tfsdk")
		attribute := attributes[name]
		if blocks[name] != nil || attribute != nil && (attribute.IsRequired() || attribute.IsOptional()) {
			target := fields.FieldByIndex(field.Index).Addr().Interface()
			r.diags.Append(config.GetAttribute(ctx, path.Root(name), target)...)
		}
	}
}

// notKnownYet returns the error of every read in a plan that cannot configure the client yet.
func (r *blockRead) notKnownYet() diag.Diagnostic {
	unknown := explain.Enumerated(r.unknown)
	return r.explainer.Tell(explain.Problem{
		Summary: explain.SummaryUnknownArgument,
		Detail: fmt.Sprintf("The provider has arguments whose values are known only after other changes are applied: "+
			"%s. Nothing can be read from the catalogue in this plan.\n\nGive values that are known at plan time, or "+
			"apply what they depend on first (with -target), or make this data source wait for the apply (with "+
			"depends_on).", unknown),
		Source: r.dataSource,
		Cause:  explain.SummaryUnknownArgument,
		Short:  "Not known yet: " + unknown + ".",
	}).Diagnostic()
}

// modelGroups lists model groups and records their ids, so that a later error can suggest one in a different case.
func (r *blockRead) modelGroups(ctx context.Context, horizon string) ([]*catalogue.ModelGroup, error) {
	groups, err := r.client.ModelGroups(ctx, horizon)
	for _, group := range groups {
		r.explainer.Know(orZero(group.ID))
	}
	return groups, err
}

// fail ends the read with an error.
func (r *blockRead) fail(err error, about explain.Subject) {
	r.tell(r.problem(err, about), "")
}

// tell adds a problem, in full or as a pointer to the first message of its cause, followed by more in both cases. It
// masks credentials in quotes: any field of a record may repeat one from the request.
func (r *blockRead) tell(problem explain.Problem, more string) {
	problem.Short = r.client.CleanQuotes(problem.Short)
	problem = r.explainer.Tell(problem)
	problem.Detail = r.client.CleanQuotes(explain.Paragraphs(problem.Detail, more))
	r.diags.Append(problem.Diagnostic())
}

// warn adds a warning, on an argument unless the path is empty.
func (r *blockRead) warn(at path.Path, summary, detail string) {
	detail = r.client.CleanQuotes(detail)
	if len(at.Steps()) == 0 {
		r.diags.AddWarning(summary, detail)
		return
	}
	r.diags.AddAttributeWarning(at, summary, detail)
}

// problem explains why a group could not be read, or does not meet the block's arguments.
func (r *blockRead) problem(err error, about explain.Subject) explain.Problem {
	p := r.explainer.Explain(err, about)
	if lacking, ok := errors.AsType[*groupError](err); ok {
		p = lacking.problem(r.client, about.Value)
	}
	p.Source = explain.Source(r.dataSource, about.Value)
	if errors.Is(err, context.Canceled) {
		p.Detail = explain.Paragraphs(p.Detail, r.blocks.sentence())
	}
	return p
}

// groupError is the error for a group whose answers do not meet a block's arguments.
type groupError struct {
	summary string
	path    path.Path
	detail  string
	phrase  string // the detail as a phrase about the group; if empty, each message repeats the detail
	short   string // replaces the phrase in later messages of the same cause, if not empty
	nothing bool   // no model matches: a group that was only listed is left out
}

func (e *groupError) Error() string { return e.summary + ": " + e.detail }

// problem returns the error of a group as a problem. It masks the short text before shortening it: a quote cut in half
// would not be recognised as one.
func (e *groupError) problem(client *catalogue.Client, group string) explain.Problem {
	p := explain.Problem{Summary: e.summary, Detail: e.detail, Path: e.path}
	if e.phrase != "" {
		p.Cause = e.summary
		brief := fmt.Sprintf("Model group %q: %s.", explain.ShortID(group), e.phrase)
		p.Short = cmp.Or(e.short, redact.Shorten(client.CleanQuotes(brief), explain.MaxShort))
	}
	return p
}
