package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// msgpackNil is null in MessagePack.
const msgpackNil = 0xc0

// CallFunction spells out an argument that is null where the engine sends nothing
// for it, as OpenTofu 1.12 does: the framework takes that for a fault.
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
