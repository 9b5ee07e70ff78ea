// Command sandbox serves the model catalogue service from memory, so that
// configurations can be tried and tested without the service, and controls one
// that runs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
)

// version is set by the release build. Elsewhere the module's version tells,
// which `go run …@VERSION` knows.
var version = ""

func main() {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	ctx, cleanUp := withoutOrphans(ctx)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	cleanUp()
	stop()
	switch {
	case errors.Is(err, errUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintf(os.Stderr, "%s: %v\n", programName(), err)
		os.Exit(1)
	}
}

// errUsage stands for a mistake that has been explained already.
var errUsage = errors.New("usage")

// programName is what the user calls this program.
func programName() string {
	return strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
}

// run does what the arguments say: a command, or without one to serve until
// ctx ends.
func run(ctx context.Context, arguments []string, stdout, stderr io.Writer) error {
	if len(arguments) == 0 || strings.HasPrefix(arguments[0], "-") {
		return serve(ctx, arguments, stdout, stderr)
	}
	name, arguments := arguments[0], arguments[1:]
	if local, ok := localCommands[name]; ok {
		return local(ctx, arguments, stdout, stderr)
	}
	for _, c := range controlCommands {
		if c.name == name {
			return c.run(ctx, arguments, stdout, stderr)
		}
	}
	return fmt.Errorf("there is no command %q; `%s help` lists them, and without one it serves", name, programName())
}

// versionText is this program's version, such as 0.1.0, or (devel).
func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return "(devel)"
}
