// The measurement behind `make bench`: whole plans with this provider against
// whole plans with its floor, or of one configuration against another, in turn
// within one run, and the provider's own benchmarks beside them. It prints a
// report, writes it to BENCHMARKS.md and draws its picture.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

func main() {
	pairs := flag.Int("pairs", 7, "pairs of plans for each scenario, three times as many for plans under 2 s")
	only := flag.String("only", "", "measure only the scenarios whose name contains this, and write no file")
	plot := flag.String("plot", ".cache/bin/plot", "the program of tools/plot")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *pairs, *only, *plot)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, pairs int, only, plot string) (err error) {
	program, err := engine.Find(ctx)
	if err != nil {
		return err
	}
	root, err := os.MkdirTemp("", "modelcatalogue-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	ours, floor := filepath.Join(root, "ours"), filepath.Join(root, "floor")
	for dir, pkg := range map[string]string{ours: ".", floor: "./internal/tools/bench/floor"} {
		if err := build(ctx, filepath.Join(dir, "terraform-provider-modelcatalogue"), pkg); err != nil {
			return err
		}
	}
	var results []*result
	for i, s := range scenarios() {
		if !strings.Contains(s.name, only) {
			continue
		}
		r, err := measure(ctx, program, filepath.Join(root, fmt.Sprint(i)), ours, floor, s, pairs)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintln(os.Stderr, r.row())
		results = append(results, r)
	}
	if only != "" && only != limitScenario {
		return nil
	}
	limit, err := measureLimit(ctx, program, filepath.Join(root, limitScenario), ours)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, limitRow(limit))
	if only != "" {
		return nil
	}
	benchmarks, err := goBenchmarks(ctx)
	if err != nil {
		return err
	}
	binary, err := os.Stat(filepath.Join(ours, "terraform-provider-modelcatalogue"))
	if err != nil {
		return err
	}
	if err := draw(ctx, plot, results); err != nil {
		return err
	}
	report := newReport(program, pairs, results, limit, benchmarks, binary.Size())
	fmt.Print(report)
	old, err := os.ReadFile(reportFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(reportFile, []byte(report+allowances(string(old))), 0o644)
}

// build makes a program as a release does.
func build(ctx context.Context, out, pkg string) error {
	cmd := engine.Command(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	_, err := engine.Output(cmd)
	return err
}

// measure plans in both ways in turn.
func measure(
	ctx context.Context, program engine.Engine, root, ours, floor string, s scenario, pairs int,
) (*result, error) {
	service, err := newService(s.groups, s.models, s.latency)
	if err != nil {
		return nil, err
	}
	url, stop := service.listen()
	defer stop()
	plans, err := s.plans(ctx, program, root, ours, floor, url)
	if err != nil {
		return nil, err
	}
	r := &result{scenario: s}
	for _, body := range service.answers {
		r.body = max(r.body, len(body))
	}
	began := time.Now()
	for made := 0; s.goesOn(r, made, pairs, time.Since(began)); made++ {
		// In changing order, so that neither always comes after the other.
		for turn := range 2 {
			if ourTurn := turn == made%2; !ourTurn {
				sample, err := plans.other.run(ctx)
				if err != nil {
					return nil, err
				}
				r.other = append(r.other, sample)
				continue
			}
			service.reset()
			sample, err := plans.ours.run(ctx)
			if err != nil {
				return nil, err
			}
			r.ours = append(r.ours, sample)
			service.mu.Lock()
			r.reads, r.tokens = max(r.reads, service.reads), max(r.tokens, service.tokens)
			r.connections = max(r.connections, service.connections)
			service.mu.Unlock()
		}
	}
	return r, nil
}

// measureLimit plans over a list of models without end, which has to end in
// the provider's own error, and tells what that took.
func measureLimit(ctx context.Context, program engine.Engine, root, ours string) (sample, error) {
	service, err := newService(1, 1, 0)
	if err != nil {
		return sample{}, err
	}
	service.endless = true
	url, stop := service.listen()
	defer stop()
	const readAll = `data "modelcatalogue_model_group_models" "this" { model_group_id = "group-0" }`
	p, err := newPlan(program, root, "ours", ours, readAll, url)
	if err != nil {
		return sample{}, err
	}
	seen, err := p.run(ctx)
	var failed *engine.RunError
	if !errors.As(err, &failed) || !strings.Contains(failed.Output, "Answer too large") {
		return sample{}, fmt.Errorf("a list without end ended in: %w", err)
	}
	return seen, nil
}

// goBenchmarks runs the provider's own benchmarks.
func goBenchmarks(ctx context.Context) (string, error) {
	return engine.Output(engine.Command(ctx, "go", "test", "-run=^$", "-bench=.", "-benchmem", "-count=5",
		"./internal/catalogue", "./internal/provider"))
}
