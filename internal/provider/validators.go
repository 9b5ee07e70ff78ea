package provider

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
)

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
		resp.Diagnostics.AddAttributeError(req.Path, summaryInvalidID,
			fmt.Sprintf("The value cannot be the id of a model group: %s.", err))
	}
}

// notEmpty validates a string that may be left out, but not be empty.
type notEmpty struct{ summary string }

func (notEmpty) Description(context.Context) string { return "must not be empty" }

func (v notEmpty) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v notEmpty) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if value := req.ConfigValue; !value.IsNull() && !value.IsUnknown() && value.ValueString() == "" {
		resp.Diagnostics.AddAttributeError(req.Path, v.summary, "The value is empty. Give one, or null to leave the "+
			"argument out.")
	}
}

// idOrName validates, on id, that a block gives either that or name. An engine
// then points at the block's own arguments in both cases.
type idOrName struct{}

func (idOrName) Description(context.Context) string { return "must be given where name is not" }

func (v idOrName) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (idOrName) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	var name types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("name"), &name)...)
	switch id := req.ConfigValue; {
	case id.IsUnknown() || name.IsUnknown():
		// What is not known yet may turn out to be null.
	case id.IsNull() && name.IsNull():
		resp.Diagnostics.AddAttributeError(req.Path, summaryNoIDNorName,
			"The block does not say which model group to read. Give its id, or its exact name. The id is the safer "+
				"choice: several groups can have one name.")
	case !id.IsNull() && !name.IsNull():
		resp.Diagnostics.AddAttributeError(req.Path, summaryIDAndName,
			"A model group is read by its id or by its name. Leave out one of them: set it to null, or remove it.")
	}
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
		resp.Diagnostics.AddAttributeError(req.Path, summaryInvalidRevision, fmt.Sprintf("The value %s.", err))
	}
}

// wholeNumber is a number of a configuration that counts something. The
// framework's own whole numbers call 1.5 an error in the provider.
func wholeNumber(value types.Number) (int64, error) {
	if value.IsNull() || value.IsUnknown() {
		return 0, errors.New("must be given")
	}
	number := value.ValueBigFloat()
	whole, accuracy := number.Int64()
	switch {
	case !number.IsInt():
		return 0, fmt.Errorf("must be a whole number, not %s", number.Text('g', 20))
	case number.Sign() < 0:
		return 0, fmt.Errorf("must be at least 0, not %s", spelledWhole(number))
	case accuracy != big.Exact:
		return 0, fmt.Errorf("must be at most %d, not %s", int64(math.MaxInt64), spelledWhole(number))
	}
	return whole, nil
}

// spelledWhole is a whole number with all its digits, where a reader can use
// them.
func spelledWhole(number *big.Float) string {
	if number.MantExp(nil) > 256 {
		return number.Text('g', 20)
	}
	return number.Text('f', 0)
}
