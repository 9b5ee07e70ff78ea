package catalogue_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// wideTable is cells beyond quick answers and an allowance that nobody else has: a row for each allowance.
type wideTable struct {
	title   string
	columns []string
	rows    [][]allowanceCell
}

// wideTables are all of them. Fewer makes what `make test` has time for.
func wideTables(fewer bool) []wideTable {
	rows := slices.Concat(minuteOf(allowances()), secondOf(allowances()))
	if !fewer {
		rows = allowances()
	}
	tables := []wideTable{
		wide("Answers that are not all quick, one process of 300 groups, 10 at once", rows, latencies[1:],
			func(l latency) string { return l.name },
			func(c *allowanceCell, l latency) { c.latency = l }),
		wide("A fleet of 300 with default settings", rows, latencies,
			func(l latency) string { return l.name },
			func(c *allowanceCell, l latency) { c.latency, c.fleet, c.parallelism = l, true, 32 }),
		wide("Answers of 0.6 s, begun so many tenths of a window after one did", rows, []int{1, 2, 3, 4, 5, 6, 7, 8, 9},
			func(tenths int) string { return fmt.Sprintf("%d/10", tenths) },
			func(c *allowanceCell, tenths int) { c.latency, c.tenths = evenAnswers, tenths }),
		wide("Tokens that live for seconds, 100 groups", rows, []time.Duration{time.Second, 2 * time.Second, 8 * time.Second},
			func(life time.Duration) string { return life.String() },
			func(c *allowanceCell, life time.Duration) { c.tokenLife, c.groups = life, 100 }),
		wide("Trouble", rows, []trouble{
			{strays: []int{150}, strayWait: 30 * time.Second},
			{others: 140 * time.Second},
			{others: 140 * time.Second, othersAt: 10 * time.Second, half: true},
		}, trouble.String, func(c *allowanceCell, t trouble) { c.trouble = t }),
	}
	if fewer {
		return tables
	}
	return append(tables, wide("The last of several processes, 100 groups each, answers of 0.6 s and heavy tails", rows,
		[]allowanceCell{
			{processes: 2, latency: evenAnswers},
			{processes: 4, latency: evenAnswers},
			{processes: 8, latency: evenAnswers},
			{processes: 2, latency: tailedAnswers},
			{processes: 4, latency: tailedAnswers},
			{processes: 8, latency: tailedAnswers},
		},
		func(c allowanceCell) string { return fmt.Sprintf("%d, %s", c.processes, c.latency.name) },
		func(c *allowanceCell, of allowanceCell) {
			c.processes, c.latency, c.groups = of.processes, of.latency, 100
		}))
}

func wide[T any](title string, rows []sandbox.Allowance, columns []T, name func(T) string, change func(*allowanceCell, T)) wideTable {
	table := wideTable{title: title}
	for _, column := range columns {
		table.columns = append(table.columns, name(column))
	}
	for _, a := range rows {
		var row []allowanceCell
		for _, column := range columns {
			c := allowanceCell{
				allowance: a, processes: 1, groups: 300, parallelism: 10, tokenLife: time.Hour, latency: quickAnswers,
			}
			change(&c, column)
			row = append(row, c)
		}
		table.rows = append(table.rows, row)
	}
	return table
}

// minuteOf are those of 60 in a minute, and secondOf those of 10 in a second.
func minuteOf(all []sandbox.Allowance) []sandbox.Allowance { return ofSize(all, allowanceSizes[0]) }
func secondOf(all []sandbox.Allowance) []sandbox.Allowance { return ofSize(all, allowanceSizes[3]) }

func ofSize(all []sandbox.Allowance, size sandbox.Allowance) (some []sandbox.Allowance) {
	for _, a := range all {
		if a.Requests == size.Requests && a.Per == size.Per {
			some = append(some, a)
		}
	}
	return some
}

func (t trouble) String() string {
	switch {
	case t.half:
		return fmt.Sprintf("others take half for %s", t.others)
	case t.others > 0:
		return fmt.Sprintf("others take all for %s", t.others)
	case len(t.strays) > 0:
		return fmt.Sprintf("%d stray 429 of %s", len(t.strays), t.strayWait)
	}
	return "none"
}

// measureWide measures a table and returns it as Markdown, with what is outside the bounds.
func (w wideTable) measureWide(t *testing.T, seeds int) (text string, all []allowanceResult) {
	t.Helper()
	var cells []allowanceCell
	for _, row := range w.rows {
		cells = append(cells, row...)
	}
	all = measureAll(t, cells, seeds)
	var out strings.Builder
	fmt.Fprintf(&out, "\n%s. %s\n\n", w.title, summarise("them", all))
	fmt.Fprintf(&out, "| allowance | %s |\n| --- |%s\n", strings.Join(w.columns, " | "), strings.Repeat(" ---: |", len(w.columns)))
	for i, row := range w.rows {
		fmt.Fprintf(&out, "| %s |", nameOf(row[0].allowance))
		for _, r := range all[i*len(row) : (i+1)*len(row)] {
			fmt.Fprintf(&out, " %s |", r)
		}
		fmt.Fprintln(&out)
	}
	return out.String(), all
}
