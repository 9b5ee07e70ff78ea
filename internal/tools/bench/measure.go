package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

// sample is what one plan cost: seconds of the engine and its providers together,
// and the peak resident memory of the largest process of each, in MiB.
type sample struct{ cpu, wall, engineMemory, providerMemory float64 }

// result is what a scenario came to, plan by plan.
type result struct {
	scenario
	ours, other []sample
	counts      // the most of one plan
}

// plan is a configuration that is planned once for each sample.
type plan struct {
	config  string
	plugins string   // the folder of the provider
	env     []string // NAME=value
}

const header = `terraform {
  required_providers {
    modelcatalogue = { source = "modelcatalogue/modelcatalogue" }
  }
}
`

// plan plans once. Its error is an *engine.RunError where the plan failed.
func (b *bench) plan(ctx context.Context, p plan) (sample, error) {
	override, err := engine.Override(filepath.Join(b.root, "engine.tfrc"), p.plugins)
	if err != nil {
		return sample{}, err
	}
	if err := os.WriteFile(filepath.Join(b.root, "main.tf"), []byte(header+p.config), 0o600); err != nil {
		return sample{}, err
	}
	var out bytes.Buffer
	work := engine.Workspace{Engine: b.engine, Dir: b.root, Env: engine.Environment(append(p.env, override)...)}
	cmd := work.Command(ctx, "plan", "-refresh=true", "-lock=false")
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return sample{}, err
	}
	watching, stop := context.WithCancel(ctx)
	watched := make(chan sample)
	go func() { watched <- watch(watching, cmd.Process.Pid) }()
	err = cmd.Wait()
	wall := time.Since(start)
	stop()
	seen := <-watched
	seen.wall = wall.Seconds()
	// The kernel adds to a process's times those of the children it waited
	// for, and an engine waits for its providers.
	seen.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	if err != nil {
		return seen, engine.NewRunError(cmd, err, out.String())
	}
	return seen, nil
}

// watch follows the memory of an engine and its providers. Both are high-water marks
// that the kernel keeps, so looking often enough to catch the last moments is enough.
func watch(ctx context.Context, engine int) (seen sample) {
	for ctx.Err() == nil {
		seen.engineMemory = max(seen.engineMemory, peakMemory(strconv.Itoa(engine)))
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", engine))
		for _, task := range tasks {
			children, _ := os.ReadFile(task) //nolint:gosec // of /proc; a task that has ended has none
			for child := range strings.FieldsSeq(string(children)) {
				seen.providerMemory = max(seen.providerMemory, peakMemory(child))
			}
		}
		time.Sleep(4 * time.Millisecond)
	}
	return seen
}

var highWaterMark = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// peakMemory is in MiB, and 0 for a process that has ended.
func peakMemory(pid string) float64 {
	status, _ := os.ReadFile(filepath.Join("/proc", pid, "status")) //nolint:gosec // of /proc
	if found := highWaterMark.FindSubmatch(status); found != nil {
		kib, _ := strconv.ParseFloat(string(found[1]), 64)
		return kib / 1024
	}
	return 0
}

// measure plans in both ways in turn, in changing order, so that neither always
// comes after the other.
func (b *bench) measure(ctx context.Context, s scenario) (*result, error) {
	service, err := newService(s.groups, s.models, s.latency)
	if err != nil {
		return nil, err
	}
	env, stop := service.listen()
	defer stop()
	ours, other := plan{s.config, b.ours, env}, plan{s.against, b.ours, env}
	if s.against == "" {
		prepared, err := os.MkdirTemp(b.root, "floor-")
		if err != nil {
			return nil, err
		}
		other = plan{s.config, b.floor, append(env, "FLOOR_DIR="+prepared)}
	}
	// Not counted: it fills what the service keeps, and what the floor returns.
	if _, err := b.plan(ctx, other); err != nil {
		return nil, err
	}
	r, began := &result{scenario: s}, time.Now()
	for pair := 0; s.goesOn(r, pair, b.pairs, time.Since(began)); pair++ {
		for turn := range 2 {
			p, samples := ours, &r.ours
			if (pair+turn)%2 == 1 {
				p, samples = other, &r.other
			}
			service.counted()
			seen, err := b.plan(ctx, p)
			if err != nil {
				return nil, err
			}
			*samples = append(*samples, seen)
			if now := service.counted(); samples == &r.ours {
				r.counts = counts{max(r.reads, now.reads), max(r.tokens, now.tokens), max(r.connections, now.connections)}
			}
		}
	}
	return r, nil
}

// measureLimit plans over a list of models without end, which has to end in
// the provider's own error, and tells what that took.
func (b *bench) measureLimit(ctx context.Context) (sample, error) {
	service, err := newService(1, 1, 0)
	if err != nil {
		return sample{}, err
	}
	service.endless = true
	env, stop := service.listen()
	defer stop()
	seen, err := b.plan(ctx, plan{listAll, b.ours, env})
	var failed *engine.RunError
	if !errors.As(err, &failed) || !strings.Contains(failed.Output, "Answer too large") {
		return sample{}, fmt.Errorf("a list without end ended in: %w", err)
	}
	return seen, nil
}
