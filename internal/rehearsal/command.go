package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// command is a program, run in a directory with variables beside the caller's own.
type command struct {
	dir  string
	env  []string
	args []string
}

// prepare makes the command ready to start. It is ended by an interrupt, as from
// the keyboard, so that what it started ends too, and killed if that takes long.
func (c command) prepare(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...) //nolint:gosec // Its own programs, and those its flags name.
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), c.env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// output runs the command and returns what it wrote to standard output. The
// error has that and what it wrote to standard error.
func (c command) output(ctx context.Context) (string, error) {
	cmd := c.prepare(ctx)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		said := bytes.TrimSpace(append(stdout.Bytes(), stderr.Bytes()...))
		return stdout.String(), fmt.Errorf("%s: %w\n%s", filepath.Base(c.args[0]), err, said)
	}
	return stdout.String(), nil
}

// locate finds a program on the PATH, or by its path, and returns where it is
// whatever the directory.
func locate(program string) (string, error) {
	found, err := exec.LookPath(program)
	if err != nil {
		return "", err
	}
	return filepath.Abs(found)
}
