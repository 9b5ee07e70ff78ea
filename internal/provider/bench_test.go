package provider

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// manyModels returns that many models with every field set.
func manyModels(b *testing.B, count int) []*catalogue.Model {
	b.Helper()
	document, err := sandbox.New(sandbox.Default()).Publish(mainGroup, nil)
	if err != nil {
		b.Fatal(err)
	}
	models := make([]*catalogue.Model, 0, count)
	for revision := range count {
		model := new(catalogue.Model)
		if err := json.Unmarshal(document, model); err != nil {
			b.Fatal(err)
		}
		*model.Revision = catalogue.Integer(revision)
		models = append(models, model)
	}
	return models
}

func BenchmarkMap(b *testing.B) {
	for _, count := range []int{1, 5000} {
		models := manyModels(b, count)
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sortedModelStates(models, nil)
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, count := range []int{1, 5000} {
		state := &modelGroupModelsState{Models: sortedModelStates(manyModels(b, count), nil)}
		encoder, err := encoderFor(reflect.TypeOf(state), typeOf("model_group_models"))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := encoder.Encode(state, maxState); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRead reads one block whose answer is kept already, so it measures the framework and the provider only.
func BenchmarkRead(b *testing.B) {
	service := sandbox.New(sandbox.Default())
	e := newEngine(b, northwind(sandboxtest.Start(b, service)))
	config := arguments{"model_group_id": mainGroup}.value(b, typeOf("latest_model"))
	request := &tfprotov6.ReadDataSourceRequest{TypeName: typeName + "_latest_model", Config: config}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.server.ReadDataSource(b.Context(), request); err != nil {
			b.Fatal(err)
		}
	}
}
