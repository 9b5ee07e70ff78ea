// Command engines runs the acceptance tests on each engine it is given and
// prints a table of engine, tests and result, in Markdown. It fails where a test
// fails on any engine, and where an engine ran none.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "engines:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("engines", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: engines [flags] ENGINE…\n\nEach ENGINE is a terraform or tofu program, on the PATH or by its path.")
		flags.PrintDefaults()
	}
	pattern := flags.String("run", "^TestAcc", "the tests to run, as `go test -run` takes them")
	timeout := flags.Duration("timeout", 20*time.Minute, "the time that each engine's tests may take")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return errors.New("no engine named")
	}

	var rows []row
	var failed []string
	for _, program := range flags.Args() {
		path, err := locate(program)
		if err != nil {
			return err
		}
		name, err := engineName(ctx, path)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(rows, func(r row) bool { return r.engine == name }) {
			continue // The engine on the PATH can be one of the others.
		}
		fmt.Fprintf(os.Stderr, "testing on %s\n", name)
		tally, err := testOn(ctx, path, *pattern, *timeout)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil && tally.passed == 0 {
			err = errors.New("no test ran")
		}
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s: %v", name, err))
		}
		rows = append(rows, row{engine: name, tally: tally, ok: err == nil})
	}

	fmt.Println()
	printTable(os.Stdout, rows)
	if len(failed) > 0 {
		return errors.New(strings.Join(failed, "; "))
	}
	return nil
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

// engineName is what the engine calls itself, such as "OpenTofu 1.12.6".
func engineName(ctx context.Context, path string) (string, error) {
	cmd := exec.CommandContext(ctx, path, "version")
	// What is wrong with the caller's own settings would be printed first.
	cmd.Env = append(os.Environ(), "CHECKPOINT_DISABLE=1", "TF_CLI_CONFIG_FILE=tools/empty.tfrc")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", path, err)
	}
	first, _, _ := strings.Cut(string(out), "\n")
	name, version, ok := strings.Cut(strings.TrimSpace(first), " v")
	if !ok {
		return "", fmt.Errorf("asking %s for its version: it says %q", path, first)
	}
	return name + " " + version, nil
}

// testOn runs the matching tests of the whole module on one engine. The error is
// the test run's own failure; the tally is as far as it came.
func testOn(ctx context.Context, engine, pattern string, timeout time.Duration) (tally, error) {
	cmd := exec.CommandContext(ctx, "tools/with-engine.sh", //nolint:gosec // The arguments are the caller's own flags.
		"go", "test", "-json", "-count=1", "-run="+pattern, "-timeout="+timeout.String(), "./...")
	cmd.Env = append(os.Environ(), "TF_ACC_TERRAFORM_PATH="+engine)
	cmd.Stderr = os.Stderr
	// Interrupted as from the keyboard, so that tests stop their engines.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return tally{}, err
	}
	if err := cmd.Start(); err != nil {
		return tally{}, err
	}
	start := time.Now()
	counted, readErr := count(stdout, os.Stderr)
	if readErr != nil {
		// Let the tests go on to their end, rather than block on a full pipe.
		_, _ = io.Copy(io.Discard, stdout)
	}
	err = cmd.Wait()
	counted.took = time.Since(start)
	return counted, errors.Join(err, readErr)
}
