package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

func (s spread) ratio() string { return fmt.Sprintf("%.2f (%.2f–%.2f)", s.median, s.least, s.most) }

func cpu(s sample) float64  { return s.cpu.Seconds() }
func wall(s sample) float64 { return s.wall.Seconds() }

// ratios compares pair by pair.
func (r *result) ratios(value func(sample) float64) spread {
	values := make([]float64, 0, len(r.ours))
	for i := range r.ours {
		values = append(values, value(r.ours[i])/value(r.other[i]))
	}
	return newSpread(values)
}

func (r *result) row() string {
	mib := func(samples []sample, value func(sample) int64) float64 {
		return spreadOf(samples, func(s sample) float64 { return float64(value(s)) / (1 << 20) }).median
	}
	return fmt.Sprintf("| %s | %.2f | %.2f | %s | %.2f | %.2f | %s | %.0f | %.0f | %d + %d | %d |",
		r.name,
		spreadOf(r.ours, cpu).median, spreadOf(r.other, cpu).median, r.ratios(cpu).ratio(),
		spreadOf(r.ours, wall).median, spreadOf(r.other, wall).median, r.ratios(wall).ratio(),
		mib(r.ours, func(s sample) int64 { return s.engineMemory }),
		mib(r.ours, func(s sample) int64 { return s.providerMemory }),
		r.reads, r.tokens, r.connections)
}

// newReport writes what was measured, and how.
func newReport(
	program engine.Engine, pairs int, results []*result, limit sample, benchmarks string, binary int64,
) string {
	var out strings.Builder
	fmt.Fprintf(&out, `# Benchmarks

Whole plans with this provider, compared with the same plans over its *floor*: a
program that serves bytes prepared in advance under the same schema, so that its
plans cost what the engine itself costs. The two run in turn and in changing order, in %d pairs for
each row and three times as many for plans under 2 s; a ratio is the median over the
pairs, with the least and the greatest.

    make bench

%s, %s, %s/%s, %d cores of %s.

CPU and wall time are in seconds, those of the engine and of its providers
together; memory is peak resident memory in MiB, of the largest process of each.
Requests are reads and tokens of one plan. A model has the fields of the richest
one in the sandbox's catalogue.

| plan | CPU | floor | ratio | wall | floor | ratio | engine memory | provider memory | requests | connections |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
`, pairs, program, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), processor())
	for _, r := range results {
		if r.against == "" {
			fmt.Fprintln(&out, r.row())
		}
	}
	fmt.Fprint(&out, `
For each of many blocks the floor also goes without what the framework does for one: it
decodes the arguments, and walks the schema and the result.

## One block or many

The latest models of so many groups, each with 50 ms latency: one block of
`+"`modelcatalogue_latest_models`"+` against `+"`for_each`"+` over `+"`modelcatalogue_latest_model`"+`.
The last row is `+"`modelcatalogue_model_group_models`"+` with two `+"`attributes`"+` against all of them.
A ratio is again the median over pairs of one run.

`+picture()+`
| plan | CPU | the other | ratio | wall | the other | ratio | engine memory | provider memory | requests | connections |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
`)
	for _, r := range results {
		if r.against != "" {
			fmt.Fprintln(&out, r.row())
		}
	}
	fmt.Fprintf(&out, "\n## Targets\n\n| what | measured | at most |\n| --- | ---: | ---: |\n")
	for _, t := range targets(results, benchmarks, binary) {
		fmt.Fprintf(&out, "| %s | %s | %s |\n", t.what, t.measured, t.most)
	}
	fmt.Fprintf(&out, "\n%s\n", limitRow(limit))
	out.WriteString(`
## Inside the provider

Decoding the answer, mapping it and encoding the result, for one group; medians of 5.

    go test -run='^$' -bench=. -benchmem -count=5 ./internal/catalogue ./internal/provider

| benchmark | ms | MB allocated | allocations |
| --- | ---: | ---: | ---: |
`)
	for _, b := range parseBenchmarks(benchmarks) {
		fmt.Fprintf(&out, "| %s | %.1f | %.1f | %.0f |\n", b.name, b.seconds*1000, b.bytes/1e6, b.allocations)
	}
	return out.String()
}

// allowances is the part of an earlier report that `make bench-pace` wrote, with
// its markers, or "" where there is none.
func allowances(earlier string) string {
	const begin, end = "<!-- allowances: begin -->\n", "<!-- allowances: end -->\n"
	_, rest, _ := strings.Cut(earlier, begin)
	if part, _, found := strings.Cut(rest, end); found {
		return "\n" + begin + part + end
	}
	return ""
}

func limitRow(limit sample) string {
	return fmt.Sprintf("A list of models without end, sent without its length, ended in the provider's own error "+
		"after 256 MiB, %.1f s and %d MiB of the provider's memory; the engine took %d MiB.",
		limit.wall.Seconds(), limit.providerMemory>>20, limit.engineMemory>>20)
}

type target struct{ what, measured, most string }

// targets are the promises that a run can check.
func targets(results []*result, benchmarks string, binary int64) []target {
	by := map[string]*result{}
	for _, r := range results {
		by[r.name] = r
	}
	var list []target
	for _, models := range []string{"1000", "5000"} {
		r := by[models+" models of one group"]
		list = append(list,
			target{"plan CPU, " + models + " models, × floor", r.ratios(cpu).ratio(), "1.10"},
			target{"plan wall time, " + models + " models, × floor", r.ratios(wall).ratio(), "1.10"})
	}
	fleet, each, two := by[fleetOf(1000)], by[inOneBlock(300)], by[twoAttributes]
	list = append(list,
		target{"plan CPU, 1000 groups in one block, × floor", fleet.ratios(cpu).ratio(), "1.15"},
		target{"plan CPU, 300 groups in one block, 50 ms, × `for_each`", each.ratios(cpu).ratio(), "0.30"},
		target{"plan wall time, 300 groups in one block, 50 ms, × `for_each`", each.ratios(wall).ratio(), "0.35"},
		target{"plan CPU, 3000 models, two `attributes`, × all of them", two.ratios(cpu).ratio(), "0.35"})
	one, none := by["1 model"], by[nothing]
	list = append(list,
		target{
			"plan CPU, 1 model, × reading nothing",
			fmt.Sprintf("%.2f", spreadOf(one.ours, cpu).median/spreadOf(none.ours, cpu).median), "1.15",
		},
		target{
			"plan wall time, 1 model, × reading nothing",
			fmt.Sprintf("%.2f", spreadOf(one.ours, wall).median/spreadOf(none.ours, wall).median), "1.15",
		})
	big, small := by["5000 models of one group"], by["500 models of one group"]
	inside := 0.0
	for _, b := range parseBenchmarks(benchmarks) {
		if strings.HasSuffix(b.name, "/5000") {
			inside += b.seconds
		}
	}
	perModel := func(r *result) float64 {
		return (spreadOf(r.ours, cpu).median - spreadOf(none.ours, cpu).median) / float64(r.models)
	}
	memory := spreadOf(big.ours, func(s sample) float64 { return float64(s.providerMemory) / float64(s.engineMemory) })
	slow := by["200 blocks over 50 groups, 50ms latency"]
	return append(list,
		target{
			"decode, map and encode of 5000 models, share of the plan's CPU",
			fmt.Sprintf("%.1f %%", 100*inside/spreadOf(big.ours, cpu).median), "8 %",
		},
		target{"provider memory at 5000 models, × the engine's", memory.ratio(), "0.30"},
		target{"cost of a model at 5000 ÷ at 500", fmt.Sprintf("%.2f", perModel(big)/perModel(small)), "1.20"},
		target{
			"200 blocks over 50 groups, 50 ms: reads, tokens, connections",
			fmt.Sprintf("%d, %d, %d", slow.reads, slow.tokens, slow.connections), "50, 1, 10",
		},
		target{"release binary", fmt.Sprintf("%.1f MiB", float64(binary)/(1<<20)), "20 MiB"})
}

type benchmark struct {
	name                        string
	seconds, bytes, allocations float64
}

// parseBenchmarks takes the median of each benchmark's lines.
func parseBenchmarks(output string) []benchmark {
	type series struct{ seconds, bytes, allocations []float64 }
	all := map[string]*series{}
	var order []string
	lines := bufio.NewScanner(strings.NewReader(output))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 3 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(fields[0], "Benchmark"), "-")
		if all[name] == nil {
			all[name] = &series{}
			order = append(order, name)
		}
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				continue
			}
			switch fields[i+1] {
			case "ns/op":
				all[name].seconds = append(all[name].seconds, value/float64(time.Second))
			case "B/op":
				all[name].bytes = append(all[name].bytes, value)
			case "allocs/op":
				all[name].allocations = append(all[name].allocations, value)
			}
		}
	}
	list := make([]benchmark, 0, len(order))
	for _, name := range order {
		s := all[name]
		list = append(
			list, benchmark{name, newSpread(s.seconds).median, newSpread(s.bytes).median, newSpread(s.allocations).median},
		)
	}
	return list
}

// processor names the machine's processor as the kernel does.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "an unknown processor"
	}
	lines := strings.Split(string(info), "\n")
	i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "model name") })
	if i < 0 {
		return "an unknown processor"
	}
	_, name, _ := strings.Cut(lines[i], ":")
	return strings.TrimSpace(name)
}
