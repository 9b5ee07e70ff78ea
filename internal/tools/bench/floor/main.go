// The floor of `make bench`: the provider under the same schema, except that a
// read returns bytes that were prepared in advance. What a plan costs with it
// is what the engine itself costs.
//
// With FLOOR_RECORD set it reads like the provider and prepares those bytes.
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
	factory := func() tfprotov6.ProviderServer {
		return &floor{ProviderServer: serve(), dir: os.Getenv("FLOOR_DIR"), record: os.Getenv("FLOOR_RECORD") != ""}
	}
	if err := tf6server.Serve(provider.Address, factory); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

type floor struct {
	tfprotov6.ProviderServer
	dir    string
	record bool
}

func (f *floor) ReadDataSource(
	ctx context.Context, req *tfprotov6.ReadDataSourceRequest,
) (*tfprotov6.ReadDataSourceResponse, error) {
	file := filepath.Join(f.dir, fmt.Sprintf("%s-%x", req.TypeName, sha256.Sum256(req.Config.MsgPack)))
	if !f.record {
		bytes, err := os.ReadFile(file) //nolint:gosec // a file of this very benchmark
		if err != nil {
			return nil, err
		}
		return &tfprotov6.ReadDataSourceResponse{State: &tfprotov6.DynamicValue{MsgPack: bytes}}, nil
	}
	resp, err := f.ProviderServer.ReadDataSource(ctx, req)
	if err != nil || resp.State == nil {
		return resp, err
	}
	return resp, os.WriteFile(file, resp.State.MsgPack, 0o600)
}
