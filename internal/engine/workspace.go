package engine

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Workspace is a folder of configuration with an engine to run in it.
type Workspace struct {
	Engine Engine
	Dir    string
	Env    []string // as Environment makes it
	Colour bool     // whether the engine prints in colours
}

// Command is the engine's command with the name of arguments[0].
func (w Workspace) Command(ctx context.Context, arguments ...string) *exec.Cmd {
	if !w.Colour {
		arguments = slices.Insert(slices.Clone(arguments), 1, "-no-color")
	}
	cmd := Command(ctx, w.Engine.Path, arguments...)
	cmd.Dir, cmd.Env = w.Dir, w.Env
	return cmd
}

// Run runs the engine and returns what it wrote to standard output. Its error is
// a *RunError where the engine ran and failed.
func (w Workspace) Run(ctx context.Context, arguments ...string) (string, error) {
	return Output(w.Command(ctx, arguments...))
}

// Output runs a command and returns what it wrote to standard output. Its error
// is a *RunError.
func Output(cmd *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", NewRunError(cmd, err, stdout.String()+stderr.String())
	}
	return stdout.String(), nil
}

// RunError is a command that failed.
type RunError struct {
	Command string // the program's name and its first argument
	Output  string // all that it printed
	Err     error
}

// NewRunError describes why cmd failed.
func NewRunError(cmd *exec.Cmd, err error, output string) *RunError {
	name := filepath.Base(cmd.Path)
	if len(cmd.Args) > 1 {
		name += " " + cmd.Args[1]
	}
	return &RunError{Command: name, Output: output, Err: err}
}

func (e *RunError) Error() string {
	return fmt.Sprintf("%s: %v\n%s", e.Command, e.Err, strings.TrimSpace(e.Output))
}

func (e *RunError) Unwrap() error { return e.Err }
