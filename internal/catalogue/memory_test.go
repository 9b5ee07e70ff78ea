//go:build !race

// Under the race detector sync.Pool forgets at random, so that what is allocated says nothing about the decoder.

package catalogue

import (
	"errors"
	"runtime"
	"strings"
	"testing"
)

// TestDecodeKeepsMemoryWithinASmallMultipleOfTheLimit decodes bodies of few
// bytes that become much. What is allocated includes what is free again.
//
//nolint:paralleltest // it counts what the whole process allocates
func TestDecodeKeepsMemoryWithinASmallMultipleOfTheLimit(t *testing.T) {
	const limit = 4 << 20
	fillTo := func(size int, before, each, after string) string {
		return before + strings.Repeat(each, (size-len(before)-len(after))/len(each)) + after
	}
	fill := func(before, each, after string) string { return fillTo(limit, before, each, after) }
	model := `{"id":"a","revision":1,`
	for _, body := range []string{
		fill(`[`, `{},`, `{}]`),
		fill(`[`, `null,`, `null]`),
		fill(`[`, `{"id":"","revision":0},`, `{"id":"","revision":0}]`),
		fill(`[`+model+`"axes":[`, `{},`, `{}]}]`),
		fill(`[`+model+`"axes":[`, `null,`, `null]}]`),
		fill(`[`+model+`"datasets":[`, `{},`, `{}]}]`),
		fill(`[`+model+`"datasets":[`, `{"id":""},`, `{}]}]`),
		fill(`[`+model+`"inputs":[`, `{},`, `{}]}]`),
		fill(`[`+model+`"outputVariables":[`, `{},`, `{}]}]`),
		fill(`[`+model+`"outputVariables":[`, `{"colours":[0]},`, `{}]}]`),
		fill(`[`+model+`"outputSpecification":[`, `0,`, `0]}]`),
		fill(`[`+model+`"outputSpecification":[`, `[],`, `0]}]`),
		fill(`[`+model+`"outputSpecification":[`, `9e1000,`, `0]}]`),
		fill(`[`+model+`"tags":[`, `"",`, `""]}]`),
		fill(`[`+model, `"tags":[],`, `"tags":[""]}]`),
		fill(`[`+model, `"horizon":{},`, `"tags":[""]}]`),
		fill(`[`+model+`"name":"`, `x`, `"}]`),
		fill(`[`+model+`"modelMetadata":{"a":"`, `x`, `"}}]`),
		// Each byte that is no UTF-8 is replaced by three. These are just let through.
		fillTo(limit*26/100, `[`+model+`"name":"`, "\xff", `"}]`),
		fillTo(limit*26/100, `[`+model+`"modelMetadata":{"a":"`, "\xff", `"}}]`),
		fillTo(limit*26/100, `[`+model+`"inputs":[{"id":"`, "\xff", `"}]}]`),
		fillTo(limit*26/100, `[`+model+`"outputSpecification":["`, "\xff", `"]}]`),
		fillTo(limit*49/100, `[`+model+`"modelMetadata":{"`, "\xffx", `":0}}]`),
		fillTo(limit*49/100, `[`+model+`"inputs":[{"id":"`, "\xffx", `"}]}]`),
		fill(`[`+model+`"inputs":[{"id":"`, "\xff", `"}]}]`),
		fill(`[`+model+`"inputs":[{"id":"`, "\xffx", `"}]}]`),
		fill(`[`+model+`"modelMetadata":{`, `"b":0,"a":0,`, `"":0}}]`),
		fill(`[`+model+`"modelMetadata":{"a":[`, `{"b":0,"a":0},`, `0]}}]`),
		fill(`[`+model+`"unknown":{"a":[`, `{"b":0,"a":0},`, `0]}}]`),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := decoders[bodyModels](strings.NewReader(body), limit)
		runtime.ReadMemStats(&after)
		allocated := float64(after.TotalAlloc-before.TotalAlloc) / limit
		if allocated > 16 {
			t.Errorf("%.1f times the limit was allocated for %.60s", allocated, body)
		}
		var tooLarge *TooLargeError
		var shape *shapeError
		if err != nil && !errors.As(err, &shape) && (!errors.As(err, &tooLarge) || !tooLarge.InMemory || tooLarge.Limit != maxGrowth*limit ||
			!strings.HasSuffix(err.Error(), "bytes of memory")) {
			t.Errorf("%v: %.60s", err, body)
		}
	}
}
