//go:build !race

// Under the race detector sync.Pool forgets at random, so allocations do not measure the decoder.

package catalogue

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// An ordinary list takes a small multiple of its text, which is never held whole. Unknown fields cost what they hold, and
// very many members of an object are not sorted, which would take many times the text.
//
//nolint:paralleltest // it counts what the whole process allocates
func TestWhatDecodingAllocates(t *testing.T) {
	var members strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&members, `"key-%d":%d,`, i, i)
	}
	spaced := strings.ReplaceAll(members.String(), ":", " : ")
	for name, test := range map[string]struct {
		body string
		most float64 // times the text
	}{
		"ordinary models":           {strings.ReplaceAll(modelsBody(t, 200), "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01", "g"), 3},
		"very many members":         {`[{"id":"a","revision":1,"modelMetadata":{` + members.String() + `"z":0}}]`, 14},
		"very many, and spaces":     {`[{"id":"a","revision":1,"modelMetadata":{` + spaced + `"z":0}}]`, 14},
		"very many, unknown fields": {`[{"id":"a","revision":1,"new":{` + members.String() + `"z":0}}]`, 14},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := decodeText(bodyModels, test.body)
		runtime.ReadMemStats(&after)
		times := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(test.body))
		t.Logf("%s: %.1f times the text", name, times)
		if err != nil || times > test.most {
			t.Errorf("%s: %.1f times the text was allocated, %v", name, times, err)
		}
	}
}
