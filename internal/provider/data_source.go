package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// connection is what Configure hands to the data sources: a client, or the
// arguments that keep the provider from having one.
type connection struct {
	client  *catalogue.Client
	unknown []string
	told    toldCauses
	// spaced are the credentials that have white space around them.
	spaced []string
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
		resp.Diagnostics.AddError(summaryNotConfigured, fmt.Sprintf("A data source was given %T where it needs the "+
			"provider's connection. Please report this to the provider's developers.", req.ProviderData))
		return
	}
	d.connection = connection
}

// client returns the client to read with, or adds why there is none.
func (d *catalogueDataSource) client(diags *diag.Diagnostics) (*catalogue.Client, bool) {
	switch {
	case d.connection == nil:
		diags.AddError(summaryNotConfigured, "The provider has no connection to the catalogue. Please report this to "+
			"the provider's developers.")
	case d.connection.client == nil:
		names := strings.Join(d.connection.unknown, ", ")
		diags.AddError(summaryUnknownArgument,
			fmt.Sprintf("The provider argument %s has a value that is known only after other changes are applied, so "+
				"nothing can be read from the catalogue in this plan.\n\n"+
				"Give %s a value that is known at plan time, or apply what it comes from first (with -target), or "+
				"make this data source wait for the apply (with depends_on).", names, names))
	default:
		return d.connection.client, true
	}
	return nil, false
}

// explainRead says why one group could not be read, or has not what the block
// asks for.
func (d *catalogueDataSource) explainRead(err error, about subject) diag.Diagnostic {
	if problem, ok := errors.AsType[*groupError](err); ok {
		return diag.NewAttributeErrorDiagnostic(path.Root(problem.argument), problem.summary, problem.detail)
	}
	return d.diagnose(err, about)
}
