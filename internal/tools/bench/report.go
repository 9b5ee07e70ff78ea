package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

// report is everything that was measured.
type report struct {
	*bench
	results    []*result
	by         map[string]*result // the same, by name
	limit      sample
	benchmarks []string                        // their names
	values     map[string]map[string][]float64 // by name and unit
	binary     int64                           // bytes of the provider
}

// spread is the median of some values with the least and the greatest.
type spread struct{ median, least, most float64 }

func (s spread) String() string { return fmt.Sprintf("%.2f (%.2f–%.2f)", s.median, s.least, s.most) }

func newSpread(values []float64) spread {
	sample := benchmath.NewSample(values, &benchmath.DefaultThresholds) // sorted
	median := benchmath.AssumeNothing.Summary(sample, 0.95).Center      //nolint:misspell // the library's name
	return spread{median, sample.Values[0], sample.Values[len(values)-1]}
}

// The figures of a sample.
func cpu(s sample) float64            { return s.cpu }
func wall(s sample) float64           { return s.wall }
func engineMemory(s sample) float64   { return s.engineMemory }
func providerMemory(s sample) float64 { return s.providerMemory }

func median(samples []sample, figure func(sample) float64) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = figure(s)
	}
	return newSpread(values).median
}

// ratio compares a figure of two samples, pair by pair.
func ratio(a []sample, figure func(sample) float64, b []sample, other func(sample) float64) spread {
	values := make([]float64, len(a))
	for i := range values {
		values[i] = figure(a[i]) / other(b[i])
	}
	return newSpread(values)
}

func (r *result) cpu() spread  { return ratio(r.ours, cpu, r.other, cpu) }
func (r *result) wall() spread { return ratio(r.ours, wall, r.other, wall) }

func (r *result) row() string {
	return fmt.Sprintf("| %s | %.2f | %.2f | %s | %.2f | %.2f | %s | %.0f | %.0f | %d + %d | %d |", r.name,
		median(r.ours, cpu), median(r.other, cpu), r.cpu(), median(r.ours, wall), median(r.other, wall), r.wall(),
		median(r.ours, engineMemory), median(r.ours, providerMemory), r.reads, r.tokens, r.connections)
}

func (rep *report) limitRow() string {
	return fmt.Sprintf("A list of models without end, sent without its length, ended in the provider's own error "+
		"after 256 MiB, %.1f s and %.0f MiB of the provider's memory; the engine took %.0f MiB.\n",
		rep.limit.wall, rep.limit.providerMemory, rep.limit.engineMemory)
}

// targets are the promises that a run can check: what, measured, at most.
func (rep *report) targets() string {
	var rows strings.Builder
	row := func(what string, measured any, most string) {
		fmt.Fprintf(&rows, "| %s | %v | %s |\n", what, measured, most)
	}
	for _, models := range []int{1000, 5000} {
		row(fmt.Sprintf("plan CPU, %d models, × floor", models), rep.by[modelsOf(models)].cpu(), "1.10")
		row(fmt.Sprintf("plan wall time, %d models, × floor", models), rep.by[modelsOf(models)].wall(), "1.10")
	}
	row("plan CPU, 1000 groups in one block, × floor", rep.by[fleetOf(1000)].cpu(), "1.15")
	row("plan CPU, 300 groups in one block, 50 ms, × `for_each`", rep.by[inOneBlock(300)].cpu(), "0.30")
	row("plan wall time, 300 groups in one block, 50 ms, × `for_each`", rep.by[inOneBlock(300)].wall(), "0.35")
	row("plan CPU, 3000 models, two `attributes`, × all of them", rep.by[twoAttributes].cpu(), "0.35")

	one, none := rep.by[oneModel].ours, rep.by[nothing].ours
	row("plan CPU, 1 model, × reading nothing", fmt.Sprintf("%.2f", median(one, cpu)/median(none, cpu)), "1.15")
	row("plan wall time, 1 model, × reading nothing", fmt.Sprintf("%.2f", median(one, wall)/median(none, wall)), "1.15")

	big, small := rep.by[modelsOf(5000)].ours, rep.by[modelsOf(500)].ours
	inside := 0.0
	for _, name := range rep.benchmarks {
		if strings.HasSuffix(name, "/5000") {
			inside += rep.median(name, "sec/op")
		}
	}
	row("decode, map and encode of 5000 models, share of the plan's CPU",
		fmt.Sprintf("%.1f %%", 100*inside/median(big, cpu)), "8 %")
	row("provider memory at 5000 models, × the engine's", ratio(big, providerMemory, big, engineMemory), "0.30")
	each := func(samples []sample, models float64) float64 {
		return (median(samples, cpu) - median(none, cpu)) / models
	}
	row("cost of a model at 5000 ÷ at 500", fmt.Sprintf("%.2f", each(big, 5000)/each(small, 500)), "1.20")
	slow := rep.by[fmt.Sprintf(manyBlocks, "50ms")]
	row("200 blocks over 50 groups, 50 ms: reads, tokens, connections",
		fmt.Sprintf("%d, %d, %d", slow.reads, slow.tokens, slow.connections), "50, 1, 10")
	row("release binary", fmt.Sprintf("%.1f MiB", float64(rep.binary)/(1<<20)), "20 MiB")
	return rows.String()
}

// runBenchmarks runs the provider's own benchmarks, as BENCHMARKS.md says.
func (rep *report) runBenchmarks(ctx context.Context) error {
	printed, err := engine.Output(engine.Command(ctx, "go", "test", "-run=^$", "-bench=.", "-benchmem", "-count=5",
		"./internal/catalogue", "./internal/provider", "./internal/redact"))
	if err != nil {
		return err
	}
	rep.values = map[string]map[string][]float64{}
	lines := benchfmt.NewReader(strings.NewReader(printed), "go test")
	for lines.Scan() {
		line, ok := lines.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(line.Name.String(), "-") // without the number of processors
		if rep.values[name] == nil {
			rep.values[name] = map[string][]float64{}
			rep.benchmarks = append(rep.benchmarks, name)
		}
		for _, v := range line.Values {
			rep.values[name][v.Unit] = append(rep.values[name][v.Unit], v.Value)
		}
	}
	return lines.Err()
}

// median is of a benchmark of the provider's own.
func (rep *report) median(name, unit string) float64 { return newSpread(rep.values[name][unit]).median }

// write replaces the parts of BENCHMARKS.md and the README that are measured.
func (rep *report) write() error {
	var floor, many, groups, inside strings.Builder
	const columns = "| plan | CPU | %s | ratio | wall | %[1]s | ratio | " +
		"engine memory | provider memory | requests | connections |\n" +
		"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
	fmt.Fprintf(&floor, columns, "floor")
	fmt.Fprintf(&many, columns, "the other")
	groups.WriteString("| groups | `for_each` | one block |\n| ---: | ---: | ---: |\n")
	for _, r := range rep.results {
		if r.against == "" {
			fmt.Fprintln(&floor, r.row())
			continue
		}
		fmt.Fprintln(&many, r.row())
		if r.name == inOneBlock(r.groups) {
			fmt.Fprintf(&groups, "| %d | %.1f s | %.1f s |\n", r.groups, median(r.other, wall), median(r.ours, wall))
		}
	}
	inside.WriteString("| benchmark | ms | MB allocated | allocations |\n| --- | ---: | ---: | ---: |\n")
	for _, name := range rep.benchmarks {
		fmt.Fprintf(&inside, "| %s | %.1f | %.1f | %.0f |\n", name,
			rep.median(name, "sec/op")*1000, rep.median(name, "B/op")/1e6, rep.median(name, "allocs/op"))
	}
	machine := fmt.Sprintf("%s, %s, %s/%s, %d cores of %s; %d pairs for each row.\n",
		rep.engine, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), processor(), rep.pairs)
	for _, part := range []struct{ file, name, text string }{
		{"BENCHMARKS.md", "machine", machine},
		{"BENCHMARKS.md", "floor", floor.String()},
		{"BENCHMARKS.md", "one block or many", many.String()},
		{"BENCHMARKS.md", "targets", "| what | measured | at most |\n| --- | ---: | ---: |\n" + rep.targets()},
		{"BENCHMARKS.md", "limit", rep.limitRow()},
		{"BENCHMARKS.md", "inside", inside.String()},
		{"README.md", "plan time", groups.String()},
	} {
		fmt.Println(part.text)
		if err := replacePart(part.file, part.name, part.text); err != nil {
			return err
		}
	}
	return nil
}

// replacePart replaces what stands in a file between the comments with that name.
func replacePart(file, name, text string) error {
	old, err := os.ReadFile(file) //nolint:gosec // one of the two above
	if err != nil {
		return err
	}
	begin, end := "<!-- "+name+": begin -->\n", "<!-- "+name+": end -->\n"
	before, rest, begins := strings.Cut(string(old), begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		return fmt.Errorf("%s has no %q, or no end of it", file, begin)
	}
	return os.WriteFile(file, []byte(before+begin+text+end+after), 0o644)
}

// processor names the machine's processor as the kernel does.
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	if found := regexp.MustCompile(`(?m)^model name\s*: (.*)$`).FindSubmatch(info); found != nil {
		return string(found[1])
	}
	return "an unknown processor"
}
