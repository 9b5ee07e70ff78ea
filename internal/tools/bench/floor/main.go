// Command floor is a provider with the same schema. Its reads return bytes stored in the folder FLOOR_DIR, so a plan
// with it costs the engine's part only. Its first plan reads as the provider does, and stores the bytes.
package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider"
)

func main() {
	serve := provider.NewServer("floor")
	if err := tf6server.Serve(provider.Address, func() tfprotov6.ProviderServer { return floor{serve()} }); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

type floor struct{ tfprotov6.ProviderServer }

func (f floor) ReadDataSource(
	ctx context.Context, req *tfprotov6.ReadDataSourceRequest,
) (*tfprotov6.ReadDataSourceResponse, error) {
	file := filepath.Join(os.Getenv("FLOOR_DIR"), fmt.Sprintf("%s-%x", req.TypeName, sha256.Sum256(req.Config.MsgPack)))
	if prepared, err := os.ReadFile(file); err == nil { //nolint:gosec // a file of this very benchmark
		return &tfprotov6.ReadDataSourceResponse{State: &tfprotov6.DynamicValue{MsgPack: prepared}}, nil
	}
	resp, err := f.ProviderServer.ReadDataSource(ctx, req)
	if err != nil || resp.State == nil {
		return resp, err
	}
	return resp, os.WriteFile(file, resp.State.MsgPack, 0o600)
}
