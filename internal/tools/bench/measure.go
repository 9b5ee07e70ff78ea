package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

// sample is what one plan cost.
type sample struct {
	cpu, wall      time.Duration
	engineMemory   int64 // peak resident memory, bytes
	providerMemory int64 // likewise, of the largest of its processes
	providerCPU    time.Duration
}

// plan is a workspace that is planned once for each sample.
type plan struct{ engine.Workspace }

// newPlan writes the configuration that is planned with the provider in pluginDir.
func newPlan(program engine.Engine, root, name, pluginDir, config, url string, more ...string) (*plan, error) {
	p := &plan{engine.Workspace{Engine: program, Dir: filepath.Join(root, name)}}
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(p.Dir, "main.tf"), []byte(header+config), 0o600); err != nil {
		return nil, err
	}
	override, err := engine.Override(filepath.Join(p.Dir, "engine.tfrc"), pluginDir)
	if err != nil {
		return nil, err
	}
	p.Env = engine.Environment(append(append(engine.Service(url, "bench", "bench"), override), more...)...)
	return p, nil
}

const header = `terraform {
  required_providers {
    modelcatalogue = {
      source = "modelcatalogue/modelcatalogue"
    }
  }
}
provider "modelcatalogue" {}
`

// run plans once. Its error is an *engine.RunError where the plan failed.
func (p *plan) run(ctx context.Context) (sample, error) {
	var out bytes.Buffer
	cmd := p.Command(ctx, "plan", "-refresh=true", "-lock=false")
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return sample{}, err
	}
	watching, stop := context.WithCancel(ctx)
	watched := make(chan sample)
	go func() { watched <- watch(watching, cmd.Process.Pid) }()
	err := cmd.Wait()
	wall := time.Since(start)
	stop()
	seen := <-watched
	seen.wall = wall
	// The kernel adds to a process's times those of the children it waited
	// for, and an engine waits for its providers.
	seen.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if err != nil {
		return seen, engine.NewRunError(cmd, err, out.String())
	}
	return seen, nil
}

// watch follows the peak memory of an engine and its providers. Both are high
// water marks that the kernel keeps, so looking often enough to catch the last
// moments is enough.
func watch(ctx context.Context, engine int) sample {
	var seen sample
	cpu := map[int]time.Duration{}
	for ctx.Err() == nil {
		seen.engineMemory = max(seen.engineMemory, peakMemory(engine))
		for _, child := range children(engine) {
			seen.providerMemory = max(seen.providerMemory, peakMemory(child))
			cpu[child] = max(cpu[child], cpuTime(child))
		}
		time.Sleep(4 * time.Millisecond)
	}
	for _, spent := range cpu {
		seen.providerCPU = max(seen.providerCPU, spent)
	}
	return seen
}

func peakMemory(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0 // it has ended
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(rest, "\n")
	kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "kB")), 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

func children(pid int) []int {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil
	}
	var found []int
	for _, task := range tasks {
		text, err := os.ReadFile(task) //nolint:gosec // of /proc
		if err != nil {
			continue
		}
		for field := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				found = append(found, child)
			}
		}
	}
	return found
}

// cpuTime reads user and system time, in ticks of 10 ms.
func cpuTime(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	if err1 != nil || err2 != nil {
		return 0
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}

// spread is the median of some values with the least and the greatest.
type spread struct{ median, least, most float64 }

func newSpread(values []float64) spread {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	median := sorted[middle]
	if len(sorted)%2 == 0 {
		median = (sorted[middle-1] + sorted[middle]) / 2
	}
	return spread{median: median, least: sorted[0], most: sorted[len(sorted)-1]}
}

func spreadOf(samples []sample, value func(sample) float64) spread {
	values := make([]float64, 0, len(samples))
	for _, s := range samples {
		values = append(values, value(s))
	}
	return newSpread(values)
}
