package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// localCommands need no control route.
var localCommands map[string]func(ctx context.Context, arguments []string, stdout, stderr io.Writer) error

func init() {
	// Help lists the commands, so that they cannot be a plain variable.
	localCommands = map[string]func(context.Context, []string, io.Writer, io.Writer) error{
		"wait":      wait,
		"catalogue": printText(sandbox.DefaultFile),
		"schema":    printText(sandbox.CatalogueSchema),
		"version":   printVersion,
		"help":      help,
	}
}

func printVersion(_ context.Context, _ []string, stdout, _ io.Writer) error {
	_, err := fmt.Fprintf(stdout, "%s %s\n", programName(), versionText())
	return err
}

func printText(text func() []byte) func(context.Context, []string, io.Writer, io.Writer) error {
	return func(_ context.Context, arguments []string, stdout, _ io.Writer) error {
		if len(arguments) > 0 {
			return fmt.Errorf("unexpected argument %q", arguments[0])
		}
		_, err := stdout.Write(text())
		return err
	}
}

// wait returns when a sandbox that is being started serves, and prints its URL.
func wait(ctx context.Context, arguments []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("wait", flag.ContinueOnError)
	flags.SetOutput(stderr)
	base := urlFlag(flags)
	readyFile := flags.String("ready-file", "", "`file` that the sandbox writes, instead of a URL")
	timeout := flags.Duration("timeout", 30*time.Second, "how long to wait")
	switch err := flags.Parse(arguments); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return errUsage
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	for {
		found, err := whereReady(ctx, *base, *readyFile)
		if err == nil {
			_, err = fmt.Fprintln(stdout, found)
			return err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("no sandbox is ready after %s: %w", *timeout, err)
		}
	}
}

func whereReady(ctx context.Context, base, readyFile string) (string, error) {
	if readyFile != "" {
		text, err := os.ReadFile(readyFile) //nolint:gosec // the user's own choice
		if err != nil {
			return "", err
		}
		var ready readiness
		if err := json.Unmarshal(text, &ready); err != nil {
			return "", fmt.Errorf("%s: %w", readyFile, err)
		}
		base = ready.URL
	}
	return base, isSandbox(ctx, base)
}
