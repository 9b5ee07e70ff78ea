package provider

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
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

func (d *catalogueDataSource) Metadata(
	_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_" + d.name
}

func (d *catalogueDataSource) Configure(
	_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse,
) {
	if req.ProviderData == nil {
		return // only to validate
	}
	connection, ok := req.ProviderData.(*connection)
	if !ok {
		resp.Diagnostics.AddError(explain.SummaryNotConfigured, fmt.Sprintf("A data source was given %T where it needs the "+
			"provider's connection. Please report this to the provider's developers.", req.ProviderData))
		return
	}
	d.connection = connection
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
		resp.Diagnostics.AddError(explain.SummaryUnknownArgument, unknownDetail(d.connection.unknown))
	case !resp.Diagnostics.HasError():
		return d.connection.client
	}
	return nil
}

// unknownDetail says which of the provider's arguments have to wait for the apply.
func unknownDetail(arguments []string) string {
	which, them := "argument "+arguments[0]+" has a value that is", "it a value that is"
	if len(arguments) > 1 {
		which, them = "arguments "+explain.Enumerated(arguments)+" have values that are", "them values that are"
	}
	return fmt.Sprintf("The provider %s known only after other changes are applied, so nothing can be read from the "+
		"catalogue in this plan.\n\nGive %s known at plan time, or apply what they depend on first (with -target), or make "+
		"this data source wait for the apply (with depends_on).", which, them)
}

// longPause is from when on pauses in one read are worth a warning: a plan that stands still says nothing by itself.
const longPause = time.Minute

// warnOfPauses warns, once in a process, of pauses that held back a successful read for a long time. before
// is how long pauses had held back the requests of the process when the read began.
func (d *catalogueDataSource) warnOfPauses(before time.Duration, diags *diag.Diagnostics) {
	held := (d.connection.client.Paused() - before).Round(time.Second)
	if held <= longPause || diags.HasError() {
		return
	}
	d.connection.warned.Do(func() {
		diags.AddWarning(explain.SummaryHeldBack, fmt.Sprintf("Pauses that the service asked for (status 429) held reads back "+
			"for %s while modelcatalogue_%s was read. This warning comes once in a run.\n\n"+
			"If you know the allowance of these credentials, set max_requests to it, or to a share of it for each run at the "+
			"same time: then requests are spread, and none is refused. If the allowance is too small for this "+
			"configuration, ask those who run the service for a larger one.", held, d.name))
	})
}

// groupError says why a group that was read does not have what a block asks for.
type groupError struct {
	argument string // the argument at fault: revision, docker_image or where
	summary  string
	detail   string
	short    string // the detail as a phrase about the group
	// nothing is true if the group has no such model. A group that was only
	// listed is left out then.
	nothing bool
}

func (e *groupError) Error() string { return e.summary + ": " + e.detail }

func (e *groupError) on(at path.Path) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(at, e.summary, e.detail)
}

// diagnose says why one group could not be read, or does not have what the block asks for.
func (d *catalogueDataSource) diagnose(err error, about explain.Subject) diag.Diagnostic {
	if problem, ok := errors.AsType[*groupError](err); ok {
		return problem.on(path.Root(problem.argument))
	}
	return d.connection.explainer.Explain(err, typeName+"_"+d.name, about)
}
