package provider

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// linesOf returns how many lines an engine prints of a detail: 77 columns are its width without a terminal.
func linesOf(detail string) int {
	lines := 0
	for line := range strings.SplitSeq(detail, "\n") {
		lines++
		column := 0
		for word := range strings.SplitSeq(line, " ") {
			if width := len([]rune(word)); column > 0 && column+1+width > 77 {
				lines++
				column = width
			} else {
				column += 1 + width
			}
		}
	}
	return lines
}

// uuid returns an id of the usual form, which no group has.
func uuid(i int) string { return fmt.Sprintf("%08d-4b8e-4f0e-9a43-2f6f5f1f8a01", i) }

// TestThreeHundredBlocksThatFailAlike: one has the full text. An engine adds seven lines to each, and prints 300 errors.
func TestThreeHundredBlocksThatFailAlike(t *testing.T) {
	t.Parallel()
	group := func(i int) reading { return reading{"model_group", arguments{"id": uuid(i)}} }
	for name, test := range map[string]struct {
		block   func(int) reading
		more    arguments
		fault   sandbox.Fault
		summary string
		each    int // lines
	}{
		"wrong ids of latest models": {
			block:   func(i int) reading { return reading{"latest_model", arguments{"model_group_id": uuid(i)}} },
			summary: explain.SummaryGroupOrModels,
			each:    4,
		},
		"many words about each group": {
			block: group,
			fault: sandbox.Fault{
				Route: sandbox.RouteGroup,
				Mutate: func(_ int, header http.Header, body []byte) (int, http.Header, []byte) {
					return 409, header, bytes.Replace(body, []byte(`\".`), []byte(strings.Repeat(" many words", 20)), 1)
				},
			},
			summary: explain.SummaryNotAnswered,
			each:    4,
		},
		"a field of another type in every group": {
			block:   group,
			fault:   sandbox.Fault{Route: sandbox.RouteGroup, Status: 200, Body: `{"id":"a","name":7}`},
			summary: explain.SummaryUnexpected,
			each:    3,
		},
		"images that differ": {
			block: func(i int) reading {
				image := fmt.Sprintf("registry.example/a/long/path/of/the/image/of/a/model/%d:1.0.0", i)
				return reading{"model", arguments{"model_group_id": mainGroup, "revision": 1, "docker_image": image}}
			},
			summary: explain.SummaryImageDiffers,
			each:    4,
		},
		"conditions that no model satisfies": {
			block: func(i int) reading {
				return reading{"latest_model", ofMain(arguments{"where": where("tags", []any{fmt.Sprint("tag-", i)})})}
			},
			summary: explain.SummaryNoneSatisfies,
			each:    4,
		},
		"an allowance that is used up": {
			block:   group,
			more:    arguments{argReadTimeout: "15s"},
			fault:   sandbox.Fault{Route: sandbox.RouteGroup, Status: 429, Body: `{"code":"RATE_LIMITED"}`},
			summary: explain.SummaryRateLimited,
			each:    2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeClock(t, func(t *testing.T) {
				var readings []reading
				for i := range 300 {
					readings = append(readings, test.block(i))
				}
				e := inMemory(t, faulty(test.fault)(t), test.more)
				whole := 0
				for _, a := range e.readAll(t, 10, readings) {
					expectError(t, a.diagnostics, argumentOf(a.diagnostics[0]), test.summary)
					detail := a.diagnostics[0].Detail
					switch lines := linesOf(detail); {
					case !strings.Contains(detail, "The full message is in "):
						whole++
					case lines > test.each:
						t.Fatalf("%d lines, want at most %d:\n%s", lines, test.each, detail)
					}
				}
				if whole != 1 {
					t.Errorf("%d of 300 are reported in full", whole)
				}
			})
		})
	}
}
