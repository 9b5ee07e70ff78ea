// Command sandbox serves the model catalogue service from memory, so that
// configurations can be tried without the service.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, errUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		os.Exit(1)
	}
}

// errUsage stands for a mistake that the flag package has explained already.
var errUsage = errors.New("usage")

type settings struct {
	listen    string
	catalogue string
	tokenLife time.Duration
	rateLimit int
}

// run serves until ctx ends.
func run(ctx context.Context, arguments []string, stdout, stderr io.Writer) error {
	set, err := parseFlags(arguments, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	catalogue, err := readCatalogue(set.catalogue)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", set.listen)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: sandbox.New(catalogue,
			sandbox.WithTokenLife(set.tokenLife),
			sandbox.WithRateLimit(set.rateLimit, time.Second)),
		ReadHeaderTimeout: 10 * time.Second,
	}
	if err := writeWelcome(stdout, listener.Addr(), catalogue); err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	// ctx is over: requests under way get a moment of their own to finish.
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if server.Shutdown(grace) != nil {
		_ = server.Close()
	}
	return nil
}

func parseFlags(arguments []string, stderr io.Writer) (settings, error) {
	var set settings
	flags := flag.NewFlagSet("sandbox", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&set.listen, "listen", "127.0.0.1:8080", "`address` to listen on; port 0 picks a free one")
	flags.StringVar(&set.catalogue, "catalogue", "", "catalogue `file` to serve (default: the built-in one)")
	flags.DurationVar(&set.tokenLife, "token-life", time.Hour, "how long a token is valid; 0: for ever")
	flags.IntVar(&set.rateLimit, "rate-limit", 0, "requests allowed per second; 0: no limit")
	if err := flags.Parse(arguments); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return set, err
		}
		return set, errUsage
	}
	switch {
	case flags.NArg() > 0:
		return set, fmt.Errorf("unexpected argument %q: there are flags only", flags.Arg(0))
	case set.tokenLife < 0:
		return set, fmt.Errorf("-token-life is %s: it must not be negative", set.tokenLife)
	case set.rateLimit < 0:
		return set, fmt.Errorf("-rate-limit is %d: it must not be negative", set.rateLimit)
	}
	return set, nil
}

func readCatalogue(name string) (*sandbox.Catalogue, error) {
	if name == "" {
		return sandbox.Default(), nil
	}
	file, err := os.Open(name) //nolint:gosec // the user's own choice
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	defer file.Close() //nolint:errcheck // nothing was written
	catalogue, err := sandbox.ParseCatalogue(file)
	if err != nil {
		return nil, fmt.Errorf("catalogue %s: %w", name, err)
	}
	return catalogue, nil
}
