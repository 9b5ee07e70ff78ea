package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

const (
	planHeader = "| plan | CPU | the other | ratio | at most | wall | the other | ratio | at most |\n" +
		"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
	groupHeader = "| groups | CPU, `for_each` | CPU, one block | time, `for_each` | time, one block |\n" +
		"| ---: | ---: | ---: | ---: | ---: |\n"
)

// showGroups lists the pages with the cost of many groups. Their figures are also in BENCHMARKS.md.
var showGroups = []string{
	"templates/guides/large-catalogues.md.tmpl",
	"docs/guides/large-catalogues.md",
}

// groupTable selects the plans of many groups from the rows of BENCHMARKS.md.
func groupTable(plans string) string {
	var table strings.Builder
	table.WriteString(groupHeader)
	for row := range strings.Lines(plans) {
		if begin, _, many := strings.Cut(row, " groups in one block; with `for_each` "); many {
			cells := strings.Split(row, " | ")
			fmt.Fprintf(&table, "%s | %s s | %s s | %s s | %s s |\n", begin, cells[2], cells[1], cells[6], cells[5])
		}
	}
	return table.String()
}

// write writes the tables. rows has the measured plans.
func write(ctx context.Context, by engine.Engine, rows string) error {
	figures, err := inside(ctx)
	if err != nil {
		return err
	}
	machine := fmt.Sprintf("%s, %s, %s/%s, %d cores; %d pairs for each row.\n",
		by, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), pairs)
	err = errors.Join(
		replacePart("BENCHMARKS.md", "machine", machine),
		replacePart("BENCHMARKS.md", "plans", planHeader+rows),
		replacePart("BENCHMARKS.md", "inside", figures),
	)
	for _, page := range showGroups {
		err = errors.Join(err, replacePart(page, "plan time", groupTable(rows)))
	}
	return err
}

// inside runs the benchmarks of the packages, and returns their results as a block of text.
func inside(ctx context.Context) (string, error) {
	cmd := engine.Command(ctx, "go", "test", "-run=^$", "-bench=.", "-benchmem",
		"./internal/catalogue", "./internal/provider")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("benchmarks of the provider: %w\n%s", err, out)
	}
	lines := regexp.MustCompile(`(?m)^Benchmark.*\n`).FindAll(out, -1)
	return "```text\n" + string(bytes.Join(lines, nil)) + "```\n", nil
}

func median(values []float64) float64 {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

// row returns the scenario's row of the table.
func (s scenario) row(ours, theirs samples) string {
	return fmt.Sprintf("| %s | %s | %s |\n", s.name,
		compared(ours.cpu, theirs.cpu, s.cpu), compared(ours.wall, theirs.wall, s.wall))
}

// compared returns the cells of one figure. A ratio above its target is bold.
func compared(ours, theirs []float64, target float64) string {
	var ratios []float64
	for i := range ours {
		ratios = append(ratios, ours[i]/theirs[i])
	}
	ratio := fmt.Sprintf("%.2f", median(ratios))
	atMost := "–"
	if target > 0 {
		atMost = fmt.Sprintf("%.2f", target)
		if median(ratios) > target {
			ratio = "**" + ratio + "**"
		}
	}
	return fmt.Sprintf("%.2f | %.2f | %s (%.2f–%.2f) | %s",
		median(ours), median(theirs), ratio, slices.Min(ratios), slices.Max(ratios), atMost)
}

// replacePart replaces the part of a file between two comments with that name.
func replacePart(file, name, text string) error {
	old, err := os.ReadFile(file) //nolint:gosec // one of those above
	if err != nil {
		return err
	}
	begin := "<!-- " + name + ": begin -->\n"
	end := "<!-- " + name + ": end -->\n"
	before, rest, begins := strings.Cut(string(old), begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		return fmt.Errorf("%s has no %q, or no end of it", file, begin)
	}
	return os.WriteFile(file, []byte(before+begin+text+end+after), 0o644)
}
