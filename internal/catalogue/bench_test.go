package catalogue

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// modelsBody is an answer of so many models, each the sandbox's richest.
func modelsBody(tb testing.TB, models int) string {
	tb.Helper()
	model, err := sandbox.New(sandbox.Default()).Publish(sandbox.MainGroup, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return "[" + strings.Repeat(string(model)+",", models-1) + string(model) + "]"
}

func BenchmarkDecode(b *testing.B) {
	for _, models := range []int{1, 5000} {
		b.Run(fmt.Sprint(models), func(b *testing.B) {
			body := modelsBody(b, models)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decodeList[Model]("models")(strings.NewReader(body), MaxBody); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
