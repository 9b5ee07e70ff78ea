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
	"slices"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// settings are the flags of serving.
type settings struct {
	listen    string
	readyFile string
	printEnv  bool
	as        string

	catalogue string
	unchecked bool

	tokenLife    time.Duration
	allowance    sandbox.Allowance
	format       sandbox.TokenFormat
	refusal      sandbox.TokenRefusal
	hideArchived bool

	version bool
}

// serve serves until ctx ends, and leaves nothing behind then.
func serve(ctx context.Context, arguments []string, stdout, stderr io.Writer) error {
	set, err := parseFlags(arguments, stdout, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	if set.version {
		return printVersion(ctx, nil, stdout, stderr)
	}
	catalogue, err := readCatalogue(set.catalogue, set.unchecked)
	if err != nil {
		return err
	}
	caller, err := chooseCaller(catalogue, set.as)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", set.listen)
	if err != nil {
		return explainListening(ctx, set.listen, err)
	}
	defer listener.Close() //nolint:errcheck // the server closes it too
	set.removeReadyFile()  // of a sandbox that was killed: nobody should take it for this one's
	server := &http.Server{
		Handler:           sandbox.New(catalogue, set.options()...),
		ReadHeaderTimeout: 10 * time.Second,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	base := baseURL(listener.Addr())
	if err := set.announce(stdout, base, catalogue, caller); err != nil {
		_ = server.Close()
		return err
	}
	defer set.removeReadyFile()
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

func parseFlags(arguments []string, stdout, stderr io.Writer) (settings, error) {
	var set settings
	flags := serveFlags(&set)
	flags.SetOutput(stderr)
	flags.Usage = func() {}
	switch err := flags.Parse(arguments); {
	case errors.Is(err, flag.ErrHelp):
		// Help that was asked for is no error message.
		printUsage(stdout)
		return set, err
	case err != nil:
		fmt.Fprintf(stderr, "`%s help` lists flags and commands.\n", programName())
		return set, errUsage
	}
	switch {
	case flags.NArg() > 0:
		return set, fmt.Errorf("unexpected argument %q: a command comes before all flags", flags.Arg(0))
	case set.tokenLife < 0:
		return set, fmt.Errorf("-token-life is %s: it must not be negative", set.tokenLife)
	case set.unchecked && set.catalogue == "":
		return set, errors.New("-unchecked is for a file of -catalogue")
	case set.printEnv && set.readyFile == "-":
		return set, errors.New("-print-env and -ready-file=- both write to standard output: give the file a name")
	}
	return set, nil
}

func serveFlags(set *settings) *flag.FlagSet {
	flags := flag.NewFlagSet(programName(), flag.ContinueOnError)
	flags.StringVar(&set.listen, "listen", "127.0.0.1:8080", "`address` to listen on; port 0 picks a free one")
	flags.StringVar(&set.readyFile, "ready-file", "",
		"`file` to write a line of JSON to as soon as the sandbox serves, removed at the end; - is standard output")
	flags.BoolVar(&set.printEnv, "print-env", false, "print only the lines that set a shell's environment")
	flags.StringVar(&set.as, "as", "", "`client id` whose credentials are printed (default: an owner's)")

	flags.StringVar(&set.catalogue, "catalogue", "", "catalogue `file` to serve (default: the built-in one)")
	flags.BoolVar(&set.unchecked, "unchecked", false, "serve fields and types that the interface does not have")

	flags.DurationVar(&set.tokenLife, "token-life", time.Hour, "how long a token is valid; 0 is for ever")
	flags.Func("rate-limit", "`requests` allowed each client, such as 60/1m:fixed; fixed, sliding (default) or bucket",
		func(text string) (err error) {
			set.allowance, err = sandbox.ParseAllowance(text)
			return err
		})
	flags.Func("token-format", "content `type` of token requests: form (default), json or any",
		oneOf(&set.format, sandbox.TokenForm, sandbox.TokenJSON, sandbox.TokenAny))
	flags.Func("token-refusal", "`answer` to another type: 415, invalid_request or unsupported_grant_type",
		oneOf(&set.refusal, sandbox.RefuseMediaType, sandbox.RefuseInvalidRequest, sandbox.RefuseGrantType))
	flags.BoolVar(&set.hideArchived, "hide-archived", false, "leave archived revisions out of lists of models")

	flags.BoolVar(&set.version, "version", false, "print the version")
	return flags
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
	if set.hideArchived {
		options = append(options, sandbox.WithArchivedUnlisted())
	}
	return options
}

func readCatalogue(name string, unchecked bool) (*sandbox.Catalogue, error) {
	if name == "" {
		return sandbox.Default(), nil
	}
	file, err := os.Open(name) //nolint:gosec // the user's own choice
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	defer file.Close() //nolint:errcheck // nothing was written
	read := sandbox.ReadCatalogue
	if unchecked {
		read = sandbox.ParseCatalogue
	}
	catalogue, err := read(file)
	if err != nil {
		return nil, fmt.Errorf("catalogue %s: %w", name, err)
	}
	return catalogue, nil
}

// chooseCaller returns the organisation of that client id, or, unless one is
// asked for, the first that owns a group and is permitted to read it.
func chooseCaller(catalogue *sandbox.Catalogue, clientID string) (sandbox.Organisation, error) {
	organisations := catalogue.Organisations()
	i := slices.IndexFunc(organisations, func(o sandbox.Organisation) bool {
		if clientID != "" {
			return o.ClientID == clientID
		}
		return permitted(o) && len(catalogue.Owned(o.Name)) > 0
	})
	switch {
	case i >= 0:
		return organisations[i], nil
	case clientID == "":
		return organisations[0], nil
	}
	return sandbox.Organisation{}, fmt.Errorf("-as is %q: the catalogue has no such client id", clientID)
}

// explainListening says what to do where the address is taken, and by whom.
func explainListening(ctx context.Context, address string, err error) error {
	host, _, splitErr := net.SplitHostPort(address)
	if splitErr != nil {
		return fmt.Errorf("-listen is %q: an address such as 127.0.0.1:8080 is expected", address)
	}
	if !errors.Is(err, errAddressInUse) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second) // whatever is there may not answer
	defer cancel()
	free := "-listen=" + net.JoinHostPort(host, "0")
	if base := "http://" + address; isSandbox(ctx, base) == nil {
		return fmt.Errorf("%s is in use: a sandbox serves there already. Use that one, at %s, "+
			"or take a free port by %s", address, base, free)
	}
	return fmt.Errorf("%s is in use by another program. Take a free port by %s", address, free)
}
