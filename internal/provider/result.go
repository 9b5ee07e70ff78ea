package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// outbox is where a Read leaves its result for the server.
type outbox struct {
	result   any
	typ      tftypes.Type
	provided bool
}

type outboxKey struct{}

// setResult makes result, a struct with tfsdk tags, the state of a read. The
// provider's own server encodes it; under any other server the framework does.
func setResult(ctx context.Context, resp *datasource.ReadResponse, result any) {
	box, ok := ctx.Value(outboxKey{}).(*outbox)
	if !ok {
		resp.Diagnostics.Append(resp.State.Set(ctx, result)...)
		return
	}
	typ := resp.State.Schema.Type().TerraformType(ctx)
	*box = outbox{result: result, typ: typ, provided: true}
	// The framework still walks the state that it would send. Walking null costs
	// the least.
	resp.State.Raw = tftypes.NewValue(typ, nil)
}
