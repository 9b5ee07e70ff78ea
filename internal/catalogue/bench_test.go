package catalogue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// modelsBody is an answer of so many models of the shape of the sandbox's
// richest.
func modelsBody(tb testing.TB, models int) []byte {
	tb.Helper()
	document, err := sandbox.New(sandbox.Default()).Publish(sandbox.MainGroup, nil)
	if err != nil {
		tb.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(document, &fields); err != nil {
		tb.Fatal(err)
	}
	list := make([]json.RawMessage, 0, models)
	for revision := range models {
		fields["id"], fields["revision"] = fmt.Sprintf("model-%d", revision), revision
		text, err := json.Marshal(fields)
		if err != nil {
			tb.Fatal(err)
		}
		list = append(list, text)
	}
	body, err := json.Marshal(list)
	if err != nil {
		tb.Fatal(err)
	}
	return body
}

func BenchmarkDecode(b *testing.B) {
	for _, models := range []int{1, 5000} {
		b.Run(fmt.Sprint(models), func(b *testing.B) {
			body := modelsBody(b, models)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decodeList[Model]("models")(bytes.NewReader(body), MaxBody); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
