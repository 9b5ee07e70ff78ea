package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
)

// bench is shared by all measurements.
type bench struct {
	engine engine.Engine
	builds string // a folder with the folders provider and floor, each with a build
	root   string // a temporary folder
}

// pairs is the number of pairs of plans in a scenario.
const pairs = 5

// measure plans both sides in turn. The order changes from pair to pair, so neither side is always second.
func (b bench) measure(ctx context.Context, s scenario) (ours, theirs samples, err error) {
	service, err := serve(s)
	if err != nil {
		return ours, theirs, err
	}
	defer service.Close()
	answers, err := os.MkdirTemp(b.root, "floor-")
	if err != nil {
		return ours, theirs, err
	}
	env := append(engine.Service(service.URL, "bench", "bench"), "FLOOR_DIR="+answers)
	mine := plan{s.config, "provider"}
	other := plan{s.other, "provider"}
	if s.other == "" {
		other = plan{s.config, "floor"}
	}
	// If the other side is the floor, this plan stores its answers.
	if err := b.run(ctx, other, env, &samples{}); err != nil {
		return ours, theirs, err
	}
	for turn := range 2 * pairs {
		p, into := mine, &ours
		if turn%4 == 1 || turn%4 == 2 {
			p, into = other, &theirs
		}
		if err := b.run(ctx, p, env, into); err != nil {
			return ours, theirs, err
		}
	}
	return ours, theirs, nil
}

// plan is a configuration, and the build that reads it.
type plan struct {
	config string
	build  string
}

// samples are the costs of repeated plans, in seconds of the engine and its provider together.
type samples struct {
	cpu  []float64
	wall []float64
}

const header = `terraform {
  required_providers {
    modelcatalogue = { source = "modelcatalogue/modelcatalogue" }
  }
}
`

// run plans once, with these entries in the environment, and appends the cost.
func (b bench) run(ctx context.Context, p plan, env []string, into *samples) error {
	settings := filepath.Join(b.root, "engine.tfrc")
	if err := engine.Override(settings, filepath.Join(b.builds, p.build)); err != nil {
		return err
	}
	file := filepath.Join(b.root, "main.tf")
	if err := os.WriteFile(file, []byte(header+p.config), 0o600); err != nil {
		return err
	}
	work := engine.Workspace{
		Engine: b.engine,
		Dir:    b.root,
		Env:    engine.Environment(append(env, "TF_CLI_CONFIG_FILE="+settings)...),
	}
	cmd := work.Command(ctx, "plan", "-lock=false")
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("plan: %w\n%s", err, out)
	}
	into.wall = append(into.wall, time.Since(start).Seconds())
	// The engine waits for its provider, so its times include the provider's.
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	into.cpu = append(into.cpu, used.Seconds())
	return nil
}
