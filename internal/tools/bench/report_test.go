package main

import (
	"os"
	"strings"
	"testing"
)

// TestPagesShowTheSameFigures: the figures of many groups on pages and in BENCHMARKS.md come from the same run.
func TestPagesShowTheSameFigures(t *testing.T) {
	t.Parallel()
	read := func(file string) string {
		text, err := os.ReadFile("../../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	want := groupTable(read("BENCHMARKS.md"))
	for _, page := range showGroups {
		if want == groupHeader || !strings.Contains(read(page), "begin -->\n"+want+"<!--") {
			t.Errorf("%s does not show these figures of BENCHMARKS.md; make bench writes both:\n%s", page, want)
		}
	}
}
