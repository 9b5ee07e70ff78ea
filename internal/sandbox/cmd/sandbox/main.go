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
	"slices"
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
	allowance sandbox.Allowance
	format    sandbox.TokenFormat
	refusal   sandbox.TokenRefusal
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
		Handler:           sandbox.New(catalogue, set.options()...),
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
	flags.Func("rate-limit", "`requests` allowed each client, such as 60/1m:fixed; counted as fixed, sliding (default) or bucket",
		func(text string) (err error) {
			set.allowance, err = sandbox.ParseAllowance(text)
			return err
		})
	flags.Func("token-format", "content `type` that the token endpoint takes: form (default), json or any",
		oneOf(&set.format, sandbox.TokenForm, sandbox.TokenJSON, sandbox.TokenAny))
	flags.Func("token-refusal", "`answer` to any other type: 415, invalid_request or unsupported_grant_type",
		oneOf(&set.refusal, sandbox.RefuseMediaType, sandbox.RefuseInvalidRequest, sandbox.RefuseGrantType))
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
	}
	return set, nil
}

// oneOf takes a flag's value where it is one of those listed.
func oneOf[T ~string](into *T, values ...T) func(string) error {
	return func(text string) error {
		if !slices.Contains(values, T(text)) {
			return fmt.Errorf("it must be one of %v", values)
		}
		*into = T(text)
		return nil
	}
}

func (set settings) options() []sandbox.Option {
	options := []sandbox.Option{sandbox.WithTokenLife(set.tokenLife), sandbox.WithAllowance(set.allowance)}
	if set.format != "" {
		options = append(options, sandbox.WithTokenFormat(set.format))
	}
	if set.refusal != "" {
		options = append(options, sandbox.WithTokenRefusal(set.refusal))
	}
	return options
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
