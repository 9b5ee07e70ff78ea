package acctest_test

import (
	"context"
	_ "embed" // the table
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"go.yaml.in/yaml/v4"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/provider"
)

// reviewedDigest is the digest in the examples, so the stand-in for a registry returns it.
const reviewedDigest = "sha256:6d5e0178bd860172dfb9834d43bcd4e88f89ce4523df7b831877d244a7718f11"

//go:embed testdata/providers.yaml
var documented []byte

// standIn replaces a provider that tests cannot download. Its schema follows that provider's documentation, so an
// engine validates configurations. Its resources can be planned, but not applied.
type standIn struct {
	tfprotov6.ProviderServer // for calls without a schema

	provider        *tfprotov6.Schema
	resources, data map[string]*tfprotov6.Schema
}

// serveStandIn serves the provider of the table whose name this process was started under, if any.
func serveStandIn() error {
	name, ok := strings.CutPrefix(filepath.Base(os.Args[0]), "terraform-provider-")
	if !ok {
		return nil
	}
	for source, tables := range standIns() {
		if filepath.Base(source) == name {
			server := newStandIn(tables)
			err := tf6server.Serve("registry.terraform.io/"+source, func() tfprotov6.ProviderServer { return server })
			if err == nil {
				os.Exit(0)
			}
			return err
		}
	}
	return nil
}

// standIns returns the table, by source and then by kind and name.
func standIns() map[string]map[string]map[string]any {
	var found map[string]map[string]map[string]any
	if err := yaml.Unmarshal(documented, &found); err != nil {
		panic(err)
	}
	return found
}

func newStandIn(tables map[string]map[string]any) *standIn {
	s := &standIn{
		ProviderServer: provider.NewServer("stand-in")(),
		resources:      map[string]*tfprotov6.Schema{},
		data:           map[string]*tfprotov6.Schema{},
	}
	for what, fields := range tables {
		schema := &tfprotov6.Schema{Block: blockOf(fields)}
		switch kind, name, _ := strings.Cut(what, " "); kind {
		case "resource":
			s.resources[name] = schema
		case "data":
			s.data[name] = schema
		default:
			s.provider = schema
		}
	}
	return s
}

// occurrences maps a suffix to the least and the largest number of blocks; 0 is unlimited.
var occurrences = map[string][2]int64{"[1]": {1, 1}, "[?]": {0, 1}, "[*]": {0, 0}, "{*}": {0, 0}}

var typesOfAttributes = map[string]tftypes.Type{
	"string": tftypes.String,
	"number": tftypes.Number,
	"bool":   tftypes.Bool,
	"map":    tftypes.Map{ElementType: tftypes.String},
	"list":   tftypes.List{ElementType: tftypes.String},
	"set":    tftypes.Set{ElementType: tftypes.String},
}

func blockOf(fields map[string]any) *tfprotov6.SchemaBlock {
	block := &tfprotov6.SchemaBlock{}
	for name, field := range fields {
		if nested, ok := field.(map[string]any); ok {
			name, times, _ := strings.Cut(name, " ")
			limits, nesting := occurrences[times], tfprotov6.SchemaNestedBlockNestingModeList
			if times == "{*}" {
				nesting = tfprotov6.SchemaNestedBlockNestingModeSet
			}
			block.BlockTypes = append(block.BlockTypes, &tfprotov6.SchemaNestedBlock{
				TypeName: name,
				Block:    blockOf(nested),
				Nesting:  nesting,
				MinItems: limits[0],
				MaxItems: limits[1],
			})
			continue
		}
		words := strings.Fields(fmt.Sprint(field))
		attribute := &tfprotov6.SchemaAttribute{Name: name, Type: typesOfAttributes[words[len(words)-1]]}
		for _, word := range words[:len(words)-1] {
			attribute.Required = attribute.Required || word == "required"
			attribute.Optional = attribute.Optional || word == "optional"
			attribute.Computed = attribute.Computed || word == "computed"
			attribute.Sensitive = attribute.Sensitive || word == "sensitive"
		}
		block.Attributes = append(block.Attributes, attribute)
	}
	return block
}

// filled replaces each null in a computed attribute by a value.
func filled(block *tfprotov6.SchemaBlock, value tftypes.Value, with func(tfprotov6.SchemaAttribute) any) tftypes.Value {
	var fields map[string]tftypes.Value
	if value.IsNull() || !value.IsKnown() || value.As(&fields) != nil {
		return value
	}
	for _, attribute := range block.Attributes {
		if attribute.Computed && fields[attribute.Name].IsNull() {
			fields[attribute.Name] = tftypes.NewValue(attribute.Type, with(*attribute))
		}
	}
	for _, nested := range block.BlockTypes {
		var elements []tftypes.Value
		if list := fields[nested.TypeName]; list.IsKnown() && list.As(&elements) == nil {
			for i := range elements {
				elements[i] = filled(nested.Block, elements[i], with)
			}
			fields[nested.TypeName] = tftypes.NewValue(list.Type(), elements)
		}
	}
	return tftypes.NewValue(value.Type(), fields)
}

func unknown(tfprotov6.SchemaAttribute) any { return tftypes.UnknownValue }

func madeUp(attribute tfprotov6.SchemaAttribute) any {
	if attribute.Name == "sha256_digest" {
		return reviewedDigest
	}
	return "made up"
}

// complete decodes a value, fills computed attributes, and encodes it again.
func complete(
	schema *tfprotov6.Schema, value *tfprotov6.DynamicValue, with func(tfprotov6.SchemaAttribute) any,
) (*tfprotov6.DynamicValue, error) {
	decoded, err := value.Unmarshal(schema.ValueType())
	if err != nil {
		return nil, err
	}
	encoded, err := tfprotov6.NewDynamicValue(schema.ValueType(), filled(schema.Block, decoded, with))
	return &encoded, err
}

func (s *standIn) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return &tfprotov6.GetProviderSchemaResponse{Provider: s.provider, ResourceSchemas: s.resources, DataSourceSchemas: s.data}, nil
}

func (s *standIn) ValidateProviderConfig(
	_ context.Context, req *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: req.Config}, nil
}

func (s *standIn) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

func (s *standIn) ValidateResourceConfig(
	context.Context, *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (s *standIn) ValidateDataResourceConfig(
	context.Context, *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return &tfprotov6.ValidateDataResourceConfigResponse{}, nil
}

func (s *standIn) ReadDataSource(_ context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	state, err := complete(s.data[req.TypeName], req.Config, madeUp)
	return &tfprotov6.ReadDataSourceResponse{State: state}, err
}

func (s *standIn) PlanResourceChange(
	_ context.Context, req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	plan, err := complete(s.resources[req.TypeName], req.ProposedNewState, unknown)
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: plan}, err
}
