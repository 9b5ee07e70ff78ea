// The measurement behind `make bench`: whole plans with this provider against
// whole plans with its floor, or of one configuration against another, in turn
// within one run, and the provider's own benchmarks beside them. It writes tables
// into BENCHMARKS.md and the README.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

// bench is what all measurements have in common.
type bench struct {
	engine            engine.Engine
	pairs             int
	root, ours, floor string // folders: scratch space, the provider, its floor
}

func main() {
	b := &bench{}
	flag.IntVar(&b.pairs, "pairs", 7, "pairs of plans for each scenario, three times as many for plans under 2 s")
	only := flag.String("only", "", "measure only the scenarios whose name contains this, and write no file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := b.run(ctx, *only)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context, only string) (err error) {
	if b.engine, err = engine.Find(ctx); err != nil {
		return err
	}
	if b.root, err = os.MkdirTemp("", "modelcatalogue-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.root)) }()
	const program = "terraform-provider-modelcatalogue"
	b.ours, b.floor = filepath.Join(b.root, "ours"), filepath.Join(b.root, "floor")
	for dir, pkg := range map[string]string{b.ours: ".", b.floor: "./internal/tools/bench/floor"} {
		// As a release is built.
		cmd := engine.Command(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, program), pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if _, err := engine.Output(cmd); err != nil {
			return err
		}
	}
	rep := &report{bench: b, by: map[string]*result{}}
	for _, s := range scenarios() {
		if !strings.Contains(s.name, only) {
			continue
		}
		r, err := b.measure(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintln(os.Stderr, r.row())
		rep.results, rep.by[s.name] = append(rep.results, r), r
	}
	if strings.Contains(limitScenario, only) {
		if rep.limit, err = b.measureLimit(ctx); err != nil {
			return err
		}
		fmt.Fprint(os.Stderr, rep.limitRow())
	}
	if only != "" {
		return nil
	}
	if err := rep.runBenchmarks(ctx); err != nil {
		return err
	}
	binary, err := os.Stat(filepath.Join(b.ours, program))
	if err != nil {
		return err
	}
	rep.binary = binary.Size()
	return rep.write()
}
