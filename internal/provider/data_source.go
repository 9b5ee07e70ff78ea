package provider

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

// connection is what Configure hands to the data sources: a client, or the
// arguments that keep the provider from having one.
type connection struct {
	client  *catalogue.Client
	unknown []string
}

// catalogueDataSource is what every data source shares.
type catalogueDataSource struct {
	name       string
	connection *connection
}

func (d *catalogueDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + d.name
}

func (d *catalogueDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	if req.ProviderData == nil {
		return // validation alone
	}
	connection, ok := req.ProviderData.(*connection)
	if !ok {
		resp.Diagnostics.AddError("Provider not configured", fmt.Sprintf("A data source was given %T where it needs the provider's connection. Please report this to the provider's developers.", req.ProviderData))
		return
	}
	d.connection = connection
}

// client returns the client to read with, or adds why there is none.
func (d *catalogueDataSource) client(diags *diag.Diagnostics) (*catalogue.Client, bool) {
	switch {
	case d.connection == nil:
		diags.AddError("Provider not configured", "The provider has no connection to the catalogue. Please report this to the provider's developers.")
	case d.connection.client == nil:
		names := strings.Join(d.connection.unknown, ", ")
		diags.AddError("Provider argument not known yet",
			fmt.Sprintf("The provider argument %s has a value that is known only after other changes are applied, so nothing can be read from the catalogue in this plan.\n\n"+
				"Give %s a value that is known at plan time, or apply what it comes from first (with -target), or make this data source wait for the apply (with depends_on).", names, names))
	default:
		return d.connection.client, true
	}
	return nil, false
}

// text is a Go string as attributes hold it.
func text[S ~string](value S) *string {
	s := string(value)
	return &s
}

// list maps a list that is never null: one that the service left out is empty.
func list[From, To any](from []*From, each func(*From) *To) []*To {
	to := make([]*To, 0, len(from))
	for _, element := range from {
		if element == nil {
			to = append(to, nil)
			continue
		}
		to = append(to, each(element))
	}
	return to
}

// scalars spells the values of a list as strings.
func scalars(from []*catalogue.Scalar) []*string {
	return list(from, func(value *catalogue.Scalar) *string { return (*string)(value) })
}

// identifier validates the id of a model group.
type identifier struct{}

func (identifier) Description(context.Context) string {
	return "must not be empty, \".\" or \"..\", and must not have control characters in it"
}

func (v identifier) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (identifier) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := catalogue.CheckID(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid model group id",
			fmt.Sprintf("The value cannot be the id of a model group: %s.", err))
	}
}

// wholeNumber is a number of a configuration that counts something. The
// framework's own whole numbers call 1.5 an error in the provider.
func wholeNumber(value types.Number) (int64, error) {
	number := value.ValueBigFloat()
	whole, accuracy := number.Int64()
	switch {
	case !number.IsInt():
		return 0, fmt.Errorf("must be a whole number, and %s is none", number.Text('g', 20))
	case number.Sign() < 0:
		return 0, fmt.Errorf("must be at least 0, and is %s", number.Text('f', 0))
	case accuracy != big.Exact:
		return 0, fmt.Errorf("must be a number of 64 bits, and %s is larger", number.Text('g', 20))
	}
	return whole, nil
}

// countOf validates a number that counts something.
type countOf struct{}

func (countOf) Description(context.Context) string { return "must be a whole number of at least 0" }

func (v countOf) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (countOf) ValidateNumber(_ context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if _, err := wholeNumber(req.ConfigValue); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+req.Path.String(), fmt.Sprintf("The value %s.", err))
	}
}

// modelGroupIDAttribute is the argument of every data source that reads below
// one group.
func modelGroupIDAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: "The id of the model group to read.",
		Required:            true,
		Validators:          []validator.String{identifier{}},
	}
}
