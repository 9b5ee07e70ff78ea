package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// connection is what Configure hands to the data sources: a client, or the
// arguments that keep the provider from having one.
type connection struct {
	client  *catalogue.Client
	limit   string // read_timeout, for messages
	unknown []string
	told    toldCauses
	// credentials are those in use: where each comes from, and not what it is.
	credentials []credential
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
		diags.AddError(summaryUnknownArgument, unknownDetail(d.connection.unknown))
	default:
		return d.connection.client, true
	}
	return nil, false
}

// unknownDetail says which of the provider's arguments have to wait for the apply.
func unknownDetail(arguments []string) string {
	have, give := "argument %s has a value that is", "it a value that is known at plan time, or apply what it comes"
	if len(arguments) > 1 {
		have, give = "arguments %s have values that are", "them values that are known at plan time, or apply what they come"
	}
	return joined(
		fmt.Sprintf("The provider "+have+" known only after other changes are applied, so nothing can be read from the "+
			"catalogue in this plan.", enumerated(arguments)),
		"Give "+give+" from first (with -target), or make this data source wait for the apply (with depends_on).")
}
